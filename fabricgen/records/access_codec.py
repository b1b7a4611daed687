"""Wire form of :mod:`fabricgen.records.access`: the shared reduced relation over ten fields."""

from fabricgen.errors import Diagnostic, Invalid, Unsupported
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
    """Decode strictly: framing, normal form, atoms and class rules.

    Raises
    ------
    Invalid
        For whatever is illegal, in every row at once.
    Unsupported
        Where all is legal so far and a row has pointer addresses or pointer data.
    """
    classes: list[MemoryAccessClass] = []
    illegal: list[Diagnostic] = []
    unbuilt: list[Diagnostic] = []
    for ordinal, row in enumerate(codec.decode(data, ACCESS_STRUCTURAL)):
        where = f"access_classes[{ordinal}]"
        try:
            classes.append(MemoryAccessClass.of_row(row))
        except Invalid as error:
            illegal += error.under(where).diagnostics
        except Unsupported as error:
            unbuilt += error.under(where).diagnostics
    if illegal:
        raise Invalid(*illegal)
    if unbuilt:
        raise Unsupported(*unbuilt)
    return ParameterizedMemoryAccessDomain(tuple(classes))
