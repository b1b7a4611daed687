"""Formats of addresses and data: pointers, and the point of data that is no pointer at all.

A data format is u32be 0 for ordinary data, or u32be 1 and the pointer's own atom.
"""

from dataclasses import dataclass

from fabricgen.atoms.pointer import PointerFormat, pointer_atom, read_pointer_atom
from fabricgen.atoms.table import AtomCodec

__all__ = ["DATA_FORMATS", "POINTER_FORMATS", "DataFormat", "OrdinaryData"]

_ORDINARY, _POINTER = (tag.to_bytes(4, "big") for tag in (0, 1))


@dataclass(frozen=True, slots=True)
class OrdinaryData:
    """The point of ``data_pointer_formats`` that is no pointer at all."""


DataFormat = OrdinaryData | PointerFormat


class _PointerFormats(AtomCodec[PointerFormat]):
    def atom(self, value: PointerFormat) -> bytes:
        """Encode a format."""
        return pointer_atom(value)

    def read(self, atom: bytes, where: str) -> PointerFormat:
        """Decode an atom; any other bytes are ``Invalid``."""
        return read_pointer_atom(atom, where)


class _DataFormats(AtomCodec[DataFormat]):
    def atom(self, value: DataFormat) -> bytes:
        """Encode a format."""
        return _ORDINARY if isinstance(value, OrdinaryData) else _POINTER + pointer_atom(value)

    def read(self, atom: bytes, where: str) -> DataFormat:
        """Decode an atom; any other bytes are ``Invalid``."""
        if atom == _ORDINARY:
            return OrdinaryData()
        if not atom.startswith(_POINTER):
            raise self.unknown(atom, where)
        return POINTER_FORMATS.read(atom.removeprefix(_POINTER), where)


POINTER_FORMATS: AtomCodec[PointerFormat] = _PointerFormats("pointer format")
DATA_FORMATS: AtomCodec[DataFormat] = _DataFormats("data format")
