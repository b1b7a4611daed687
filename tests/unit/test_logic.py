import pytest
from amaranth.hdl import Const, Module, Signal

from fabricgen.rtl.logic import pick
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
