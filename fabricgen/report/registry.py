"""The closed registries of operations and hardware sharing groups, for people and programs."""

from collections.abc import Collection

from rich.table import Table

from fabricgen.hsg.registry import FAMILIES, families_of, family_keyword
from fabricgen.schema.operations import OPERATION_SCHEMAS, OperationSchema, dense_id
from fabricgen.vocab.families import ImplementationFamilyId
from fabricgen.vocab.operations import ActorKind
from fabricgen.vocab.words import word

__all__ = ["families", "family_table", "operation_table", "operations"]


def families() -> list[dict[str, object]]:
    """List every implementation family in registry order, and whether it has hardware."""
    available = _available()
    return [
        {
            "id": family.value,
            "family": family_keyword(family),
            "members": [
                OPERATION_SCHEMAS[member].name for member in row.admitted_operation_schema_ids
            ],
            "params": row.capability_params_schema_id.value,
            "params_name": row.capability_params_schema_id.name.lower(),
            "admission": row.typed_admission_provider_id.value,
            "admission_name": row.typed_admission_provider_id.name.lower(),
            "available": family in available,
        }
        for family, row in FAMILIES.items()
    ]


def family_table() -> Table:
    """Table of :func:`families`; parameters and admission by name."""
    available = _available()
    table = Table("id", "family", "members", "parameters", "admission", "available")
    for family, row in FAMILIES.items():
        members = ", ".join(
            _operation(OPERATION_SCHEMAS[member]) for member in row.admitted_operation_schema_ids
        )
        table.add_row(
            str(family.value),
            family_keyword(family),
            members,
            row.capability_params_schema_id.name.lower(),
            row.typed_admission_provider_id.name.lower(),
            "yes" if family in available else "no",
        )
    return table


def _available() -> Collection[ImplementationFamilyId]:
    """Families with a provider; asking for them loads the HDL."""
    from fabricgen.rtl.providers.registry import PROVIDERS

    return PROVIDERS.keys()


def operations() -> list[dict[str, object]]:
    """List every operation schema in registry order."""
    return [
        {
            "id": dense_id(schema_id),
            "tag": schema_id.value,
            "name": schema.name,
            "op": schema.op,
            "word": word(schema_id),
            "restriction": schema.restriction or None,
            "payload": schema.payload_case.name.lower(),
            "actor": schema.actor_kind.value,
            "liftable": schema.is_liftable,
            "families": [family_keyword(family) for family in families_of(schema_id)],
        }
        for schema_id, schema in OPERATION_SCHEMAS.items()
    ]


def operation_table() -> Table:
    """Table of :func:`operations`."""
    table = Table("id", "name", "operation", "payload", "actor", "families")
    for schema_id, schema in OPERATION_SCHEMAS.items():
        table.add_row(
            str(dense_id(schema_id)),
            schema.name,
            _operation(schema),
            schema.payload_case.name.lower(),
            schema.actor_kind.value,
            ", ".join(map(family_keyword, families_of(schema_id))) or "none",
        )
    return table


def _operation(schema: OperationSchema) -> str:
    """Word of an operation, with its restriction where the word does not tell it."""
    own = schema.op if schema.actor_kind is ActorKind.MEMORY else word(schema.schema_id)
    told = not schema.restriction or own != schema.op
    return own if told else f"{own} ({schema.restriction})"
