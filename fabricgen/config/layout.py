"""Which bits the semantic carrier of one memory has, and in which order (spec: Operation Rows).

Bit 0 says ``Active``; the rows follow in port order. A row has its fields at fixed offsets, each
as wide as its largest use over the row's port; what needs no bits has no field.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabricgen.config.inventory import (
    access_classes,
    actor_clauses,
    clause_values,
    highest,
    sink_connections,
    source_connections,
    targets,
)
from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.plan.capacity import port_input_roles, port_result_roles
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryOperationPort

__all__ = ["CarrierField", "CarrierLayout", "carrier_layout", "index_width"]

_BASE_ADDR_WIDTH = 64


@dataclass(frozen=True, slots=True)
class CarrierField:
    """``width`` bits of the carrier from ``offset`` upwards; the width is never zero."""

    name: str
    offset: int
    width: int

    @property
    def mask(self) -> int:
        """The field's bits, in carrier position."""
        return ((1 << self.width) - 1) << self.offset

    def get(self, bits: int) -> int:
        """Read the field out of a carrier."""
        return bits >> self.offset & (1 << self.width) - 1


@dataclass(frozen=True, slots=True)
class CarrierLayout:
    """The whole carrier.

    Parameters
    ----------
    width
        Bits of the carrier.
    active
        Bit 0.
    rows
        The fields of each row by name, in carrier order.
    """

    width: int
    active: CarrierField
    rows: tuple[Mapping[str, CarrierField], ...]


def carrier_layout(named: NamedMemory) -> CarrierLayout:
    """Lay out the carrier of one memory."""
    occurrence = named.occurrence
    if occurrence.subordinate_endpoints:
        raise Unsupported(
            Diagnostic(
                "subordinate-endpoints",
                "subordinate_endpoints",
                f"The memory must have none of these, not {len(occurrence.subordinate_endpoints)}",
            )
        )
    active = CarrierField("active", 0, 1)
    offset, rows = active.width, list[dict[str, CarrierField]]()
    for port in () if occurrence.engine is None else occurrence.engine.ports:
        row: dict[str, CarrierField] = {}
        for name, width in _row_fields(occurrence, port):
            if width:
                row[name] = CarrierField(name, offset, width)
                offset += width
        rows.append(row)
    return CarrierLayout(offset, active, tuple(rows))


def index_width(choices: int) -> int:
    """Minimum width in bits of an unsigned index into ``choices`` alternatives."""
    return max(0, choices - 1).bit_length()


def _row_fields(
    occurrence: MemoryOccurrence, port: MemoryOperationPort
) -> Iterator[tuple[str, int]]:
    """Names and widths of one row's fields; a width of 0 means that there is no field."""
    alternatives = port.capability_alternatives
    yield "valid", 1
    yield "capability_alternative", index_width(len(alternatives))
    yield "use_pattern", index_width(len(port.resource_contract.use_patterns))
    yield from _actor_fields(port)
    yield "base_addr", _BASE_ADDR_WIDTH
    yield from _access_fields(port)
    for role in port_input_roles(port):
        choices = 1 + len(sink_connections(occurrence, port, role))
        yield f"source_{role.name.lower()}", index_width(choices)
    yield "service_target", index_width(len(targets(occurrence)))
    for role in port_result_roles(port):
        yield f"expose_{role.name.lower()}", 1
        for connection in source_connections(occurrence, port, role):
            yield f"forward_{role.name.lower()}_{connection}", 1


def _actor_fields(port: MemoryOperationPort) -> Iterator[tuple[str, int]]:
    counts = [
        len(alternative.actor_contract_domain.contract_clauses)
        for alternative in port.capability_alternatives
    ]
    yield "actor_clause", index_width(max(counts))
    values = [clause_values(clause) for clause in actor_clauses(port)]
    for position in range(max(map(len, values))):
        cardinality = max(len(each[position]) for each in values if position < len(each))
        yield f"actor_value{position}", index_width(cardinality)


def _access_fields(port: MemoryOperationPort) -> Iterator[tuple[str, int]]:
    domains = [
        alternative.parameterized_access_domain
        for alternative in port.capability_alternatives
        if alternative.parameterized_access_domain is not None
    ]
    classes = access_classes(port)
    yield "access_class", index_width(max(len(domain.access_classes) for domain in domains))
    yield "element_width", max(highest(c.element_width_bits).bit_length() for c in classes)
    yield "lane_count", max(highest(c.flattened_lane_count).bit_length() for c in classes)
    yield "mask_pair", index_width(max(len(c.mask_inactive_pairs) for c in classes))
    exponents = [c.source_alignment.accepted_log2_byte_alignments for c in classes]
    yield "alignment", max(highest(domain).bit_length() for domain in exponents)
    widths = [c.address_domain.accepted_index_width_bits for c in classes]
    yield "index_width", max(highest(domain).bit_length() for domain in widths)
    yield "data_pointer_format", index_width(max(len(c.data_pointer_formats) for c in classes))
