"""Typed views of one operation port, with typed references (spec: Typed C++ Projection).

A reference names its owner; one of another owner, or a bare number, is refused. Views hold the
record and store nothing of their own.
"""

from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.reference import resolved
from fabricgen.records.resource import CapacityDimension, ResourceContract, UsePattern
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = [
    "FabricMemoryCapabilityAlternativeRef",
    "FabricMemoryOperationPortRef",
    "FabricResourceStateRef",
    "FabricTransportEndpointRef",
    "FabricUsePatternRef",
    "MemoryCapabilityAlternativeView",
    "MemoryOperationPatternView",
    "MemoryOperationPortView",
    "RoleEndpoints",
]


@dataclass(frozen=True, slots=True, order=True)
class FabricMemoryOperationPortRef:
    """One operation port of one memory occurrence, both by ordinal."""

    memory: int
    ordinal: int


@dataclass(frozen=True, slots=True, order=True)
class FabricTransportEndpointRef:
    """One token endpoint of one memory occurrence, both by ordinal."""

    memory: int
    ordinal: int


@dataclass(frozen=True, slots=True, order=True)
class FabricResourceStateRef:
    """One state of the resource contract that a port owns."""

    owner: FabricMemoryOperationPortRef
    ordinal: int


@dataclass(frozen=True, slots=True, order=True)
class FabricUsePatternRef:
    """One use pattern of the resource contract that a port owns."""

    owner: FabricMemoryOperationPortRef
    ordinal: int


@dataclass(frozen=True, slots=True, order=True)
class FabricMemoryCapabilityAlternativeRef:
    """One capability alternative of a port."""

    owner: FabricMemoryOperationPortRef
    ordinal: int


#: Roles with their endpoints, in role order.
RoleEndpoints = tuple[tuple[ServiceValueRole, FabricTransportEndpointRef], ...]


@dataclass(frozen=True, slots=True)
class MemoryOperationPatternView:
    """The memory-specific meaning of one use pattern."""

    reference: FabricUsePatternRef
    transaction_projection: MemoryPortTransactionProjection


@dataclass(frozen=True, slots=True)
class MemoryCapabilityAlternativeView:
    """One alternative with its place."""

    reference: FabricMemoryCapabilityAlternativeRef
    record: MemoryCapabilityAlternative

    @property
    def actor_contract_domain(self) -> MemoryActorContractDomain:
        """Admitted schema and contracts."""
        return self.record.actor_contract_domain

    @property
    def access_domain(self) -> ParameterizedMemoryAccessDomain | None:
        """Admitted accesses; absent exactly for a fence."""
        return self.record.parameterized_access_domain

    def role_bindings(self) -> RoleEndpoints:
        """The maximal role set with its endpoints."""
        return self._placed(self.record.role_to_endpoint)

    def active_role_bindings(
        self, actor: CanonicalActorProjection, access: CanonicalMemoryAccessView | None
    ) -> RoleEndpoints:
        """Roles that fire for one admitted actor; the mask only for a dynamic one.

        ``Invalid`` where the alternative does not admit actor and access.
        """
        if not self.actor_contract_domain.contains(actor):
            raise _refused("actor", "an actor that the alternative admits, not another")
        domain = self.access_domain
        if (domain is None) != (access is None) or (
            domain is not None and access is not None and not domain.contains(access)
        ):
            raise _refused("access", "an access that the alternative admits, not another")
        return self._placed(self.record.active_role_bindings(actor, access))

    def admissible_use_patterns(self) -> tuple[FabricUsePatternRef, ...]:
        """Use patterns that realise the alternative, ascending."""
        owner = self.reference.owner
        return tuple(FabricUsePatternRef(owner, k) for k in self.record.admissible_use_patterns)

    def _placed(self, bound: tuple[tuple[ServiceValueRole, int], ...]) -> RoleEndpoints:
        memory = self.reference.owner.memory
        return tuple((role, FabricTransportEndpointRef(memory, end)) for role, end in bound)


@dataclass(frozen=True, slots=True)
class MemoryOperationPortView:
    """One operation port with its place."""

    reference: FabricMemoryOperationPortRef
    record: MemoryOperationPort

    @property
    def resource_contract(self) -> ResourceContract:
        """Sole owner of the port's states and use patterns."""
        return self.record.resource_contract

    def endpoints(self) -> tuple[FabricTransportEndpointRef, ...]:
        """The endpoint inventory, ascending."""
        memory = self.reference.memory
        inventory = self.record.endpoint_inventory
        return tuple(FabricTransportEndpointRef(memory, each) for each in inventory)

    def resource_states(self) -> tuple[FabricResourceStateRef, ...]:
        """Every state of the port's contract."""
        count = len(self.resource_contract.states)
        return tuple(FabricResourceStateRef(self.reference, i) for i in range(count))

    def resource_state(self, state: FabricResourceStateRef) -> tuple[CapacityDimension, ...]:
        """Capacities of one of the :meth:`resource_states`; ``Invalid`` for another reference."""
        states = self.resource_contract.states
        return resolved(FabricResourceStateRef, self.reference, state, states)

    def use_patterns(self) -> tuple[FabricUsePatternRef, ...]:
        """Every use pattern of the port's contract."""
        count = len(self.resource_contract.use_patterns)
        return tuple(FabricUsePatternRef(self.reference, i) for i in range(count))

    def use_pattern(self, pattern: FabricUsePatternRef) -> UsePattern:
        """Record of one of the :meth:`use_patterns`; ``Invalid`` for any other reference."""
        patterns = self.resource_contract.use_patterns
        return resolved(FabricUsePatternRef, self.reference, pattern, patterns)

    def operation_pattern(self, pattern: FabricUsePatternRef) -> MemoryOperationPatternView:
        """Meaning of one of the :meth:`use_patterns`; ``Invalid`` for any other reference."""
        semantics = self.record.operation_pattern_semantics
        found = resolved(FabricUsePatternRef, self.reference, pattern, semantics)
        return MemoryOperationPatternView(pattern, found)

    def capability_alternatives(self) -> tuple[FabricMemoryCapabilityAlternativeRef, ...]:
        """Every alternative of the port, in canonical order."""
        count = len(self.record.capability_alternatives)
        return tuple(FabricMemoryCapabilityAlternativeRef(self.reference, i) for i in range(count))

    def capability_alternative(
        self, alternative: FabricMemoryCapabilityAlternativeRef
    ) -> MemoryCapabilityAlternativeView:
        """View of one of the :meth:`capability_alternatives`; ``Invalid`` for another reference."""
        records = self.record.capability_alternatives
        kind = FabricMemoryCapabilityAlternativeRef
        found = resolved(kind, self.reference, alternative, records)
        return MemoryCapabilityAlternativeView(alternative, found)


def _refused(where: str, requirement: str) -> Invalid:
    return Invalid(Diagnostic("view-not-admitted", where, f"The value must be {requirement}"))
