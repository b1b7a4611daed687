"""Inputs of the codes of ``relation``: access domains that are no normal form."""

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.records import access_codec
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.relation.diagram import MAX_ROWS
from fabricgen.relation.row import encode_row
from fabricgen.wire.frame import frame, u64be
from tests.support.capabilities import CONTIGUOUS, ELEMENT, access, domain

STRICT = ParameterizedMemoryAccessDomain
CLASSES = domain(access(ELEMENT), access(CONTIGUOUS)).access_classes
U = UnsignedDomain.of


def decoded(*rows):
    """The domain of rows as they are."""
    return access_codec.decode(u64be(len(rows)) + b"".join(frame(encode_row(r)) for r in rows))


def changed_row(field, value):
    row = list(CLASSES[0].row)
    row[field] = value
    return tuple(row)


def too_many_rows():
    """One row more than a normal form may have, each of the least size; none is decoded."""
    return access_codec.decode(u64be(MAX_ROWS + 1) + bytes(16 * (MAX_ROWS + 1)))


PRODUCERS = {
    "relation-empty": lambda: STRICT(()),
    "relation-field-count": lambda: decoded(CLASSES[0].row[:9]),
    "relation-structural-field": lambda: decoded(changed_row(0, U(1))),
    "relation-domain-kind": lambda: decoded(changed_row(4, CLASSES[0].row[3])),
    "relation-overlap": lambda: STRICT((access(element=(8, 16)), access(element=(16, 32)))),
    "relation-order": lambda: STRICT(CLASSES[::-1]),
    "relation-not-canonical": lambda: STRICT((access(element=(8,)), access(element=(16,)))),
    "relation-too-large": too_many_rows,
}
