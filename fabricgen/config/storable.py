"""Which carrier bits any legal configuration sets; the others need no storage."""

from collections.abc import Iterable, Iterator, Mapping

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.config.inventory import clause_values, targets
from fabricgen.config.layout import CarrierField, carrier_layout
from fabricgen.plan.admission import Admission, admissions
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.schema.memory import MEMORY_SCHEMAS

__all__ = ["storable_mask"]


def storable_mask(named: NamedMemory) -> int:
    """Union of the carriers of all legal configurations.

    For realised memories: rows reach the Local Memory Service only and select no connection, and
    every point that a class admits fits its endpoints, so each field unites on its own.
    """
    occurrence, layout = named.occurrence, carrier_layout(named)
    ports = () if occurrence.engine is None else occurrence.engine.ports
    mask = 0
    for ordinal, port in enumerate(ports):
        for admission in admissions(occurrence, ordinal):
            values = dict(_unions(named, port, admission))
            mask |= layout.active.mask | _placed(layout.rows[ordinal], values)
    return mask


def _placed(fields: Mapping[str, CarrierField], values: Mapping[str, int]) -> int:
    bits = 0
    for name, value in values.items():
        bits |= value << fields[name].offset if value else 0
    return bits


def _unions(
    named: NamedMemory, port: MemoryOperationPort, admission: Admission
) -> Iterator[tuple[str, int]]:
    """Each field with the union of its values over the points of one product."""
    alternative = port.capability_alternatives[admission.alternative]
    domain = alternative.actor_contract_domain
    (volatile_values,) = clause_values(domain.contract_clauses[admission.clause])
    yield "valid", 1
    yield "capability_alternative", admission.alternative
    yield "use_pattern", _or(alternative.admissible_use_patterns)
    yield "actor_clause", admission.clause
    yield "actor_value0", _or(map(volatile_values.index, admission.volatile_values))
    yield "base_addr", _bases(named, admission)
    yield "access_class", admission.access_class
    yield "element_width", _members(admission.element_widths)
    yield "lane_count", _members(admission.lane_counts)
    yield "mask_pair", _or(_pairs(alternative, admission))
    yield "index_width", _members(admission.index_widths)
    yield "service_target", targets(named.occurrence).index(LocalMemoryServiceTarget())
    for role in MEMORY_SCHEMAS[admission.schema].result_roles:
        yield f"expose_{role.name.lower()}", 1


def _pairs(alternative: MemoryCapabilityAlternative, admission: Admission) -> Iterator[int]:
    """Ordinals of the mask pairs whose form both sides admit."""
    domain = alternative.parameterized_access_domain
    classes = () if domain is None else domain.access_classes
    for ordinal, (form, _) in enumerate(classes[admission.access_class].mask_inactive_pairs):
        if form in admission.mask_forms:
            yield ordinal


def _bases(named: NamedMemory, admission: Admission) -> int:
    """Union of the base addresses inside the capacity, or of the aligned ones among them."""
    service = named.occurrence.local_service
    last = 0 if service is None else service.capacity_bytes - 1
    sizes = [interval.lower // 8 for interval in admission.element_widths.intervals]
    step = min(sizes) if named.implementation.aligned_bases else 1
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
