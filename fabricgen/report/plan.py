"""The transaction plan of each configured row, for people and scripts."""

import enum
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import cast

from rich.table import Table

from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.author.mapping import Mapping
from fabricgen.plan.geometry_class import geometry_class
from fabricgen.plan.lanes import active_lanes
from fabricgen.plan.roles import active_roles
from fabricgen.plan.row_plan import row_transaction_plan
from fabricgen.plan.rows import Active, OperationRow
from fabricgen.plan.transactions import (
    Activation,
    ChildProjection,
    InactiveValue,
    MemoryPortTransactionPlanView,
    ResultStrategy,
    Retirement,
)
from fabricgen.records.connectivity import LocalMemoryServiceTarget, ManagerEndpointTarget
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.schema.contract import MemoryContract
from fabricgen.vocab.dataflow import MemoryMaskForm, ServiceValueRole

__all__ = ["masked_lane_counts", "plan_json", "plan_tables"]

JsonTable = dict[str, object]


def masked_lane_counts(mapping: Mapping) -> set[int]:
    """Lane counts of the rows with a dynamic mask."""
    return {
        row.access.lane_count
        for configuration in mapping.configuration.memories
        if isinstance(configuration, Active)
        for row in configuration.operation_rows
        if row is not None
        and row.access is not None
        and row.access.mask_form is MemoryMaskForm.DYNAMIC
    }


def plan_json(fabric: Fabric, mapping: Mapping, mask: str | None) -> list[JsonTable]:
    """Describe the plan of every active row.

    ``mask`` is a lane mask, most significant lane first; it applies to the rows with a dynamic
    mask of as many lanes.
    """
    return [
        _row_json(memory, place, row, mapping.row_names[ordinal][place], mask)
        for ordinal, memory in enumerate(fabric.memories)
        for place, row in _rows(mapping, ordinal)
    ]


def _rows(mapping: Mapping, memory: int) -> Iterator[tuple[int, OperationRow]]:
    configuration = mapping.configuration.memories[memory]
    if isinstance(configuration, Active):
        for place, row in enumerate(configuration.operation_rows):
            if row is not None:
                yield place, row


def _row_json(
    memory: NamedMemory, place: int, row: OperationRow, name: str | None, mask: str | None
) -> JsonTable:
    engine = memory.occurrence.engine
    if engine is None:
        raise ValueError("An active row must belong to an engine, not to none")
    port = engine.ports[row.port]
    plan = row_transaction_plan(memory.occurrence, row)
    sources, destinations = _ends(memory, row)
    access = row.access
    return {
        "memory": memory.name,
        "row": place,
        "name": name,
        "port": memory.names.ports[row.port],
        "geometry": None if (geometry := geometry_class(port)) is None else geometry.value,
        "alternative": row.capability_alternative,
        "pattern": memory.names.patterns[row.port][
            row.use_pattern // memory.patterns_per_name(row.port)
        ],
        "target": _target(memory, row),
        "base": None if access is None or access.address_pointer_format else row.base_addr,
        "contract": _contract_json(row.actor.contract),
        "access": None if access is None else _access_json(access),
        "service": plan.parent_service.kind.name.lower(),
        "arguments": sources,
        "results": destinations,
        **_plan_json(plan, row, mask),
    }


def _ends(memory: NamedMemory, row: OperationRow) -> tuple[JsonTable, JsonTable]:
    """Where each argument comes from and each result goes, by the names of endpoints."""
    engine, names = memory.occurrence.engine, memory.names.endpoints
    connections = memory.occurrence.connectivity.internal_connections
    if engine is None:
        raise ValueError("An active row must belong to an engine, not to none")
    port = engine.ports[row.port]
    alternative = port.capability_alternatives[row.capability_alternative]
    bound = dict(sum(active_roles(alternative, row.actor, row.access), ()))

    def endpoint(role: ServiceValueRole, tag: int | None) -> str:
        return names[bound[role]] + ("" if tag is None else f" tag {tag}")

    sources: JsonTable = {}
    for role, source in row.sources:
        sources[role.name.lower()] = (
            endpoint(role, source.tag)
            if source.connection is None
            else f"from {names[connections[source.connection].source_endpoint_ordinal]}"
        )
    destinations: JsonTable = {}
    for role, destination in row.destinations:
        ends = [endpoint(role, destination.tag)] if destination.expose else []
        sinks = [connections[c].sink_endpoint_ordinal for c in destination.connections]
        destinations[role.name.lower()] = " and ".join(ends + [f"to {names[at]}" for at in sinks])
    return sources, destinations


def _target(memory: NamedMemory, row: OperationRow) -> str:
    match row.service_target:
        case LocalMemoryServiceTarget():
            return "local"
        case ManagerEndpointTarget(ordinal):
            return memory.names.managers[ordinal]


