"""Storable bits of connections, managers and shared ingresses: exactly those of legal tables."""

from dataclasses import replace
from itertools import product

import pytest

from fabricgen.config import closure
from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import FabricError
from fabricgen.plan.rows import Active, Disabled, OperationRow, ResultDestination, RoleSource
from fabricgen.records.fabric import MemoryImplementation
from fabricgen.schema.memory import MEMORY_SCHEMAS
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    LOCAL,
    STORE,
    access_class,
    actor,
    alternative,
    capability,
    memory,
    port,
    service,
    view,
)
from tests.support.temporal import temporal_memory

ENDS = {"ra": 8, "rc": 0, "wa": 8, "wd": 8, "wc": 0, "rd": 8, "rx": 0, "wx": 0}


def bytes_of(schema):
    return access_class(ELEMENT, schema, elements=(8,), lanes=(1,), index=(1,))


def tiny(
    *, contexts=None, tag_width=1, connections=(), ends=ENDS, read=None, write=None, **options
):
    """Loads and stores of the bytes 0 and 1; ``read`` and ``write`` change bound endpoints."""
    at = {name: ordinal for ordinal, name in enumerate(ends)}
    roles = {"address": "ra", "control": "rc", "data": "rd", "completion": "rx", **(read or {})}
    ports = [(LOAD, roles, 2)]
    if write is not None:
        roles = {"address": "wa", "data": "wd", "control": "wc", "completion": "wx", **write}
        ports.append((STORE, roles, 3))
    return memory(
        ends,
        5,
        [
            port(
                alternative(
                    schema, {role: at[end] for role, end in roles.items()}, (bytes_of(schema),)
                ),
                depth=1,
                inputs=inputs,
                contexts=contexts or 1,
            )
            for schema, roles, inputs in ports
        ],
        service(
            *(
                capability(schema, (bytes_of(schema),), (ordinal,))
                for ordinal, (schema, _, _) in enumerate(ports)
            ),
            requesters=len(ports),
            banks=1,
            capacity=2,
        ),
        contexts=contexts,
        tag_width=tag_width,
        connections=connections,
        **options,
    )


def rows_of(named, ordinal, port_ordinal):
    """Every row of one port that names choices in range, legal or not."""
    occurrence = named.occurrence
    record = occurrence.engine.ports[port_ordinal]
    (chosen,) = record.capability_alternatives
    schema = MEMORY_SCHEMAS[chosen.actor_contract_domain.actor_schema]
    width = occurrence.endpoints[0].tag_width
    tags = [None] if width is None else list(range(1 << width))
    connections = occurrence.connectivity.internal_connections
    sources, destinations = [], []
    for role, end in chosen.role_to_endpoint:
        if role in schema.input_roles:
            fed = [i for i, c in enumerate(connections) if c.sink_endpoint_ordinal == end]
            external = [RoleSource(tag=tag) for tag in tags]
            sources.append([(role, s) for s in [*external, *map(RoleSource, fed)]])
        else:
            made = [i for i, c in enumerate(connections) if c.source_endpoint_ordinal == end]
            subsets = [
                tuple(c for c, bit in zip(made, bits, strict=True) if bit)
                for bits in product((0, 1), repeat=len(made))
            ]
            every = [ResultDestination(True, s, tag) for s in subsets for tag in tags]
            every += [ResultDestination(False, s) for s in subsets if s]
            destinations.append([(role, d) for d in every])
    for base, *choice in product((0, 1), *sources, *destinations):
        yield OperationRow(
            port=port_ordinal,
            capability_alternative=0,
            use_pattern=ordinal if width is not None else 0,
            actor=actor(schema.schema_id),
            access=view(ELEMENT, element=8, index=1),
            base_addr=base,
            sources=tuple(choice[: len(sources)]),
            destinations=tuple(choice[len(sources) :]),
            service_target=LOCAL,
        )


def encodings(named):
    """Carriers of every legal table."""
    ports = range(len(named.occurrence.engine.ports))
    temporal = named.occurrence.endpoints[0].tag_width is not None
    contract = named.occurrence.engine.contract
    count = contract.resident_context_count if temporal else len(ports)
    choices = [
        [
            None,
            *(
                row
                for port_ordinal in (ports if temporal else [ordinal])
                for row in rows_of(named, ordinal, port_ordinal)
            ),
        ]
        for ordinal in range(count)
    ]
    found = {encode_configuration(named, Disabled())}
    for rows in product(*choices):
        try:
            found.add(encode_configuration(named, Active(rows)))
        except FabricError:
            continue
    return found


