"""Wire form of :mod:`fabricgen.records.access`: the shared reduced relation over ten fields."""

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.records.access import (
    ACCESS_STRUCTURAL,
    MemoryAccessClass,
    ParameterizedMemoryAccessDomain,
)
from fabricgen.relation import codec

__all__ = ["decode", "encode"]


def encode(record: ParameterizedMemoryAccessDomain) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return codec.encode(record.rows)


def decode(data: bytes) -> ParameterizedMemoryAccessDomain:
    """Decode strictly: framing, normal form, atoms and class rules, in every row at once."""
    classes: list[MemoryAccessClass] = []
    illegal: list[Diagnostic] = []
    for ordinal, row in enumerate(codec.decode(data, ACCESS_STRUCTURAL)):
        try:
            classes.append(MemoryAccessClass.of_row(row))
        except Invalid as error:
            illegal += error.under(f"access_classes[{ordinal}]").diagnostics
    if illegal:
        raise Invalid(*illegal)
    return ParameterizedMemoryAccessDomain(tuple(classes))
