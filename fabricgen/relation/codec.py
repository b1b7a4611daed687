"""Wire form of a shared reduced relation (spec: Persistent Capability Schema).

A u64be row count, then framed rows; a row is a u64be field count, then framed domains; a domain
is a u32be kind, then a u64be count of framed atoms or of u64be interval bounds. The codec frames
atoms and never interprets them.
"""

from collections.abc import Sequence

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain, UnsignedInterval
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.place import placed
from fabricgen.relation.diagram import MAX_ROWS, too_large
from fabricgen.relation.normal import canonical_findings
from fabricgen.relation.row import Domain, Row, encode_row
from fabricgen.wire.frame import Reader, frame, u64be

__all__ = ["decode", "encode"]


def encode(rows: Sequence[Row]) -> bytes:
    """Encode canonical rows."""
    return u64be(len(rows)) + b"".join(frame(encode_row(row)) for row in rows)


def decode(data: bytes, structural: Sequence[bool]) -> tuple[Row, ...]:
    """Decode strictly: whatever is not the normal form of what it admits is ``Invalid``.

    ``structural[f]`` marks the fields whose values partition the relation one by one; its length
    is the field count that each row must have.
    """
    reader = Reader(data, "rows")
    count = reader.count(16)
    if count > MAX_ROWS:
        raise too_large(f"at most {MAX_ROWS} canonical rows", str(count))
    rows = tuple(_row(reader.nested(f"rows[{i}]"), len(structural), i) for i in range(count))
    reader.end()
    if found := tuple(canonical_findings(rows, structural, "rows")):
        raise Invalid(*found)
    return rows


def _row(reader: Reader, field_count: int, ordinal: int) -> Row:
    found = reader.count(8)
    if found != field_count:
        raise Invalid(
            Diagnostic(
                "relation-field-count",
                f"rows[{ordinal}]",
                f"A row must have {field_count} fields, not {found}",
            )
        )
    where = (f"rows[{ordinal}].field[{field}]" for field in range(field_count))
    row = tuple(_domain(reader.nested(place), place) for place in where)
    reader.end()
    return row


def _domain(reader: Reader, where: str) -> Domain:
    match reader.u32():
        case 0:
            atoms = tuple(reader.frame() for _ in range(reader.count(8)))
            reader.end()
            with placed(where):
                return FiniteDomain(atoms)
        case 1:
            bounds = [(reader.u64(), reader.u64()) for _ in range(reader.count(16))]
            reader.end()
            with placed(where):
                return UnsignedDomain(tuple(UnsignedInterval(*pair) for pair in bounds))
        case tag:
            raise reader.unknown("domain", tag)
