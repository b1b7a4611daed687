"""What a bench of races has to do, and what it leaves behind."""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sim.history import Operation
from sim.job import MemoryJob, Step
from sim.race_documents import RaceRow
from sim.race_traffic import Addresses, FixedAccess

__all__ = ["RaceJob", "RaceRecord", "RaceSegment", "read_records"]


@dataclass(frozen=True, slots=True)
class RaceSegment:
    """Traffic between two programmings.

    Parameters
    ----------
    rows
        Of the mapping that ``program`` makes the active one.
    program
        Steps of the programming host.
    pattern, seed
        Of the stalls, and of everything random.
    firings, transfers
        Of each row, and of each master, about.
    addresses
        Where accesses go.
    stalled_cycles
        So long there are stalls; what is left then is done as fast as it goes.
    fixed
        For each row what it asks for, if that is not drawn.
    threads
        Rows by ordinal that begin together, round after round: none begins its firing ``n`` before
        all have ended firing ``n - 1``. Without them each row goes on as fast as it can.
    restores
        The memory is as before the first segment.
    """

    rows: tuple[RaceRow, ...]
    program: tuple[Step, ...]
    pattern: str
    seed: int
    firings: int
    transfers: int
    addresses: Addresses
    stalled_cycles: int
    fixed: tuple[FixedAccess, ...] = ()
    threads: tuple[tuple[int, ...], ...] = ()
    restores: bool = False


@dataclass(frozen=True, slots=True)
class RaceJob:
    """One simulation.

    Parameters
    ----------
    memory
        Contents before, and where the words are; what is after is found out.
    ports
        Of the engine.
    hosts
        Names of the subordinates.
    tag_bits
        Of a tag; 0 without.
    segments
        One after the other, without a reset between them.
    """

    memory: MemoryJob
    ports: int
    hosts: tuple[str, ...]
    tag_bits: int
    segments: tuple[RaceSegment, ...]


@dataclass(frozen=True, slots=True)
class RaceRecord:
    """What came of a segment.

    Parameters
    ----------
    seed, pattern
        Of the segment.
    history
        Its operations; those that were never answered are missing.
    before, after
        Contents of the memory around it.
    cycles, resets
        Clock cycles of traffic, and resets of masters.
    faults
        What was not as it must be.
    """

    seed: int
    pattern: str
    history: Sequence[Operation]
    before: bytes
    after: bytes
    cycles: int
    resets: int
    faults: tuple[str, ...] = field(default_factory=tuple[str, ...])


def read_records(path: Path) -> Iterator[RaceRecord]:
    """Records of a bench, in their order."""
    with path.open("rb") as file:
        while True:
            try:
                record = pickle.load(file)
            except EOFError:
                return
            yield record
