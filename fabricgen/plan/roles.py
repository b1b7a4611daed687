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
    """Active input roles and active result roles, each with its endpoint, in role order."""
    service = canonical_service(actor, access)
    active = alternative.active_role_bindings(actor, access)
    # A store's data is an operand, a load's is a result: roles alone do not tell.
    inputs = tuple(bound for bound in active if bound[0] in service.argument_roles)
    results = tuple(bound for bound in active if bound[0] in service.result_roles)
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
