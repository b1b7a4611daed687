"""Mapping rows of all five memory actors and of pointers: what they come to, and bad ones."""

import tomllib

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.schema import json_schema
from fabricgen.check.fabric import findings
from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.errors import Invalid
from fabricgen.plan.demand import row_capacity
from fabricgen.plan.rows import Active, Disabled
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.fabric import Fabric
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.schema.contract import (
    AtomicContract,
    AtomicRmwContract,
    CompareExchangeContract,
    FenceContract,
    PlainContract,
)
from fabricgen.vocab.dataflow import MemoryAddressForm, MemoryMaskForm
from tests.support.actor_memories import ALL, NEAR, PORTS, TEMPORAL, WIDE, WRITTEN, rows
from tests.support.actors import KIND, LANE, ORDER, STRONG, SYSTEM, THREAD, WHOLE
from tests.support.capabilities import INDEXED
from tests.support.documents import changed, every_key_document, toml
from tests.support.drawn_memories import memories
from tests.support.drawn_memories import tables as drawn_tables
from tests.support.every_row import EVERY_ROW, row_text
from tests.support.json_schema import errors
from tests.support.mapping_text import mapping_text
from tests.support.rich_memory import RICH, ROWS

SPATIAL, TAGGED = Fabric("actors", (ALL,)), Fabric("actors", (TEMPORAL,))


@pytest.mark.parametrize("fabric", [SPATIAL, TAGGED])
def test_the_fabrics_are_legal(fabric):
    assert list(findings(fabric)) == []


@st.composite
def tables(draw, named):
    """A row at some ports of a Spatial memory, or at some contexts of a Temporal one."""
    capacity = row_capacity(named.occurrence)
    temporal = named is TEMPORAL
    chosen = draw(st.sets(st.integers(0, capacity - 1), min_size=1))
    return Active(
        tuple(
            None
            if place not in chosen
            else draw(
                rows(
                    draw(st.integers(0, PORTS - 1)) if temporal else place,
                    named,
                    place if temporal else None,
                )
            )
            for place in range(capacity)
        )
    )


def reads_back(fabric, table):
    """Write a table of the one memory as a mapping, and read it."""
    text = f"fabric = '{fabric.name}'" if table == Disabled() else mapping_text(fabric, table)
    assert parse_mapping(text, fabric).memories == (table,)
    assert list(errors(json_schema("mapping"), tomllib.loads(text))) == []


def has_a_carrier(data, fabric):
    (named,) = fabric.memories
    table = data.draw(tables(named))
    reads_back(fabric, table)
    assert decode_configuration(named, encode_configuration(named, table)) == table


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from([SPATIAL, TAGGED]))
def test_a_table_of_any_actors_reads_back_and_has_a_carrier(data, fabric):
    has_a_carrier(data, fabric)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.data(), st.sampled_from([SPATIAL, TAGGED]))
def test_many_tables_of_any_actors_read_back_and_have_a_carrier(data, fabric):
    has_a_carrier(data, fabric)


@pytest.mark.parametrize("row", ROWS)
def test_rows_of_the_rich_memory_read_back(row):
    reads_back(Fabric("rich", (RICH,)), Active((row, None)))


@settings(max_examples=40, deadline=None)
@given(drawn_tables(RICH))
def test_drawn_tables_of_the_rich_memory_read_back(table):
    reads_back(Fabric("rich", (RICH,)), table)


@settings(max_examples=40, phases=[Phase.explicit, Phase.reuse, Phase.generate], deadline=None)
@given(memories(), st.data())
def test_drawn_tables_with_connections_read_back(named, data):
    reads_back(Fabric("drawn", (named,)), data.draw(drawn_tables(named)))


