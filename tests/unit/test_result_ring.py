# amaranth: UnusedElaboratable=no
import random

import pytest

from fabricgen.rtl.result_ring import ResultRing
from tests.support.channel import run


@pytest.mark.parametrize("slots", [1, 2, 3, 5])
def test_slots_retire_in_the_order_of_issue_whatever_completes_first(slots):
    dut, rng = ResultRing(slots), random.Random(slots)
    retired, issued, waiting = [], [], []

    async def bench(ctx):
        for _ in range(400):
            issue = ctx.get(dut.available) and rng.random() < 0.7
            idle = rng.random() < 0.2
            ctx.set(dut.issue, issue)
            ctx.set(dut.issue_complete, idle)
            complete = bool(waiting) and rng.random() < 0.6
            slot = waiting.pop(rng.randrange(len(waiting))) if complete else 0
            ctx.set(dut.complete, complete)
            ctx.set(dut.complete_slot, slot)
            retire = ctx.get(dut.candidate) and rng.random() < 0.7
            ctx.set(dut.retire, retire)
            if retire:
                retired.append(ctx.get(dut.head))
                assert retired[-1] not in waiting
            if issue:
                issued.append(ctx.get(dut.tail))
                if not idle:
                    waiting.append(issued[-1])
            assert len(issued) - len(retired) <= slots
            await ctx.tick()
            assert ctx.get(dut.empty) == (len(issued) == len(retired))
            assert ctx.get(dut.available) == (len(issued) - len(retired) < slots)
        assert len(retired) > 50
        assert retired == issued[: len(retired)]

    run(dut, bench)


@pytest.mark.parametrize("bad", [0, None])
def test_slots_must_be_positive(bad):
    with pytest.raises(
        TypeError, match=rf"^ResultRing slots must be a positive integer, not {bad!r}$"
    ):
        ResultRing(bad)
