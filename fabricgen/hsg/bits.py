"""Little-endian bit fields of a Direct carrier: bit 0 is the lowest bit of byte 0."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid

__all__ = [
    "BitField",
    "carrier_bytes",
    "carrier_from_bytes",
    "choice_bits",
    "pack",
    "reached_bits",
    "unpack",
]


@dataclass(frozen=True, slots=True)
class BitField:
    """Named field of a carrier; fields are packed upward in their order, without gaps."""

    name: str
    bits: int


def choice_bits(count: int) -> int:
    """Bits that tell ``count`` values apart; 0 for one value or none."""
    return max(count - 1, 0).bit_length()


def reached_bits(most: int) -> int:
    """Bits that some number from 0 to ``most`` sets."""
    return (1 << most.bit_length()) - 1


def pack(layout: Sequence[BitField], values: Sequence[int]) -> int:
    """Place one value in each field; a value that does not fit is a ``ValueError``."""
    carrier, offset = 0, 0
    for field, value in zip(layout, values, strict=True):
        if not 0 <= value < 1 << field.bits:
            raise ValueError(f"Field {field.name} must fit {field.bits} bits, not {value!r}")
        carrier |= value << offset
        offset += field.bits
    return carrier


def unpack(layout: Sequence[BitField], carrier: int) -> Iterator[int]:
    """Read the fields of a carrier in their order."""
    for field in layout:
        yield carrier & ((1 << field.bits) - 1)
        carrier >>= field.bits


def carrier_bytes(carrier: int, bit_count: int) -> bytes:
    """Spell a carrier as bytes; pad bits of the last byte are zero."""
    return carrier.to_bytes((bit_count + 7) // 8, "little")


def carrier_from_bytes(data: bytes, bit_count: int, where: str) -> int:
    """Read :func:`carrier_bytes`; another length or a set pad bit is ``Invalid``."""
    carrier = int.from_bytes(data, "little")
    if len(data) != (bit_count + 7) // 8 or carrier >> bit_count:
        raise Invalid(
            Diagnostic(
                "carrier-pad",
                where,
                f"A carrier of {bit_count} bits must be {(bit_count + 7) // 8} bytes with zero "
                f"padding, not {len(data)} bytes ending in {data[-1:].hex() or 'none'}",
            )
        )
    return carrier
