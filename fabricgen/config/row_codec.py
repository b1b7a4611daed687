"""One operation row as field values, and back.

Values are dense indices and integers by field name; :mod:`fabricgen.config.codec` places them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fabricgen.config.inventory import (
    clause_values,
    document_patterns,
    row_ports,
    sink_connections,
    source_connections,
    targets,
)
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.plan.capacity import port_input_roles
from fabricgen.plan.contract import document_pattern, use_pattern_key
from fabricgen.plan.demand import context_count, is_temporal
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import OperationRow, ResultDestination, RoleSource
from fabricgen.plan.support import selected_class, selected_clause
from fabricgen.records.access import MemoryAccessClass, OrdinaryData
from fabricgen.records.actor import ContractClause
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.schema.contract import contract_of
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["decode_row", "row_values"]

#: Alignments are powers of two of bytes below 2**64.
_ALIGNMENT_EXPONENTS = 64

#: Fields of every access class.
_ACCESS_FIELDS = (
    "access_class",
    "element_width",
    "lane_count",
    "mask_pair",
    "alignment",
    "data_pointer_format",
)

#: Starts of the names of fields that a row may leave inactive.
_SELECTED = (
    "source_",
    "expose_",
    "forward_",
    "actor_value",
    "index_width",
    "address_pointer_format",
    *_ACCESS_FIELDS,
)

_T = TypeVar("_T")


def row_values(occurrence: MemoryOccurrence, row: OperationRow) -> dict[str, int]:
    """Field values of a legal row; what it does not use is not listed."""
    port = occurrence.operation_ports[row.port]
    alternative = port.capability_alternatives[row.capability_alternative]
    pattern, _ = document_pattern(row.use_pattern, context_count(occurrence))
    values = {
        "valid": 1,
        **({"port": row.port} if is_temporal(occurrence) else {}),
        "capability_alternative": row.capability_alternative,
        "use_pattern": pattern,
        "base_addr": row.base_addr,
        "service_target": targets(occurrence).index(row.service_target),
        **_actor_values(alternative, row.actor),
        **_access_values(alternative, row.access),
    }
    for role, source in row.sources:
        if source.connection is not None:
            code = 1 + sink_connections(occurrence, port, role).index(source.connection)
            values[f"source_{role.name.lower()}"] = code
        if source.tag is not None:
            values[f"source_tag_{role.name.lower()}"] = source.tag
    for role, destination in row.destinations:
        values[f"expose_{role.name.lower()}"] = int(destination.expose)
        if destination.tag is not None:
            values[f"expose_tag_{role.name.lower()}"] = destination.tag
        for connection in destination.connections:
            values[f"forward_{role.name.lower()}_{connection}"] = 1
    return values


def _actor_values(
    alternative: MemoryCapabilityAlternative, actor: CanonicalActorProjection
) -> dict[str, int]:
    ordinal, clause = selected_clause(alternative, actor)
    inventories = clause_values(clause)
    values = {"actor_clause": ordinal}
    for position, (inventory, value) in enumerate(
        zip(inventories, actor.contract.values, strict=True)
    ):
        values[f"actor_value{position}"] = inventory.index(value)
    return values


def _access_values(
    alternative: MemoryCapabilityAlternative, access: CanonicalMemoryAccessView | None
) -> dict[str, int]:
    if access is None:
        return {}
    ordinal, chosen = selected_class(alternative, access)
    address, data = access.address_pointer_format, access.data_pointer_format
    return {
        "access_class": ordinal,
        "element_width": access.element_bits,
        "lane_count": access.lane_count,
        "mask_pair": [form for form, _ in chosen.mask_inactive_pairs].index(access.mask_form),
        "alignment": access.source_alignment_bytes.bit_length() - 1,
        **(
            {"index_width": access.address_lane_bits}
            if address is None
            else {"address_pointer_format": chosen.address_pointer_formats.index(address)}
        ),
        "data_pointer_format": chosen.data_pointer_formats.index(data or OrdinaryData()),
    }


@dataclass(frozen=True, slots=True)
class _Choices:
    """What the indices of one row name."""

    alternative: MemoryCapabilityAlternative
    clause: ContractClause
    access_class: MemoryAccessClass | None


def decode_row(
    occurrence: MemoryOccurrence, ordinal: int, values: Mapping[str, int]
) -> OperationRow:
    """Read one valid row; ``Invalid`` for an index out of range or a bit that nothing uses.

    ``values`` holds every field of the row. What the row then says is judged by
    :mod:`fabricgen.plan.row_check`.
    """
    port = _chosen(row_ports(occurrence, ordinal), "port", values)
    choices = _choices(port, values)
    if found := tuple(_value_findings(occurrence, port, choices, values)):
        raise Invalid(*found)
    access = _access(choices, values)
    actor = _actor(choices, values, access)
    inputs, results = active_roles(choices.alternative, actor, access)
    used = {
        *_choice_fields(choices),
        *(name for role, _ in inputs for name in _source_fields(role, values)),
        *(name for role, _ in results for name in _result_fields(occurrence, port, role, values)),
    }
    if found := tuple(_unused_findings(used, values)):
        raise Invalid(*found)
    temporal, pattern = is_temporal(occurrence), values.get("use_pattern", 0)
    return OperationRow(
        port=values.get("port", 0) if temporal else ordinal,
        capability_alternative=values.get("capability_alternative", 0),
        use_pattern=use_pattern_key(pattern, ordinal if temporal else 0, context_count(occurrence)),
        actor=actor,
        access=access,
        base_addr=values["base_addr"],
        sources=tuple((role, _source(occurrence, port, role, values)) for role, _ in inputs),
        destinations=tuple(
            (role, _destination(occurrence, port, role, values)) for role, _ in results
        ),
        service_target=targets(occurrence)[values.get("service_target", 0)],
    )


def _choices(port: MemoryOperationPort, values: Mapping[str, int]) -> _Choices:
    alternative = _chosen(port.capability_alternatives, "capability_alternative", values)
    clauses = alternative.actor_contract_domain.contract_clauses
    classes = alternative.access_classes
    return _Choices(
        alternative,
        _chosen(clauses, "actor_clause", values),
        _chosen(classes, "access_class", values) if classes else None,
    )


def _chosen(inventory: Sequence[_T], name: str, values: Mapping[str, int]) -> _T:
    index = values.get(name, 0)
    if index >= len(inventory):
        raise Invalid(_out_of_range(name, index, len(inventory)))
    return inventory[index]


def _out_of_range(name: str, index: int, count: int) -> Diagnostic:
    return Diagnostic(
        "carrier-index-range", name, f"The index must name one of {count} choices, not {index}"
    )


def _value_findings(
    occurrence: MemoryOccurrence,
    port: MemoryOperationPort,
    choices: _Choices,
    values: Mapping[str, int],
) -> Iterator[Diagnostic]:
    """Indices that depend on the choices, or on nothing."""
    access_class = choices.access_class
    counts = {
        "use_pattern": document_patterns(occurrence, port),
        "service_target": len(targets(occurrence)),
    }
    if access_class is not None:
        counts |= {
            "mask_pair": len(access_class.mask_inactive_pairs),
            "alignment": _ALIGNMENT_EXPONENTS,
            "data_pointer_format": len(access_class.data_pointer_formats),
        }
        if formats := access_class.address_pointer_formats:
            counts["address_pointer_format"] = len(formats)
    for position, inventory in enumerate(clause_values(choices.clause)):
        counts[f"actor_value{position}"] = len(inventory)
    for role in port_input_roles(port):
        counts[f"source_{role.name.lower()}"] = 1 + len(sink_connections(occurrence, port, role))
    for name, count in counts.items():
        if values.get(name, 0) >= count:
            yield _out_of_range(name, values[name], count)


def _actor(
    choices: _Choices, values: Mapping[str, int], access: CanonicalMemoryAccessView | None
) -> CanonicalActorProjection:
    inventories = enumerate(clause_values(choices.clause))
    chosen = [inventory[values.get(f"actor_value{i}", 0)] for i, inventory in inventories]
    alignment = 1 if access is None else access.source_alignment_bytes
    return CanonicalActorProjection(
        choices.alternative.actor_contract_domain.actor_schema,
        contract_of(choices.clause.tag, chosen, alignment),
    )


def _access(choices: _Choices, values: Mapping[str, int]) -> CanonicalMemoryAccessView | None:
    access_class = choices.access_class
    if access_class is None:
        return None
    form, _ = access_class.mask_inactive_pairs[values.get("mask_pair", 0)]
    pointers = access_class.address_pointer_formats
    address = pointers[values.get("address_pointer_format", 0)] if pointers else None
    data = access_class.data_pointer_formats[values.get("data_pointer_format", 0)]
    return CanonicalMemoryAccessView(
        form=access_class.access_form,
        address_form=access_class.address_form,
        element_bits=values["element_width"],
        lane_count=values["lane_count"],
        mask_form=form,
        address_lane_bits=values["index_width"] if address is None else address.representation_bits,
        source_alignment_bytes=1 << values.get("alignment", 0),
        address_pointer_format=address,
        data_pointer_format=None if isinstance(data, OrdinaryData) else data,
    )


def _choice_fields(choices: _Choices) -> Iterator[str]:
    """Fields that the clause and the access class use."""
    yield from (f"actor_value{i}" for i, _ in enumerate(clause_values(choices.clause)))
    if choices.access_class is not None:
        yield from _ACCESS_FIELDS
        is_pointer = bool(choices.access_class.address_pointer_formats)
        yield "address_pointer_format" if is_pointer else "index_width"


def _source_fields(role: ServiceValueRole, values: Mapping[str, int]) -> Iterator[str]:
    """Fields that an active input role uses."""
    name = role.name.lower()
    yield f"source_{name}"
    if not values.get(f"source_{name}", 0):
        yield f"source_tag_{name}"


def _result_fields(
    occurrence: MemoryOccurrence,
    port: MemoryOperationPort,
    role: ServiceValueRole,
    values: Mapping[str, int],
) -> Iterator[str]:
    """Fields that an active result role uses."""
    name = role.name.lower()
    yield f"expose_{name}"
    if values[f"expose_{name}"]:
        yield f"expose_tag_{name}"
    for connection in source_connections(occurrence, port, role):
        yield f"forward_{name}_{connection}"


def _unused_findings(used: set[str], values: Mapping[str, int]) -> Iterator[Diagnostic]:
    """Fields that the selected port, clause and access leave inactive are zero."""
    for name, value in values.items():
        if value and name not in used and name.startswith(_SELECTED):
            yield Diagnostic(
                "carrier-unused-field",
                name,
                f"The field must be 0 where the row does not use it, not {value}",
            )


def _source(
    occurrence: MemoryOccurrence,
    port: MemoryOperationPort,
    role: ServiceValueRole,
    values: Mapping[str, int],
) -> RoleSource:
    name = role.name.lower()
    if code := values.get(f"source_{name}", 0):
        return RoleSource(sink_connections(occurrence, port, role)[code - 1])
    return RoleSource(tag=values.get(f"source_tag_{name}"))


def _destination(
    occurrence: MemoryOccurrence,
    port: MemoryOperationPort,
    role: ServiceValueRole,
    values: Mapping[str, int],
) -> ResultDestination:
    name = role.name.lower()
    exposed = bool(values[f"expose_{name}"])
    return ResultDestination(
        expose=exposed,
        connections=tuple(
            connection
            for connection in source_connections(occurrence, port, role)
            if values[f"forward_{name}_{connection}"]
        ),
        tag=values.get(f"expose_tag_{name}") if exposed else None,
    )
