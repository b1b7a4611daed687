from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records import connectivity_codec
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
from tests.support.wires import flip, reads_as_itself


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


MANY = settings(max_examples=2000, deadline=None)


@pytest.mark.slow
@MANY
@given(connectivity_contracts(), st.data())
def test_many_records_have_one_encoding_each(record, data):
    wire = encode(record)
    assert decode(wire) == record
    reads_as_itself(connectivity_codec, flip(wire, data))
    cut = data.draw(st.integers(0, len(wire) - 1))
    with pytest.raises(Invalid, match=r"\[wire-truncated\]"):
        decode(wire[:cut])
    with pytest.raises(Invalid, match=r"\[wire-trailing\]$"):
        decode(wire + data.draw(st.binary(min_size=1, max_size=20)))


@pytest.mark.slow
@MANY
@given(connectivity_contracts(), st.data())
def test_targets_and_connections_in_another_order_are_refused(record, data):
    """The arrays that are sets have one order; any other permutation of their items is refused."""
    choices = [
        ("internal_connections", record.internal_connections),
        *(("targets", each.targets) for each in record.subordinate_endpoints),
    ]
    field, items = data.draw(st.sampled_from(choices))
    other = tuple(data.draw(st.permutations(items)))
    if field == "targets":
        dispatch = next(each for each in record.subordinate_endpoints if each.targets == items)
        rebuild = partial(replace, dispatch, targets=other)
    else:
        rebuild = partial(replace, record, internal_connections=other)
    if other == items:
        rebuild()
    else:
        with pytest.raises(Invalid, match="sorted"):
            rebuild()


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
