"""Resource contract: states, use patterns, grant policy (spec: Persistent Capability Schema).

Array positions are the only owner-local keys. A contract is embedded in its owner and never
crosses it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.errors.listing import listed
from fabricgen.errors.strict import StrictRecord

__all__ = [
    "U32_MAX",
    "CapacityDimension",
    "Claim",
    "Commit",
    "FixedPriority",
    "GrantPolicy",
    "ResourceContract",
    "RoundRobin",
    "UsePattern",
    "contended_capacities",
]

U32_MAX = 2**32 - 1


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

    ``internal_transactions`` is, per slot, a set of positions in ``claims``, ascending.
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
class ResourceContract(StrictRecord):
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

    def _findings(self) -> Iterator[Diagnostic]:
        yield from _scalar_findings(self)
        yield from _state_findings(self)
        yield from _timing_findings(self)
        for ordinal, pattern in enumerate(self.use_patterns):
            where = f"use_patterns[{ordinal}]"
            yield from _key_findings(self, pattern, where)
            yield from _order_findings(self, pattern, where)
            yield from _claim_findings(self, pattern, where)
            yield from _transaction_findings(pattern, where)
        yield from _grant_findings(self)


def contended_capacities(patterns: tuple[UsePattern, ...]) -> tuple[tuple[int, int], ...]:
    """Return each (state, dimension) that patterns of two or more requesters claim, sorted."""
    claimants: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for pattern in patterns:
        for claim in pattern.claims:
            claimants[claim.state, claim.dimension].add(pattern.requester)
    return tuple(sorted(key for key, requesters in claimants.items() if len(requesters) > 1))


def _scalars(contract: ResourceContract) -> Iterator[tuple[str, int]]:
    """Every number that has a 32-bit field, with its path."""
    for state, dimensions in enumerate(contract.states):
        for index, dimension in enumerate(dimensions):
            where = f"states[{state}][{index}]"
            yield f"{where}.capacity", dimension.capacity
            yield f"{where}.initial_occupancy", dimension.initial_occupancy
    for timing, ranks in enumerate(contract.timing_contracts):
        yield from ((f"timing_contracts[{timing}][{i}]", rank) for i, rank in enumerate(ranks))
    for ordinal, pattern in enumerate(contract.use_patterns):
        for index, claim in enumerate(pattern.claims):
            yield f"use_patterns[{ordinal}].claims[{index}].amount", claim.amount
    yield "transition_count", contract.transition_count
    yield "requester_count", contract.requester_count
    yield "eligibility_count", contract.eligibility_count
    yield "event_count", contract.event_count


def _scalar_findings(contract: ResourceContract) -> Iterator[Diagnostic]:
    for where, value in _scalars(contract):
        if not 0 <= value <= U32_MAX:
            yield Diagnostic(
                "resource-scalar-range",
                where,
                f"The value must be from 0 to 2**32 - 1, not {value}",
            )


def _state_findings(contract: ResourceContract) -> Iterator[Diagnostic]:
    for state, dimensions in enumerate(contract.states):
        for index, dimension in enumerate(dimensions):
            if dimension.initial_occupancy > dimension.capacity:
                yield Diagnostic(
                    "initial-occupancy-exceeds-capacity",
                    f"states[{state}][{index}].initial_occupancy",
                    f"The initial occupancy must be at most the capacity "
                    f"{dimension.capacity}, not {dimension.initial_occupancy}",
                )


def _timing_findings(contract: ResourceContract) -> Iterator[Diagnostic]:
    for timing, ranks in enumerate(contract.timing_contracts):
        if len(ranks) != contract.event_count:
            yield Diagnostic(
                "timing-contract-event-domain",
                f"timing_contracts[{timing}]",
                f"A rank is required for each of {contract.event_count} events, not {len(ranks)}",
            )


def _key_findings(
    contract: ResourceContract, pattern: UsePattern, where: str
) -> Iterator[Diagnostic]:
    keys = [
        ("requester", pattern.requester, contract.requester_count, "requester"),
        ("eligibility", pattern.eligibility, contract.eligibility_count, "eligibility"),
        ("timing", pattern.timing, len(contract.timing_contracts), "timing-contract"),
        ("acquire", pattern.acquire, contract.event_count, "event"),
        ("release", pattern.release, contract.event_count, "event"),
    ]
    if pattern.commit is not None:
        keys += [
            ("commit.event", pattern.commit.event, contract.event_count, "event"),
            (
                "commit.transition",
                pattern.commit.transition,
                contract.transition_count,
                "resource-transition",
            ),
        ]
    for field, key, count, kind in keys:
        yield from _key_finding(f"unknown-{kind}-key", f"{where}.{field}", key, count)


def _key_finding(code: str, where: str, key: int, count: int) -> Iterator[Diagnostic]:
    if not 0 <= key < count:
        yield Diagnostic(code, where, f"The key must name one of {count} entries, not {key}")


def _order_findings(
    contract: ResourceContract, pattern: UsePattern, where: str
) -> Iterator[Diagnostic]:
    events = [pattern.acquire, pattern.release]
    if pattern.commit is not None:
        events.insert(1, pattern.commit.event)
    if not 0 <= pattern.timing < len(contract.timing_contracts):
        return
    ranks = contract.timing_contracts[pattern.timing]
    if not all(0 <= event < len(ranks) for event in events):
        return
    found = [ranks[event] for event in events]
    if found != sorted(found):
        yield Diagnostic(
            "timing-contract-does-not-order-use",
            f"{where}.timing",
            f"Ranks must not fall from acquire over commit to release, not {found}",
        )


def _claim_findings(
    contract: ResourceContract, pattern: UsePattern, where: str
) -> Iterator[Diagnostic]:
    uses = Counter((claim.state, claim.dimension) for claim in pattern.claims)
    for index, claim in enumerate(pattern.claims):
        place = f"{where}.claims[{index}]"
        if not 0 <= claim.state < len(contract.states):
            yield from _key_finding(
                "unknown-state-key", f"{place}.state", claim.state, len(contract.states)
            )
            continue
        dimensions = contract.states[claim.state]
        if not 0 <= claim.dimension < len(dimensions):
            yield from _key_finding(
                "undeclared-claim", f"{place}.dimension", claim.dimension, len(dimensions)
            )
            continue
        if (count := uses[claim.state, claim.dimension]) > 1:
            yield Diagnostic(
                "duplicate-capacity-claim",
                place,
                f"A pattern must claim dimension {claim.dimension} of state {claim.state} once, "
                f"not {count} times",
            )
        yield from _amount_findings(dimensions[claim.dimension], claim.amount, f"{place}.amount")


def _amount_findings(dimension: CapacityDimension, amount: int, where: str) -> Iterator[Diagnostic]:
    """What is taken at reset is returned by nobody, so a claim must fit beside it."""
    occupied = dimension.initial_occupancy + amount
    if amount == 0:
        yield Diagnostic("claim-empty", where, "A claim must take at least 1 unit, not 0")
    elif occupied > U32_MAX:
        yield Diagnostic(
            "capacity-arithmetic-overflow",
            where,
            f"Initial occupancy and claim together must stay below 2**32, not {occupied}",
        )
    elif occupied > dimension.capacity:
        yield Diagnostic(
            "claim-exceeds-capacity",
            where,
            f"Initial occupancy and claim together must fit the capacity {dimension.capacity}, "
            f"not {occupied}",
        )


def _transaction_findings(pattern: UsePattern, where: str) -> Iterator[Diagnostic]:
    for slot, keys in enumerate(pattern.internal_transactions):
        place = f"{where}.internal_transactions[{slot}]"
        if len(set(keys)) != len(keys):
            yield Diagnostic(
                "duplicate-claim-key", place, f"Claim keys must be unique, not {listed(keys)}"
            )
        elif list(keys) != sorted(keys):
            yield Diagnostic(
                "claim-key-order", place, f"Claim keys must ascend, not stand as {listed(keys)}"
            )
        for index, key in enumerate(keys):
            yield from _key_finding(
                "unknown-claim-key", f"{place}[{index}]", key, len(pattern.claims)
            )


def _grant_findings(contract: ResourceContract) -> Iterator[Diagnostic]:
    contended = contended_capacities(contract.use_patterns)
    policy = contract.grant_policy
    if policy is not None:
        yield from _policy_findings(policy, contract.requester_count)
    if policy is None and contended:
        yield Diagnostic(
            "contention-without-grant-policy",
            "grant_policy",
            "A policy is required where several requesters claim one capacity, not absent",
        )
    if policy is not None and not contended:
        yield Diagnostic(
            "grant-policy-without-contention",
            "grant_policy",
            "The policy must be absent where no capacity is contended, not present",
        )


def _policy_findings(policy: GrantPolicy, requester_count: int) -> Iterator[Diagnostic]:
    where = "grant_policy.order"
    for index, key in enumerate(policy.order):
        yield from _key_finding("unknown-requester-key", f"{where}[{index}]", key, requester_count)
    if len(set(policy.order)) != len(policy.order):
        yield Diagnostic(
            "duplicate-requester-in-grant-policy",
            where,
            f"Each requester must appear once, not as in {listed(policy.order)}",
        )
    # Counted rather than listed: a hostile requester count must not cost memory.
    named = len({key for key in policy.order if 0 <= key < requester_count})
    if named < requester_count:
        yield Diagnostic(
            "requester-omitted-from-grant-policy",
            where,
            f"The order must name all {requester_count} requesters, not {named}",
        )
    if isinstance(policy, RoundRobin):
        yield from _key_finding(
            "unknown-requester-key",
            "grant_policy.reset_cursor",
            policy.reset_cursor,
            requester_count,
        )
