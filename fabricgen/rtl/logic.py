"""Small combinational expressions that several components share."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

__all__ = [
    "any_bit",
    "at_least",
    "choose",
    "count_ones",
    "encode",
    "lowest",
    "named",
    "one_hot",
    "pick",
    "select",
]


def any_bit(bits: Iterable[Value]) -> Value:
    """Or of single bits; constant zero for none."""
    bits = list(bits)
    return Cat(*bits).any() if bits else Const(0, 1)


def at_least(value: Value, bound: int) -> Value:
    """``value >= bound`` for a constant bound of any sign and size, without a carry chain."""
    if bound <= 0:
        return Const(1, 1)
    if bound >> len(value):
        return Const(0, 1)
    # From the lowest one of the bound upwards: bits below it cannot change the answer.
    lowest = (bound & -bound).bit_length() - 1
    result = value[lowest]
    for bit in range(lowest + 1, len(value)):
        result = value[bit] & result if bound >> bit & 1 else value[bit] | result
    return result


def select(choices: Sequence[tuple[Value, Value]], width: int) -> Value:
    """Or of the values whose one-bit condition holds; conditions exclude one another."""
    terms = [condition.replicate(width) & value[:width] for condition, value in choices]
    return reduce(or_, terms) if terms else Const(0, width)


def one_hot(index: Value | None, count: int) -> list[Value]:
    """One condition per value of ``index``; an index into one item has no bits and is absent."""
    if index is None or len(index) == 0:
        return [Const(1, 1)]
    return [index == ordinal for ordinal in range(count)]


def lowest(value: Value) -> Value:
    """The lowest one of ``value``, alone; zero for none."""
    return (value & -value)[: len(value)]


def named(m: Module, value: Value, name: str) -> Signal:
    """A signal with this value: what is read in several places is written once."""
    signal = Signal(len(value), name=name)
    m.d.comb += signal.eq(value)
    return signal


def choose(one_hot_bits: Value, words: Sequence[Value]) -> Value:
    """The word whose bit is set; zero for none. As deep as a tree of multiplexers, and smaller."""

    def either(terms: Sequence[Value]) -> Value:
        half = len(terms) // 2
        return either(terms[:half]) | either(terms[half:]) if half else terms[0]

    return either(
        [bit.replicate(len(word)) & word for bit, word in zip(one_hot_bits, words, strict=True)]
    )


def count_ones(bits: Sequence[Value]) -> Value:
    """How many of the bits are set, as a tree: a chain would be as deep, and as wide, as they are
    many.
    """
    if len(bits) == 1:
        return bits[0]
    half = len(bits) // 2
    return count_ones(bits[:half]) + count_ones(bits[half:])


def encode(one_hot_bits: Value) -> Value:
    """Ordinal of the one bit that is set; zero for none."""
    count = len(one_hot_bits)
    return Cat(
        any_bit(one_hot_bits[at] for at in range(count) if at >> bit & 1)
        for bit in range((count - 1).bit_length())
    )


def pick(choices: Sequence[Value], index: Value) -> Value:
    """The choice with this ordinal, as a tree over the bits of ``index``; any one beyond them.

    An ``Array`` is written as a chain of comparisons, whose depth grows with the choices.
    """
    if len(choices) == 1:
        return choices[0]
    half = 1 << (len(choices) - 1).bit_length() - 1
    bit = half.bit_length() - 1
    return Mux(index[bit], pick(choices[half:], index), pick(choices[:half], index))
