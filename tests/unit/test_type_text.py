"""Texts of types: what is printed is read, and what is wrong is said with its position."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.errors import Invalid
from fabricgen.schema.type_text import TYPE_PATTERN, parse_type
from fabricgen.schema.types import (
    FloatType,
    IndexType,
    IntegerType,
    NoneType,
    PointerType,
    VectorType,
)
from fabricgen.vocab.hardware import FloatFormat, ResolvedIndexWidth

WRITTEN = {
    "i1": IntegerType(1),
    "i32": IntegerType(32),
    "i4294967295": IntegerType(2**32 - 1),
    "f16": FloatType(FloatFormat.F16),
    "bf16": FloatType(FloatFormat.BF16),
    "f32": FloatType(FloatFormat.F32),
    "f64": FloatType(FloatFormat.F64),
    "index32": IndexType(ResolvedIndexWidth.I32),
    "index64": IndexType(ResolvedIndexWidth.I64),
    "none": NoneType(),
    "vector<4xi32>": VectorType((4,), IntegerType(32)),
    "vector<2x3xbf16>": VectorType((2, 3), FloatType(FloatFormat.BF16)),
    "ptr64": PointerType(PointerFormat(0, 64, 64)),
    "ptr64<1,48>": PointerType(PointerFormat(1, 64, 48)),
    "ptr64<0,48>": PointerType(PointerFormat(0, 64, 48)),
}


@pytest.mark.parametrize(("text", "kind"), WRITTEN.items())
def test_a_type_is_read_as_it_is_printed(text, kind):
    assert parse_type(text, "at") == kind
    assert str(kind) == text
    assert re.search(TYPE_PATTERN, text)


@pytest.mark.parametrize(
    ("text", "expected", "character", "found"),
    [
        ("", "a type", 1, "its end"),
        (" i32", "a type", 1, '" i32"'),
        ("i32 ", "its end", 4, '" "'),
        ("I32", "a type", 1, '"I32"'),
        ("int", "a type", 1, '"int"'),
        ("i", "a type", 1, '"i"'),
        ("i08", "a width of 1 to 10 digits without leading zeros", 2, '"08"'),
        ("i12345678901", "a width of 1 to 10 digits without leading zeros", 2, '"12345678901"'),
        ("f8", "a type", 1, '"f8"'),
        ("f320", "a type", 1, '"f320"'),
        ("index", "a type", 1, '"index"'),
        ("none1", "a type", 1, '"none1"'),
        ("vector", "a type", 1, '"vector"'),
        ("vector<4i32>", '"x"', 9, '"i32>"'),
        ("vector<xi32>", "an extent of 1 to 10 digits without leading zeros", 8, '"xi32>"'),
        ("vector<0xi32>", "an extent of 1 to 10 digits without leading zeros", 8, '"0xi32>"'),
        ("vector<4x", "an integer or float", 10, "its end"),
        ("vector<4xindex32>", "an integer or float", 10, '"index32>"'),
        ("vector<4xvector<2xi8>>", "an integer or float", 10, '"vector<2xi8>>"'),
        ("vector<4xi32", '">"', 13, "its end"),
        ("vector<4xi32>>", "its end", 14, '">"'),
        ("vector<4 x i32>", '"x"', 9, '" x i32>"'),
        ("vector<?xi32>", "an extent of 1 to 10 digits without leading zeros", 8, '"?xi32>"'),
        ("ptr", "a width of 1 to 10 digits without leading zeros", 4, "its end"),
        ("ptr64<", "an address space of 1 to 10 digits without leading zeros", 7, "its end"),
        ("ptr64<1>", '","', 8, '">"'),
        ("ptr64<1,48", '">"', 11, "its end"),
        ("i32\n", "its end", 4, r'"\n"'),
        ("\u0456\u0663", "a type", 1, r'"\u0456\u0663"'),
    ],
)
def test_a_text_that_is_no_type_is_refused_where_it_goes_wrong(text, expected, character, found):
    with pytest.raises(Invalid) as caught:
        parse_type(text, "op.alu.operands[0]")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.where) == ("value-type-text", "op.alu.operands[0]")
    assert diagnostic.message == (
        f"The type must have {expected} at character {character}, not {found}"
    )
    assert not re.search(TYPE_PATTERN, text) or text.endswith("\n")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("i4294967296", "value-type-range"),
        ("vector<65536x65536xi1>", "value-type-range"),
        ("ptr64<1,65>", "pointer-format-range"),
    ],
)
def test_numbers_out_of_range_are_refused_in_their_place(text, code):
    with pytest.raises(Invalid) as caught:
        parse_type(text, "op.alu.results[1]")
    assert {(d.code, d.where) for d in caught.value.diagnostics} == {(code, "op.alu.results[1]")}


@given(st.text("iv0123x<>,bf6nopretcd ", max_size=16))
def test_what_is_read_prints_itself(text):
    try:
        kind = parse_type(text, "at")
    except Invalid:
        return
    again = str(kind)
    assert parse_type(again, "at") == kind
    # Only a pointer may say more than it has to.
    assert again == text or text.startswith("ptr")
