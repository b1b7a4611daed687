"""The Canonical Service that one memory actor requests."""

from dataclasses import dataclass

from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import MemoryMaskForm, ServiceKind, ServiceValueRole

__all__ = ["CanonicalService", "canonical_service"]


@dataclass(frozen=True, slots=True)
class CanonicalService:
    """Kind and exact role bundle of one parent request, in canonical role order."""

    kind: ServiceKind
    argument_roles: tuple[ServiceValueRole, ...]
    result_roles: tuple[ServiceValueRole, ...]


def canonical_service(
    actor: CanonicalActorProjection, access: CanonicalMemoryAccessView | None
) -> CanonicalService:
    """Derive the service of an actor; its mask role is present only for a dynamic mask."""
    schema = MEMORY_SCHEMAS[actor.schema_id]
    masked = access is not None and access.mask_form is MemoryMaskForm.DYNAMIC
    arguments = tuple(
        role for role in schema.input_roles if masked or role is not ServiceValueRole.MASK
    )
    return CanonicalService(schema.service_kind, arguments, schema.result_roles)
