import pytest
from amaranth.hdl import Const, Module, Signal

from fabricgen.rtl.logic import count_ones, pick
from tests.support.channel import run


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 9])
def test_every_choice_can_be_picked_by_its_ordinal(count):
    m = Module()
    index = Signal(range(max(2, count)))
    picked = Signal(8)
    m.d.comb += picked.eq(pick([Const(17 * at & 255, 8) for at in range(count)], index))
    found = []

    async def bench(ctx):
        for at in range(count):
            ctx.set(index, at)
            found.append(ctx.get(picked))

    run(m, bench, clocked=False)
    assert found == [17 * at & 255 for at in range(count)]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_ones_are_counted(count):
    m = Module()
    bits = Signal(count)
    ones = count_ones(list(bits))
    counted = Signal.like(ones)
    m.d.comb += counted.eq(ones)
    found = []

    async def bench(ctx):
        for value in range(1 << count):
            ctx.set(bits, value)
            found.append(ctx.get(counted))

    run(m, bench, clocked=False)
    assert found == [value.bit_count() for value in range(1 << count)]


def test_the_count_of_many_bits_is_a_tree():
    # A chain of 1023 adders is 1024 bits wide, and deeper than Python's own recursion.
    assert len(count_ones([Signal() for _ in range(1024)])) == 11
