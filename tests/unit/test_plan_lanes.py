import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.plan.lanes import (
    active_lanes,
    element_bytes,
    join_lanes,
    lane_addresses,
    split_lanes,
)
from tests.support.memories import ABSENT, CONTIGUOUS, DYNAMIC, ELEMENT, INDEXED, view
from tests.support.pointers import BYTE, NEAR, WIDE, pointer_view

GATHER = view(INDEXED, element=16, lanes=3, mask=DYNAMIC, index=8)
VECTOR = view(CONTIGUOUS, element=32, lanes=4)


def test_an_element_is_base_plus_scaled_index():
    assert lane_addresses(view(ELEMENT, element=32), 0x100, 5) == (0x114,)


def test_contiguous_lanes_follow_lane_0_without_gaps():
    assert lane_addresses(VECTOR, 2, 3) == (14, 18, 22, 26)


def test_indexed_lanes_have_an_index_each_lowest_lane_first():
    # Indices 0x01, 0xff, 0x80 of 8 bits; two bytes an element.
    assert lane_addresses(GATHER, 10, 0x80FF01) == (12, 10 + 510, 10 + 256)


def test_index_bits_above_the_token_are_not_looked_at():
    assert lane_addresses(view(ELEMENT, element=8, index=8), 0, 0x1FF) == (255,)


def test_addresses_do_not_wrap():
    widest = view(ELEMENT, element=64, index=64)
    assert lane_addresses(widest, 2**64 - 1, 2**64 - 1) == (2**64 - 1 + 8 * (2**64 - 1),)


def test_a_mask_bit_belongs_to_the_lane_of_its_position():
    assert active_lanes(GATHER, 0b101) == (True, False, True)
    assert active_lanes(GATHER, 0b1101) == (True, False, True)
    assert active_lanes(VECTOR, None) == (True,) * 4


@pytest.mark.parametrize(("mask", "token"), [(ABSENT, 1), (DYNAMIC, None)])
def test_a_mask_token_comes_exactly_with_a_dynamic_mask(mask, token):
    with pytest.raises(ValueError, match=r"^Mask token must be present exactly for a dynamic"):
        active_lanes(view(CONTIGUOUS, lanes=4, mask=mask), token)


def test_lane_0_is_lowest_and_bytes_are_little_endian():
    assert split_lanes(GATHER, 0x5544_3322_1100) == (b"\x00\x11", b"\x22\x33", b"\x44\x55")


def test_lanes_that_were_not_read_are_zero():
    assert join_lanes(GATHER, (b"\x01\x02", None, b"\x05\x06")) == 0x0605_0000_0201


def test_lanes_of_another_size_are_a_mistake():
    with pytest.raises(ValueError, match=r"^Lanes must be 3 of 2 bytes, not "):
        join_lanes(GATHER, (b"\x01", None, None))


def test_elements_that_are_not_whole_bytes_have_no_bytes():
    with pytest.raises(ValueError, match=r"^Memory elements must be whole bytes, not 12 bits$"):
        element_bytes(view(ELEMENT, element=12))


@given(st.integers(0, 2**128 - 1))
def test_joining_split_lanes_gives_the_payload_back(payload):
    assert join_lanes(VECTOR, split_lanes(VECTOR, payload)) == payload


def test_a_pointer_is_the_address_that_its_low_bits_say():
    # 48 of 64 bits: the upper 16 are no address, and neither base nor element size counts.
    assert lane_addresses(pointer_view(ELEMENT, WIDE), 0, 0xBEEF_8000_0000_0123) == (
        0x800000000123,
    )
    assert lane_addresses(pointer_view(ELEMENT, BYTE, element=64), 0, 0x1FF) == (0xFF,)


def test_lanes_that_follow_a_pointer_are_elements_and_do_not_wrap():
    near = pointer_view(CONTIGUOUS, NEAR, element=32, lanes=3)
    # Of 32 bits 16 count: the lanes go on behind the last byte that a pointer can name.
    assert lane_addresses(near, 0, 0x7777_FFFD) == (0xFFFD, 0x10001, 0x10005)


def test_indexed_lanes_have_a_pointer_each_lowest_lane_first():
    gather = pointer_view(INDEXED, NEAR, element=16, lanes=2)
    assert lane_addresses(gather, 0, 0x0001_0203_FFFF_0004) == (0x0004, 0x0203)
