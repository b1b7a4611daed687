"""Which roles of an alternative fire for one actor and access (spec: activeRoleBindings)."""

from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["RoleBindings", "active_roles"]

RoleBindings = tuple[tuple[ServiceValueRole, int], ...]


def active_roles(
    alternative: MemoryCapabilityAlternative,
    actor: CanonicalActorProjection,
    access: CanonicalMemoryAccessView | None,
) -> tuple[RoleBindings, RoleBindings]:
    """Active input roles and active result roles, each with its endpoint, in role order.

    A dynamic mask that the alternative binds nowhere is left out: no class of it admits one.
    """
    service = canonical_service(actor, access)
    bound = dict(alternative.role_to_endpoint)
    inputs, results = (
        tuple((role, bound[role]) for role in roles if role in bound)
        for roles in (service.argument_roles, service.result_roles)
    )
    return inputs, results
