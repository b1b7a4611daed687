"""What a port and its targets admit together.

A row of the Local Memory Service is legal only where one point lies both in its port's relation
and in a capability that serves the port. Both relations are unions of products, so their meeting
is one too. A manager has no capabilities of its own: a row of it may be what its port admits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.plan.rows import OperationRow
from fabricgen.plan.support import matching_clause
from fabricgen.records.access import MemoryAccessClass
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.connectivity import LocalMemoryServiceTarget, ManagerEndpointTarget
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.records.service import MemoryServiceCapability, MemoryServiceContract
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryMaskForm, OperationSchemaId
from fabricgen.vocab.fabric import WriteSubwordSemantics

__all__ = ["Admission", "admissions", "admitting_capability"]


@dataclass(frozen=True, slots=True)
class Admission:
    """One product of points that an alternative, a target and Plain actors share.

    Parameters
    ----------
    alternative, clause, access_class
        Ordinals on the port's side.
    capability
        Ordinal of the local service's capability; ``None`` where the targets are the managers of
        the alternative.
    schema, form
        The actor and its access form.
    volatile_values
        Admitted values of the clause.
    element_widths, lane_counts, index_widths, mask_forms
        Admitted values of the access, freely combinable as far as payloads fit their endpoints.
    """

    alternative: int
    clause: int
    access_class: int
    capability: int | None
    schema: OperationSchemaId
    form: MemoryAccessForm
    volatile_values: tuple[bool, ...]
    element_widths: UnsignedDomain
    lane_counts: UnsignedDomain
    index_widths: UnsignedDomain
    mask_forms: tuple[MemoryMaskForm, ...]


def admissions(occurrence: MemoryOccurrence, port: int) -> tuple[Admission, ...]:
    """Every product that the port may ask of its targets.

    Those of the Local Memory Service come first, then those of managers; each in ordinal order.
    """
    return (*_local_admissions(occurrence, port), *_manager_admissions(occurrence, port))


def _local_admissions(occurrence: MemoryOccurrence, port: int) -> Iterator[Admission]:
    if occurrence.engine is None or occurrence.local_service is None:
        return
    service = occurrence.local_service.memory_service_contract
    targets = occurrence.connectivity.operation_ports[port].capability_target_domains
    alternatives = occurrence.engine.ports[port].capability_alternatives
    for ordinal, alternative in enumerate(alternatives):
        if LocalMemoryServiceTarget() in targets[ordinal]:
            for capability in _serving(service, port):
                served = service.capabilities[capability]
                yield from _meet(ordinal, alternative, capability, served)


def _manager_admissions(occurrence: MemoryOccurrence, port: int) -> Iterator[Admission]:
    if occurrence.engine is None:
        return
    targets = occurrence.connectivity.operation_ports[port].capability_target_domains
    for ordinal, alternative in enumerate(occurrence.engine.ports[port].capability_alternatives):
        if any(isinstance(target, ManagerEndpointTarget) for target in targets[ordinal]):
            yield from _all_of(ordinal, alternative)


def _all_of(ordinal: int, alternative: MemoryCapabilityAlternative) -> Iterator[Admission]:
    domain, access = alternative.actor_contract_domain, alternative.parameterized_access_domain
    for clause, contract in enumerate(domain.contract_clauses):
        for position, each in enumerate(() if access is None else access.access_classes):
            if each.source_alignment.contains_bytes(1):
                yield Admission(
                    ordinal,
                    clause,
                    position,
                    None,
                    domain.actor_schema,
                    each.access_form,
                    contract.volatile_values,
                    each.element_width_bits,
                    each.flattened_lane_count,
                    each.address_domain.accepted_index_width_bits,
                    each.mask_forms,
                )


def admitting_capability(occurrence: MemoryOccurrence, row: OperationRow) -> int | None:
    """Ordinal of the one capability of the local service that serves a row.

    The row's port must support its access. ``None`` where nothing serves it.
    """
    if occurrence.engine is None or occurrence.local_service is None:
        return None
    port = occurrence.engine.ports[row.port]
    access_class = _class_of(port.capability_alternatives[row.capability_alternative], row.access)
    contract = occurrence.local_service.memory_service_contract
    for ordinal in _serving(contract, row.port):
        capability = contract.capabilities[ordinal]
        if (
            access_class is not None
            and capability.access_domain is not None
            and matching_clause(capability.actor_contract_domain, row.actor) is not None
            and (served := capability.access_domain.matching_class(row.access)) is not None
            and _keeps_other_bytes(access_class, served)
        ):
            return ordinal
    return None


def _class_of(
    alternative: MemoryCapabilityAlternative, access: CanonicalMemoryAccessView
) -> MemoryAccessClass | None:
    domain = alternative.parameterized_access_domain
    return None if domain is None else domain.matching_class(access)


def _serving(service: MemoryServiceContract, port: int) -> Iterator[int]:
    """Capabilities with a use pattern for this requester; requesters are the ports in order."""
    patterns = service.resource_contract.use_patterns
    for ordinal, capability in enumerate(service.capabilities):
        if any(patterns[key].requester == port for key in capability.admissible_use_patterns):
            yield ordinal


def _meet(
    ordinal: int,
    alternative: MemoryCapabilityAlternative,
    capability_ordinal: int,
    capability: MemoryServiceCapability,
) -> Iterator[Admission]:
    port_access, service_access = alternative.parameterized_access_domain, capability.access_domain
    if port_access is None or service_access is None:
        return
    for clause, volatile_values in _common_contracts(
        alternative.actor_contract_domain, capability.actor_contract_domain
    ):
        for class_ordinal, port_class in enumerate(port_access.access_classes):
            for service_class in service_access.access_classes:
                if (points := _common_points(port_class, service_class)) is not None:
                    yield Admission(
                        ordinal,
                        clause,
                        class_ordinal,
                        capability_ordinal,
                        alternative.actor_contract_domain.actor_schema,
                        port_class.access_form,
                        volatile_values,
                        *points,
                    )


def _common_contracts(
    left: MemoryActorContractDomain, right: MemoryActorContractDomain
) -> Iterator[tuple[int, tuple[bool, ...]]]:
    if left.actor_schema is not right.actor_schema:
        return
    for ordinal, clause in enumerate(left.contract_clauses):
        values = {value for other in right.contract_clauses for value in other.volatile_values}
        if common := tuple(value for value in clause.volatile_values if value in values):
            yield ordinal, common


def _common_points(
    left: MemoryAccessClass, right: MemoryAccessClass
) -> tuple[UnsignedDomain, UnsignedDomain, UnsignedDomain, tuple[MemoryMaskForm, ...]] | None:
    if (left.access_form, left.address_form) != (right.access_form, right.address_form):
        return None
    if not (left.source_alignment.contains_bytes(1) and right.source_alignment.contains_bytes(1)):
        return None
    if not _keeps_other_bytes(left, right):
        return None
    elements = _intersection(left.element_width_bits, right.element_width_bits)
    lanes = _intersection(left.flattened_lane_count, right.flattened_lane_count)
    indices = _intersection(
        left.address_domain.accepted_index_width_bits,
        right.address_domain.accepted_index_width_bits,
    )
    right_forms = {form for form, _ in right.mask_inactive_pairs}
    forms = tuple(form for form, _ in left.mask_inactive_pairs if form in right_forms)
    if elements is None or lanes is None or indices is None or not forms:
        return None
    return elements, lanes, indices, forms


def _keeps_other_bytes(port_class: MemoryAccessClass, service_class: MemoryAccessClass) -> bool:
    """Tell whether the service guarantees what a narrow store of the port needs.

    Where the port says Exact, each payload fills its data endpoint and nothing is narrow.
    """
    return (
        WriteSubwordSemantics.BYTE_ENABLE not in port_class.write_subword
        or WriteSubwordSemantics.EXACT in port_class.write_subword
        or WriteSubwordSemantics.BYTE_ENABLE in service_class.write_subword
    )


def _intersection(left: UnsignedDomain, right: UnsignedDomain) -> UnsignedDomain | None:
    parts = [
        (max(a.lower, b.lower), min(a.upper, b.upper))
        for a in left.intervals
        for b in right.intervals
        if max(a.lower, b.lower) <= min(a.upper, b.upper)
    ]
    return UnsignedDomain.of(*parts) if parts else None
