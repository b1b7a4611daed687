"""One descriptor per memory actor schema: its service, its roles, its directions."""

from dataclasses import dataclass

from fabricgen.vocab.dataflow import OperationSchemaId, ServiceKind, ServiceValueRole

__all__ = ["MEMORY_SCHEMAS", "MemoryActorSchema"]

_R = ServiceValueRole


@dataclass(frozen=True, slots=True)
class MemoryActorSchema:
    """Role bundle of one memory actor, in canonical role order.

    Parameters
    ----------
    schema_id
        The actor's registered schema.
    service_kind
        Canonical Service that one firing requests.
    input_roles, result_roles
        Maximal bundle; :attr:`ServiceValueRole.MASK` is the one conditionally active role.
    reads, writes
        Whether the actor returns memory contents, and whether it changes them.
    """

    schema_id: OperationSchemaId
    service_kind: ServiceKind
    input_roles: tuple[ServiceValueRole, ...]
    result_roles: tuple[ServiceValueRole, ...]
    reads: bool
    writes: bool


#: Schemas that this generator knows completely, by id.
MEMORY_SCHEMAS: dict[OperationSchemaId, MemoryActorSchema] = {
    schema.schema_id: schema
    for schema in (
        MemoryActorSchema(
            OperationSchemaId.DATAFLOW_LOAD,
            ServiceKind.MEMORY_READ,
            (_R.ADDRESS, _R.MASK, _R.CONTROL),
            (_R.DATA, _R.COMPLETION),
            reads=True,
            writes=False,
        ),
        MemoryActorSchema(
            OperationSchemaId.DATAFLOW_STORE,
            ServiceKind.MEMORY_WRITE,
            (_R.ADDRESS, _R.DATA, _R.MASK, _R.CONTROL),
            (_R.COMPLETION,),
            reads=False,
            writes=True,
        ),
    )
}
