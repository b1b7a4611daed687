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

    @property
    def roles(self) -> tuple[ServiceValueRole, ...]:
        """All roles of the bundle, in canonical role order."""
        return tuple(sorted((*self.input_roles, *self.result_roles), key=lambda r: r.value))

    @property
    def read_roles(self) -> tuple[ServiceValueRole, ...]:
        """Results that are memory contents."""
        return tuple(role for role in self.result_roles if role in (_R.DATA, _R.OLD))

    @property
    def write_roles(self) -> tuple[ServiceValueRole, ...]:
        """Operands that are as wide as the memory contents that they change or are compared to."""
        wide = (_R.DATA, _R.UPDATE, _R.EXPECTED, _R.DESIRED)
        return tuple(role for role in self.input_roles if role in wide)


#: The five memory actors, by id.
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
        MemoryActorSchema(
            OperationSchemaId.DATAFLOW_ATOMIC_RMW,
            ServiceKind.MEMORY_ATOMIC_RMW,
            (_R.ADDRESS, _R.UPDATE, _R.MASK, _R.CONTROL),
            (_R.OLD, _R.COMPLETION),
            reads=True,
            writes=True,
        ),
        MemoryActorSchema(
            OperationSchemaId.DATAFLOW_CMPXCHG,
            ServiceKind.MEMORY_COMPARE_EXCHANGE,
            (_R.ADDRESS, _R.EXPECTED, _R.DESIRED, _R.MASK, _R.CONTROL),
            (_R.OLD, _R.SUCCESS, _R.COMPLETION),
            reads=True,
            writes=True,
        ),
        MemoryActorSchema(
            OperationSchemaId.DATAFLOW_FENCE,
            ServiceKind.MEMORY_FENCE,
            (_R.CONTROL,),
            (_R.COMPLETION,),
            reads=False,
            writes=False,
        ),
    )
}
