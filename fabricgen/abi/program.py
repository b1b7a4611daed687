"""What a host does over AXI4-Lite to make an image the active one, step by step."""

import enum
from dataclasses import dataclass

from fabricgen.abi.identity import identity_word
from fabricgen.abi.image import decode_image, image_payload
from fabricgen.abi.status import WORD_BITS
from fabricgen.abi.unit import programming_unit
from fabricgen.records.fabric import Fabric

__all__ = ["AxiLiteRead", "AxiLiteResponse", "AxiLiteStep", "AxiLiteWrite", "programming_sequence"]

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


AxiLiteStep = AxiLiteWrite | AxiLiteRead


def programming_sequence(fabric: Fabric, image: bytes) -> tuple[AxiLiteStep, ...]:
    """Program a checked image: shadow words, identity, commit, and the read-back of every word.

    The commit waits for quiescence on the host's side only: hardware that is busy answers it with
    SLVERR and keeps the shadow, so a host may repeat the last steps from the identity on.
    """
    decode_image(fabric, image)
    unit, payload = programming_unit(fabric), image_payload(fabric, image)
    words = [payload >> WORD_BITS * i & (1 << WORD_BITS) - 1 for i in range(unit.word_count)]
    registers, identity = unit.registers, identity_word(fabric)
    return (
        AxiLiteRead(registers.identity, identity),
        *(AxiLiteWrite(4 * i, word) for i, word in enumerate(words)),
        AxiLiteWrite(registers.identity, identity),
        AxiLiteRead(registers.status, 1),
        AxiLiteWrite(registers.commit, 1),
        *(AxiLiteRead(4 * i, word) for i, word in enumerate(words)),
    )
