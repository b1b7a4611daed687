import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    SubordinateDispatch,
)
from fabricgen.records.connectivity_codec import decode, encode
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from tests.support.strategies import subordinate_dispatches


@given(subordinate_dispatches())
def test_round_trip(record):
    assert decode(encode(record)) == record


@given(subordinate_dispatches(), st.data())
def test_one_record_has_one_encoding(record, data):
    """Whatever bytes decode at all, decode to the record that encodes back to them."""
    wire = bytearray(encode(record))
    wire[data.draw(st.integers(0, len(wire) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        other = decode(bytes(wire))
    except Invalid:
        return
    assert encode(other) == bytes(wire)


@given(subordinate_dispatches(), st.data())
def test_every_proper_prefix_is_rejected(record, data):
    wire = encode(record)
    with pytest.raises(Invalid) as caught:
        decode(wire[: data.draw(st.integers(0, len(wire) - 1))])
    assert caught.value.diagnostics[0].code == "wire-truncated"


@given(subordinate_dispatches(), st.binary(min_size=1))
def test_trailing_bytes_are_rejected(record, extra):
    with pytest.raises(Invalid, match=r"\[wire-trailing\]$"):
        decode(encode(record) + extra)


def test_bytes_are_pinned():
    """A golden vector, so that encoder and decoder cannot drift together."""
    record = SubordinateDispatch(
        2,
        (MatchField.PREFIX,),
        AddressTransform.NONE,
        (LocalMemoryServiceTarget(), ManagerEndpointTarget(3)),
    )
    assert encode(record).hex(" ", 4) == (
        "00000000 00000002 00000000 00000001 00000001 00000000 "
        "00000000 00000002 00000000 00000001 00000000 00000003"
    )