#: Fields that are not zero, by hand. The alternative of lanes stands first, as its set of
#: granularities is the shorter one; a contiguous class stands before an indexed one.
CARRIED = [
    {
        "valid": 1,
        "capability_alternative": 1,  # elements
        "actor_value2": 1,  # whole_payload, behind absent
        "actor_value3": 1,  # volatile; actor_value0 is 0: acquire, before seq_cst
        "base_addr": 0x40,
        "element_width": 64,
        "lane_count": 1,
        "alignment": 3,
        "index_width": 32,
        "expose_data": 1,
        "expose_completion": 1,
    },
    {
        "valid": 1,
        "use_pattern": 1,
        "actor_value1": 1,  # single_thread, behind system; release is before seq_cst
        "element_width": 16,
        "lane_count": 4,
        "alignment": 1,
        "index_width": 32,
        "expose_completion": 1,
    },
    {
        "valid": 1,
        "capability_alternative": 1,
        "actor_value0": 1,  # add, between xchg and fminimum_num
        "base_addr": 0x100,
        "element_width": 32,
        "lane_count": 1,
        "alignment": 2,
        "index_width": 32,
        "expose_old": 1,
        "expose_completion": 1,
    },
    {
        "valid": 1,
        "use_pattern": 1,
        "actor_value0": 1,  # (seq_cst, seq_cst), behind (release, monotonic)
        "actor_value3": 1,  # weak
        "base_addr": 3,
        "access_class": 1,  # indexed
        "element_width": 8,
        "lane_count": 2,
        "index_width": 32,
        "expose_old": 1,
        "expose_success": 1,
        "expose_completion": 1,
    },
    {"valid": 1, "actor_value0": 1, "expose_completion": 1},  # seq_cst, behind acq_rel
    {
        "valid": 1,
        "access_class": 2,  # indices of elements, pointers to elements, pointers to many
        "element_width": 64,
        "lane_count": 4,
        "address_pointer_format": 1,  # space 1, behind space 0
        "data_pointer_format": 1,  # behind ordinary data
        "expose_data": 1,
        "expose_completion": 1,
    },
]


def carried(named, bits):
    """Fields that are not zero, per row."""
    return [
        {name: field.get(bits) for name, field in row.items() if field.get(bits)}
        for row in carrier_layout(named).rows
    ]


def test_a_row_of_each_actor_has_the_fields_of_its_facts():
    (table,) = parse_mapping(WRITTEN, SPATIAL).memories
    bits = encode_configuration(ALL, table)
    assert carried(ALL, bits) == CARRIED
    assert decode_configuration(ALL, bits) == table


def test_what_a_row_of_each_actor_is():
    ((flag, publish, count, swap, order, chase),) = (
        each.operation_rows for each in parse_mapping(WRITTEN, SPATIAL).memories
    )
    assert flag.actor.contract == AtomicContract(ORDER.ACQUIRE, SYSTEM, WHOLE, True, 8)
    assert publish.actor.contract == AtomicContract(ORDER.RELEASE, THREAD, LANE, False, 2)
    assert count.actor.contract == AtomicRmwContract(KIND.ADD, STRONG, SYSTEM, None, False, 4)
    assert swap.actor.contract == CompareExchangeContract(
        (STRONG, STRONG), SYSTEM, LANE, True, False, 1
    )
    assert order.actor.contract == FenceContract(STRONG, SYSTEM)
    assert order.actor.contract.volatile is False
    assert chase.actor.contract == PlainContract(False)
    assert (order.access, order.base_addr, chase.base_addr) == (None, 0, 0)
    assert chase.access == CanonicalMemoryAccessView(
        INDEXED,
        MemoryAddressForm.POINTER_ADDRESSED,
        64,
        4,
        MemoryMaskForm.ABSENT,
        32,
        1,
        NEAR,
        WIDE,
    )
    operands = [
        [role.name for role, _ in (*row.sources, *row.destinations)] for row in (swap, order)
    ]
    assert operands == [
        ["ADDRESS", "EXPECTED", "DESIRED", "CONTROL", "OLD", "SUCCESS", "COMPLETION"],
        ["CONTROL", "COMPLETION"],
    ]


def test_rows_of_a_temporal_memory_have_tags():
    written = """
    fabric = "actors"

    [[memory.mem0.row]]
    name = "order"
    row = 2
    port = "port4"
    target = "ext0"
    fence = { ordering = "acq_rel", sync_scope = "single_thread", pattern = "direct0" }
    inputs = { control = { tag = 5 } }
    outputs = { completion = { tag = 9 } }

    [[memory.mem0.row]]
    name = "count"
    port = "port2"
    base = 8
    target = "ext0"
    inputs.address = { tag = 1 }
    inputs.update = { tag = 2 }
    inputs.mask = { tag = 4 }
    inputs.control = { tag = 3 }
    outputs = { old = { tag = 33 }, completion = { tag = 34 } }
    [memory.mem0.row.rmw]
    kind = "xchg"
    ordering = "seq_cst"
    sync_scope = "system"
    granularity = "per_lane"
    form = "contiguous"
    element_bits = 8
    lanes = 4
    mask = "dynamic"
    index_bits = 32
    pattern = "direct1"
    alignment = 1
    """
    (table,) = parse_mapping(written, TAGGED).memories
    bits = encode_configuration(TEMPORAL, table)
    assert carried(TEMPORAL, bits) == [
        {
            "valid": 1,
            "port": 2,
            "use_pattern": 1,
            "base_addr": 8,
            "element_width": 8,
            "lane_count": 4,
            "index_width": 32,
            "source_tag_address": 1,
            "source_tag_update": 2,
            "source_tag_mask": 4,
            "source_tag_control": 3,
            "expose_old": 1,
            "expose_tag_old": 33,
            "expose_completion": 1,
            "expose_tag_completion": 34,
        },
        {},
        {
            "valid": 1,
            "port": 4,
            "actor_value1": 1,
            "source_tag_control": 5,
            "expose_completion": 1,
            "expose_tag_completion": 9,
        },
    ]
    assert decode_configuration(TEMPORAL, bits) == table


