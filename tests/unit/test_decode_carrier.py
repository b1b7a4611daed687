"""Decode rows in the carrier: places and bits by hand, strict decoding, listing."""

from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fabricgen.abi.listing import list_carrier
from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import Invalid, Unsupported
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.rows import (
    Active,
    AddressSpaceMatch,
    ContextMatch,
    Disabled,
    PrefixMatch,
    RangeMatch,
)
from fabricgen.records.fabric import Fabric
from tests.support.memories import ELEMENT, LOAD, LOCAL, replaced, row, view
from tests.support.subordinates import (
    CONTEXT,
    EXT0,
    NONE,
    OFFSET,
    PREFIX,
    RANGE,
    SPACE,
    decode_row,
    dispatch,
    exposed_memories,
    exposed_memory,
    exposing,
    exposures,
)

ALL = (RANGE, PREFIX, SPACE, CONTEXT)
STORAGE = exposed_memory(
    dispatch(2, ALL), dispatch(1, (), NONE, (LOCAL,)), engine=False, managers=1
)
MATCH = (
    RangeMatch(0x1010, 0x20),
    PrefixMatch(0x1000, 52),
    AddressSpaceMatch(3),
    ContextMatch(0xABC),
)


def spans(fields):
    return [(field.name, field.offset, field.width) for field in fields.values()]


def test_storage_alone_has_decode_rows_alone():
    # 1 + (64 + 64) + (64 + 7) + 32 + 64 + 1 (two targets) + 64 = 361 bits for each binding of the
    # first endpoint; the second has no match field, no transform, and the same two targets.
    layout = carrier_layout(STORAGE)
    first = [
        ("valid", 1, 1),
        ("range_base", 2, 64),
        ("range_size", 66, 64),
        ("prefix_value", 130, 64),
        ("prefix_length", 194, 7),
        ("address_space", 201, 32),
        ("context", 233, 64),
        ("service_target", 297, 1),
        ("base_offset", 298, 64),
    ]
    assert layout.rows == ()
    (one, two), (alone,) = layout.decode
    assert spans(one) == first
    assert spans(two) == [(name, at + 361, width) for name, at, width in first]
    assert spans(alone) == [("valid", 723, 1), ("service_target", 724, 1)]
    assert layout.width == 725


def test_decode_rows_stand_behind_the_operation_rows():
    # The load row has 87 bits of carrier with active, and 1 more for its choice of two targets.
    plain = carrier_layout(exposed_memory())
    layout = carrier_layout(exposed_memory(dispatch(1, (RANGE,), NONE)))
    assert layout.rows == plain.rows
    assert plain.width == 88
    assert spans(layout.decode[0][0]) == [
        ("valid", 88, 1),
        ("range_base", 89, 64),
        ("range_size", 153, 64),
        ("service_target", 217, 1),
    ]
    assert layout.width == 218


def test_one_target_needs_no_index():
    layout = carrier_layout(exposed_memory(dispatch(1, (), NONE, (LOCAL,)), managers=0))
    assert [field.name for field in layout.decode[0][0].values()] == ["valid"]


def test_the_bits_of_a_row_by_hand():
    configuration = exposing(STORAGE, (decode_row(*MATCH, target=EXT0, offset=2**64 - 0x10),), ())
    bits = (
        1
        | 1 << 1
        | 0x1010 << 2
        | 0x20 << 66
        | 0x1000 << 130
        | 52 << 194
        | 3 << 201
        | 0xABC << 233
        | 1 << 297
        | 2**64 - 0x10 << 298
    )
    assert encode_configuration(STORAGE, configuration) == bits
    assert decode_configuration(STORAGE, bits) == configuration


def test_disabled_is_all_zero():
    assert encode_configuration(STORAGE, Disabled()) == 0
    assert decode_configuration(STORAGE, 0) == Disabled()


def refused(named, bits):
    with pytest.raises(Invalid) as caught:
        decode_configuration(named, bits)
    return [(each.where, each.code) for each in caught.value.diagnostics]


ONE = exposing(STORAGE, (decode_row(*MATCH),), ())
BITS = encode_configuration(STORAGE, ONE)


def test_active_without_any_row_is_refused():
    assert refused(STORAGE, 1) == [("operation_rows", "configuration-without-row")]


