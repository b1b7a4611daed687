import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    Commit,
    FixedPriority,
    ResourceContract,
    RoundRobin,
    UsePattern,
)
from fabricgen.records.resource_codec import decode, encode
from tests.support.resources import resource_contracts


@given(resource_contracts())
def test_round_trip(record):
    assert decode(encode(record)) == record


@given(resource_contracts(), st.data())
def test_one_record_has_one_encoding(record, data):
    wire = bytearray(encode(record))
    wire[data.draw(st.integers(0, len(wire) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        other = decode(bytes(wire))
    except Invalid:
        return
    assert encode(other) == bytes(wire)


@given(resource_contracts(), st.data())
def test_every_proper_prefix_is_rejected(record, data):
    wire = encode(record)
    with pytest.raises(Invalid) as caught:
        decode(wire[: data.draw(st.integers(0, len(wire) - 1))])
    assert caught.value.diagnostics[0].code == "wire-truncated"


@given(resource_contracts(), st.binary(min_size=1))
def test_trailing_bytes_are_rejected(record, extra):
    with pytest.raises(Invalid, match=r"\[wire-trailing\]$"):
        decode(encode(record) + extra)


def test_bytes_are_pinned():
    """Counts of requesters, eligibilities and events follow the patterns; policy tag is last."""
    pattern = UsePattern(
        0, 0, 0, 2, Commit(1, 0), 0, (Claim(0, 0, 2), Claim(1, 1, 3)), ((0, 1), ())
    )
    record = ResourceContract(
        states=((CapacityDimension(5, 1),), (CapacityDimension(6), CapacityDimension(7))),
        transition_count=1,
        timing_contracts=((0, 1, 1),),
        use_patterns=(pattern, UsePattern(1, 0, 1, 1, None, 0, (Claim(0, 0, 4),), ())),
        requester_count=2,
        eligibility_count=1,
        event_count=3,
        grant_policy=RoundRobin((1, 0), 1),
    )
    words = [2, 1, 5, 1, 2, 6, 0, 7, 0]  # states
    words += [1]  # transitions
    words += [1, 3, 0, 1, 1]  # timing
    words += [2, 0, 0, 0, 2, 1, 1, 0, 0, 2, 0, 0, 2, 1, 1, 3, 2, 2, 0, 1, 0]  # pattern 0
    words += [1, 0, 1, 1, 0, 0, 1, 0, 0, 4, 0]  # pattern 1
    words += [2, 1, 3, 2, 2, 1, 0, 1]  # counts, policy
    assert encode(record) == b"".join(word.to_bytes(4, "big") for word in words)
    assert decode(encode(record)) == record


@pytest.mark.parametrize(
    ("policy", "words"), [(None, [0]), (FixedPriority((1, 0)), [1, 2, 1, 0])], ids=["none", "fixed"]
)
def test_policies_are_pinned(policy, words):
    claims = (Claim(0, 0, 1),) if policy else ()
    record = ResourceContract(
        ((CapacityDimension(1),),),
        0,
        ((0,),),
        tuple(UsePattern(r, 0, 0, 0, None, 0, claims, ()) for r in range(2)),
        2,
        1,
        1,
        policy,
    )
    assert encode(record).endswith(b"".join(word.to_bytes(4, "big") for word in words))
    assert decode(encode(record)) == record


@pytest.mark.parametrize(("offset", "kind"), [(-4, "grant policy"), (40, "optional commit")])
def test_unknown_union_tags_are_refused(offset, kind):
    pattern = UsePattern(0, 0, 0, 0, None, 0, (), ())
    wire = bytearray(encode(ResourceContract((), 0, ((0,),), (pattern,), 1, 1, 1, None)))
    wire[offset + 3 if offset > 0 else -1] = 9
    with pytest.raises(Invalid, match=rf"^bytes: A tag of {kind} is required, not 9 "):
        decode(bytes(wire))


def test_a_decoded_contract_obeys_the_rules_of_the_record():
    pattern = UsePattern(0, 0, 0, 0, None, 0, (), ())
    wire = bytearray(encode(ResourceContract((), 0, ((0,),), (pattern,), 1, 1, 1, None)))
    wire[-5] = 0  # event count
    with pytest.raises(Invalid) as caught:
        decode(bytes(wire))
    assert {finding.code for finding in caught.value.diagnostics} == {
        "timing-contract-event-domain",
        "unknown-event-key",
    }
