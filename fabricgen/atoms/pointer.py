"""Layouts of stable integral pointers, and their atoms."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.strict import StrictRecord

__all__ = ["PointerFormat", "pointer_atom", "read_pointer_atom"]

_STABLE_INTEGRAL = 0
_ATOM_BYTES = 16


@dataclass(frozen=True, slots=True, order=True)
class PointerFormat(StrictRecord):
    """Layout of a stable integral pointer; widths in bits.

    ``0 < address_bits <= representation_bits``, all of them 32-bit numbers.
    """

    address_space: int
    representation_bits: int
    address_bits: int

    def _findings(self) -> Iterator[Diagnostic]:
        for name in ("address_space", "representation_bits"):
            value = getattr(self, name)
            if not 0 <= value < 2**32:
                yield _range(name, "a 32-bit number", value)
        if not 0 < self.address_bits <= self.representation_bits:
            requirement = f"from 1 to the representation's {self.representation_bits} bits"
            yield _range("address_bits", requirement, self.address_bits)


def pointer_atom(pointer: PointerFormat) -> bytes:
    """Encode four u32be: address space, representation, address, and the kind (0)."""
    words = (
        pointer.address_space,
        pointer.representation_bits,
        pointer.address_bits,
        _STABLE_INTEGRAL,
    )
    return b"".join(word.to_bytes(4, "big") for word in words)


def read_pointer_atom(atom: bytes, where: str) -> PointerFormat:
    """Decode an atom; any other bytes are ``Invalid``."""
    words = [int.from_bytes(atom[i : i + 4], "big") for i in range(0, _ATOM_BYTES, 4)]
    if len(atom) != _ATOM_BYTES or words[3] != _STABLE_INTEGRAL:
        raise Invalid(
            Diagnostic(
                "atom-unknown",
                where,
                "The atom of a stable integral pointer format is required, "
                f"not {atom[:64].hex() or 'none'}",
            )
        )
    return PointerFormat(*words[:3])


def _range(where: str, requirement: str, value: int) -> Diagnostic:
    return Diagnostic(
        "pointer-format-range", where, f"The value must be {requirement}, not {value}"
    )
