"""The configured occurrence in semantic terms (spec: Operation Rows And Internal Dependencies).

A row names choices by their ordinals in canonical inventories; ``config`` owns their bits.
"""

from dataclasses import dataclass

from fabricgen.records.connectivity import MemoryDispatchTarget
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = [
    "Active",
    "AddressSpaceMatch",
    "ContextMatch",
    "Disabled",
    "MatchValue",
    "MemoryConfiguration",
    "OperationRow",
    "PrefixMatch",
    "ProviderDecode",
    "ProviderDecodeRow",
    "RangeMatch",
    "ResultDestination",
    "RoleSource",
]


@dataclass(frozen=True, slots=True)
class RoleSource:
    """Where an active input role gets its tokens: its bound endpoint, or a connection ordinal.

    ``tag`` is the Physical Tag to match, exactly for the endpoint of a Temporal engine.
    """

    connection: int | None = None
    tag: int | None = None


@dataclass(frozen=True, slots=True)
class ResultDestination:
    """Where an active result role goes: its bound endpoint and any number of connections.

    ``tag`` is the Physical Tag to publish with, exactly where a Temporal engine exposes it.
    """

    expose: bool
    connections: tuple[int, ...] = ()
    tag: int | None = None


@dataclass(frozen=True, slots=True)
class OperationRow:
    """One Active operation row.

    Parameters
    ----------
    port
        Operation-port ordinal. In a Spatial table it equals the row's ordinal.
    capability_alternative, use_pattern
        Ordinals in the port's inventories; in a Temporal table row ``k`` selects a pattern of
        context ``k``.
    actor, access
        The exact actor and its derived access projection, which a fence has not; together they are
        the carrier's actor clause, clause values and access projection.
    base_addr
        Byte address of element 0; 0 where lanes are pointers, and in a fence.
    sources, destinations
        One entry per active input role and per active result role, in role order.
    service_target
        One member of the alternative's target domain.
    """

    port: int
    capability_alternative: int
    use_pattern: int
    actor: CanonicalActorProjection
    access: CanonicalMemoryAccessView | None
    base_addr: int
    sources: tuple[tuple[ServiceValueRole, RoleSource], ...]
    destinations: tuple[tuple[ServiceValueRole, ResultDestination], ...]
    service_target: MemoryDispatchTarget

    @property
    def addressed(self) -> CanonicalMemoryAccessView:
        """The access of an addressed actor; ``ValueError`` for a fence."""
        if self.access is None:
            raise ValueError(f"Row must have an access, not {self.actor.schema_id.name}")
        return self.access


@dataclass(frozen=True, slots=True)
class RangeMatch:
    """Addresses from ``base`` on, ``size`` bytes of them; both are u64."""

    base: int
    size: int


@dataclass(frozen=True, slots=True)
class PrefixMatch:
    """Addresses whose top ``prefix_length`` bits, 0 to 64, are those of ``value``."""

    value: int
    prefix_length: int


@dataclass(frozen=True, slots=True)
class AddressSpaceMatch:
    """Requests of one address space, a u32."""

    value: int


@dataclass(frozen=True, slots=True)
class ContextMatch:
    """Requests of one context code, a u64; no Physical Tag and no Dataflow reference."""

    value: int


MatchValue = RangeMatch | PrefixMatch | AddressSpaceMatch | ContextMatch


@dataclass(frozen=True, slots=True)
class ProviderDecodeRow:
    """One exposed binding of a subordinate endpoint (spec: Configurable Service Dispatch).

    Parameters
    ----------
    match
        One value per match field that the endpoint declares, in tag order; a request selects the
        row if all of them hold.
    service_target
        One member of the endpoint's target domain.
    base_offset
        What ConstantBaseOffset adds to the request's address, modulo 2**64, to make the service
        address; 0 for an endpoint without the transform.
    """

    match: tuple[MatchValue, ...]
    service_target: MemoryDispatchTarget
    base_offset: int = 0


#: Decode rows per subordinate endpoint and bounded binding, ``None`` where one is unused.
ProviderDecode = tuple[tuple[ProviderDecodeRow | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Disabled:
    """The occurrence does nothing; its carrier is all zero."""


@dataclass(frozen=True, slots=True)
class Active:
    """At least one operation row or decode row, each ``None`` where it is unused.

    ``operation_rows[i]`` is row ``i`` of the operation table; ``provider_decode[s][b]`` is decode
    row ``b`` of subordinate endpoint ``s``, which has one for each binding that it may expose.
    """

    operation_rows: tuple[OperationRow | None, ...]
    provider_decode: ProviderDecode = ()


MemoryConfiguration = Disabled | Active
