import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryConnectivityContract,
    OperationPortDispatch,
    SubordinateDispatch,
)
from fabricgen.records.connectivity_codec import decode, encode
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from tests.support.strategies import connectivity_contracts


@given(connectivity_contracts())
def test_round_trip(record):
    assert decode(encode(record)) == record


@given(connectivity_contracts(), st.data())
def test_one_record_has_one_encoding(record, data):
    """Whatever bytes decode at all, decode to the record that encodes back to them."""
    wire = bytearray(encode(record))
    wire[data.draw(st.integers(0, len(wire) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        other = decode(bytes(wire))
    except Invalid:
        return
    assert encode(other) == bytes(wire)


@given(connectivity_contracts(), st.data())
def test_every_proper_prefix_is_rejected(record, data):
    wire = encode(record)
    with pytest.raises(Invalid) as caught:
        decode(wire[: data.draw(st.integers(0, len(wire) - 1))])
    assert caught.value.diagnostics[0].code == "wire-truncated"


@given(connectivity_contracts(), st.binary(min_size=1))
def test_trailing_bytes_are_rejected(record, extra):
    with pytest.raises(Invalid, match=r"\[wire-trailing\]$"):
        decode(encode(record) + extra)


LOCAL = LocalMemoryServiceTarget()
RECORD = MemoryConnectivityContract(
    (OperationPortDispatch(((LOCAL,), (LOCAL, ManagerEndpointTarget(5)))),),
    (
        SubordinateDispatch(
            2, (MatchField.PREFIX,), AddressTransform.NONE, (LOCAL, ManagerEndpointTarget(3))
        ),
    ),
    (InternalConnection(4, 1), InternalConnection(4, 2)),
)


def test_bytes_are_pinned():
    """A golden vector, so that encoder and decoder cannot drift together."""
    assert encode(RECORD).hex(" ", 4) == " ".join(
        [
            "00000000 00000001 00000000 00000002",  # one port, two alternatives
            "00000000 00000001 00000000",
            "00000000 00000002 00000000 00000001 00000000 00000005",
            "00000000 00000001",  # one subordinate
            "00000000 00000002 00000000 00000001 00000001 00000000",
            "00000000 00000002 00000000 00000001 00000000 00000003",
            "00000000 00000002",  # two connections
            "00000000 00000004 00000000 00000001 00000000 00000004 00000000 00000002",
        ]
    )


def test_reordered_connections_are_refused():
    wire = encode(RECORD)
    swapped = wire[:-32] + wire[-16:] + wire[-32:-16]
    with pytest.raises(Invalid, match=r"^internal_connections: .* \[connection-order\]$"):
        decode(swapped)


def test_a_part_is_reported_at_its_place():
    wire = encode(RECORD)
    binding_bound = wire.index(bytes.fromhex("0000000000000002000000000000000100000001"))
    broken = wire[:binding_bound] + bytes(8) + wire[binding_bound + 8 :]
    with pytest.raises(Invalid, match=r"^subordinate_endpoints\[0\]\.max_exposed_bindings: "):
        decode(broken)


def test_an_unknown_target_is_refused():
    wire = bytearray(
        encode(MemoryConnectivityContract((OperationPortDispatch(((LOCAL,),)),), (), ()))
    )
    wire[27] = 2
    with pytest.raises(Invalid, match=r"^bytes: A tag of dispatch target is required, not 2 "):
        decode(bytes(wire))
