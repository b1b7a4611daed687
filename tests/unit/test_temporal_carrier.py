"""Carriers of Temporal tables and of rows with managers and connections."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import Invalid
from fabricgen.plan.rows import Active, Disabled, ResultDestination, RoleSource
from fabricgen.records.connectivity import ManagerEndpointTarget
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    LOCAL,
    ROLE,
    STORE,
    view,
)
from tests.support.temporal import temporal_memory, temporal_row, temporal_table

NAMED = temporal_memory(
    managers={"ext0": 64}, connections=[("rd_data", "wr_data"), ("rd_done", "wr_ctrl")]
)
EXT0 = ManagerEndpointTarget(0)
READ = temporal_row(
    2,
    0,
    LOAD,
    view(CONTIGUOUS, lanes=4, mask=DYNAMIC),
    tags={"address": 1, "mask": 7, "control": 3, "data": 5, "completion": 6},
)


def at(row, role, source):
    """The row with another source or destination of one role."""
    entries = "sources" if isinstance(source, RoleSource) else "destinations"
    pairs = ((r, source if r is role else old) for r, old in getattr(row, entries))
    return replace(row, **{entries: tuple(pairs)})


#: Row 0 loads a word from the manager into row 1, which stores it locally.
COPY = temporal_table(
    at(
        at(
            temporal_row(0, 0, LOAD, view(ELEMENT), base=2**63, target=EXT0, tags={"address": 9}),
            ROLE.DATA,
            ResultDestination(False, (0,)),
        ),
        ROLE.COMPLETION,
        ResultDestination(True, (1,), 15),
    ),
    at(
        at(temporal_row(1, 1, STORE, view(ELEMENT), base=0x40), ROLE.DATA, RoleSource(0)),
        ROLE.CONTROL,
        RoleSource(1),
    ),
)


def refused(bits, named=NAMED):
    with pytest.raises(Invalid) as error:
        decode_configuration(named, bits)
    return [(d.where, d.code) for d in error.value.diagnostics]


def with_field(bits, ordinal, name, value, named=NAMED):
    place = carrier_layout(named).rows[ordinal][name]
    return bits & ~place.mask | value << place.offset


def test_the_vector_read_has_the_bits_computed_by_hand():
    # Row 2 starts at 1 + 2 * 120; offsets within a row are those of test_config_layout, less 1.
    start = 1 + 240
    fields = {
        0: 1,
        2: 0x100,
        66: 1,
        67: 32,
        73: 4,
        76: 1,
        83: 32,
        89: 1,
        98: 7,
        103: 3,
        108: 1,
        109: 5,
        114: 1,
        115: 6,
    }
    bits = 1 | sum(value << start + offset for offset, value in fields.items())
    assert encode_configuration(NAMED, temporal_table(None, None, READ)) == bits
    assert decode_configuration(NAMED, bits) == temporal_table(None, None, READ)


def test_rows_joined_by_connections_have_the_bits_computed_by_hand():
    load = {0: 1, 2: 2**63, 67: 32, 73: 1, 83: 32, 89: 9, 107: 1, 113: 1, 114: 1, 115: 15, 119: 1}
    # Port 1; both sources are connection code 1, so only the address has a tag.
    store = {0: 1, 1: 1, 2: 0x40, 67: 32, 73: 1, 83: 32, 89: 1, 93: 1, 102: 1, 114: 1, 115: 1}
    bits = 1 | sum(value << 1 + offset for offset, value in load.items())
    bits |= sum(value << 121 + offset for offset, value in store.items())
    assert encode_configuration(NAMED, COPY) == bits
    assert decode_configuration(NAMED, bits) == COPY


def test_a_row_means_the_pattern_of_its_own_context():
    named = temporal_memory(lanes=True)
    walked = temporal_row(
        3,
        0,
        LOAD,
        view(CONTIGUOUS, lanes=4),
        pattern=1,
        alternative_ordinal=1,
    )
    assert walked.use_pattern == 7
    bits = encode_configuration(named, temporal_table(None, None, None, walked))
    assert carrier_layout(named).rows[3]["use_pattern"].get(bits) == 1
    assert decode_configuration(named, bits) == temporal_table(None, None, None, walked)


@pytest.mark.parametrize(
    ("ordinal", "name", "value"),
    [
        # Fed by connections, so there is no tag to match.
        (1, "source_tag_data", 3),
        (1, "source_tag_control", 1),
        # Not exposed, so there is no tag to publish with.
        (0, "expose_tag_data", 1),
        # Roles that the other port has.
        (0, "source_tag_data", 1),
        (0, "source_data", 1),
        (1, "expose_data", 1),
        (1, "expose_tag_data", 1),
        (1, "forward_data_0", 1),
        (1, "forward_completion_1", 1),
        # The access has no mask.
        (0, "source_tag_mask", 1),
    ],
)
def test_a_field_that_the_row_does_not_use_is_zero(ordinal, name, value):
    bits = with_field(encode_configuration(NAMED, COPY), ordinal, name, value)
    assert (f"carrier.rows[{ordinal}].{name}", "carrier-unused-field") in refused(bits)


def test_a_port_index_out_of_range_is_refused():
    named = temporal_memory(contexts=2)
    ports = named.occurrence.engine.ports
    assert len(ports) == 2
    three = replace(named.occurrence.engine, ports=(*ports, ports[0]))
    connectivity = named.occurrence.connectivity
    dispatch = (*connectivity.operation_ports, connectivity.operation_ports[0])
    occurrence = replace(
        named.occurrence,
        engine=three,
        connectivity=replace(connectivity, operation_ports=dispatch),
    )
    wider = replace(named, occurrence=occurrence)
    row = temporal_row(0, 0, LOAD, view(ELEMENT), contexts=2)
    bits = encode_configuration(wider, temporal_table(row, contexts=2))
    assert refused(with_field(bits, 0, "port", 3, wider), wider) == [
        ("carrier.rows[0].port", "carrier-index-range")
    ]


def test_two_rows_of_one_tag_are_refused_in_the_carrier_too():
    table = temporal_table(
        temporal_row(0, 0, LOAD, view(ELEMENT)), temporal_row(1, 0, LOAD, view(ELEMENT))
    )
    bits = encode_configuration(NAMED, table)
    assert refused(with_field(bits, 1, "source_tag_address", 0)) == [
        ("operation_rows[1].sources.address", "row-ingress-conflict")
    ]


def test_all_bits_of_a_manager_base_are_stored():
    assert carrier_layout(NAMED).rows[3]["base_addr"].get(storable_mask(NAMED)) == 2**64 - 1
    local = temporal_memory()
    assert carrier_layout(local).rows[3]["base_addr"].get(storable_mask(local)) == 4095


def test_disabled_is_all_zero():
    assert encode_configuration(NAMED, Disabled()) == 0
    assert decode_configuration(NAMED, 0) == Disabled()


@st.composite
def tables(draw):
    """Any rows of the memory with tags that do not clash, joined where both ends are there."""
    count, rows = draw(st.integers(1, 4)), [None] * 4
    for ordinal in draw(st.permutations(range(4)))[:count]:
        port, far = draw(st.integers(0, 1)), draw(st.booleans())
        access = draw(
            st.sampled_from([view(ELEMENT, element=bits) for bits in (8, 16, 32)])
            | st.sampled_from([view(CONTIGUOUS, lanes=4, mask=mask) for mask in (ABSENT, DYNAMIC)])
        )
        rows[ordinal] = temporal_row(
            ordinal,
            port,
            (LOAD, STORE)[port],
            access,
            base=draw(st.integers(0, 2**64 - 1 if far else 4095)),
            target=EXT0 if far else LOCAL,
            tags={role.name.lower(): 4 * ordinal + draw(st.integers(0, 3)) for role in ROLE},
        )
    loads = [i for i, row in enumerate(rows) if row and row.port == 0]
    stores = [i for i, row in enumerate(rows) if row and row.port == 1]
    if loads and stores and draw(st.booleans()):
        source, sink = draw(st.sampled_from(loads)), draw(st.sampled_from(stores))
        tag = draw(st.none() | st.integers(0, 15))
        rows[source] = at(
            rows[source], ROLE.COMPLETION, ResultDestination(tag is not None, (1,), tag)
        )
        rows[sink] = at(rows[sink], ROLE.CONTROL, RoleSource(1))
    return Active(tuple(rows))


@given(tables())
def test_decoding_gives_back_what_was_encoded(configuration):
    bits = encode_configuration(NAMED, configuration)
    assert decode_configuration(NAMED, bits) == configuration
    assert bits & ~storable_mask(NAMED) == 0


@given(tables(), st.sets(st.integers(0, 480), min_size=1, max_size=3))
def test_one_configuration_has_one_carrier(configuration, flips):
    """Whatever bits decode at all, decode to the configuration that encodes back to them."""
    bits = encode_configuration(NAMED, configuration) ^ sum(1 << flip for flip in flips)
    try:
        other = decode_configuration(NAMED, bits)
    except Invalid:
        return
    assert encode_configuration(NAMED, other) == bits
