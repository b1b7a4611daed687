"""Memory operation ports (spec: Canonical Engine Definition, Persistent Capability Schema)."""

from dataclasses import dataclass

from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.resource import ResourceContract
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = ["MemoryCapabilityAlternative", "MemoryOperationPort"]


@dataclass(frozen=True, slots=True)
class MemoryCapabilityAlternative:
    """One product of the port's complete capability relation.

    Parameters
    ----------
    actor_contract_domain
        Admitted schema and contracts.
    role_to_endpoint
        The maximal role set, each with its endpoint ordinal, in role order.
    parameterized_access_domain
        Admitted accesses; absent exactly for a fence.
    admissible_use_patterns
        Keys into the port's own resource contract; non-empty, sorted, unique.
    """

    actor_contract_domain: MemoryActorContractDomain
    role_to_endpoint: tuple[tuple[ServiceValueRole, int], ...]
    parameterized_access_domain: ParameterizedMemoryAccessDomain | None
    admissible_use_patterns: tuple[int, ...]

    def endpoint_of(self, role: ServiceValueRole) -> int | None:
        """Endpoint ordinal bound to ``role``, or ``None`` where the role is absent."""
        return dict(self.role_to_endpoint).get(role)


@dataclass(frozen=True, slots=True)
class MemoryOperationPort:
    """One physical memory operation port.

    ``operation_pattern_semantics[i]`` gives the meaning of the contract's use pattern ``i``.
    """

    endpoint_inventory: tuple[int, ...]
    resource_contract: ResourceContract
    operation_pattern_semantics: tuple[MemoryPortTransactionProjection, ...]
    capability_alternatives: tuple[MemoryCapabilityAlternative, ...]
