from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import Invalid, Unsupported
from fabricgen.plan.rows import Active, Disabled
from fabricgen.records.fabric import MemoryImplementation
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    STORE,
    access_class,
    alternative,
    capability,
    memory,
    port,
    row,
    service,
    table,
    view,
)
from tests.support.records import copy_fabric, load_fabric

COPY = copy_fabric().memories[0]
SINGLE = load_fabric().memories[0]

LOAD_ROW = row(0, LOAD, view(ELEMENT, element=16), base=0x120)
MASKED = row(0, LOAD, view(CONTIGUOUS, lanes=4, mask=DYNAMIC), base=0xFF8)
STORE_ROW = row(1, STORE, view(ELEMENT, element=8), base=3)


@st.composite
def rows(draw, ordinal):
    """Unused, or any legal row of the copy memory."""
    schema = (LOAD, STORE)[ordinal]
    access = draw(
        st.sampled_from([view(ELEMENT, element=bits) for bits in (8, 16, 32)])
        | st.sampled_from([view(CONTIGUOUS, lanes=4, mask=mask) for mask in (ABSENT, DYNAMIC)])
    )
    return draw(st.none() | st.just(row(ordinal, schema, access, base=draw(st.integers(0, 4095)))))


CONFIGURATIONS = st.tuples(rows(0), rows(1)).map(lambda t: Active(t) if any(t) else Disabled())


def codes(error):
    return [diagnostic.code for diagnostic in error.value.diagnostics]


def refused(named, bits):
    with pytest.raises(Invalid) as error:
        decode_configuration(named, bits)
    return codes(error)


def field(named, ordinal, name):
    return carrier_layout(named).rows[ordinal][name]


def with_field(named, bits, ordinal, name, value):
    place = field(named, ordinal, name)
    return bits & ~place.mask | value << place.offset


@given(CONFIGURATIONS)
def test_decoding_gives_back_what_was_encoded(configuration):
    bits = encode_configuration(COPY, configuration)
    assert decode_configuration(COPY, bits) == configuration
    assert bits & ~storable_mask(COPY) == 0


def test_disabled_is_all_zero():
    assert encode_configuration(COPY, Disabled()) == 0
    assert decode_configuration(COPY, 0) == Disabled()


def test_a_carrier_has_the_bits_computed_by_hand():
    # active, valid, base 0x120 from bit 2, 16 bits from 66, 1 lane at 72, 32-bit index from 79,
    # data and completion exposed at 85 and 86.
    bits = 1 | 1 << 1 | 0x120 << 2 | 16 << 66 | 1 << 72 | 32 << 79 | 1 << 85 | 1 << 86
    assert encode_configuration(SINGLE, table(LOAD_ROW)) == bits


def test_the_index_of_class_and_mask_pair_is_counted_in_the_record():
    # Contiguous is class 1 and the dynamic mask pair 1 of the read row.
    bits = 3 | 0xFF8 << 2 | 1 << 66 | 32 << 67 | 4 << 73 | 1 << 76 | 32 << 83 | 3 << 89
    assert encode_configuration(COPY, table(MASKED, None)) == bits


@given(CONFIGURATIONS, st.sets(st.integers(0, 179), min_size=1, max_size=3))
def test_one_configuration_has_one_carrier(configuration, flips):
    """Whatever bits decode at all, decode to the configuration that encodes back to them."""
    bits = encode_configuration(COPY, configuration) ^ sum(1 << flip for flip in flips)
    try:
        other = decode_configuration(COPY, bits)
    except Invalid:
        return
    assert encode_configuration(COPY, other) == bits


def test_bits_without_active_are_refused():
    bits = encode_configuration(SINGLE, table(LOAD_ROW)) & ~1
    assert refused(SINGLE, bits) == ["carrier-inactive-bits"]


def test_active_without_a_row_is_refused():
    assert refused(SINGLE, 1) == ["configuration-without-row"]
    with pytest.raises(Invalid) as error:
        encode_configuration(SINGLE, Active((None,)))
    assert codes(error) == ["configuration-without-row"]


def test_every_bit_of_an_unused_row_is_refused():
    bits = encode_configuration(COPY, table(None, STORE_ROW))
    for place in carrier_layout(COPY).rows[0].values():
        if place.name != "valid":
            for bit in range(place.offset, place.offset + place.width):
                assert refused(COPY, bits | 1 << bit) == ["carrier-unused-row"]


@pytest.mark.parametrize("bit", [87, 88, 127, 5000])
def test_a_bit_beyond_the_carrier_is_refused(bit):
    bits = encode_configuration(SINGLE, table(LOAD_ROW))
    assert refused(SINGLE, bits | 1 << bit) == ["carrier-width"]


def test_a_negative_carrier_is_refused():
    assert refused(SINGLE, -1) == ["carrier-width"]


def test_an_index_out_of_range_is_refused():
    # Class 0 has one mask pair, and the field has room for index 1.
    bits = encode_configuration(COPY, table(LOAD_ROW, None))
    assert refused(COPY, with_field(COPY, bits, 0, "mask_pair", 1)) == ["carrier-index-range"]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("element_width", 24, ["element-width-not-accepted"]),
        ("element_width", 0, ["access-view-range"]),
        ("lane_count", 0, ["access-view-range", "access-view-lanes"]),
        ("index_width", 31, ["index-width-not-accepted"]),
        ("alignment", 1, ["plain-alignment"]),
        ("base_addr", 1024, ["row-base-outside"]),
        ("base_addr", 1 << 63, ["row-base-outside"]),
        ("expose_data", 0, ["row-destination-missing"]),
        ("expose_completion", 0, ["row-destination-missing"]),
    ],
)
def test_a_value_that_the_record_does_not_admit_is_refused(name, value, found):
    bits = encode_configuration(SINGLE, table(LOAD_ROW))
    assert refused(SINGLE, with_field(SINGLE, bits, 0, name, value)) == found