@pytest.mark.parametrize("name", EVERY_ROW)
def test_a_row_of_each_actor_may_reach_the_local_service(name):
    fabric = parse_fabric(toml(every_key_document()))
    configuration, *others = parse_mapping(row_text(EVERY_ROW[name]), fabric).memories
    assert set(others) <= {Disabled()}
    (row,) = configuration.operation_rows
    assert row.service_target == LocalMemoryServiceTarget()
    named = fabric.memories[0]
    assert decode_configuration(named, encode_configuration(named, configuration)) == configuration
    assert (row.access is None, row.base_addr) == {
        "order": (True, 0),
        "chase": (False, 0),
    }.get(name, (False, 64))


@pytest.mark.parametrize(
    ("actor", "name", "key", "kept", "place"),
    [
        ("rmw", "count", "kinds", ["add"], "rmw"),
        ("cmpxchg", "swap", "weak", [True], "cmpxchg"),
        ("fence", "order", "orderings", ["acquire"], "fence"),
    ],
)
def test_the_local_service_must_admit_the_contract_too(actor, name, key, kept, place):
    document = every_key_document()
    memory = document["memory"][0]
    (capability,) = (each[actor] for each in memory["local"]["capabilities"] if actor in each)
    clause = capability["contract"][0]
    admitted = clause[key]
    clause[key] = kept
    if actor == "fence":
        # The port has some fence that the service serves.
        memory["port"][0]["fence"][0]["contract"][0][key] = [*admitted, *kept]
    fabric = parse_fabric(toml(document))
    with pytest.raises(Invalid) as error:
        parse_mapping(row_text(EVERY_ROW[name]), fabric)
    assert str(error.value) == (
        f"memory.engine.row[0].{place}: Some capability of the local service that port any may use "
        "must admit the contract, not none [row-service-capability]"
    )


def test_a_row_that_the_service_does_not_admit_is_told_from_its_contract():
    document = every_key_document()
    for capability in document["memory"][0]["local"]["capabilities"]:
        if "rmw" in capability:
            capability["rmw"]["access"][0]["lanes"] = [1]
    fabric = parse_fabric(toml(document))
    with pytest.raises(Invalid) as error:
        parse_mapping(row_text(EVERY_ROW["count"]), fabric)
    assert "must admit the access, not none [row-service-capability]" in str(error.value)


def test_each_truth_value_that_the_port_leaves_open_is_asked_for():
    document = every_key_document()
    memory = document["memory"][0]
    for owner in (memory["port"][0]["cmpxchg"], *served(memory, "cmpxchg")):
        owner[0]["contract"][0]["volatile"] = [False, True]
    fabric = parse_fabric(toml(document))
    row = changed(EVERY_ROW["swap"], ("cmpxchg", "weak"))
    with pytest.raises(Invalid) as error:
        parse_mapping(row_text(row), fabric)
    assert str(error.value).splitlines() == [
        f"memory.engine.row[0].cmpxchg.{key}: The key must be present where port any admits both "
        "values, not absent [missing-key]"
        for key in ("weak", "volatile")
    ]
    row["cmpxchg"] |= {"weak": True, "volatile": True}
    (chosen,) = parse_mapping(row_text(row), fabric).memories[0].operation_rows
    assert (chosen.actor.contract.weak, chosen.actor.contract.volatile) == (True, True)


def served(memory, actor):
    """Capabilities of one actor, each as a list like those of a port."""
    return [[each[actor]] for each in memory["local"]["capabilities"] if actor in each]
