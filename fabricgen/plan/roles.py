"""Which roles of an alternative fire for one actor and access (spec: activeRoleBindings)."""

from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["RoleBindings", "active_roles", "role_bits"]

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


def role_bits(access: CanonicalMemoryAccessView) -> dict[ServiceValueRole, int]:
    """Bits of the complete token of each role that has a payload."""
    data = access.data_bits
    return {
        ServiceValueRole.ADDRESS: access.address_bits,
        ServiceValueRole.DATA: data,
        ServiceValueRole.UPDATE: data,
        ServiceValueRole.EXPECTED: data,
        ServiceValueRole.DESIRED: data,
        ServiceValueRole.MASK: access.mask_bits,
        ServiceValueRole.OLD: data,
        ServiceValueRole.SUCCESS: access.success_bits,
    }