def union(values):
    bits = 0
    for value in values:
        bits |= value
    return bits


def subsets(mask):
    """Every integer whose bits lie in the mask."""
    value = mask
    while True:
        yield value
        if not value:
            return
        value = (value - 1) & mask


def accepted(named, bits):
    try:
        decode_configuration(named, bits)
    except FabricError:
        return False
    return True


@pytest.mark.parametrize(
    "named",
    [
        tiny(contexts=1),
        tiny(contexts=1, ends=ENDS | {"rc": 8, "ra": 8}, connections=[("rd", "ra")]),
        tiny(connections=[("rx", "rc")]),
    ],
    ids=["Temporal", "Temporal with a loop", "Spatial with a loop"],
)
def test_a_carrier_decodes_exactly_where_a_table_encodes_to_it(named):
    legal, stored = encodings(named), storable_mask(named)
    assert union(legal) == stored
    assert stored.bit_count() <= 16
    assert {bits for bits in subsets(stored) if accepted(named, bits)} == legal
    outside = [1 << bit for bit in range(carrier_layout(named).width) if not stored >> bit & 1]
    for bits in sorted(legal)[:: max(1, len(legal) // 8)]:
        assert not any(accepted(named, bits | bit) for bit in outside)


@pytest.mark.parametrize(
    "named",
    [
        tiny(write={}, connections=[("rd", "wd")]),
        tiny(write={}, connections=[("rx", "wc"), ("wx", "rc")]),
        # Both ports wait at one control endpoint, and both loops are needed to part them.
        tiny(write={"control": "rc"}, connections=[("rd", "wd")]),
        tiny(write={"control": "rc"}, connections=[("rd", "wd"), ("rx", "rc")]),
        # Both ports answer at one completion endpoint.
        tiny(write={"completion": "rx"}, connections=[("rd", "wd")]),
        tiny(write={"completion": "rx"}, connections=[("rd", "wd"), ("rx", "wc")]),
        # Nobody publishes at wx.
        tiny(connections=[("wx", "rc")]),
    ],
)
def test_spatial_connections_are_stored_where_a_legal_table_selects_them(named):
    assert storable_mask(named) == union(encodings(named))


def stored_bits(named, name):
    """Storable bits of one field of row 0."""
    return carrier_layout(named).rows[0][name].get(storable_mask(named))


def forwards(named, ordinal=0):
    """Names of the connection fields of one row that are stored."""
    stored = storable_mask(named)
    return {
        name
        for name, field in carrier_layout(named).rows[ordinal].items()
        if name.startswith(("forward_", "source_")) and "_tag_" not in name and field.get(stored)
    }


def test_one_context_cannot_join_two_rows():
    edges = {"connections": [("rd", "wd")], "write": {}}
    assert forwards(tiny(contexts=1, **edges)) == set()
    assert forwards(tiny(contexts=2, **edges)) == {"forward_data_0", "source_data"}


def test_a_value_that_is_too_narrow_for_every_consumer_is_not_joined():
    # Indices have 1 bit, and completions none.
    assert forwards(tiny(contexts=2, connections=[("rd", "ra")])) == {
        "forward_data_0",
        "source_address",
    }
    narrow = tiny(contexts=2, write={}, connections=[("rd", "wd")])
    engine = narrow.occurrence.engine
    bits = [each.payload_width for each in narrow.occurrence.endpoints]
    assert bits[narrow.names.endpoints.index("wd")] == 8
    wide = access_class(ELEMENT, STORE, elements=(16,), lanes=(1,), index=(1,))
    ends = ENDS | {"wd": 16, "rd": 16}
    at = {name: ordinal for ordinal, name in enumerate(ends)}
    roles = {"address": at["wa"], "data": at["wd"], "control": at["wc"], "completion": at["wx"]}
    store = port(alternative(STORE, roles, (wide,)), depth=1, inputs=3, contexts=2)
    wider = tiny(contexts=2, write={}, ends=ends, connections=[("rd", "wd")], managers={"ext0": 64})
    ports = (engine.ports[0], store)
    occurrence = replace(wider.occurrence, engine=replace(engine, ports=ports))
    assert forwards(replace(wider, occurrence=occurrence)) == set()


def crowded(contexts, *, bits=32, **options):
    """Masked stores of 2 bytes with three operands at one ingress, and loads beside them."""
    vectors = access_class(
        CONTIGUOUS, STORE, elements=(8,), lanes=(2,), masks=(DYNAMIC,), index=(16,)
    )
    words = access_class(ELEMENT, LOAD, elements=(bits,), lanes=(1,))
    ends = {"in": 32, "c": 0, "la": 32, "lc": 0, "d": 32, "lx": 0, "sx": 0}
    stores = {"address": 0, "data": 0, "mask": 0, "control": 1, "completion": 6}
    loads = {"address": 2, "control": 3, "data": 4, "completion": 5}
    ports = [
        port(alternative(schema, roles, (each,)), depth=1, inputs=inputs, contexts=contexts)
        for schema, roles, each, inputs in (
            (STORE, stores, vectors, 4),
            (LOAD, loads, words, 2),
        )
    ]
    local = service(
        capability(STORE, (vectors,), (0,)), capability(LOAD, (words,), (1,)), requesters=2
    )
    return memory(ends, 4, ports, local, contexts=contexts, **options)


def test_three_operands_share_an_ingress_of_two_tags_only_where_one_comes_from_inside():
    joined = {"connections": [("d", "in")]}
    for named, tags, lanes in (
        (crowded(2, tag_width=2), 3, 3),
        # No store is legal, so no row has two lanes.
        (crowded(2, tag_width=1), 0, 1),
        (crowded(1, tag_width=1, **joined), 0, 1),
        (crowded(2, tag_width=1, **joined), 1, 3),
    ):
        assert stored_bits(named, "source_tag_mask") == tags
        assert stored_bits(named, "lane_count") == lanes
    assert forwards(crowded(1, tag_width=1, **joined)) == set()
    assert forwards(crowded(2, tag_width=1, **joined)) == {
        "forward_data_0",
        "source_address",
        "source_data",
        "source_mask",
    }


def test_beyond_its_bound_a_question_is_answered_with_a_stored_bit(monkeypatch):
    named = crowded(2, tag_width=1)
    assert (stored_bits(named, "source_tag_mask"), stored_bits(named, "lane_count")) == (0, 1)
    monkeypatch.setattr(closure, "_STEPS", 0)
    assert (stored_bits(named, "source_tag_mask"), stored_bits(named, "lane_count")) == (1, 3)


@pytest.mark.parametrize(
    ("index", "fields"), [(8, {"forward_data_0", "source_address"}), (16, set())]
)
def test_a_gather_takes_its_own_data_for_indices_that_are_no_wider(index, fields):
    # Both have as many lanes, so that it is the lanes' widths which decide.
    lanes = access_class(INDEXED, LOAD, elements=(8,), lanes=(1, 2, 4), index=(index,))
    ends = {"a": 64, "c": 0, "d": 64, "x": 0}
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    loads = port(alternative(LOAD, roles, (lanes,)), depth=1, inputs=2)
    local = service(capability(LOAD, (lanes,), (0,)), requesters=1)
    assert forwards(memory(ends, 2, [loads], local, connections=[("d", "a")])) == fields


def test_a_role_that_is_never_external_has_no_tag():
    # A byte is enough for a mask of two lanes, and for neither address nor data.
    named = crowded(2, bits=8, tag_width=1, connections=[("d", "in")])
    assert forwards(named) == {"forward_data_0", "source_mask"}
    assert stored_bits(named, "source_tag_mask") == 0
    assert stored_bits(named, "source_tag_data") == 1


def test_managers_store_all_bits_of_a_base_and_volatile_rows_whole_elements():
    words = access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,))
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}

    def far(volatile, beat=64, **options):
        load = port(alternative(LOAD, roles, (words,), volatile=volatile), depth=1, inputs=2)
        return memory(
            {"a": 32, "c": 0, "d": 32, "x": 0}, 2, [load], None, managers={"m": beat}, **options
        )

    def bases(named):
        return carrier_layout(named).rows[0]["base_addr"].get(storable_mask(named))

    assert bases(far((False,))) == bases(far((False, True))) == 2**64 - 1
    assert bases(far((True,))) == 2**64 - 4
    assert (
        bases(far((False,), implementation=MemoryImplementation(aligned_bases=True))) == 2**64 - 4
    )
    assert storable_mask(far((True,), beat=16)) == 0


def test_both_targets_are_stored_where_some_alternative_reaches_them():
    named = temporal_memory(managers={"ext0": 64, "ext1": 64})
    row = carrier_layout(named).rows[1]
    assert row["service_target"].get(storable_mask(named)) == 3
    assert row["mask_pair"].get(storable_mask(named)) == 1