def test_all_rows_are_read_before_the_carrier_is_refused():
    bits = encode_configuration(COPY, table(LOAD_ROW, STORE_ROW))
    bits = with_field(COPY, bits, 0, "element_width", 0)
    bits = with_field(COPY, bits, 1, "mask_pair", 1)
    with pytest.raises(Invalid) as error:
        decode_configuration(COPY, bits)
    assert [(d.where, d.code) for d in error.value.diagnostics] == [
        ("carrier.rows[0].element_bits", "access-view-range"),
        ("carrier.rows[1].mask_pair", "carrier-index-range"),
    ]


def test_an_illegal_configuration_is_not_encoded():
    with pytest.raises(Invalid) as error:
        encode_configuration(SINGLE, table(replace(LOAD_ROW, base_addr=1024)))
    assert codes(error) == ["row-base-outside"]


def test_aligned_bases_give_up_other_bases_and_their_bits():
    aligned = replace(SINGLE, implementation=MemoryImplementation(aligned_bases=True))
    odd = replace(LOAD_ROW, base_addr=0x121)
    with pytest.raises(Unsupported) as error:
        encode_configuration(aligned, table(odd))
    assert codes(error) == ["row-base-unaligned"]
    with pytest.raises(Unsupported):
        decode_configuration(aligned, encode_configuration(SINGLE, table(odd)))
    # Bytes need no alignment, so every bit below the capacity stays.
    assert storable_mask(aligned) == storable_mask(SINGLE)


def test_the_storable_bits_are_those_that_some_legal_row_sets():
    union = 0
    for bits in (8, 16, 32):
        for base in range(1024):
            union |= encode_configuration(
                SINGLE, table(row(0, LOAD, view(ELEMENT, element=bits), base=base))
            )
    assert storable_mask(SINGLE) == union
    assert field(SINGLE, 0, "alignment").get(union) == 0
    assert field(SINGLE, 0, "base_addr").get(union) == 1023
    assert field(SINGLE, 0, "element_width").get(union) == 8 | 16 | 32


def shared_port_memory():
    """One port that loads over endpoint 3 or stores over endpoint 2; other endpoints are shared."""
    ends = {"addr": 32, "ctrl": 0, "wdata": 32, "rdata": 32, "done": 0}
    common = {"address": 0, "control": 1, "completion": 4}
    narrow, wide = (
        access_class(ELEMENT, LOAD, elements=(8,), lanes=(1,), index=(16,)),
        access_class(ELEMENT, LOAD, elements=(16,), lanes=(1,), index=(32,)),
    )
    stores = access_class(ELEMENT, STORE, elements=(32,), lanes=(1,))
    return memory(
        ends,
        3,
        (
            port(
                alternative(LOAD, {**common, "data": 3}, (narrow, wide)),
                alternative(STORE, {**common, "data": 2}, (stores,)),
            ),
        ),
        service(
            capability(LOAD, (narrow, wide), (0,)),
            capability(STORE, (stores,), (0,)),
            requesters=1,
        ),
    )


def test_alternatives_of_a_port_share_its_fields():
    named = shared_port_memory()
    schemas = [
        each.actor_contract_domain.actor_schema
        for each in named.occurrence.engine.ports[0].capability_alternatives
    ]
    for schema, element, index in ((LOAD, 8, 16), (LOAD, 16, 32), (STORE, 32, 32)):
        access = view(ELEMENT, element=element, index=index)
        rows = table(row(0, schema, access, alternative_ordinal=schemas.index(schema)))
        bits = encode_configuration(named, rows)
        assert decode_configuration(named, bits) == rows
        exposes_data = field(named, 0, "expose_data").get(bits)
        assert exposes_data == (1 if schema is LOAD else 0)


def test_a_result_that_the_selected_actor_has_not_cannot_be_exposed():
    named = shared_port_memory()
    alternatives = named.occurrence.engine.ports[0].capability_alternatives
    store = next(
        i for i, a in enumerate(alternatives) if a.actor_contract_domain.actor_schema is STORE
    )
    bits = encode_configuration(
        named, table(row(0, STORE, view(ELEMENT), alternative_ordinal=store))
    )
    with pytest.raises(Invalid) as error:
        decode_configuration(named, with_field(named, bits, 0, "expose_data", 1))
    assert [(d.where, d.code) for d in error.value.diagnostics] == [
        ("carrier.rows[0].expose_data", "carrier-unused-field")
    ]


def test_the_class_index_must_be_that_of_the_class_that_admits_the_access():
    named = shared_port_memory()
    alternatives = named.occurrence.engine.ports[0].capability_alternatives
    load = next(
        i for i, a in enumerate(alternatives) if a.actor_contract_domain.actor_schema is LOAD
    )
    access = view(ELEMENT, element=8, index=16)
    bits = encode_configuration(named, table(row(0, LOAD, access, alternative_ordinal=load)))
    place = field(named, 0, "access_class")
    assert refused(named, bits ^ place.mask) == ["carrier-not-canonical"]
