"""The transaction plan of each configured row, for people and scripts."""

from collections.abc import Iterator

from rich.table import Table

from fabricgen.author.mapping import Mapping
from fabricgen.plan.geometry_class import geometry_class
from fabricgen.plan.lanes import active_lanes
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import Active, OperationRow
from fabricgen.plan.transactions import (
    MemoryPortTransactionPlan,
    ParentMaskAny,
    derive_memory_port_transaction_plan,
)
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.dataflow import MemoryMaskForm

__all__ = ["masked_lane_counts", "plan_json", "plan_tables"]

JsonTable = dict[str, object]


def masked_lane_counts(mapping: Mapping) -> set[int]:
    """Lane counts of the rows with a dynamic mask."""
    return {
        row.access.lane_count
        for configuration in mapping.configurations
        if isinstance(configuration, Active)
        for row in configuration.operation_rows
        if row is not None and row.access.mask_form is MemoryMaskForm.DYNAMIC
    }


def plan_json(fabric: Fabric, mapping: Mapping, mask: str | None) -> list[JsonTable]:
    """Describe the plan of every active row.

    ``mask`` is a lane mask, most significant lane first; it applies to the rows with a dynamic
    mask of as many lanes.
    """
    return [
        _row_json(memory, row, mapping.row_names[ordinal][row.port], mask)
        for ordinal, memory in enumerate(fabric.memories)
        for row in _rows(mapping, ordinal)
    ]


def _rows(mapping: Mapping, memory: int) -> Iterator[OperationRow]:
    configuration = mapping.configurations[memory]
    if isinstance(configuration, Active):
        yield from (row for row in configuration.operation_rows if row is not None)


def _row_json(
    memory: NamedMemory, row: OperationRow, name: str | None, mask: str | None
) -> JsonTable:
    engine = memory.occurrence.engine
    if engine is None:
        raise ValueError("An active row must belong to an engine, not to none")
    port = engine.ports[row.port]
    plan = derive_memory_port_transaction_plan(
        port.operation_pattern_semantics[row.use_pattern],
        row.actor,
        canonical_service(row.actor, row.access),
        row.access,
    )
    alternative = port.capability_alternatives[row.capability_alternative]
    bound = dict(sum(active_roles(alternative, row.actor, row.access), ()))
    endpoints = memory.names.endpoints
    return {
        "memory": memory.name,
        "row": row.port,
        "name": name,
        "port": memory.names.ports[row.port],
        "geometry": None if (geometry := geometry_class(port)) is None else geometry.value,
        "alternative": row.capability_alternative,
        "pattern": memory.names.patterns[row.port][row.use_pattern],
        "base": row.base_addr,
        "access": _access_json(row),
        "service": plan.parent_service.kind.name.lower(),
        "arguments": {
            role.name.lower(): endpoints[bound[role]] for role in plan.parent_service.argument_roles
        },
        "results": {
            role.name.lower(): endpoints[bound[role]] for role in plan.parent_service.result_roles
        },
        **_plan_json(plan, row, mask),
    }


def _access_json(row: OperationRow) -> JsonTable:
    access = row.access
    return {
        "form": access.form.name.lower(),
        "address": access.address_form.name.lower(),
        "element_bits": access.element_bits,
        "lanes": access.lane_count,
        "mask": access.mask_form.name.lower(),
        "index_bits": access.address_lane_bits,
    }


def _plan_json(plan: MemoryPortTransactionPlan, row: OperationRow, mask: str | None) -> JsonTable:
    lanes = _lanes(row, mask)
    children: list[JsonTable] = [
        {
            "ordinal": child.ordinal,
            "activation": _words(child.activation),
            "projection": _words(child.projection),
            **(
                {}
                if lanes is None
                else {"active": not isinstance(child.activation, ParentMaskAny) or any(lanes)}
            ),
        }
        for child in plan.transactions
    ]
    assembly = plan.assembly
    listing: JsonTable = {
        "transactions": children,
        "assembly": {
            role.name.lower(): _words(assembly.result_strategy(role))
            for role in assembly.result_roles
        },
        "retirement": _words(assembly.retirement),
    }
    return listing if lanes is None else listing | {"active_lanes": lanes}


def _lanes(row: OperationRow, mask: str | None) -> list[int] | None:
    """Active lanes of the row under ``mask``; ``None`` where the mask does not concern it."""
    access = row.access
    if mask is None or access.mask_form is not MemoryMaskForm.DYNAMIC:
        return None
    if access.lane_count != len(mask):
        return None
    return [lane for lane, active in enumerate(active_lanes(access, int(mask, 2))) if active]


def _words(view: object) -> str:
    """Name of a view's class, in words."""
    name = type(view).__name__
    return "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()


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
            table.add_row(key, ", ".join(f"{k} {v}" for k, v in value.items()) or "none")
        elif isinstance(value, list):
            table.add_row(key.replace("_", " "), ", ".join(map(str, value)) or "none")
        else:
            table.add_row(key, f"{value:#x}" if key == "base" else str(value))
    return table


def _child_text(child: JsonTable) -> str:
    text = f"{child['projection']}, submitted: {child['activation']}"
    return text if "active" not in child else f"{text} ({'yes' if child['active'] else 'no'})"
