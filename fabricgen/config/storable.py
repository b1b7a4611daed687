"""Which carrier bits any legal configuration sets; the others need no storage."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from fabricgen.atoms.unsigned import U64_MAX, UnsignedDomain
from fabricgen.config.inventory import (
    clause_values,
    row_ports,
    sink_connections,
    source_connections,
    targets,
)
from fabricgen.config.layout import CarrierField, carrier_layout
from fabricgen.plan.admission import Admission, admissions
from fabricgen.plan.contract import document_pattern
from fabricgen.plan.demand import context_count, is_temporal, tag_width
from fabricgen.plan.realisation import lies_in_one_beat
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import MemoryMaskForm, ServiceValueRole

__all__ = ["storable_mask"]


def storable_mask(named: NamedMemory) -> int:
    """Union of the carriers of all legal configurations.

    For realised memories: every point that a class admits fits its endpoints, so each field of a
    row unites on its own.
    """
    occurrence, layout = named.occurrence, carrier_layout(named)
    mask = 0
    for ordinal, fields in enumerate(layout.rows):
        for port in range(len(row_ports(occurrence, ordinal))):
            for product in _products(named, port if is_temporal(occurrence) else ordinal):
                mask |= layout.active.mask | _placed(fields, dict(_unions(occurrence, product)))
    return mask


def _placed(fields: Mapping[str, CarrierField], values: Mapping[str, int]) -> int:
    bits = 0
    for name, value in values.items():
        bits |= value << fields[name].offset if value else 0
    return bits


@dataclass(frozen=True, slots=True)
class _Product:
    """Points of one port that may be rows of one target, with the union of their bases."""

    port: int
    admission: Admission
    target: MemoryDispatchTarget
    bases: int


def _products(named: NamedMemory, port: int) -> Iterator[_Product]:
    occurrence = named.occurrence
    domains = occurrence.connectivity.operation_ports[port].capability_target_domains
    for admission in admissions(occurrence, port):
        if admission.capability is not None:
            service = occurrence.local_service
            last = 0 if service is None else service.capacity_bytes - 1
            bases = _bases(named, admission, last)
            yield _Product(port, admission, LocalMemoryServiceTarget(), bases)
            continue
        for target in domains[admission.alternative]:
            if isinstance(target, ManagerEndpointTarget):
                for served in _served(occurrence, admission, target):
                    bases = _bases(named, served, U64_MAX)
                    yield _Product(port, served, target, bases)


def _served(
    occurrence: MemoryOccurrence, admission: Admission, target: ManagerEndpointTarget
) -> Iterator[Admission]:
    """Points that the hardware of a manager serves; volatile ones are one lane in one beat."""
    if False in admission.volatile_values:
        yield replace(admission, volatile_values=(False,))
    if True not in admission.volatile_values or 1 not in admission.lane_counts:
        return
    beat = occurrence.manager_endpoints[target.ordinal].beat_width_bits // 8
    for interval in admission.element_widths.intervals:
        if lies_in_one_beat(interval.lower // 8, beat):
            yield replace(
                admission,
                volatile_values=(True,),
                element_widths=UnsignedDomain((interval,)),
                lane_counts=UnsignedDomain.of(1),
            )


def _unions(occurrence: MemoryOccurrence, product: _Product) -> Iterator[tuple[str, int]]:
    """Each field with the union of its values over the points of one product."""
    admission = product.admission
    port = _port(occurrence, product.port)
    alternative = port.capability_alternatives[admission.alternative]
    domain = alternative.actor_contract_domain
    (volatile_values,) = clause_values(domain.contract_clauses[admission.clause])
    contexts = context_count(occurrence)
    patterns = (document_pattern(k, contexts)[0] for k in alternative.admissible_use_patterns)
    yield "valid", 1
    if is_temporal(occurrence):
        yield "port", product.port
    yield "capability_alternative", admission.alternative
    yield "use_pattern", _or(patterns)
    yield "actor_clause", admission.clause
    yield "actor_value0", _or(map(volatile_values.index, admission.volatile_values))
    yield "base_addr", product.bases
    yield "access_class", admission.access_class
    yield "element_width", _members(admission.element_widths)
    yield "lane_count", _members(admission.lane_counts)
    yield "mask_pair", _or(_pairs(alternative, admission))
    yield "index_width", _members(admission.index_widths)
    yield "service_target", targets(occurrence).index(product.target)
    inputs = MEMORY_SCHEMAS[admission.schema].input_roles
    for role, endpoint in alternative.role_to_endpoint:
        if role not in inputs:
            yield from _result_unions(occurrence, port, role, endpoint)
        elif role is not ServiceValueRole.MASK or MemoryMaskForm.DYNAMIC in admission.mask_forms:
            yield from _source_unions(occurrence, port, role, endpoint)


def _source_unions(
    occurrence: MemoryOccurrence, port: MemoryOperationPort, role: ServiceValueRole, endpoint: int
) -> Iterator[tuple[str, int]]:
    connections = occurrence.connectivity.internal_connections
    codes = enumerate(sink_connections(occurrence, port, role), 1)
    yield (
        f"source_{role.name.lower()}",
        _or(code for code, c in codes if connections[c].sink_endpoint_ordinal == endpoint),
    )
    yield f"source_tag_{role.name.lower()}", _tags(occurrence)


def _result_unions(
    occurrence: MemoryOccurrence, port: MemoryOperationPort, role: ServiceValueRole, endpoint: int
) -> Iterator[tuple[str, int]]:
    connections = occurrence.connectivity.internal_connections
    yield f"expose_{role.name.lower()}", 1
    yield f"expose_tag_{role.name.lower()}", _tags(occurrence)
    for connection in source_connections(occurrence, port, role):
        if connections[connection].source_endpoint_ordinal == endpoint:
            yield f"forward_{role.name.lower()}_{connection}", 1


def _tags(occurrence: MemoryOccurrence) -> int:
    return (1 << (tag_width(occurrence) or 0)) - 1


def _port(occurrence: MemoryOccurrence, ordinal: int) -> MemoryOperationPort:
    if occurrence.engine is None:
        raise ValueError("Occurrence must have an operation engine, not None")
    return occurrence.engine.ports[ordinal]


def _pairs(alternative: MemoryCapabilityAlternative, admission: Admission) -> Iterator[int]:
    """Ordinals of the mask pairs whose form both sides admit."""
    domain = alternative.parameterized_access_domain
    classes = () if domain is None else domain.access_classes
    for ordinal, (form, _) in enumerate(classes[admission.access_class].mask_inactive_pairs):
        if form in admission.mask_forms:
            yield ordinal


def _bases(named: NamedMemory, admission: Admission, last: int) -> int:
    """Union of the base addresses up to the last, or of the aligned ones among them."""
    sizes = [interval.lower // 8 for interval in admission.element_widths.intervals]
    far = admission.capability is None and True in admission.volatile_values
    step = min(sizes) if named.implementation.aligned_bases or far else 1
    # Aligned sizes are powers of two, so the smallest allows every multiple of the others.
    return _members(UnsignedDomain.of((0, last // step))) * step


def _or(values: Iterable[int]) -> int:
    union = 0
    for value in values:
        union |= value
    return union


def _members(domain: UnsignedDomain) -> int:
    """Union of all members: below the highest bit in which two bounds differ, all are met."""
    return _or(
        i.lower | i.upper | (1 << (i.lower ^ i.upper).bit_length()) - 1 for i in domain.intervals
    )
