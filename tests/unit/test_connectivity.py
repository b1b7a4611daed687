"""One good record, one change, one code: every rule of the record is hit alone."""

from dataclasses import replace

import pytest

from fabricgen.errors import Invalid
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryConnectivityContract,
    OperationPortDispatch,
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
        "match_fields: Fields must be in tag order without repeats, not context, range "
        "[subordinate-match-order]",
        "targets: Targets must be non-empty, sorted and unique, not none "
        "[subordinate-target-order]",
    ]


LOCAL, FAR, FARTHER = LocalMemoryServiceTarget(), ManagerEndpointTarget(0), ManagerEndpointTarget(1)


@pytest.mark.parametrize("targets", [(), (FAR, LOCAL), (FARTHER, FAR), (FAR, FAR)])
def test_the_targets_of_an_alternative_are_a_non_empty_sorted_set(targets):
    with pytest.raises(Invalid) as caught:
        OperationPortDispatch(((LOCAL,), targets))
    assert [(finding.where, finding.code) for finding in caught.value.diagnostics] == [
        ("capability_target_domains[1]", "dispatch-target-order")
    ]


def test_the_authoring_door_sorts_targets():
    assert OperationPortDispatch.of([FARTHER, LOCAL, FAR, LOCAL]) == OperationPortDispatch(
        ((LOCAL, FAR, FARTHER),)
    )


@pytest.mark.parametrize("pairs", [((4, 1), (4, 0)), ((5, 0), (4, 1)), ((4, 1), (4, 1))])
def test_connections_are_a_sorted_set(pairs):
    with pytest.raises(Invalid, match=r"^internal_connections: .* \[connection-order\]$"):
        MemoryConnectivityContract((), (), tuple(InternalConnection(*pair) for pair in pairs))


def test_a_connection_fits_its_wire_fields():
    with pytest.raises(Invalid) as caught:
        InternalConnection(-1, 2**64)
    assert [(finding.where, finding.code) for finding in caught.value.diagnostics] == [
        ("source_endpoint_ordinal", "connection-endpoint-range"),
        ("sink_endpoint_ordinal", "connection-endpoint-range"),
    ]
