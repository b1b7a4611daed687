"""Which bits the semantic carrier of one memory has, and in which order (spec: Operation Rows).

Bit 0 says ``Active``; the operation rows follow in their order, then the decode rows of each
subordinate endpoint. An operation row has its fields at fixed offsets, each
as wide as its largest use over the ports that the row may be of: its own in a Spatial table, all of
them in a Temporal one, whose rows are alike. What needs no bits has no field.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.config.inventory import (
    clause_values,
    document_patterns,
    highest,
    row_ports,
    sink_connections,
    source_connections,
    targets,
)
from fabricgen.plan.capacity import port_input_roles, port_result_roles
from fabricgen.plan.demand import row_capacity, tag_width
from fabricgen.plan.provider_decode import decode_capacities
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.dispatch import AddressTransform, MatchField

__all__ = ["CarrierField", "CarrierLayout", "carrier_layout", "index_width"]

_BASE_ADDR_WIDTH = 64

#: Carrier fields of one value of each match field; the schema owns their widths.
_MATCH_FIELDS = {
    MatchField.RANGE: (("range_base", 64), ("range_size", 64)),
    MatchField.PREFIX: (("prefix_value", 64), ("prefix_length", 7)),
    MatchField.ADDRESS_SPACE: (("address_space", 32),),
    MatchField.CONTEXT: (("context", 64),),
}


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
        The fields of each operation row by name, in carrier order.
    decode
        The fields of each decode row by name, by subordinate and bounded binding.
    """

    width: int
    active: CarrierField
    rows: tuple[Mapping[str, CarrierField], ...]
    decode: tuple[tuple[Mapping[str, CarrierField], ...], ...] = ()

    @property
    def row_stride(self) -> int:
        """Bits of one row of a Temporal table, whose rows are alike."""
        return _width(self.rows[0])


def carrier_layout(named: NamedMemory) -> CarrierLayout:
    """Lay out the carrier of one memory; ``Unsupported`` for more decode rows than it can have."""
    occurrence = named.occurrence
    active = CarrierField("active", 0, 1)
    offset, rows = active.width, list[dict[str, CarrierField]]()
    for ordinal in range(row_capacity(occurrence)):
        row = _placed(_row_fields(occurrence, row_ports(occurrence, ordinal)), offset)
        offset += _width(row)
        rows.append(row)
    decode = list[tuple[dict[str, CarrierField], ...]]()
    for ordinal, bound in enumerate(decode_capacities(occurrence)):
        fields = tuple(_decode_fields(occurrence, ordinal))
        stride = sum(width for _, width in fields)
        decode.append(tuple(_placed(fields, offset + stride * row) for row in range(bound)))
        offset += stride * bound
    return CarrierLayout(offset, active, tuple(rows), tuple(decode))


def _placed(fields: Iterable[tuple[str, int]], offset: int) -> dict[str, CarrierField]:
    """Fields from an offset on, without those of no width."""
    placed: dict[str, CarrierField] = {}
    for name, width in fields:
        if width:
            placed[name] = CarrierField(name, offset, width)
            offset += width
    return placed


def _width(row: Mapping[str, CarrierField]) -> int:
    return sum(field.width for field in row.values())


def index_width(choices: int) -> int:
    """Minimum width in bits of an unsigned index into ``choices`` alternatives."""
    return max(0, choices - 1).bit_length()


def _row_fields(
    occurrence: MemoryOccurrence, ports: tuple[MemoryOperationPort, ...]
) -> Iterator[tuple[str, int]]:
    """Names and widths of one row's fields; a width of 0 means that there is no field."""
    alternatives = [each for port in ports for each in port.capability_alternatives]
    tag = tag_width(occurrence) or 0
    yield "valid", 1
    yield "port", index_width(len(ports))
    yield "capability_alternative", _widest(len(port.capability_alternatives) for port in ports)
    yield "use_pattern", _widest(document_patterns(occurrence, port) for port in ports)
    yield from _actor_fields(alternatives)
    yield "base_addr", _BASE_ADDR_WIDTH
    yield from _access_fields(alternatives)
    for role in _roles(map(port_input_roles, ports)):
        sinks = (len(sink_connections(occurrence, port, role)) for port in ports)
        yield f"source_{role.name.lower()}", index_width(1 + max(sinks))
        yield f"source_tag_{role.name.lower()}", tag
    yield "service_target", index_width(len(targets(occurrence)))
    for role in _roles(map(port_result_roles, ports)):
        yield f"expose_{role.name.lower()}", 1
        yield f"expose_tag_{role.name.lower()}", tag
        sources = {c for port in ports for c in source_connections(occurrence, port, role)}
        for connection in sorted(sources):
            yield f"forward_{role.name.lower()}_{connection}", 1


def _decode_fields(occurrence: MemoryOccurrence, subordinate: int) -> Iterator[tuple[str, int]]:
    """Names and widths of the fields of one decode row."""
    dispatch = occurrence.connectivity.subordinate_endpoints[subordinate]
    yield "valid", 1
    for field in dispatch.match_fields:
        yield from _MATCH_FIELDS[field]
    yield "service_target", index_width(len(targets(occurrence)))
    if dispatch.address_transform is AddressTransform.CONSTANT_BASE_OFFSET:
        yield "base_offset", _BASE_ADDR_WIDTH


def _widest(counts: Iterable[int]) -> int:
    return index_width(max(counts, default=1))


def _longest(domains: Iterable[UnsignedDomain]) -> int:
    """Bits of the largest member of all domains; none where only fences have no access."""
    return max((highest(domain).bit_length() for domain in domains), default=0)


def _roles(groups: Iterable[tuple[ServiceValueRole, ...]]) -> list[ServiceValueRole]:
    """Roles of all groups, in role order."""
    return sorted({role for group in groups for role in group}, key=lambda role: role.value)


def _actor_fields(
    alternatives: Sequence[MemoryCapabilityAlternative],
) -> Iterator[tuple[str, int]]:
    clauses = [each.actor_contract_domain.contract_clauses for each in alternatives]
    yield "actor_clause", _widest(map(len, clauses))
    values = [clause_values(clause) for each in clauses for clause in each]
    for position in range(max(map(len, values))):
        yield (
            f"actor_value{position}",
            _widest(len(each[position]) for each in values if position < len(each)),
        )


def _access_fields(
    alternatives: Sequence[MemoryCapabilityAlternative],
) -> Iterator[tuple[str, int]]:
    domains = [
        alternative.parameterized_access_domain
        for alternative in alternatives
        if alternative.parameterized_access_domain is not None
    ]
    classes = [each for domain in domains for each in domain.access_classes]
    yield "access_class", _widest(len(domain.access_classes) for domain in domains)
    yield "element_width", _longest(c.element_width_bits for c in classes)
    yield "lane_count", _longest(c.flattened_lane_count for c in classes)
    yield "mask_pair", _widest(len(c.mask_inactive_pairs) for c in classes)
    yield "alignment", _longest(c.source_alignment.accepted_log2_byte_alignments for c in classes)
    widths = (c.root_relative_index_widths for c in classes)
    yield "index_width", _longest(each for each in widths if each is not None)
    yield "address_pointer_format", _widest(len(c.address_pointer_formats) for c in classes)
    yield "data_pointer_format", _widest(len(c.data_pointer_formats) for c in classes)
