"""Resource contract: states, use patterns, grant policy (reference: Resource contract).

Array positions are the only owner-local keys. A contract is embedded in its owner and never
crosses it.
"""

from dataclasses import dataclass

__all__ = [
    "CapacityDimension",
    "Claim",
    "Commit",
    "FixedPriority",
    "GrantPolicy",
    "ResourceContract",
    "RoundRobin",
    "UsePattern",
]


@dataclass(frozen=True, slots=True)
class CapacityDimension:
    """Units of one dimension of a state, and how many are taken at reset."""

    capacity: int
    initial_occupancy: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """``amount`` units of one dimension of one state."""

    state: int
    dimension: int
    amount: int


@dataclass(frozen=True, slots=True)
class Commit:
    """Durable transition and the event at which it happens."""

    event: int
    transition: int


@dataclass(frozen=True, slots=True)
class UsePattern:
    """One atomic claim envelope: acquired together at ``acquire``, returned at ``release``.

    ``internal_transactions`` lists, per slot, positions in ``claims``.
    """

    requester: int
    eligibility: int
    acquire: int
    release: int
    commit: Commit | None
    timing: int
    claims: tuple[Claim, ...]
    internal_transactions: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class FixedPriority:
    """Permutation of the requesters; the first eligible one wins."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Cycle of the requesters, scanned from a cursor that advances after a successful grant."""

    order: tuple[int, ...]
    reset_cursor: int


GrantPolicy = FixedPriority | RoundRobin


@dataclass(frozen=True, slots=True)
class ResourceContract:
    """Complete contract of one owner.

    ``states[i]`` is the tuple of capacity dimensions of state ``i``; ``timing_contracts[i]`` the
    rank of each event. ``grant_policy`` is absent where no two requesters can contend.
    """

    states: tuple[tuple[CapacityDimension, ...], ...]
    transition_count: int
    timing_contracts: tuple[tuple[int, ...], ...]
    use_patterns: tuple[UsePattern, ...]
    requester_count: int
    eligibility_count: int
    event_count: int
    grant_policy: GrantPolicy | None
