"""One good contract, one change, one code: every rule of the resource contract is hit alone."""

import re
import tracemalloc
from dataclasses import replace

import pytest

from fabricgen.errors import Invalid
from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    Commit,
    FixedPriority,
    ResourceContract,
    RoundRobin,
    UsePattern,
    contended_capacities,
)
from fabricgen.records.resource_codec import decode, encode

PATTERN = UsePattern(
    requester=0,
    eligibility=0,
    acquire=0,
    release=2,
    commit=Commit(event=1, transition=0),
    timing=0,
    claims=(Claim(0, 0, 1), Claim(1, 1, 2)),
    internal_transactions=((0, 1),),
)
OTHER = replace(PATTERN, requester=1, claims=(Claim(0, 0, 3), Claim(1, 0, 1)))
#: Two requesters share state 0; each has a dimension of its own in state 1.
GOOD = ResourceContract(
    states=((CapacityDimension(4, 1),), (CapacityDimension(1), CapacityDimension(2))),
    transition_count=1,
    timing_contracts=((0, 1, 1),),
    use_patterns=(PATTERN, OTHER),
    requester_count=2,
    eligibility_count=1,
    event_count=3,
    grant_policy=RoundRobin((1, 0), reset_cursor=1),
)
LIMIT = 2**32 - 1


def first(**change):
    """Change fields of the first use pattern."""
    return {"use_patterns": (replace(PATTERN, **change), OTHER)}


def claims(*listed):
    return first(claims=tuple(Claim(*each) for each in listed))


def shared(capacity, initial=0):
    """Change the dimension that both patterns claim, of which the second takes 3 units."""
    return {"states": ((CapacityDimension(capacity, initial),), GOOD.states[1])}


