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
from fabricgen.records.resource import CapacityDimension, Claim, ResourceContract, UsePattern
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
