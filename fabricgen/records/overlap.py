"""Whether two domains admit one concrete actor or one concrete access.

Subword and inactive-lane guarantees are no part of a concrete access, so they do not tell two
accesses apart.
"""

from fabricgen.records.access import MemoryAccessClass, ParameterizedMemoryAccessDomain
from fabricgen.records.actor import ContractClause, LoadStorePlain, MemoryActorContractDomain
from fabricgen.relation.row import Row, overlaps

__all__ = ["accesses_meet", "actors_meet"]


def actors_meet(left: MemoryActorContractDomain, right: MemoryActorContractDomain) -> bool:
    """Tell whether some actor lies in both contract domains."""
    return left.actor_schema is right.actor_schema and any(
        _clauses_meet(a, b) for a in left.contract_clauses for b in right.contract_clauses
    )


def accesses_meet(
    left: ParameterizedMemoryAccessDomain | None, right: ParameterizedMemoryAccessDomain | None
) -> bool:
    """Tell whether some access, or the absence of one, lies in both domains."""
    if left is None or right is None:
        return left is right
    return any(_classes_meet(a, b) for a in left.access_classes for b in right.access_classes)


def _clauses_meet(left: ContractClause, right: ContractClause) -> bool:
    match left, right:
        case LoadStorePlain(a), LoadStorePlain(b):
            return not set(a).isdisjoint(b)


def _classes_meet(left: MemoryAccessClass, right: MemoryAccessClass) -> bool:
    return (
        left.access_form is right.access_form
        and left.address_form is right.address_form
        and not set(left.data_pointer_formats).isdisjoint(right.data_pointer_formats)
        and not {form for form, _ in left.mask_inactive_pairs}.isdisjoint(
            form for form, _ in right.mask_inactive_pairs
        )
        and overlaps(_numbers(left), _numbers(right))
    )


def _numbers(access: MemoryAccessClass) -> Row:
    return (
        access.address_domain.accepted_index_width_bits,
        access.element_width_bits,
        access.flattened_lane_count,
        access.source_alignment.accepted_log2_byte_alignments,
    )
