"""Read-modify-writes by hand, kind by kind (reference: RMW semantics)."""

import struct

import pytest

from fabricgen.model.atomics import has_format, updated
from fabricgen.vocab.dataflow import AtomicRmwKind as K

#: Kind, old, operand and result of objects of 8 bits; 0x80 is -128.
BYTES = [
    (K.XCHG, 0x12, 0x34, 0x34),
    (K.ADD, 0xFF, 0x02, 0x01),
    (K.SUB, 0x01, 0x02, 0xFF),
    (K.AND, 0b1100, 0b1010, 0b1000),
    (K.NAND, 0b1100, 0b1010, 0b1111_0111),
    (K.OR, 0b1100, 0b1010, 0b1110),
    (K.XOR, 0b1100, 0b1010, 0b0110),
    (K.MAX, 0x80, 0x7F, 0x7F),
    (K.MAX, 0xFF, 0xFE, 0xFF),
    (K.MIN, 0x80, 0x7F, 0x80),
    (K.MIN, 0x01, 0xFF, 0xFF),
    (K.UMAX, 0x80, 0x7F, 0x80),
    (K.UMIN, 0x80, 0x7F, 0x7F),
    (K.UINC_WRAP, 3, 5, 4),
    (K.UINC_WRAP, 5, 5, 0),
    (K.UINC_WRAP, 9, 5, 0),
    (K.UDEC_WRAP, 3, 5, 2),
    (K.UDEC_WRAP, 0, 5, 5),
    (K.UDEC_WRAP, 9, 5, 5),
    (K.USUB_COND, 9, 5, 4),
    (K.USUB_COND, 4, 5, 4),
    (K.USUB_SAT, 9, 5, 4),
    (K.USUB_SAT, 4, 5, 0),
]

ONE, TWO, INF, NAN, LOUD = 0x3F80_0000, 0x4000_0000, 0x7F80_0000, 0x7FC0_0000, 0xFF80_0001
PLUS, MINUS = 0x0000_0000, 0x8000_0000
BIGGEST = 0x7F7F_FFFF
#: The same of floats of 32 bits. LOUD is a signalling NaN.
FLOATS = [
    (K.FADD, ONE, ONE, TWO),
    (K.FSUB, TWO, ONE, ONE),
    # Half of the last place of 1.0 is lost to the even neighbour, and a bit more is not.
    (K.FADD, ONE, 0x3380_0000, ONE),
    (K.FADD, ONE, 0x3380_0001, ONE + 1),
    (K.FADD, BIGGEST, BIGGEST, INF),
    (K.FSUB, INF, INF, NAN),
    (K.FADD, LOUD, ONE, NAN),
    (K.FADD, MINUS, PLUS, PLUS),
    (K.FMAX, NAN, ONE, ONE),
    (K.FMIN, ONE, LOUD, ONE),
    (K.FMAX, LOUD, NAN, NAN),
    (K.FMAX, MINUS, PLUS, PLUS),
    (K.FMIN, PLUS, MINUS, MINUS),
    (K.FMAXIMUM, NAN, ONE, NAN),
    (K.FMINIMUM, ONE, LOUD, NAN),
    (K.FMINIMUM, PLUS, MINUS, MINUS),
    (K.FMAXIMUM, ONE, TWO, TWO),
    (K.FMAXIMUM_NUM, ONE, NAN, ONE),
    (K.FMINIMUM_NUM, LOUD, TWO, TWO),
    (K.FMINIMUM_NUM, TWO, ONE, ONE),
]


@pytest.mark.parametrize(("kind", "old", "operand", "result"), BYTES)
def test_an_integer_kind(kind, old, operand, result):
    assert updated(kind, old, operand, 8) == result


@pytest.mark.parametrize(("kind", "old", "operand", "result"), FLOATS)
def test_a_float_kind(kind, old, operand, result):
    assert updated(kind, old, operand, 32) == result


def test_every_kind_is_told_by_hand():
    assert {kind for kind, *_ in BYTES + FLOATS} == set(K)


def test_floats_have_the_format_of_their_width():
    for bits, layout in ((16, "<e"), (64, "<d")):
        one, two = (int.from_bytes(struct.pack(layout, value), "little") for value in (1.0, 2.0))
        assert updated(K.FADD, one, one, bits) == two
    # 65504 is the largest number of 16 bits.
    assert updated(K.FADD, 0x7BFF, 0x7BFF, 16) == 0x7C00
    assert [bits for bits in (8, 16, 32, 64, 128) if has_format(K.FADD, bits)] == [16, 32, 64]
    assert has_format(K.ADD, 128)
    assert updated(K.MAX, 1 << 127, 1, 128) == 1
