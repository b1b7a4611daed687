"""Hypothesis strategy of legal resource contracts."""

from hypothesis import strategies as st

from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    Commit,
    FixedPriority,
    GrantPolicy,
    ResourceContract,
    RoundRobin,
    UsePattern,
    contended_capacities,
)

_SMALL = st.integers(1, 3)


@st.composite
def capacity_dimensions(draw: st.DrawFn) -> CapacityDimension:
    capacity = draw(st.integers(1, 2**20))
    return CapacityDimension(capacity, draw(st.integers(0, capacity)))


@st.composite
def use_patterns(draw, states, requesters, eligibilities, ranks, transitions) -> UsePattern:
    timing = draw(st.integers(0, len(ranks) - 1))
    event = st.integers(0, len(ranks[timing]) - 1)
    events = sorted(draw(st.tuples(event, event, event)), key=lambda e: ranks[timing][e])
    room = {
        (s, d): each.capacity - each.initial_occupancy
        for s, dimensions in enumerate(states)
        for d, each in enumerate(dimensions)
    }
    places = [place for place, left in room.items() if left]
    chosen = draw(st.lists(st.sampled_from(places), unique=True, max_size=3)) if places else []
    claims = tuple(Claim(s, d, draw(st.integers(1, room[s, d]))) for s, d in chosen)
    keys = st.sets(st.sampled_from(range(len(claims)))) if claims else st.just(())
    return UsePattern(
        requester=draw(st.integers(0, requesters - 1)),
        eligibility=draw(st.integers(0, eligibilities - 1)),
        acquire=events[0],
        release=events[2],
        commit=draw(st.none() | st.builds(Commit, st.just(events[1]), transitions)),
        timing=timing,
        claims=claims,
        internal_transactions=tuple(
            tuple(sorted(each)) for each in draw(st.lists(keys, max_size=2))
        ),
    )


@st.composite
def resource_contracts(draw: st.DrawFn) -> ResourceContract:
    """Any legal contract of a few states and patterns; a policy exactly where one is due."""
    states = tuple(
        tuple(dimensions)
        for dimensions in draw(st.lists(st.lists(capacity_dimensions(), max_size=3), max_size=3))
    )
    requesters, eligibilities, events, transitions = draw(st.tuples(*[_SMALL] * 4))
    ranks = draw(
        st.lists(st.tuples(*[st.integers(0, 3)] * events), min_size=1, max_size=2).map(tuple)
    )
    pattern = use_patterns(
        states, requesters, eligibilities, ranks, st.integers(0, transitions - 1)
    )
    patterns = tuple(draw(st.lists(pattern, max_size=3)))
    policy: GrantPolicy | None = None
    if contended_capacities(patterns):
        order = tuple(draw(st.permutations(range(requesters))))
        cursor = st.integers(0, requesters - 1)
        policy = draw(st.just(FixedPriority(order)) | st.builds(RoundRobin, st.just(order), cursor))
    return ResourceContract(
        states, transitions, ranks, patterns, requesters, eligibilities, events, policy
    )