def _contract_json(contract: MemoryContract) -> JsonTable:
    """Kind and fields of a contract, with the words of mapping documents; alignment apart."""
    names = (field.name for field in fields(contract))
    values = dict(zip(names, map(_word, contract.values), strict=False))
    return {"kind": contract.variant.name.lower()} | {
        {"kind": "operation", "scope": "sync_scope"}.get(name, name): value
        for name, value in values.items()
    }


def _word(value: object) -> object:
    match value:
        case enum.Enum():
            return value.name.lower()
        case SyncScope(kind):
            return kind.name.lower()
        case tuple():
            return [_word(each) for each in cast("tuple[object, ...]", value)]
        case None:
            return "absent"
        case _:
            return value


def _access_json(access: CanonicalMemoryAccessView) -> JsonTable:
    address, data = access.address_pointer_format, access.data_pointer_format
    return {
        "form": access.form.name.lower(),
        "address": access.address_form.name.lower(),
        "element_bits": access.element_bits,
        "lanes": access.lane_count,
        "mask": access.mask_form.name.lower(),
        "index_bits": access.address_lane_bits if address is None else None,
        "pointer": None if address is None else asdict(address),
        "data_pointer": None if data is None else asdict(data),
        "alignment": access.source_alignment_bytes,
    }


def _plan_json(
    plan: MemoryPortTransactionPlanView, row: OperationRow, mask: str | None
) -> JsonTable:
    lanes = _lanes(row, mask)
    every = range(0 if row.access is None else row.access.lane_count)
    children: list[JsonTable] = [
        {
            "ordinal": child.ordinal,
            "activation": _term(child.activation),
            "projection": _term(child.projection),
            **(
                {}
                if lanes is None
                else {"active": child.is_submitted([lane in lanes for lane in every])}
            ),
        }
        for child in plan.transactions
    ]
    assembly = plan.assembly
    listing: JsonTable = {
        "transactions": children,
        "assembly": {
            role.name.lower(): _term(assembly.result_strategy(role))
            for role in assembly.result_roles
        },
        "retirement": _term(assembly.retirement),
    }
    return listing if lanes is None else listing | {"active_lanes": lanes}


def _lanes(row: OperationRow, mask: str | None) -> list[int] | None:
    """Active lanes of the row under ``mask``; ``None`` where the mask does not concern it."""
    access = row.access
    if access is None or mask is None or access.mask_form is not MemoryMaskForm.DYNAMIC:
        return None
    if access.lane_count != len(mask):
        return None
    return [lane for lane, active in enumerate(active_lanes(access, int(mask, 2))) if active]


def _term(view: Activation | ChildProjection | ResultStrategy | Retirement) -> str:
    """The specification's name of a view, with the values of its fields."""
    values = [getattr(view, field.name) for field in fields(view)]
    shown = [value.value if isinstance(value, InactiveValue) else str(value) for value in values]
    name = type(view).__name__
    return f"{name}({', '.join(shown)})" if shown else name


def plan_tables(listing: list[JsonTable]) -> list[Table]:
    """One table per row of :func:`plan_json`."""
    return [_row_table(row) for row in listing]


def _row_table(row: JsonTable) -> Table:
    table = Table(title=f"{row['memory']}, row {row['row']}: {row['name']}", title_justify="left")
    table.add_column("part")
    table.add_column("value")
    for key, value in row.items():
        if key in ("memory", "row", "name"):
            continue
        if key == "transactions" and isinstance(value, list):
            for child in value:
                table.add_row(f"transaction {child['ordinal']}", _child_text(child))
        elif isinstance(value, dict):
            table.add_row(key, _table_text(cast("JsonTable", value)))
        elif isinstance(value, list):
            table.add_row(key.replace("_", " "), ", ".join(map(str, value)) or "none")
        elif isinstance(value, int) and key == "base":
            table.add_row(key, f"{value:#x}")
        else:
            table.add_row(key, "none" if value is None else str(value))
    return table


def _table_text(values: JsonTable) -> str:
    """Keys on one line, each with its value; absent ones are left out."""
    present = ((key, value) for key, value in values.items() if value is not None)
    return ", ".join(f"{key} {_text(value)}" for key, value in present) or "none"


def _text(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case dict():
            # The only table inside another one: the format of a pointer.
            bits = "{address_bits} of {representation_bits}".format_map(cast("JsonTable", value))
            return f"(space {value['address_space']}, {bits} bits)"
        case list():
            return "/".join(map(_text, cast("list[object]", value)))
        case _:
            return str(value)


def _child_text(child: JsonTable) -> str:
    text = f"{child['projection']}, submitted: {child['activation']}"
    return text if "active" not in child else f"{text} ({'yes' if child['active'] else 'no'})"
