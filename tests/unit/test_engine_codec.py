"""The wire of engine templates."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records import engine_codec, port_codec
from fabricgen.records.connectivity import InternalConnection
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.engine import FabricMemoryEngineTemplate, memory_engine_template
from fabricgen.records.occurrence import Spatial, Temporal
from fabricgen.vocab.fabric import EndpointDirection
from tests.support.records import copy_fabric, gather_fabric, load_fabric
from tests.support.strategies import U64
from tests.support.temporal import temporal_memory
from tests.support.wires import flip, framed, reads_as_itself, u32, u64

LOAD = memory_engine_template(load_fabric().memories[0].occurrence)
TEMPORAL = memory_engine_template(temporal_memory(connections=[("rd_data", "wr_data")]).occurrence)
PORTS = [
    port
    for fabric in (load_fabric(), copy_fabric(), gather_fabric())
    for port in fabric.memories[0].occurrence.engine.ports
] + list(TEMPORAL.ports)
POSITIVE = st.integers(1, 2**64 - 1)
ENDPOINTS = st.builds(
    TransportEndpoint, st.sampled_from(EndpointDirection), U64, st.none() | POSITIVE
)
TEMPLATES = st.builds(
    FabricMemoryEngineTemplate,
    st.just(Spatial()) | st.builds(Temporal, POSITIVE),
    st.lists(ENDPOINTS, max_size=4).map(tuple),
    st.lists(st.sampled_from(PORTS), min_size=1, max_size=3).map(tuple),
    st.sets(st.builds(InternalConnection, U64, U64), max_size=3).map(sorted).map(tuple),
)


def test_a_spatial_template_is_pinned():
    (port,) = LOAD.ports
    assert engine_codec.encode(LOAD) == b"".join(
        [
            u32(0),
            u64(4),
            u32(0) + u64(32) + u32(0),
            u32(0) + u64(0) + u32(0),
            u32(1) + u64(32) + u32(0),
            u32(1) + u64(0) + u32(0),
            u64(1) + framed(port_codec.encode(port)),
            u64(0),
        ]
    )


def test_a_temporal_template_has_its_capacity_and_connections():
    wire = engine_codec.encode(TEMPORAL)
    assert wire[:20] == u32(1) + u64(4) + u64(10)
    assert wire[20:44] == u32(0) + u64(32) + u32(1) + u64(4)
    assert wire[-24:] == u64(1) + u64(7) + u64(4)


def check(record, data):
    wire = engine_codec.encode(record)
    assert engine_codec.decode(wire) == record
    reads_as_itself(engine_codec, flip(wire, data))
    cut = data.draw(st.integers(0, len(wire) - 1))
    with pytest.raises(Invalid):
        engine_codec.decode(wire[:cut])
    with pytest.raises(Invalid, match=r"\[wire-trailing\]$"):
        engine_codec.decode(wire + b"\0")


@settings(max_examples=30, deadline=None)
@given(TEMPLATES, st.data())
def test_every_template_round_trips_and_has_one_encoding(record, data):
    check(record, data)


@pytest.mark.slow
@settings(max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEMPLATES, st.data())
def test_many_templates_round_trip_and_have_one_encoding(record, data):
    check(record, data)


@pytest.mark.parametrize(
    ("wire", "where", "code"),
    [
        (u32(2), "bytes", "wire-unknown-tag"),
        (u32(1) + u64(0), r"engine\.contract\.resident_context_count", "engine-context-count"),
        (u32(0) + u64(2**63), "bytes", "wire-truncated"),
        (u32(0) + u64(1) + u32(0) + u64(4) + u32(2), "bytes", "wire-unknown-tag"),
        (
            u32(0) + u64(1) + u32(0) + u64(4) + u32(1) + u64(0),
            r"endpoint\[0\]\.tag_width",
            "endpoint-tag-width-range",
        ),
        (u32(0) + u64(0) + u64(0) + u64(0), "ports", "engine-ports-empty"),
        (u32(0) + u64(0) + u64(2**60), "bytes", "wire-truncated"),
        (u32(0) + u64(0) + u64(1) + u64(0), r"port\[0\]\.port", "wire-truncated"),
    ],
)
def test_damage_is_named_at_its_place(wire, where, code):
    with pytest.raises(Invalid, match=rf"^{where}: .*\[{code}\]$"):
        engine_codec.decode(wire.ljust(52, b"\0") if code.startswith("wire-unknown") else wire)


def test_connections_out_of_order_are_refused():
    pairs = (InternalConnection(1, 2), InternalConnection(3, 4))
    wire = engine_codec.encode(replace(LOAD, internal_connections=pairs))
    swapped = wire[:-32] + wire[-16:] + wire[-32:-16]
    with pytest.raises(Invalid, match=r"^internal_connections: .*\[connection-order\]$"):
        engine_codec.decode(swapped)