#: Reference 4.4, in its order: a change, what it breaks and where, and the nearest legal change.
VIOLATIONS = [
    (
        "unknown-state-key",
        claims((0, 0, 1), (2, 0, 1)),
        ["use_patterns[0].claims[1].state"],
        claims((0, 0, 1), (1, 1, 1)),
    ),
    (
        "unknown-state-key",
        claims((0, 0, 1), (-1, 0, 1)),
        ["use_patterns[0].claims[1].state"],
        claims((1, 1, 1), (0, 0, 1)),
    ),
    (
        "initial-occupancy-exceeds-capacity",
        {
            "states": (
                GOOD.states[0],
                (CapacityDimension(1), CapacityDimension(2), CapacityDimension(4, 5)),
            )
        },
        ["states[1][2].initial_occupancy"],
        {
            "states": (
                GOOD.states[0],
                (CapacityDimension(1), CapacityDimension(2), CapacityDimension(4, 4)),
            )
        },
    ),
    (
        "unknown-resource-transition-key",
        first(commit=Commit(1, 1)),
        ["use_patterns[0].commit.transition"],
        {**first(commit=Commit(1, 1)), "transition_count": 2},
    ),
    (
        "unknown-timing-contract-key",
        first(timing=1),
        ["use_patterns[0].timing"],
        {**first(timing=1), "timing_contracts": ((0, 1, 1), (0, 0, 0))},
    ),
    (
        "timing-contract-event-domain",
        {"timing_contracts": ((0, 1, 1), (0, 1, 1, 1))},
        ["timing_contracts[1]"],
        {"timing_contracts": ((0, 1, 1), (2, 1, 0))},
    ),
    (
        "timing-contract-event-domain",
        {"timing_contracts": ((0, 1, 1), (0, 1))},
        ["timing_contracts[1]"],
        {"timing_contracts": ((0, 1, 1), (0, 1, LIMIT))},
    ),
    (
        "unknown-requester-key",
        first(requester=2),
        ["use_patterns[0].requester"],
        {**first(requester=0), "requester_count": 2},
    ),
    (
        "unknown-eligibility-key",
        first(eligibility=1),
        ["use_patterns[0].eligibility"],
        {**first(eligibility=1), "eligibility_count": 2},
    ),
    (
        "unknown-event-key",
        first(acquire=3),
        ["use_patterns[0].acquire"],
        {**first(acquire=3), "event_count": 4, "timing_contracts": ((0, 1, 1, 1),)},
    ),
    (
        "unknown-event-key",
        first(release=-1),
        ["use_patterns[0].release"],
        first(release=1),
    ),
    (
        "unknown-event-key",
        first(commit=Commit(3, 0)),
        ["use_patterns[0].commit.event"],
        first(commit=Commit(2, 0)),
    ),
    (
        "timing-contract-does-not-order-use",
        {"timing_contracts": ((1, 0, 1),)},
        ["use_patterns[0].timing", "use_patterns[1].timing"],
        {"timing_contracts": ((0, 0, 1),)},
    ),
    (
        "timing-contract-does-not-order-use",
        {"timing_contracts": ((0, 2, 1),)},
        ["use_patterns[0].timing", "use_patterns[1].timing"],
        {"timing_contracts": ((0, 2, 2),)},
    ),
    (
        "timing-contract-does-not-order-use",
        first(commit=None, acquire=1, release=0),
        ["use_patterns[0].timing"],
        first(commit=None, acquire=1, release=2),
    ),
    (
        "duplicate-claim-key",
        first(internal_transactions=((0, 0),)),
        ["use_patterns[0].internal_transactions[0]"],
        first(internal_transactions=((0,), (0,))),
    ),
    (
        "claim-key-order",
        first(internal_transactions=((0, 1), (1, 0))),
        ["use_patterns[0].internal_transactions[1]"],
        first(internal_transactions=((0, 1), (0, 1))),
    ),
    (
        "unknown-claim-key",
        first(internal_transactions=((0,), (2,))),
        ["use_patterns[0].internal_transactions[1][0]"],
        first(internal_transactions=((0,), (1,), ())),
    ),
    (
        "undeclared-claim",
        claims((0, 0, 1), (1, 2, 1)),
        ["use_patterns[0].claims[1].dimension"],
        claims((0, 0, 1), (1, 1, 1)),
    ),
    (
        "undeclared-claim",
        {"states": (*GOOD.states, ()), **claims((0, 0, 1), (2, 0, 1))},
        ["use_patterns[0].claims[1].dimension"],
        {"states": (*GOOD.states, (CapacityDimension(1),)), **claims((0, 0, 1), (2, 0, 1))},
    ),
    (
        "duplicate-capacity-claim",
        claims((0, 0, 1), (0, 0, 1)),
        ["use_patterns[0].claims[0]", "use_patterns[0].claims[1]"],
        claims((0, 0, 1), (1, 1, 1)),
    ),
    (
        "claim-empty",
        claims((0, 0, 1), (1, 1, 0)),
        ["use_patterns[0].claims[1].amount"],
        claims((0, 0, 1), (1, 1, 1)),
    ),
    (
        "capacity-arithmetic-overflow",
        shared(LIMIT, LIMIT - 2),
        ["use_patterns[1].claims[0].amount"],
        shared(LIMIT, LIMIT - 3),
    ),
    (
        "claim-exceeds-capacity",
        shared(4, 2),
        ["use_patterns[1].claims[0].amount"],
        shared(5, 2),
    ),
    (
        "claim-exceeds-capacity",
        claims((0, 0, 1), (1, 1, 3)),
        ["use_patterns[0].claims[1].amount"],
        claims((0, 0, 1), (1, 1, 2)),
    ),
    (
        "claim-exceeds-capacity",
        {"states": (GOOD.states[0], (CapacityDimension(1), CapacityDimension(0)))},
        ["use_patterns[0].claims[1].amount"],
        {
            "states": (GOOD.states[0], (CapacityDimension(1), CapacityDimension(0))),
            **first(claims=(Claim(0, 0, 1),), internal_transactions=((0,),)),
        },
    ),
    (
        "duplicate-requester-in-grant-policy",
        {"grant_policy": FixedPriority((0, 1, 0))},
        ["grant_policy.order"],
        {"grant_policy": FixedPriority((0, 1))},
    ),
    (
        "requester-omitted-from-grant-policy",
        {"grant_policy": FixedPriority((1,))},
        ["grant_policy.order"],
        {"grant_policy": FixedPriority((1, 0))},
    ),
    (
        "unknown-requester-key",
        {"grant_policy": FixedPriority((1, 0, 2))},
        ["grant_policy.order[2]"],
        {"grant_policy": FixedPriority((1, 0, 2)), "requester_count": 3},
    ),
    (
        "unknown-requester-key",
        {"grant_policy": RoundRobin((1, 0), 2)},
        ["grant_policy.reset_cursor"],
        {"grant_policy": RoundRobin((1, 0), 0)},
    ),
    (
        "contention-without-grant-policy",
        {"grant_policy": None},
        ["grant_policy"],
        {
            "grant_policy": None,
            **first(claims=(Claim(1, 1, 1),), internal_transactions=((0,),)),
        },
    ),
    (
        "grant-policy-without-contention",
        first(claims=(Claim(1, 1, 1),), internal_transactions=((0,),)),
        ["grant_policy"],
        first(claims=(Claim(1, 0, 1),), internal_transactions=((0,),)),
    ),
]
SCALARS = [
    (shared(2**32, 1), ["states[0][0].capacity"], shared(LIMIT, 1)),
    (shared(4, -1), ["states[0][0].initial_occupancy"], shared(4, 0)),
    ({"transition_count": 2**32}, ["transition_count"], {"transition_count": LIMIT}),
    ({"eligibility_count": 2**32}, ["eligibility_count"], {"eligibility_count": LIMIT}),
    (
        {"timing_contracts": ((-1, 1, 1),)},
        ["timing_contracts[0][0]"],
        {"timing_contracts": ((0, LIMIT, LIMIT),)},
    ),
    (
        claims((0, 0, -1), (1, 1, 2)),
        ["use_patterns[0].claims[0].amount"],
        claims((0, 0, 1), (1, 1, 2)),
    ),
]
TABLE = VIOLATIONS + [("resource-scalar-range", *each) for each in SCALARS]


