"""Anchor: states and use patterns go through the port's wire complete, and nothing stands in.

Spec: Validation Anchors, third item: counts, raw ordinals and keys of another owner are refused.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records import alternative_codec, port_codec, resource_codec
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    Commit,
    ResourceContract,
    RoundRobin,
    UsePattern,
)
from fabricgen.records.views import (
    FabricMemoryCapabilityAlternativeRef,
    FabricMemoryOperationPortRef,
    FabricResourceStateRef,
    FabricUsePatternRef,
    MemoryOperationPortView,
)
from tests.support.capabilities import DIRECT, access, alternative, port
from tests.support.wires import framed, u32, u64

ENDS = (2, 3, 8, 11)


@st.composite
def contracts(draw):
    """Port contracts with any states and one requester; each pattern is one Direct slot."""
    dimension = st.builds(CapacityDimension, st.integers(1, 9))
    states = tuple(map(tuple, draw(st.lists(st.lists(dimension, min_size=1), min_size=1))))
    places = [(s, d) for s, dims in enumerate(states) for d in range(len(dims))]
    patterns = []
    for _ in range(draw(st.integers(1, 3))):
        chosen = draw(st.lists(st.sampled_from(places), unique=True, min_size=1))
        claims = tuple(Claim(s, d, draw(st.integers(1, states[s][d].capacity))) for s, d in chosen)
        slots = (tuple(range(len(claims))),)
        patterns.append(UsePattern(0, 0, 0, 1, None, 0, claims, slots))
    return ResourceContract(states, 0, ((0, 1),), tuple(patterns), 1, 1, 2, None)


def port_of(contract):
    keys = len(contract.use_patterns)
    loads = alternative(access(), patterns=range(keys))
    return MemoryOperationPort(ENDS, contract, (DIRECT,) * keys, (loads,))


@settings(max_examples=40)
@given(contracts())
def test_every_state_and_pattern_comes_back(contract):
    decoded = port_codec.decode(port_codec.encode(port_of(contract)))
    assert decoded.resource_contract == contract
    assert decoded == port_of(contract)


def wire(contract_bytes, patterns=(0,)):
    return (
        u64(4)
        + b"".join(map(u64, ENDS))
        + contract_bytes
        + u64(1)
        + u32(0)
        + u64(1)
        + framed(alternative_codec.encode(alternative(access(), patterns=patterns)))
    )


#: A contract with everything that a contract can have: states without and with capacities, initial
#: occupancy, transitions, two timings, commits, several requesters and their grant policy.
RICH = ResourceContract(
    states=((), (CapacityDimension(4, 1), CapacityDimension(2)), (CapacityDimension(1),)),
    transition_count=2,
    timing_contracts=((0, 1, 1), (0, 0, 2)),
    use_patterns=(
        UsePattern(0, 0, 0, 2, Commit(1, 1), 0, (Claim(1, 0, 2), Claim(2, 0, 1)), ((0, 1),)),
        UsePattern(1, 2, 0, 2, None, 1, (Claim(1, 0, 3),), ((),)),
    ),
    requester_count=3,
    eligibility_count=3,
    event_count=3,
    grant_policy=RoundRobin((2, 0, 1), 1),
)


def test_a_contract_with_every_part_comes_back_and_is_reached_by_reference():
    here = FabricMemoryOperationPortRef(3, 1)
    view = MemoryOperationPortView(here, port_codec.decode(port_codec.encode(port_of(RICH))))
    assert view.resource_contract == RICH
    states = [view.resource_state(each) for each in view.resource_states()]
    assert (tuple(states), len(states)) == (RICH.states, 3)
    assert [view.use_pattern(each) for each in view.use_patterns()] == list(RICH.use_patterns)


VIEW = MemoryOperationPortView(FabricMemoryOperationPortRef(3, 1), port_of(RICH))
OTHER_PORT, OTHER_MEMORY = FabricMemoryOperationPortRef(3, 0), FabricMemoryOperationPortRef(2, 1)


@pytest.mark.parametrize(
    ("resolve", "kind", "count"),
    [
        (VIEW.resource_state, FabricResourceStateRef, 3),
        (VIEW.use_pattern, FabricUsePatternRef, 2),
        (VIEW.operation_pattern, FabricUsePatternRef, 2),
        (VIEW.capability_alternative, FabricMemoryCapabilityAlternativeRef, 1),
    ],
)
def test_neither_a_count_nor_an_ordinal_nor_another_owner_stands_in(resolve, kind, count):
    others = {FabricResourceStateRef, FabricUsePatternRef, FabricMemoryCapabilityAlternativeRef}
    substitutes = [
        (count, "reference-kind"),
        (0, "reference-kind"),
        *((other(VIEW.reference, 0), "reference-kind") for other in others - {kind}),
        (kind(OTHER_PORT, 0), "reference-owner"),
        (kind(OTHER_MEMORY, 0), "reference-owner"),
        (kind(VIEW.reference, count), "reference-ordinal"),
        (kind(VIEW.reference, -1), "reference-ordinal"),
    ]
    for substitute, code in substitutes:
        with pytest.raises(Invalid) as caught:
            resolve(substitute)
        assert [each.code for each in caught.value.diagnostics] == [code], substitute
    resolve(kind(VIEW.reference, count - 1))


GOOD = port(alternative(access()))
CONTRACT = resource_codec.encode(GOOD.resource_contract)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (wire(framed(u32(1))), "wire-truncated"),
        (wire(u64(1)), "wire-truncated"),
        (wire(framed(b"")), "wire-truncated"),
        (wire(framed(CONTRACT + u32(0))), "wire-trailing"),
        (wire(framed(CONTRACT), patterns=(1,)), "port-pattern-unknown"),
    ],
    ids=["count only", "raw ordinal", "empty", "appended", "key of another owner"],
)
def test_substitutes_are_refused(data, code):
    with pytest.raises(Invalid) as caught:
        port_codec.decode(data)
    assert code in [finding.code for finding in caught.value.diagnostics]


def test_a_claim_on_a_state_of_another_owner_is_refused():
    (pattern,) = GOOD.resource_contract.use_patterns
    foreign = replace(pattern, claims=(Claim(len(GOOD.resource_contract.states), 0, 1),))
    with pytest.raises(Invalid) as caught:
        replace(GOOD.resource_contract, use_patterns=(foreign,))
    assert "unknown-state-key" in [finding.code for finding in caught.value.diagnostics]


def test_an_endpoint_of_another_port_is_refused():
    other = alternative(access(), number=1)
    with pytest.raises(Invalid) as caught:
        replace(GOOD, capability_alternatives=(other,))
    assert [finding.code for finding in caught.value.diagnostics] == ["port-endpoint-foreign"] * 4