def test_every_bit_of_an_unused_decode_row_is_refused():
    for field in carrier_layout(STORAGE).decode[0][1].values():
        if field.name != "valid":
            place = f"carrier.provider_decode[0][1].{field.name}"
            for bit in range(field.offset, field.offset + field.width):
                assert refused(STORAGE, BITS | 1 << bit) == [(place, "carrier-unused-row")]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("range_size", 0, ("match.range", "decode-range")),
        ("range_size", 2**64 - 1, ("match.range", "decode-range")),
        ("prefix_length", 65, ("match.prefix", "decode-prefix")),
        ("prefix_value", 0x1001, ("match.prefix", "decode-prefix")),
        ("prefix_value", 0x2000, ("match", "decode-match-empty")),
    ],
)
def test_a_value_that_no_row_has_is_refused(name, value, expected):
    field = carrier_layout(STORAGE).decode[0][0][name]
    where, code = expected
    bits = BITS & ~field.mask | value << field.offset
    assert refused(STORAGE, bits) == [(f"provider_decode[0][0].{where}", code)]


def test_a_target_past_the_inventory_and_one_outside_the_domain_are_refused():
    # Three targets take two bits: code 3 names none, and code 2 is manager 1.
    named = exposed_memory(dispatch(1, (), NONE, (LOCAL, EXT0)), managers=2, engine=False)
    field = carrier_layout(named).decode[0][0]["service_target"]
    bits = encode_configuration(named, exposing(named, (decode_row(),)))
    assert field.width == 2
    assert refused(named, bits | 3 << field.offset) == [
        ("carrier.provider_decode[0][0].service_target", "carrier-index-range")
    ]
    assert refused(named, bits | 2 << field.offset) == [
        ("provider_decode[0][0].service_target", "decode-target")
    ]


def test_all_rows_are_read_before_the_carrier_is_refused():
    named = exposed_memory(dispatch(2, (SPACE,), NONE, (LOCAL, EXT0)), managers=2)
    rows = (decode_row(AddressSpaceMatch(1)), decode_row(AddressSpaceMatch(2)))
    table = (row(0, LOAD, view(ELEMENT)),)
    bits = encode_configuration(named, exposing(named, rows, rows=table))
    layout = carrier_layout(named)
    places = [layout.rows[0], *layout.decode[0]]
    for fields in places:
        bits |= fields["service_target"].mask
    assert refused(named, bits) == [
        ("carrier.rows[0].service_target", "carrier-index-range"),
        ("carrier.provider_decode[0][0].service_target", "carrier-index-range"),
        ("carrier.provider_decode[0][1].service_target", "carrier-index-range"),
    ]


def test_a_bound_that_no_carrier_holds_is_unsupported():
    named = exposed_memory(dispatch(2**64 - 1))
    with pytest.raises(Unsupported, match=r"\[subordinate-binding-limit\]$"):
        carrier_layout(named)
    with pytest.raises(Unsupported, match=r"\[subordinate-binding-limit\]$"):
        decode_configuration(named, 0)


def test_the_storable_bits_are_all_but_those_of_other_targets():
    named = exposed_memory(dispatch(2, ALL), dispatch(1, (), NONE, (LOCAL,)), managers=2)
    layout, stored = carrier_layout(named), storable_mask(named)
    for fields in layout.decode[0]:
        for field in fields.values():
            full = (1 << field.width) - 1
            # Local is 0 and manager 0 is 1, so bit 1 of the index is never set.
            assert field.get(stored) == (1 if field.name == "service_target" else full)
    (alone,) = layout.decode[1]
    assert alone["valid"].get(stored) == 1
    assert alone["service_target"].get(stored) == 0


@pytest.mark.parametrize("field", [RANGE, PREFIX])
def test_each_storable_bit_of_a_row_is_set_by_some_configuration(field):
    named = exposed_memory(dispatch(2, (field,), OFFSET), engine=False)
    powers = [1 << bit for bit in range(64)]
    if field is RANGE:
        first = RangeMatch(0, 1)
        others = [RangeMatch(power, 1) for power in powers]
        others += [RangeMatch(1, power) for power in powers]
    else:
        first = PrefixMatch(0, 64)
        others = [PrefixMatch(power, 64) for power in powers]
        others += [PrefixMatch(1 << 63, length) for length in (1, 2, 4, 8, 16, 32)]
    rows = [decode_row(match, target=EXT0, offset=2**64 - 1) for match in others]
    tables = [(each,) for each in rows] + [(decode_row(first), each) for each in rows]
    union = 0
    for table in tables:
        union |= encode_configuration(named, exposing(named, table))
    assert union == storable_mask(named)


