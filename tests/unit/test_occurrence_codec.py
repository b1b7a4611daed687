from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records import connectivity_codec, occurrence_codec, port_codec, service_codec
from fabricgen.records.connectivity import (
    MemoryConnectivityContract,
    OperationPortDispatch,
    SubordinateDispatch,
)
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.occurrence import MemoryOccurrence, OperationEngine, Spatial, Temporal
from fabricgen.records.occurrence_codec import decode, encode
from fabricgen.vocab.dispatch import AddressTransform
from tests.support.records import IN, LOCAL, OUT, copy_fabric, gather_fabric, load_fabric
from tests.support.temporal import temporal_memory
from tests.support.wires import flip, reads_as_itself

LOAD = load_fabric().memories[0].occurrence
COPY = copy_fabric().memories[0].occurrence
GATHER = gather_fabric().memories[0].occurrence
#: Every optional part the other way round than in the good fabrics.
STORAGE = MemoryOccurrence(
    endpoints=(TransportEndpoint(IN, 7, 3),),
    engine=None,
    local_service=LOAD.local_service,
    manager_endpoints=(ServiceEndpoint(64), ServiceEndpoint(32)),
    subordinate_endpoints=(ServiceEndpoint(128),),
    connectivity=MemoryConnectivityContract(
        (), (SubordinateDispatch(1, (), AddressTransform.NONE, (LOCAL,)),), ()
    ),
)
TEMPORAL = temporal_memory(managers={"ext0": 64}, connections=[("rd_data", "wr_data")]).occurrence
RECORDS = [LOAD, COPY, GATHER, STORAGE, TEMPORAL, replace(LOAD, local_service=None)]
WIRES = [encode(record) for record in RECORDS]


def u64(value):
    return value.to_bytes(8, "big")


def u32(value):
    return value.to_bytes(4, "big")


def framed(data):
    return u64(len(data)) + data


@pytest.mark.parametrize("record", RECORDS)
def test_round_trip(record):
    assert decode(encode(record)) == record


def test_an_engine_with_a_service_is_pinned():
    (port,) = LOAD.engine.ports
    assert encode(LOAD) == b"".join(
        [
            u64(4),
            u32(0) + u64(32) + u32(0),
            u32(0) + u64(0) + u32(0),
            u32(1) + u64(32) + u32(0),
            u32(1) + u64(0) + u32(0),
            u32(1) + u32(0) + u64(1) + framed(port_codec.encode(port)),
            u32(1) + u64(1024),
            framed(service_codec.encode(LOAD.local_service.memory_service_contract)),
            u64(0) + u64(0),
            framed(connectivity_codec.encode(LOAD.connectivity)),
        ]
    )


def test_storage_with_endpoints_is_pinned():
    contract = STORAGE.local_service.memory_service_contract
    assert encode(STORAGE) == b"".join(
        [
            u64(1) + u32(0) + u64(7) + u32(1) + u64(3),
            u32(0),
            u32(1) + u64(1024) + framed(service_codec.encode(contract)),
            u64(2) + u64(64) + u64(32),
            u64(1) + u64(128),
            framed(connectivity_codec.encode(STORAGE.connectivity)),
        ]
    )


@settings(max_examples=50)
@given(st.sampled_from(WIRES), st.data())
def test_one_record_has_one_encoding(wire, data):
    reads_as_itself(occurrence_codec, flip(wire, data))


@settings(max_examples=50)
@given(st.sampled_from(WIRES), st.data())
def test_every_proper_prefix_is_rejected(wire, data):
    with pytest.raises(Invalid):
        decode(wire[: data.draw(st.integers(0, len(wire) - 1))])


@given(st.sampled_from(WIRES), st.binary(min_size=1))
def test_trailing_bytes_are_rejected(wire, extra):
    with pytest.raises(Invalid, match=r"\[wire-trailing\]$"):
        decode(wire + extra)


#: Offsets in the wire of `LOAD`: four endpoints of 16 bytes behind their count.
ENGINE = 8 + 4 * 16


def test_a_temporal_engine_has_its_contexts_behind_its_tag():
    # Count, ten endpoints of 24 bytes, presence; then the contract.
    wire, at = encode(TEMPORAL), 8 + 10 * 24 + 4
    assert wire[at : at + 20] == u32(1) + u64(4) + u64(2)
    assert wire[8:32] == u32(0) + u64(32) + u32(1) + u64(4)
    assert decode(wire) == TEMPORAL
    with pytest.raises(Invalid, match=r"^engine\.contract\..*not 0 \[engine-context-count\]$"):
        decode(wire[: at + 4] + u64(0) + wire[at + 12 :])


@pytest.mark.parametrize(
    ("offset", "kind"),
    [
        (8, "EndpointDirection"),
        (20, "optional tag width"),
        (ENGINE, "optional engine"),
        (ENGINE + 4, "engine contract"),
    ],
)
def test_unknown_tags_are_refused(offset, kind):
    wire = bytearray(encode(LOAD))
    wire[offset : offset + 4] = u32(9)
    with pytest.raises(Invalid, match=rf"^bytes: A tag of {kind} is required, not 9 "):
        decode(bytes(wire))


@pytest.mark.parametrize(
    ("record", "old", "new", "where"),
    [
        (STORAGE, u32(1) + u64(3), u32(1) + u64(0), r"endpoint\[0\]\.tag_width"),
        (STORAGE, u64(64) + u64(32), u64(64) + u64(0), r"manager_endpoints\[1\]\.beat_width_bits"),
        (STORAGE, u64(1024), u64(0), r"local_service\.capacity_bytes"),
        (LOAD, u32(0) + u32(0) + u32(4), u32(0) + u32(0) + u32(0), r"port\[0\]\."),
    ],
)
def test_a_part_is_reported_at_its_place(record, old, new, where):
    wire = encode(record)
    assert old in wire
    with pytest.raises(Invalid, match=rf"^{where}"):
        decode(wire.replace(old, new, 1))


def test_an_engine_has_a_port():
    with pytest.raises(Invalid, match=r"^ports: .* at least one port, not 0 \[engine-ports-empty"):
        OperationEngine(Spatial(), ())


@pytest.mark.parametrize("count", [0, -1, 2**64])
def test_a_temporal_engine_has_contexts(count):
    with pytest.raises(Invalid, match=r"engine-context-count"):
        Temporal(count)
    assert Temporal(2**64 - 1).resident_context_count == 2**64 - 1


def test_direction_tags_differ():
    flipped = (replace(LOAD.endpoints[0], direction=OUT), *LOAD.endpoints[1:])
    assert encode(replace(LOAD, endpoints=flipped))[8:12] == u32(1)


def test_dispatch_is_kept():
    twice = replace(LOAD.connectivity, operation_ports=(OperationPortDispatch(((LOCAL,),)),) * 2)
    assert decode(encode(replace(LOAD, connectivity=twice))).connectivity == twice
