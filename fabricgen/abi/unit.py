"""Where the carriers of one fabric lie in its programming unit, and at which addresses.

The unit's payload starts with one reserved bit; the carriers follow without gaps, in memory
order. The host sees it as 32-bit words from byte 0, then a commit and a status word, and the
extension registers at the next power of two.
"""

from dataclasses import dataclass

from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import Unsupported
from fabricgen.plan.realisation import unsupported
from fabricgen.records.fabric import Fabric

__all__ = ["WORD_BITS", "ProgrammingUnit", "RegisterMap", "programming_unit"]

WORD_BITS = 32
_WORD_BYTES = WORD_BITS // 8
_RESERVED_BITS = 1
_SMALLEST_EXTENSION_BASE = 16


@dataclass(frozen=True, slots=True)
class RegisterMap:
    """Byte addresses of everything behind the payload words.

    Parameters
    ----------
    commit
        Writing 1 to bit 0 makes the written payload the active one.
    status
        Bit 0: every payload byte was written since reset or the last commit. Read-only.
    identity
        Reads as the first four bytes of the fabric's identity, big-endian; the same value must be
        written before each commit.
    flags
        Bit 0 ``out_of_range``, sticky, cleared by writing 1 to it; bit 1 ``quiescent``, live.
    out_of_range_row, out_of_range_address
        First fault since the flag was clear: its row, and the low 32 bits of its byte address.
    """

    commit: int
    status: int
    identity: int
    flags: int
    out_of_range_row: int
    out_of_range_address: int


@dataclass(frozen=True, slots=True)
class ProgrammingUnit:
    """Placement of one fabric's carriers.

    Parameters
    ----------
    payload_bits
        Bits of the payload; bit 0 is reserved and zero.
    carrier_offsets
        Payload bit of bit 0 of each memory's carrier.
    word_count
        32-bit words of the payload.
    storable_mask
        Payload bits that some legal configuration sets; a commit with any other is refused.
    registers
        Addresses behind the payload.
    """

    payload_bits: int
    carrier_offsets: tuple[int, ...]
    word_count: int
    storable_mask: int
    registers: RegisterMap


def programming_unit(fabric: Fabric) -> ProgrammingUnit:
    """Place the carriers of a fabric; ``Unsupported`` for one that cannot be generated."""
    if found := unsupported(fabric):
        raise Unsupported(*found)
    offset, offsets, mask = _RESERVED_BITS, list[int](), 0
    for named in fabric.memories:
        offsets.append(offset)
        mask |= storable_mask(named) << offset
        offset += carrier_layout(named).width
    word_count = -(-offset // WORD_BITS)
    return ProgrammingUnit(offset, tuple(offsets), word_count, mask, _registers(word_count))


def _registers(word_count: int) -> RegisterMap:
    commit = word_count * _WORD_BYTES
    end = commit + 2 * _WORD_BYTES
    base = max(_SMALLEST_EXTENSION_BASE, 1 << (end - 1).bit_length())
    identity, flags, row, address = range(base, base + 4 * _WORD_BYTES, _WORD_BYTES)
    return RegisterMap(commit, commit + _WORD_BYTES, identity, flags, row, address)
