"""Atoms of pointer formats, and the point of a data format that is no pointer at all.

A pointer format is four u32be: address space, representation bits, address bits, kind with
StableIntegral 0. A data format is u32be 0 for ordinary data, or u32be 1 and the pointer's atom.
"""

from dataclasses import dataclass

from fabricgen.atoms.table import AtomCodec
from fabricgen.errors import Invalid
from fabricgen.schema.types import PointerFormat

__all__ = ["DATA_FORMATS", "POINTER_FORMATS", "DataFormat", "OrdinaryData"]

_WORD = 4
_ORDINARY, _POINTER = (tag.to_bytes(_WORD, "big") for tag in (0, 1))
_STABLE_INTEGRAL = 0


@dataclass(frozen=True, slots=True)
class OrdinaryData:
    """The point of ``data_pointer_formats`` that is no pointer at all."""


DataFormat = OrdinaryData | PointerFormat


class _PointerFormats(AtomCodec[PointerFormat]):
    def atom(self, value: PointerFormat) -> bytes:
        """Encode a format."""
        words = (
            value.address_space,
            value.representation_bits,
            value.address_bits,
            _STABLE_INTEGRAL,
        )
        return b"".join(word.to_bytes(_WORD, "big") for word in words)

    def read(self, atom: bytes, where: str) -> PointerFormat:
        """Decode an atom; any other bytes are ``Invalid``."""
        words = [int.from_bytes(atom[at : at + _WORD], "big") for at in range(0, len(atom), _WORD)]
        if len(atom) != 4 * _WORD or words[3] != _STABLE_INTEGRAL:
            raise self.unknown(atom, where)
        try:
            return PointerFormat(*words[:3])
        except Invalid as error:
            raise error.under(where) from None


class _DataFormats(AtomCodec[DataFormat]):
    def atom(self, value: DataFormat) -> bytes:
        """Encode a format."""
        if isinstance(value, OrdinaryData):
            return _ORDINARY
        return _POINTER + POINTER_FORMATS.atom(value)

    def read(self, atom: bytes, where: str) -> DataFormat:
        """Decode an atom; any other bytes are ``Invalid``."""
        if atom == _ORDINARY:
            return OrdinaryData()
        if not atom.startswith(_POINTER):
            raise self.unknown(atom, where)
        return POINTER_FORMATS.read(atom.removeprefix(_POINTER), where)


POINTER_FORMATS: AtomCodec[PointerFormat] = _PointerFormats("pointer format")
DATA_FORMATS: AtomCodec[DataFormat] = _DataFormats("data format")