def test_memories_without_subordinates_have_the_carrier_they_had():
    plain, none = exposed_memory(), replaced(exposed_memory(), subordinate_endpoints=())
    assert carrier_layout(plain) == carrier_layout(none)
    assert carrier_layout(plain).decode == ()
    table = Active((row(0, LOAD, view(ELEMENT)),))
    assert decode_configuration(plain, encode_configuration(plain, table)) == table


def test_what_reaches_a_manager_is_refused_by_name():
    assert [(each.where, each.code) for each in unsupported(Fabric("f", (STORAGE,)))] == [
        ("memory[0].subordinate_endpoints[0].targets", "subordinate-manager-dispatch")
    ]


def test_a_carrier_is_listed_field_by_field():
    configuration = exposing(
        STORAGE, (decode_row(*MATCH, offset=2**64 - 0x1000),), (decode_row(target=LOCAL),)
    )
    listed = list_carrier(STORAGE, encode_configuration(STORAGE, configuration))
    words = [(each.name, each.value, each.meaning) for each in listed]
    row_place = "mem0.from0.binding0."
    assert words[:10] == [
        ("mem0.active", 1, "Active"),
        (row_place + "valid", 1, "Active row"),
        (row_place + "range_base", 0x1010, "from address 0x1010"),
        (row_place + "range_size", 0x20, "32 bytes"),
        (row_place + "prefix_value", 0x1000, "address 0x1000"),
        (row_place + "prefix_length", 52, "in its top 52 bits"),
        (row_place + "address_space", 3, "address space 3"),
        (row_place + "context", 0xABC, "context 0xabc"),
        (row_place + "service_target", 0, "local service"),
        (row_place + "base_offset", 2**64 - 0x1000, "address plus 0xfffffffffffff000"),
    ]
    assert {meaning for _, _, meaning in words[10:19]} == {"Unused row"}
    assert words[19:] == [
        ("mem0.from1.binding0.valid", 1, "Active row"),
        ("mem0.from1.binding0.service_target", 0, "local service"),
    ]
    assert {each.meaning for each in list_carrier(STORAGE, 0)} == {"Disabled", "Unused row"}


def test_a_manager_is_listed_by_its_name():
    named = exposed_memory(dispatch(1, (RANGE,), NONE), engine=False)
    bits = encode_configuration(
        named, exposing(named, (decode_row(RangeMatch(0, 1), target=EXT0),))
    )
    words = {each.name: each.meaning for each in list_carrier(named, bits)}
    assert words["mem0.from0.binding0.service_target"] == "manager ext0"
    assert words["mem0.from0.binding0.range_size"] == "1 byte"


def test_an_operation_row_stands_beside_decode_rows():
    named = exposed_memory(dispatch())
    both = exposing(
        named, (decode_row(RangeMatch(0, 8)),), rows=(row(0, LOAD, view(ELEMENT), base=8),)
    )
    assert decode_configuration(named, encode_configuration(named, both)) == both
    alone = replace(both, provider_decode=((None, None),))
    assert decode_configuration(named, encode_configuration(named, alone)) == alone


def check_round_trip_and_flips(named, data):
    configuration = data.draw(exposures(named)) or Disabled()
    bits = encode_configuration(named, configuration)
    assert decode_configuration(named, bits) == configuration
    assert bits & ~storable_mask(named) == 0
    width = carrier_layout(named).width
    flips = data.draw(st.sets(st.integers(0, width - 1), min_size=1, max_size=3))
    changed = bits ^ sum(1 << at for at in flips)
    try:
        other = decode_configuration(named, changed)
    except Invalid:
        return
    assert encode_configuration(named, other) == changed
    assert changed & ~storable_mask(named) == 0


PHASES = [Phase.explicit, Phase.reuse, Phase.generate]


@settings(max_examples=60, phases=PHASES)
@given(exposed_memories(), st.data())
def test_drawn_decode_rows_have_one_carrier(named, data):
    check_round_trip_and_flips(named, data)


@pytest.mark.slow
@settings(max_examples=2000, phases=PHASES)
@given(exposed_memories(), st.data())
def test_many_drawn_decode_rows_have_one_carrier(named, data):
    check_round_trip_and_flips(named, data)