@pytest.mark.parametrize(("code", "change", "places", "neighbour"), TABLE)
def test_each_violation_has_its_code_and_a_legal_neighbour(code, change, places, neighbour):
    with pytest.raises(Invalid) as caught:
        replace(GOOD, **change)
    found = [(finding.where, finding.code) for finding in caught.value.diagnostics]
    assert found == [(place, code) for place in places]
    legal = replace(GOOD, **neighbour)
    assert decode(encode(legal)) == legal


#: Reference 4.4 less what only names or value schemas can violate.
OF_NAMES = {"state", "capacity-dimension", "resource-transition", "timing-contract", "requester"}


def test_the_table_has_every_violation_of_the_wire():
    named = """
        DuplicateStateKey UnknownStateKey DuplicateCapacityDimensionKey
        UnknownCapacityDimensionKey InitialOccupancyExceedsCapacity DuplicateResourceTransitionKey
        UnknownResourceTransitionKey DuplicateTimingContractKey UnknownTimingContractKey
        DuplicateRequesterKey UnknownRequesterKey DuplicateUsePatternKey UnknownUsePatternKey
        UnknownEligibilityKey UnknownEventKey TimingContractDoesNotOrderUse
        InvalidPatternValueSchema DuplicateClaimKey UnknownClaimKey UndeclaredClaim
        DuplicateCapacityClaim CapacityArithmeticOverflow ClaimExceedsCapacity
        DuplicateRequesterInGrantPolicy RequesterOmittedFromGrantPolicy
        ContentionWithoutGrantPolicy GrantPolicyWithoutContention
    """
    codes = {re.sub("(?<!^)(?=[A-Z])", "-", name).lower() for name in named.split()}
    assert len(codes) == 27
    only_names = {f"duplicate-{kind}-key" for kind in OF_NAMES | {"use-pattern"}}
    only_names |= {"unknown-capacity-dimension-key", "unknown-use-pattern-key"}
    in_table = {code for code, *_ in VIOLATIONS}
    assert codes - in_table == only_names | {"invalid-pattern-value-schema"}
    assert in_table - codes == {"timing-contract-event-domain", "claim-key-order", "claim-empty"}


