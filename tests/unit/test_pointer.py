import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.atoms.pointer import PointerFormat, pointer_atom, read_pointer_atom
from fabricgen.errors import Invalid

WORDS = st.integers(0, 2**32 - 1)


@st.composite
def pointers(draw):
    representation = draw(st.integers(1, 2**32 - 1))
    return PointerFormat(draw(WORDS), representation, draw(st.integers(1, representation)))


def test_the_atom_is_four_words():
    assert pointer_atom(PointerFormat(3, 64, 48)) == b"\0\0\0\3\0\0\0\x40\0\0\0\x30\0\0\0\0"


@given(pointers())
def test_a_pointer_format_comes_back(pointer):
    assert read_pointer_atom(pointer_atom(pointer), "atom") == pointer


@given(pointers(), st.integers(0, 15), st.integers(1, 255))
def test_changed_bytes_are_refused_or_another_format(pointer, at, change):
    wire = bytearray(pointer_atom(pointer))
    wire[at] ^= change
    try:
        other = read_pointer_atom(bytes(wire), "atom")
    except Invalid:
        return
    assert other != pointer
    assert pointer_atom(other) == bytes(wire)


@pytest.mark.parametrize("wire", [b"", b"\0" * 15, b"\0\0\0\1" * 3 + b"\0\0\0\1", b"\0" * 17])
def test_other_bytes_are_no_atom(wire):
    with pytest.raises(Invalid, match=r"^atom: .* \[atom-unknown\]$"):
        read_pointer_atom(wire, "atom")


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ((0, 32, 33), "address_bits"),
        ((0, 32, 0), "address_bits"),
        ((2**32, 32, 32), "address_space"),
        ((-1, 32, 32), "address_space"),
        ((0, 2**32, 32), "representation_bits"),
    ],
)
def test_a_format_has_ranges(words, where):
    with pytest.raises(Invalid, match=rf"^{where}: .* \[pointer-format-range\]$"):
        PointerFormat(*words)
    PointerFormat(0, 32, 32)


def test_formats_are_ordered_by_their_fields():
    assert PointerFormat(0, 64, 48) < PointerFormat(1, 32, 31) < PointerFormat(1, 32, 32)
