"""Litmus tests: a few accesses of a few threads to one or two objects, and what came of them.

A thread is a chain of rows, each of which waits for the completion of the one before it through an
internal connection. Round ``n`` has objects of its own, which are zero before it.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fabricgen.abi.image import encode_image
from fabricgen.records.fabric import Fabric
from fabricgen.vocab.dataflow import AtomicRmwKind
from sim.history import Kind
from sim.make_job import programming_steps
from sim.race_documents import RaceFabric, RaceRow
from sim.race_job import RaceRecord, RaceSegment
from sim.race_traffic import Addresses, FixedAccess

__all__ = ["SPATIAL", "TEMPORAL", "Access", "Litmus", "counted", "histogram", "outcomes", "rounds"]

_SIZE_BYTES, _BEAT_BYTES = 4, 8
_ROUND_BYTES = 2 * _BEAT_BYTES
#: Objects lie in beats, and so in banks, of their own.
_PLACES = {"x": 0, "y": _BEAT_BYTES}

TEMPORAL = RaceFabric(
    "litmus",
    contexts=8,
    hosts=0,
    links=((0, 1), (1, 0), (2, 3), (3, 2)),
    has_lanes=False,
    sizes_bytes=(_SIZE_BYTES,),
    kinds=(AtomicRmwKind.ADD,),
)
SPATIAL = RaceFabric(
    "litmus",
    ports=6,
    contexts=None,
    hosts=0,
    links=((0, 1), (1, 2), (3, 4), (4, 5)),
    has_lanes=False,
    sizes_bytes=(_SIZE_BYTES,),
    kinds=(AtomicRmwKind.ADD,),
)


@dataclass(frozen=True, slots=True)
class Access:
    """One step of a thread; a fence has no ``place``, and only a store a value."""

    actor: str
    ordering: str
    place: str = ""
    value: int = 0


@dataclass(frozen=True, slots=True)
class Litmus:
    """Threads and their steps.

    Its outcome is what its loads found, thread by thread, and then what the objects ``finals`` are
    at the end.
    """

    name: str
    threads: tuple[tuple[Access, ...], ...]
    finals: tuple[str, ...] = ()

    def fits(self, design: RaceFabric) -> bool:
        """Whether a design has a port or a row for each step."""
        return sum(map(len, self.threads)) <= (design.contexts or design.ports)


def _chains(design: RaceFabric) -> list[tuple[int, ...]]:
    """Ports of threads of up to three steps."""
    return [(0, 1, 2), (3, 4, 5)] if design.contexts is None else [(0, 1, 0), (2, 3, 2)]


def _placed(design: RaceFabric, litmus: Litmus) -> list[tuple[int, ...]]:
    """Port of each step of each thread: the longest ones are the chains."""
    threads, chains = litmus.threads, _chains(design)
    longest = sorted(range(len(threads)), key=lambda at: -len(threads[at]))
    found = {at: chain[: len(threads[at])] for at, chain in zip(longest, chains, strict=False)}
    taken = [port for ports in found.values() for port in ports]
    free = [port for port in range(design.ports) if design.contexts or port not in taken]
    # In a Temporal engine others share ports, those with the fewest rows first.
    free.sort(key=taken.count)
    found |= {at: (port,) for at, port in zip(longest[len(chains) :], free, strict=False)}
    return [found[at] for at in range(len(threads))]


def _mapped(
    design: RaceFabric, litmus: Litmus
) -> tuple[list[RaceRow], list[FixedAccess], list[tuple[int, ...]]]:
    """Rows, what they ask for, and rows of each thread; those of a Spatial table by port."""
    steps: list[tuple[int, int, int, Access]] = []
    for thread, (ports, listed) in enumerate(
        zip(_placed(design, litmus), litmus.threads, strict=True)
    ):
        steps += [
            (port, thread, at, each)
            for at, (port, each) in enumerate(zip(ports, listed, strict=True))
        ]
    if design.contexts is None:
        steps.sort(key=lambda step: step[0])
    ordinal = {(thread, at): number for number, (_, thread, at, _) in enumerate(steps)}
    rows = [
        RaceRow(
            port,
            each.actor,
            each.ordering,
            _SIZE_BYTES,
            base=_PLACES.get(each.place, 0),
            control=ordinal.get((thread, at - 1)),
        )
        for port, thread, at, each in steps
    ]
    fixed = [FixedAccess(_ROUND_BYTES // _SIZE_BYTES, each.value) for *_, each in steps]
    threads = [
        tuple(ordinal[thread, at] for at in range(len(listed)))
        for thread, listed in enumerate(litmus.threads)
    ]
    return rows, fixed, threads


def rounds(
    design: RaceFabric, fabric: Fabric, litmus: Litmus, patterns: Sequence[str], seed: int
) -> Iterator[RaceSegment]:
    """For each stall pattern as many rounds as the memory has objects for."""
    rng = random.Random(f"{litmus.name}/{seed}")
    rows, fixed, threads = _mapped(design, litmus)
    program = programming_steps(fabric, encode_image(fabric, design.mapping(fabric, rows)))
    count = design.capacity_bytes // _ROUND_BYTES
    for pattern in patterns:
        yield RaceSegment(
            tuple(rows),
            program,
            pattern,
            rng.getrandbits(32),
            count,
            0,
            Addresses(design.capacity_bytes),
            100 * count,
            tuple(fixed),
            tuple(threads),
            restores=True,
        )


def outcomes(design: RaceFabric, litmus: Litmus, record: RaceRecord) -> Counter[tuple[int, ...]]:
    """How often each outcome came."""
    _, _, threads = _mapped(design, litmus)
    loads = [
        f"row{ordinal}"
        for rows, listed in zip(threads, litmus.threads, strict=True)
        for ordinal, each in zip(rows, listed, strict=True)
        if each.actor == "load"
    ]
    found = {(each.source, each.number): each for each in record.history}
    count = len(record.after) // _ROUND_BYTES
    seen: Counter[tuple[int, ...]] = Counter()
    for number in range(count):
        values = [found[source, number].observed for source in loads]
        for place in litmus.finals:
            at = number * _ROUND_BYTES + _PLACES[place]
            values.append(int.from_bytes(record.after[at : at + _SIZE_BYTES], "little"))
        seen[tuple(values)] += 1
    return seen


def histogram(
    design: RaceFabric, fabric: Fabric, count: int, pattern: str, ordering: str, seed: int
) -> RaceSegment:
    """One row on each of four ports adds 1 to the one bin, so often."""
    rows = tuple(
        RaceRow(port, "rmw", ordering, _SIZE_BYTES, kind=AtomicRmwKind.ADD) for port in range(4)
    )
    image = encode_image(fabric, design.mapping(fabric, rows))
    return RaceSegment(
        rows,
        programming_steps(fabric, image),
        pattern,
        seed,
        count,
        0,
        Addresses(design.capacity_bytes),
        100 * count,
        (FixedAccess(0, 1),) * len(rows),
        restores=True,
    )


def counted(record: RaceRecord) -> list[list[int]]:
    """What each row of a histogram found, in the order of its firings."""
    rows = sorted({each.source for each in record.history})
    return [
        [each.observed for each in record.history if each.source == row and each.kind is Kind.RMW]
        for row in rows
    ]
