"""What a host does over AXI4-Lite to make an image the active one, step by step."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.abi.identity import identity_word
from fabricgen.abi.image import decode_image, image_payload
from fabricgen.abi.status import FLAG_QUIESCENT, WORD_BITS
from fabricgen.abi.unit import ProgrammingUnit, programming_unit
from fabricgen.config.changes import affected_rows
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.demand import is_temporal
from fabricgen.records.fabric import Fabric

__all__ = [
    "AxiLitePoll",
    "AxiLiteRead",
    "AxiLiteResponse",
    "AxiLiteStep",
    "AxiLiteWrite",
    "programming_sequence",
]

_ALL_BYTES = 0b1111


class AxiLiteResponse(enum.Enum):
    """Response codes of AXI4-Lite, by their encoding."""

    OKAY = 0
    SLVERR = 2
    DECERR = 3


@dataclass(frozen=True, slots=True)
class AxiLiteWrite:
    """Write one word, and expect the response."""

    address: int
    data: int
    strobe: int = _ALL_BYTES
    response: AxiLiteResponse = AxiLiteResponse.OKAY


@dataclass(frozen=True, slots=True)
class AxiLiteRead:
    """Read one word, and expect the response and exactly the data."""

    address: int
    data: int
    response: AxiLiteResponse = AxiLiteResponse.OKAY


@dataclass(frozen=True, slots=True)
class AxiLitePoll:
    """Read one word until its bits under the mask are the data."""

    address: int
    data: int
    mask: int
    response: AxiLiteResponse = AxiLiteResponse.OKAY


AxiLiteStep = AxiLiteWrite | AxiLiteRead | AxiLitePoll


def programming_sequence(
    fabric: Fabric, image: bytes, *, running: bytes | None = None
) -> tuple[AxiLiteStep, ...]:
    """Program a checked image: shadow words, identity, commit, and the read-back of every word.

    ``running`` is the image that the hardware runs meanwhile: the rows that the change affects are
    drained first, and let go behind the commit.

    The commit waits for quiescence on the host's side only: hardware that is busy answers it with
    SLVERR and keeps the shadow, so a host may repeat it.
    """
    configuration = decode_image(fabric, image)
    unit, payload = programming_unit(fabric), image_payload(fabric, image)
    words = [payload >> WORD_BITS * i & (1 << WORD_BITS) - 1 for i in range(unit.word_count)]
    registers, identity = unit.registers, identity_word(fabric)
    before, after = (), ()
    if running is not None and fabric.memories:
        rows = _affected(fabric, decode_image(fabric, running), configuration)
        before = *_drains(unit, rows), *_polls(fabric, unit, rows)
        after = tuple(_drains(unit, 0))
    return (
        AxiLiteRead(registers.identity, identity),
        *(AxiLiteWrite(4 * i, word) for i, word in enumerate(words)),
        AxiLiteWrite(registers.identity, identity),
        AxiLiteRead(registers.status, 1),
        *before,
        AxiLiteWrite(registers.commit, 1),
        *after,
        *(AxiLiteRead(4 * i, word) for i, word in enumerate(words)),
    )


def _affected(fabric: Fabric, running: FabricConfiguration, after: FabricConfiguration) -> int:
    """One bit for each row that the change affects."""
    (named,) = fabric.memories
    rows = affected_rows(named, running.memories[0], after.memories[0])
    return sum(1 << row for row in rows)


def _drains(unit: ProgrammingUnit, rows: int) -> Iterator[AxiLiteWrite]:
    """Write the rows that shall drain."""
    for word in unit.reports.words():
        if word.member == "drain":
            bits = rows >> word.shift & (1 << word.width) - 1
            yield AxiLiteWrite(unit.registers.words[word.name], bits)


def _polls(fabric: Fabric, unit: ProgrammingUnit, rows: int) -> Iterator[AxiLitePoll]:
    """Wait until what the commit asks is quiescent: rows of a Temporal memory, else everything."""
    if not is_temporal(fabric.memories[0].occurrence):
        quiescent = 1 << FLAG_QUIESCENT
        yield AxiLitePoll(unit.registers.flags, quiescent, quiescent)
        return
    for word in unit.reports.words():
        if word.member == "busy" and (mask := rows >> word.shift & (1 << word.width) - 1):
            yield AxiLitePoll(unit.registers.words[word.name], 0, mask)
