"""One good record, one change, one code: every rule of the record is hit alone."""

from dataclasses import replace

import pytest

from fabricgen.errors import Invalid
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    SubordinateDispatch,
)
from fabricgen.vocab.dispatch import AddressTransform, MatchField

GOOD = SubordinateDispatch(
    max_exposed_bindings=2,
    match_fields=(MatchField.RANGE,),
    address_transform=AddressTransform.NONE,
    targets=(LocalMemoryServiceTarget(), ManagerEndpointTarget(0)),
)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"max_exposed_bindings": 0}, "subordinate-binding-bound"),
        ({"max_exposed_bindings": 2**64}, "subordinate-binding-bound"),
        ({"match_fields": (MatchField.PREFIX, MatchField.RANGE)}, "subordinate-match-order"),
        ({"match_fields": (MatchField.RANGE, MatchField.RANGE)}, "subordinate-match-order"),
        ({"match_fields": ()}, "subordinate-match-missing"),
        ({"targets": ()}, "subordinate-target-order"),
        (
            {"targets": (LocalMemoryServiceTarget(), LocalMemoryServiceTarget())},
            "subordinate-target-order",
        ),
        (
            {"targets": (ManagerEndpointTarget(1), ManagerEndpointTarget(0))},
            "subordinate-target-order",
        ),
    ],
)
def test_each_rule_rejects(change, code):
    with pytest.raises(Invalid) as caught:
        replace(GOOD, **change)
    assert [finding.code for finding in caught.value.diagnostics] == [code]


def test_one_binding_needs_no_match_field():
    assert replace(GOOD, max_exposed_bindings=1, match_fields=()).match_fields == ()


@pytest.mark.parametrize("ordinal", [-1, 2**64])
def test_an_ordinal_fits_its_wire_field(ordinal):
    with pytest.raises(Invalid, match=r"\[manager-ordinal-range\]$"):
        ManagerEndpointTarget(ordinal)


def test_all_findings_are_reported_at_once():
    with pytest.raises(Invalid) as caught:
        SubordinateDispatch(0, (MatchField.CONTEXT, MatchField.RANGE), AddressTransform.NONE, ())
    assert str(caught.value).splitlines() == [
        "max_exposed_bindings: The bound must be from 1 to 2**64 - 1, not 0 "
        "[subordinate-binding-bound]",
        "match_fields: Fields must be in tag order without repeats, not CONTEXT, RANGE "
        "[subordinate-match-order]",
        "targets: Targets must be non-empty, sorted and unique, not [] [subordinate-target-order]",
    ]