@pytest.mark.parametrize("field", ["requester_count", "eligibility_count", "transition_count"])
def test_a_large_domain_costs_nothing(field):
    """No rule bounds a domain that nothing lists; it must not be enumerated."""
    claimless = (replace(PATTERN, claims=(), internal_transactions=()),)
    tracemalloc.start()
    legal = replace(GOOD, use_patterns=claimless, grant_policy=None, **{field: LIMIT})
    assert decode(encode(legal)) == legal
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()


#: The words of `GOOD` up to each count, by hand: what an attacker may overwrite.
@pytest.mark.parametrize(
    ("offset", "codes"),
    [
        (0, ["wire-truncated"]),  # states
        (4, ["wire-truncated"]),  # dimensions of state 0
        (36, []),  # transitions
        (40, ["wire-truncated"]),  # timing contracts
        (44, ["wire-truncated"]),  # ranks
        (60, ["wire-truncated"]),  # use patterns
        (96, ["wire-truncated"]),  # claims
        (124, ["wire-truncated"]),  # internal transactions
        (128, ["wire-truncated"]),  # claim keys
        (-32, ["requester-omitted-from-grant-policy"]),  # requesters
        (-28, []),  # eligibility
        (-24, ["timing-contract-event-domain"]),  # events
        (-16, ["wire-truncated"]),  # grant order
    ],
)
def test_a_hostile_count_is_refused_at_once(offset, codes):
    wire = bytearray(encode(GOOD))
    start = offset % len(wire)
    wire[start : start + 4] = LIMIT.to_bytes(4, "big")
    tracemalloc.start()
    try:
        decode(bytes(wire))
        found = []
    except Invalid as error:
        found = [each.code for each in error.diagnostics]
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()
    assert found == codes


def test_a_contract_without_requesters_is_legal():
    empty = ResourceContract((), 0, (), (), 0, 0, 0, None)
    assert contended_capacities(empty.use_patterns) == ()


def test_patterns_of_one_requester_do_not_contend():
    alone = (PATTERN, PATTERN)
    assert replace(GOOD, use_patterns=alone, grant_policy=None).use_patterns == alone


def test_contended_capacities_are_those_of_two_requesters():
    assert contended_capacities(GOOD.use_patterns) == ((0, 0),)


def test_a_hostile_requester_count_costs_nothing():
    with pytest.raises(Invalid, match=r"name all 4294967295 requesters, not 2 \[requester-om"):
        replace(GOOD, requester_count=2**32 - 1)


def test_all_findings_are_reported_at_once():
    with pytest.raises(Invalid) as caught:
        replace(GOOD, grant_policy=RoundRobin((0,), 7), transition_count=0)
    assert str(caught.value).splitlines() == [
        "use_patterns[0].commit.transition: The key must name one of 0 entries, not 0 "
        "[unknown-resource-transition-key]",
        "use_patterns[1].commit.transition: The key must name one of 0 entries, not 0 "
        "[unknown-resource-transition-key]",
        "grant_policy.order: The order must name all 2 requesters, not 1 "
        "[requester-omitted-from-grant-policy]",
        "grant_policy.reset_cursor: The key must name one of 2 entries, not 7 "
        "[unknown-requester-key]",
    ]
