"""What a port and its targets admit together.

A row of the Local Memory Service is legal only where one point lies both in its port's relation
and in a capability that serves the port. Both relations are unions of products, so their meeting
is one too. A manager has no capabilities of its own: a row of it may be what its port admits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.plan.rows import OperationRow
from fabricgen.records.access import (
    DataFormat,
    MemoryAccessClass,
    ParameterizedMemoryAccessDomain,
    PointerFormat,
)
from fabricgen.records.actor import (
    ContractClause,
    Fence,
    LoadStorePlain,
    MemoryActorContractDomain,
)
from fabricgen.records.clause import common_clause
from fabricgen.records.connectivity import LocalMemoryServiceTarget, ManagerEndpointTarget
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.records.service import MemoryServiceCapability
from fabricgen.records.subword import full_payload, serves_narrow, write_widths
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryMaskForm, OperationSchemaId

__all__ = [
    "Admission",
    "FenceAdmission",
    "admissions",
    "admitting_capability",
    "fence_admissions",
]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Admission:
    """One product of points that an alternative and a target of addressed actors share.

    Parameters
    ----------
    alternative, clause, access_class
        Ordinals on the port's side.
    capability
        Ordinal of the local service's capability; ``None`` where the targets are the managers of
        the alternative.
    schema, form
        The actor and its access form.
    contract
        Admitted contracts: a part of the port's clause.
    element_widths, lane_counts, index_widths, mask_forms, alignments
        Admitted values of the access, freely combinable as far as payloads fit their endpoints. An
        index is one address lane, so a pointer's width counts too; alignments are exponents.
    address_formats, data_formats
        Admitted pointers; no address format where addresses are root-relative.
    """

    alternative: int
    clause: int
    access_class: int
    capability: int | None
    schema: OperationSchemaId
    form: MemoryAccessForm
    contract: ContractClause
    element_widths: UnsignedDomain
    lane_counts: UnsignedDomain
    index_widths: UnsignedDomain
    mask_forms: tuple[MemoryMaskForm, ...]
    alignments: UnsignedDomain
    address_formats: tuple[PointerFormat, ...]
    data_formats: tuple[DataFormat, ...]

    @property
    def volatile_values(self) -> tuple[bool, ...]:
        """Admitted volatility of the accesses."""
        return () if isinstance(self.contract, Fence) else self.contract.volatile_values


@dataclass(frozen=True, slots=True)
class FenceAdmission:
    """Fences that an alternative and a target share: those of a part of one clause.

    ``capability`` is as in :class:`Admission`.
    """

    alternative: int
    clause: int
    capability: int | None
    contract: ContractClause


def admissions(occurrence: MemoryOccurrence, port: int) -> tuple[Admission, ...]:
    """Every product that the port may ask of its targets.

    Those of the Local Memory Service come first, then those of managers; each in ordinal order.
    """
    return (*_local_admissions(occurrence, port), *_manager_admissions(occurrence, port))


def fence_admissions(occurrence: MemoryOccurrence, port: int) -> tuple[FenceAdmission, ...]:
    """Every fence that the port may ask of its targets, in the order of :func:`admissions`."""
    targets = occurrence.connectivity.operation_ports[port].capability_target_domains
    local, managed = list[FenceAdmission](), list[FenceAdmission]()
    for ordinal, alternative in enumerate(occurrence.operation_ports[port].capability_alternatives):
        if alternative.parameterized_access_domain is not None:
            continue
        asked = alternative.actor_contract_domain
        if occurrence.local_service is not None and LocalMemoryServiceTarget() in targets[ordinal]:
            service = occurrence.local_service.memory_service_contract
            local += (
                FenceAdmission(ordinal, clause, capability, contract)
                for capability in service.serving_capabilities(port)
                for clause, contract in _common_contracts(
                    asked, service.capabilities[capability].actor_contract_domain
                )
            )
        if any(isinstance(target, ManagerEndpointTarget) for target in targets[ordinal]):
            managed += (
                FenceAdmission(ordinal, clause, None, contract)
                for clause, contract in enumerate(asked.contract_clauses)
            )
    return (*local, *managed)


def _local_admissions(occurrence: MemoryOccurrence, port: int) -> Iterator[Admission]:
    if occurrence.local_service is None:
        return
    service = occurrence.local_service.memory_service_contract
    targets = occurrence.connectivity.operation_ports[port].capability_target_domains
    alternatives = occurrence.operation_ports[port].capability_alternatives
    for ordinal, alternative in enumerate(alternatives):
        if LocalMemoryServiceTarget() in targets[ordinal]:
            widths = write_widths(alternative, occurrence.endpoints)
            for capability in service.serving_capabilities(port):
                served = service.capabilities[capability]
                yield from _meet(ordinal, alternative, widths, capability, served)


def _manager_admissions(occurrence: MemoryOccurrence, port: int) -> Iterator[Admission]:
    targets = occurrence.connectivity.operation_ports[port].capability_target_domains
    for ordinal, alternative in enumerate(occurrence.operation_ports[port].capability_alternatives):
        if any(isinstance(target, ManagerEndpointTarget) for target in targets[ordinal]):
            yield from _all_of(ordinal, alternative)


def _all_of(ordinal: int, alternative: MemoryCapabilityAlternative) -> Iterator[Admission]:
    domain, access = alternative.actor_contract_domain, alternative.parameterized_access_domain
    for clause, contract in enumerate(domain.contract_clauses):
        for position, each in enumerate(() if access is None else access.access_classes):
            product = _product((ordinal, clause, position, None), domain.actor_schema, contract)
            if (found := product(each, each)) is not None:
                yield found


def admitting_capability(occurrence: MemoryOccurrence, row: OperationRow) -> int | None:
    """Ordinal of the one capability of the local service that serves a row.

    The row's port must support its access. ``None`` where nothing serves it.
    """
    if occurrence.local_service is None:
        return None
    port = occurrence.operation_ports[row.port]
    alternative = port.capability_alternatives[row.capability_alternative]
    contract = occurrence.local_service.memory_service_contract
    widths = write_widths(alternative, occurrence.endpoints)
    for ordinal in contract.serving_capabilities(row.port):
        capability = contract.capabilities[ordinal]
        if capability.actor_contract_domain.contains(row.actor) and _is_served(
            alternative.parameterized_access_domain, capability.access_domain, row.access, widths
        ):
            return ordinal
    return None


def _is_served(
    asked: ParameterizedMemoryAccessDomain | None,
    served: ParameterizedMemoryAccessDomain | None,
    access: CanonicalMemoryAccessView | None,
    widths: frozenset[int],
) -> bool:
    """Tell whether a service admits an access as the port does; of a fence the contract tells."""
    if asked is None or served is None or access is None:
        return True
    port_class, service_class = asked.matching_class(access), served.matching_class(access)
    if port_class is None or service_class is None:
        return False
    return serves_narrow(port_class, service_class) or all(
        width == access.data_bits for width in widths
    )


def _meet(
    ordinal: int,
    alternative: MemoryCapabilityAlternative,
    widths: frozenset[int],
    capability_ordinal: int,
    capability: MemoryServiceCapability,
) -> Iterator[Admission]:
    port_access, service_access = alternative.parameterized_access_domain, capability.access_domain
    if port_access is None or service_access is None:
        return
    schema = alternative.actor_contract_domain.actor_schema
    for clause, contract in _common_contracts(
        alternative.actor_contract_domain, capability.actor_contract_domain
    ):
        for class_ordinal, port_class in enumerate(port_access.access_classes):
            place = (ordinal, clause, class_ordinal, capability_ordinal)
            product = _product(place, schema, contract)
            for service_class in service_access.access_classes:
                if (found := product(port_class, service_class)) is None:
                    continue
                if serves_narrow(port_class, service_class):
                    yield found
                    continue
                if (full := full_payload(widths, port_class, service_class)) is not None:
                    element, lanes = map(UnsignedDomain.of, full)
                    yield replace(found, element_widths=element, lane_counts=lanes)


def _common_contracts(
    left: MemoryActorContractDomain, right: MemoryActorContractDomain
) -> Iterator[tuple[int, ContractClause]]:
    if left.actor_schema is not right.actor_schema:
        return
    for ordinal, clause in enumerate(left.contract_clauses):
        for other in right.contract_clauses:
            if (common := common_clause(clause, other)) is not None:
                yield ordinal, common


def _product(
    place: tuple[int, int, int, int | None], schema: OperationSchemaId, contract: ContractClause
) -> Callable[[MemoryAccessClass, MemoryAccessClass], Admission | None]:
    """Build the product of these contracts with what two classes share."""

    def meet(left: MemoryAccessClass, right: MemoryAccessClass) -> Admission | None:
        if (left.access_form, left.address_form) != (right.access_form, right.address_form):
            return None
        exponents = (each.source_alignment.accepted_log2_byte_alignments for each in (left, right))
        alignments = _intersection(*exponents)
        if alignments is not None and isinstance(contract, LoadStorePlain):
            alignments = _intersection(alignments, UnsignedDomain.of(0))
        elements = _intersection(left.element_width_bits, right.element_width_bits)
        lanes = _intersection(left.flattened_lane_count, right.flattened_lane_count)
        addresses = _common(left.address_pointer_formats, right.address_pointer_formats)
        lane_bits = _intersection(left.address_lane_widths, right.address_lane_widths)
        forms = _common(left.mask_forms, right.mask_forms)
        data = _common(left.data_pointer_formats, right.data_pointer_formats)
        lacks_address = bool(left.address_pointer_formats) and not addresses
        if elements is None or lanes is None or lane_bits is None or alignments is None:
            return None
        if lacks_address or not forms or not data:
            return None
        return Admission(
            *place,
            schema,
            left.access_form,
            contract,
            elements,
            lanes,
            UnsignedDomain.of(*(f.representation_bits for f in addresses))
            if addresses
            else lane_bits,
            forms,
            alignments,
            addresses,
            data,
        )

    return meet


def _common(left: Sequence[_T], right: Sequence[_T]) -> tuple[_T, ...]:
    return tuple(value for value in left if value in right)


def _intersection(left: UnsignedDomain, right: UnsignedDomain) -> UnsignedDomain | None:
    parts = [
        (max(a.lower, b.lower), min(a.upper, b.upper))
        for a in left.intervals
        for b in right.intervals
        if max(a.lower, b.lower) <= min(a.upper, b.upper)
    ]
    return UnsignedDomain.of(*parts) if parts else None
