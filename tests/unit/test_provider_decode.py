"""Rules of decode rows: one good configuration, one change, one code."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.check.fabric import findings
from fabricgen.errors import Unsupported
from fabricgen.plan.provider_decode import decode_capacities, empty_decode
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import (
    Active,
    AddressSpaceMatch,
    ContextMatch,
    PrefixMatch,
    RangeMatch,
)
from fabricgen.records import fabric_codec
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import Fabric
from fabricgen.vocab.dispatch import MatchField
from tests.support.memories import LOCAL
from tests.support.subordinates import (
    CONTEXT,
    EXT0,
    NONE,
    OFFSET,
    PREFIX,
    RANGE,
    SPACE,
    decode_row,
    decode_rows,
    dispatch,
    dispatches,
    exposed_memories,
    exposed_memory,
    exposing,
    meets,
)

LOW, HIGH = RangeMatch(0x100, 0x80), RangeMatch(0x200, 0x40)
ROWS = (decode_row(LOW, offset=2**64 - 0x100), decode_row(HIGH, target=EXT0))
NAMED = exposed_memory(dispatch())


def found(named, *rows):
    return [
        (each.where, each.code) for each in configuration_findings(named, exposing(named, rows))
    ]


def test_the_good_configuration_is_legal():
    assert findings(Fabric("exposed", (NAMED,))) == ()
    assert found(NAMED, *ROWS) == []


def test_rows_of_an_operation_engine_are_not_needed():
    alone = exposed_memory(dispatch(), engine=False)
    assert findings(Fabric("alone", (alone,))) == ()
    configuration = exposing(alone, ROWS)
    assert configuration.operation_rows == ()
    assert configuration_findings(alone, configuration) == ()


def test_an_active_configuration_has_a_row_of_either_kind():
    nothing = Active((None,), empty_decode(NAMED.occurrence))
    assert [each.code for each in configuration_findings(NAMED, nothing)] == [
        "configuration-without-row"
    ]
    assert nothing.provider_decode == ((None, None),)


@pytest.mark.parametrize(
    ("decode", "where"),
    [
        ((), "provider_decode"),
        (((*ROWS,), ()), "provider_decode"),
        ((ROWS[:1],), "provider_decode[0]"),
        (((*ROWS, None),), "provider_decode[0]"),
    ],
)
def test_each_subordinate_has_a_row_for_each_binding(decode, where):
    found = configuration_findings(NAMED, Active((None,), decode))
    assert ("decode-row-count", where) in [(each.code, each.where) for each in found]


PLACE = "provider_decode[0]"


@pytest.mark.parametrize(
    ("rows", "where"),
    [((None, ROWS[0]), f"{PLACE}[1]"), (ROWS[::-1], f"{PLACE}[1].match")],
)
def test_rows_stand_in_one_order(rows, where):
    assert found(NAMED, *rows) == [(where, "decode-row-order")]


def one(fields, *match, transform=NONE):
    named = exposed_memory(dispatch(2 if fields else 1, fields, transform))
    return [code for _, code in found(named, decode_row(*match))]


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        (RangeMatch(0, 1), []),
        (RangeMatch(0, 0), ["decode-range"]),
        (RangeMatch(0, 2**64 - 1), []),
        (RangeMatch(1, 2**64 - 2), []),
        (RangeMatch(1, 2**64 - 1), ["decode-range"]),
        (RangeMatch(0, 2**64), ["decode-range"]),
        (RangeMatch(2**64 - 2, 1), []),
        (RangeMatch(2**64 - 1, 1), ["decode-range"]),
        (RangeMatch(-1, 1), ["decode-range"]),
        (PrefixMatch(0, 0), []),
        (PrefixMatch(1, 0), ["decode-prefix"]),
        (PrefixMatch(1 << 63, 0), ["decode-prefix"]),
        (PrefixMatch(1 << 63, 1), []),
        (PrefixMatch(1 << 62, 1), ["decode-prefix"]),
        (PrefixMatch(2**64 - 1, 64), []),
        (PrefixMatch(2**64 - 1, 63), ["decode-prefix"]),
        (PrefixMatch(2**64 - 2, 63), []),
        (PrefixMatch(0, 65), ["decode-prefix"]),
        (PrefixMatch(0, -1), ["decode-prefix"]),
        (PrefixMatch(2**64, 64), ["decode-prefix"]),
        (PrefixMatch(-1, 64), ["decode-prefix"]),
        (AddressSpaceMatch(2**32 - 1), []),
        (AddressSpaceMatch(2**32), ["decode-address-space"]),
        (AddressSpaceMatch(-1), ["decode-address-space"]),
        (ContextMatch(2**64 - 1), []),
        (ContextMatch(2**64), ["decode-context"]),
        (ContextMatch(-1), ["decode-context"]),
    ],
)
def test_a_value_has_the_width_that_the_schema_gives_its_field(value, codes):
    fields = {RangeMatch: RANGE, PrefixMatch: PREFIX, AddressSpaceMatch: SPACE}
    assert one((fields.get(type(value), CONTEXT),), value) == codes


@pytest.mark.parametrize(
    "match",
    [
        (),
        (AddressSpaceMatch(0),),
        (RangeMatch(0, 1),),
        (AddressSpaceMatch(0), RangeMatch(0, 1)),
        (RangeMatch(0, 1), AddressSpaceMatch(0), ContextMatch(0)),
        (RangeMatch(0, 1), RangeMatch(0, 1)),
    ],
)
def test_a_row_matches_exactly_the_declared_fields(match):
    assert one((RANGE, SPACE), *match) == ["decode-match-fields"]


def test_the_declared_fields_in_tag_order_are_accepted():
    assert one((RANGE, SPACE), RangeMatch(0, 1), AddressSpaceMatch(0)) == []
    assert one(()) == []
    assert one((), RangeMatch(0, 1)) == ["decode-match-fields"]


@pytest.mark.parametrize(
    ("base", "meet"), [(0x0FFE, False), (0x0FFF, True), (0x1FFF, True), (0x2000, False)]
)
def test_some_address_lies_in_range_and_prefix(base, meet):
    codes = [] if meet else ["decode-match-empty"]
    assert one((RANGE, PREFIX), RangeMatch(base, 2), PrefixMatch(0x1000, 52)) == codes


def test_the_target_lies_in_the_domain_of_the_endpoint():
    local = exposed_memory(dispatch(targets=(LOCAL,)))
    assert found(local, decode_row(LOW)) == []
    assert found(local, decode_row(LOW, target=EXT0)) == [
        (f"{PLACE}[0].service_target", "decode-target")
    ]
    assert found(NAMED, decode_row(LOW, target=ManagerEndpointTarget(1))) == [
        (f"{PLACE}[0].service_target", "decode-target")
    ]


@pytest.mark.parametrize(
    ("transform", "offset", "codes"),
    [
        (NONE, 0, []),
        (NONE, 1, ["decode-offset-unused"]),
        (OFFSET, 0, []),
        (OFFSET, 2**64 - 1, []),
        (OFFSET, 2**64, ["decode-offset-range"]),
        (OFFSET, -1, ["decode-offset-range"]),
    ],
)
def test_only_a_transform_adds_an_offset(transform, offset, codes):
    named = exposed_memory(dispatch(transform=transform))
    places = [(f"{PLACE}[0].base_offset", code) for code in codes]
    assert found(named, decode_row(LOW, offset=offset)) == places


TWO = [
    ((RANGE,), (RangeMatch(0, 16),), (RangeMatch(15, 16),), True),
    ((RANGE,), (RangeMatch(0, 16),), (RangeMatch(16, 16),), False),
    ((RANGE,), (RangeMatch(0, 16),), (RangeMatch(0, 16),), True),
    ((RANGE,), (RangeMatch(0, 64),), (RangeMatch(8, 8),), True),
    ((PREFIX,), (PrefixMatch(0, 0),), (PrefixMatch(0x1000, 52),), True),
    ((PREFIX,), (PrefixMatch(0, 52),), (PrefixMatch(0x1000, 52),), False),
    ((PREFIX,), (PrefixMatch(0, 64),), (PrefixMatch(1, 64),), False),
    ((SPACE,), (AddressSpaceMatch(1),), (AddressSpaceMatch(1),), True),
    ((SPACE,), (AddressSpaceMatch(1),), (AddressSpaceMatch(2),), False),
    ((CONTEXT,), (ContextMatch(1),), (ContextMatch(2**63),), False),
    (
        (RANGE, SPACE),
        (RangeMatch(0, 16), AddressSpaceMatch(1)),
        (RangeMatch(8, 16), AddressSpaceMatch(2)),
        False,
    ),
    (
        (RANGE, SPACE, CONTEXT),
        (RangeMatch(0, 16), AddressSpaceMatch(1), ContextMatch(7)),
        (RangeMatch(8, 16), AddressSpaceMatch(1), ContextMatch(7)),
        True,
    ),
    # The ranges meet in [0x1000, 0x1800) and the prefixes hold one another, but not there.
    (
        (RANGE, PREFIX),
        (RangeMatch(0x0, 0x1800), PrefixMatch(0x0, 52)),
        (RangeMatch(0x1000, 0x1000), PrefixMatch(0x0, 51)),
        False,
    ),
    (
        (RANGE, PREFIX),
        (RangeMatch(0x0, 0x1800), PrefixMatch(0x0, 51)),
        (RangeMatch(0x1000, 0x1000), PrefixMatch(0x1000, 52)),
        True,
    ),
]


@pytest.mark.parametrize(("fields", "left", "right", "both"), TWO)
def test_no_request_matches_two_rows(fields, left, right, both):
    named = exposed_memory(dispatch(2, fields))
    expected = [(f"{PLACE}[1].match", "decode-overlap")] if both else []
    assert found(named, decode_row(*left), decode_row(*right, target=EXT0)) == expected
    assert meets(left, right) is both


def test_endpoints_decode_apart():
    named = exposed_memory(dispatch(), dispatch())
    assert configuration_findings(named, exposing(named, ROWS, ROWS)) == ()


def test_all_rows_are_judged_at_once():
    rows = (decode_row(RangeMatch(0, 0)), decode_row(AddressSpaceMatch(0), offset=-1))
    assert found(NAMED, *rows) == [
        (f"{PLACE}[0].match.range", "decode-range"),
        (f"{PLACE}[1].match", "decode-match-fields"),
        (f"{PLACE}[1].base_offset", "decode-offset-range"),
    ]


@settings(max_examples=200)
@given(dispatches(1), st.data())
def test_two_drawn_rows_may_stand_together_exactly_if_no_request_matches_both(drawn, data):
    if MatchField.RANGE not in drawn.match_fields:
        drawn = replace(drawn, match_fields=(RANGE, *drawn.match_fields))
    drawn = replace(drawn, max_exposed_bindings=2)
    one, other = (data.draw(decode_rows(replace(drawn, max_exposed_bindings=1))) for _ in "ab")
    named = exposed_memory(drawn)
    rows = sorted([*one, *other], key=lambda row: [_numbers(value) for value in row.match])
    both = len(rows) == 2 and meets(rows[0].match, rows[1].match)
    codes = [code for _, code in found(named, *rows)] if rows else []
    assert codes == (["decode-overlap"] if both else [])


def _numbers(value):
    return tuple(getattr(value, name) for name in value.__slots__)


@settings(max_examples=50)
@given(exposed_memories())
def test_drawn_memories_are_legal_and_have_bytes(named):
    fabric = Fabric("drawn", (named,))
    assert findings(fabric) == ()
    assert fabric_codec.decode(fabric_codec.encode(fabric)) == fabric


@pytest.mark.parametrize(("bounds", "is_too_many"), [((255, 1), False), ((256, 1), True)])
def test_a_carrier_has_a_bounded_number_of_rows(bounds, is_too_many):
    occurrence = exposed_memory(*map(dispatch, bounds)).occurrence
    if not is_too_many:
        assert decode_capacities(occurrence) == bounds
        return
    with pytest.raises(Unsupported, match=r"at most 256 bindings, not 257 \[subordinate-binding"):
        decode_capacities(occurrence)


def test_a_hostile_bound_costs_nothing():
    with pytest.raises(Unsupported, match="at most 256 bindings"):
        empty_decode(exposed_memory(dispatch(2**64 - 1)).occurrence)
