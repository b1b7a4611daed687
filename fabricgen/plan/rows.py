"""The configured occurrence in semantic terms (spec: Operation Rows And Internal Dependencies).

A row names choices by their ordinals in canonical inventories; ``config`` owns their bits.
"""

from dataclasses import dataclass

from fabricgen.records.connectivity import MemoryDispatchTarget
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = [
    "Active",
    "Disabled",
    "MemoryConfiguration",
    "OperationRow",
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
class Disabled:
    """The occurrence does nothing; its carrier is all zero."""


@dataclass(frozen=True, slots=True)
class Active:
    """``operation_rows[i]`` is row ``i``, ``None`` where it is Unused; at least one is Active."""

    operation_rows: tuple[OperationRow | None, ...]


MemoryConfiguration = Disabled | Active
