"""Whether domains admit one concrete actor or one concrete access together.

Subword and inactive-lane guarantees are no part of a concrete access, so they do not tell two
accesses apart.
"""

from collections.abc import Iterable
from itertools import product

from fabricgen.atoms.dataflow import MASK_FORMS
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.records.access import (
    ACCESS_STRUCTURAL,
    MemoryAccessClass,
    ParameterizedMemoryAccessDomain,
)
from fabricgen.records.actor import CONTRACT_STRUCTURAL, MemoryActorContractDomain
from fabricgen.relation.diagram import Diagram
from fabricgen.relation.row import Row, domain_size, overlaps

__all__ = ["Admitted", "accesses_meet", "actors_meet", "classes_meet", "shared_points"]

Admitted = tuple[MemoryActorContractDomain, ParameterizedMemoryAccessDomain | None]

#: Fields of a concrete access: those of a class without the subword guarantees at its end.
_ACCESS_FIELDS = len(ACCESS_STRUCTURAL) - 2
_MASK_FIELD = 6
#: Contract, concrete access, and who admits the point.
_STRUCTURAL = (*CONTRACT_STRUCTURAL, *ACCESS_STRUCTURAL[:_ACCESS_FIELDS], False)
_NO_ACCESS: Row = (FiniteDomain((b"",)),) * _ACCESS_FIELDS


def shared_points(admitted: Iterable[Admitted]) -> tuple[tuple[int, ...], ...]:
    """Return each group of two or more positions that admit one (actor, access) together.

    One diagram over all of them, so the cost does not grow with the number of pairs.

    Raises
    ------
    Invalid
        ``relation-too-large`` where the work exceeds the bound of relations.
    """
    rows = [
        (*contract, *access, UnsignedDomain.of(position))
        for position, (actor, domain) in enumerate(admitted)
        for contract in actor.rows
        for access in _concrete_rows(domain)
    ]
    if not rows:
        return ()
    diagram = Diagram(_STRUCTURAL)
    found: set[tuple[int, ...]] = set()
    for node in diagram.nodes_at(diagram.build(rows), len(_STRUCTURAL) - 1):
        (edge,) = diagram.edges(node)
        if (size := domain_size(edge.domain)) > 1 and isinstance(edge.domain, UnsignedDomain):
            diagram.visit(size)
            found.add(tuple(v for i in edge.domain.intervals for v in range(i.lower, i.upper + 1)))
    return tuple(sorted(found))


def actors_meet(left: MemoryActorContractDomain, right: MemoryActorContractDomain) -> bool:
    """Tell whether some actor lies in both contract domains."""
    return any(overlaps(a, b) for a, b in product(left.rows, right.rows))


def accesses_meet(
    left: ParameterizedMemoryAccessDomain | None, right: ParameterizedMemoryAccessDomain | None
) -> bool:
    """Tell whether some access, or the absence of one, lies in both domains."""
    pairs = product(_concrete_rows(left), _concrete_rows(right))
    return any(overlaps(a, b) for a, b in pairs)


def classes_meet(left: MemoryAccessClass, right: MemoryAccessClass) -> bool:
    """Tell whether some access lies in both classes."""
    return overlaps(_concrete_row(left), _concrete_row(right))


def _concrete_rows(domain: ParameterizedMemoryAccessDomain | None) -> tuple[Row, ...]:
    if domain is None:
        return (_NO_ACCESS,)
    return tuple(map(_concrete_row, domain.access_classes))


def _concrete_row(access: MemoryAccessClass) -> Row:
    row = access.row
    return (
        *row[:_MASK_FIELD],
        MASK_FORMS.domain(MASK_FORMS.sorted(access.mask_forms)),
        *row[_MASK_FIELD + 1 : _ACCESS_FIELDS],
    )
