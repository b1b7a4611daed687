"""One good contract, one change, one code: every rule of the resource contract is hit alone."""

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
#: Two requesters share state 0; each has a dimension of its own in state 1.
GOOD = ResourceContract(
    states=((CapacityDimension(4, 1),), (CapacityDimension(1), CapacityDimension(2))),
    transition_count=1,
    timing_contracts=((0, 1, 1),),
    use_patterns=(PATTERN, replace(PATTERN, requester=1, claims=(Claim(0, 0, 4), Claim(1, 0, 1)))),
    requester_count=2,
    eligibility_count=1,
    event_count=3,
    grant_policy=RoundRobin((1, 0), reset_cursor=1),
)


def first(**change):
    """Change fields of the first use pattern."""
    return {"use_patterns": (replace(PATTERN, **change), GOOD.use_patterns[1])}


@pytest.mark.parametrize(
    ("change", "where", "code"),
    [
        (
            {"states": ((CapacityDimension(2**32, 1),), GOOD.states[1])},
            "states[0][0].capacity",
            "resource-scalar-range",
        ),
        ({"transition_count": 2**32}, "transition_count", "resource-scalar-range"),
        ({"timing_contracts": ((-1, 1, 1),)}, "timing_contracts[0][0]", "resource-scalar-range"),
        (
            first(claims=(Claim(0, 0, -1), Claim(1, 1, 2))),
            "use_patterns[0].claims[0].amount",
            "resource-scalar-range",
        ),
        (
            {"states": ((CapacityDimension(4, 5),), GOOD.states[1])},
            "states[0][0].initial_occupancy",
            "initial-occupancy-exceeds-capacity",
        ),
        (
            {"timing_contracts": ((0, 1, 1, 1),)},
            "timing_contracts[0]",
            "timing-contract-event-domain",
        ),
        (first(requester=2), "use_patterns[0].requester", "unknown-requester-key"),
        (first(eligibility=1), "use_patterns[0].eligibility", "unknown-eligibility-key"),
        (first(timing=1), "use_patterns[0].timing", "unknown-timing-contract-key"),
        (first(acquire=3), "use_patterns[0].acquire", "unknown-event-key"),
        (first(release=-1), "use_patterns[0].release", "unknown-event-key"),
        (first(commit=Commit(3, 0)), "use_patterns[0].commit.event", "unknown-event-key"),
        (
            first(commit=Commit(1, 1)),
            "use_patterns[0].commit.transition",
            "unknown-resource-transition-key",
        ),
        (
            {"timing_contracts": ((2, 1, 3),)},
            "use_patterns[{0,1}].timing",
            "timing-contract-does-not-order-use",
        ),
        (
            {"timing_contracts": ((0, 2, 1),)},
            "use_patterns[{0,1}].timing",
            "timing-contract-does-not-order-use",
        ),
        (
            first(claims=(Claim(0, 0, 1), Claim(0, 0, 1))),
            "use_patterns[0].claims[{0,1}]",
            "duplicate-capacity-claim",
        ),
        (
            first(claims=(Claim(0, 0, 1), Claim(2, 0, 1))),
            "use_patterns[0].claims[1].state",
            "unknown-state-key",
        ),
        (
            first(claims=(Claim(0, 0, 1), Claim(1, 2, 1))),
            "use_patterns[0].claims[1].dimension",
            "unknown-capacity-dimension-key",
        ),
        (
            first(claims=(Claim(0, 0, 1), Claim(1, 1, 0))),
            "use_patterns[0].claims[1].amount",
            "claim-empty",
        ),
        (
            first(claims=(Claim(0, 0, 1), Claim(1, 1, 3))),
            "use_patterns[0].claims[1].amount",
            "claim-exceeds-capacity",
        ),
        (
            {"states": (GOOD.states[0], (CapacityDimension(1), CapacityDimension(0)))},
            "use_patterns[0].claims[1].amount",
            "claim-exceeds-capacity",
        ),
        (
            {"states": ((CapacityDimension(2**32 - 1, 2**32 - 2),), GOOD.states[1])},
            "use_patterns[1].claims[0].amount",
            "capacity-arithmetic-overflow",
        ),
        (
            first(internal_transactions=((0, 0),)),
            "use_patterns[0].internal_transactions[0]",
            "duplicate-claim-key",
        ),
        (
            first(internal_transactions=((0,), (2,))),
            "use_patterns[0].internal_transactions[1][0]",
            "unknown-claim-key",
        ),
        (
            {"grant_policy": FixedPriority((0, 1, 0))},
            "grant_policy.order",
            "duplicate-requester-in-grant-policy",
        ),
        (
            {"grant_policy": FixedPriority((1,))},
            "grant_policy.order",
            "requester-omitted-from-grant-policy",
        ),
        (
            {"grant_policy": FixedPriority((1, 0, 2))},
            "grant_policy.order[2]",
            "unknown-requester-key",
        ),
        (
            {"grant_policy": RoundRobin((1, 0), 2)},
            "grant_policy.reset_cursor",
            "unknown-requester-key",
        ),
        ({"grant_policy": None}, "grant_policy", "contention-without-grant-policy"),
        (
            first(claims=(Claim(1, 1, 1), Claim(0, 0, 1)), requester=1),
            "grant_policy",
            "grant-policy-without-contention",
        ),
    ],
)
def test_each_rule_rejects(change, where, code):
    with pytest.raises(Invalid) as caught:
        replace(GOOD, **change)
    head, _, tail = where.partition("{0,1}")
    places = [head + str(i) + tail for i in (0, 1)] if tail else [where]
    found = [(finding.where, finding.code) for finding in caught.value.diagnostics]
    assert found == [(place, code) for place in places]


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
