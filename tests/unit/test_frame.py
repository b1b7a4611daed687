import enum

import pytest

from fabricgen.errors import Invalid
from fabricgen.wire.frame import Reader, frame, require_canonical, u32be, u64be


class Colour(enum.Enum):
    RED = 0
    BLUE = 7


def test_integers_are_big_endian():
    assert u32be(0x01020304) == bytes([1, 2, 3, 4])
    assert u64be(0x0102030405060708) == bytes([1, 2, 3, 4, 5, 6, 7, 8])


def test_a_frame_is_a_length_and_its_bytes():
    assert frame(b"abc") == bytes([0, 0, 0, 0, 0, 0, 0, 3]) + b"abc"
    reader = Reader(frame(b"abc") + frame(b""))
    assert (reader.frame(), reader.frame(), reader.left) == (b"abc", b"", 0)


def test_a_nested_reader_reports_its_own_place():
    inner = Reader(frame(b"\0" * 3)).nested("ports[1].bytes")
    with pytest.raises(Invalid, match=r"^ports\[1\]\.bytes: 4 bytes are required at offset 0, and"):
        inner.u32()


def test_a_frame_longer_than_what_is_left_is_refused():
    with pytest.raises(Invalid, match=r"\[wire-truncated\]$"):
        Reader(u64be(2**64 - 1)).frame()


@pytest.mark.parametrize("read", [lambda r: r.count(4), lambda r: r.count32(4)])
def test_a_hostile_count_is_refused_before_anything_is_read(read):
    with pytest.raises(Invalid, match=r"items of 4 or more bytes are announced .*wire-truncated"):
        read(Reader(b"\xff" * 12))


def test_a_count_is_held_against_the_size_of_its_items():
    for read in (Reader(u64be(3) + bytes(8)).count, Reader(u32be(3) + bytes(8)).count32):
        with pytest.raises(Invalid, match=r"3 items of 4 .*, and 8 bytes are left"):
            read(4)


def test_a_count_that_just_fits_is_read():
    assert Reader(u64be(2) + bytes(8)).count(4) == 2
    assert Reader(u32be(2) + bytes(8)).count32(4) == 2


def test_tags_are_closed():
    assert Reader(u32be(7)).tag(Colour) is Colour.BLUE
    with pytest.raises(Invalid) as caught:
        Reader(u32be(1)).tag(Colour)
    assert str(caught.value) == "bytes: A tag of Colour is required, not 1 [wire-unknown-tag]"


def test_what_may_be_absent_has_a_tag():
    assert not Reader(u32be(0)).is_present("engine")
    assert Reader(u32be(1)).is_present("engine")
    with pytest.raises(Invalid, match=r"^bytes: A tag of engine is required, not 2 \[wire-unkn"):
        Reader(u32be(2)).is_present("engine")


def test_trailing_bytes_are_refused():
    reader = Reader(bytes(5))
    reader.u32()
    with pytest.raises(Invalid, match=r"^bytes: The record must end at offset 4, not 5 "):
        reader.end()


@pytest.mark.parametrize(("again", "offset"), [(b"abd", 2), (b"ab", 2), (b"abcd", 3)])
def test_bytes_that_differ_from_their_encoding_are_refused(again, offset):
    require_canonical(b"abc", b"abc")
    with pytest.raises(Invalid, match=rf"differ from it at offset {offset} \[wire-not-canonical"):
        require_canonical(b"abc", again)
