# amaranth: UnusedElaboratable=no
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.rtl.temporal.holding import Holding
from tests.support.channel import run


def pass_through(dut, ready, *, skips=lambda _: False, wants=lambda _: True):
    """Grant whenever permitted; returns what was selected and kept, and what came out when."""
    kept, out = [], []

    async def bench(ctx):
        coming = None
        for cycle, takes in enumerate(ready):
            ctx.set(dut.o.ready, takes)
            skip = coming is not None and skips(cycle)
            ctx.set(dut.skip, skip)
            if coming is not None:
                ctx.set(dut.firing, coming)
                kept.extend([] if skip else [coming])
            if ctx.get(dut.o.valid) and takes:
                out.append((cycle, ctx.get(dut.o.data)))
            selects = bool(ctx.get(dut.permit)) and wants(cycle)
            ctx.set(dut.select, selects)
            coming = cycle % 256 if selects else None
            await ctx.tick()
        ctx.set(dut.select, 0)
        ctx.set(dut.o.ready, 1)
        if coming is not None:
            ctx.set(dut.firing, coming)
            ctx.set(dut.skip, 0)
            kept.append(coming)
        for cycle in range(4):
            if ctx.get(dut.o.valid):
                out.append((len(ready) + cycle, ctx.get(dut.o.data)))
            await ctx.tick()
        assert ctx.get(dut.empty) == 1

    run(dut, bench)
    return kept, out


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), min_size=10, max_size=60), st.integers(0, 2**32))
def test_no_firing_is_lost_doubled_or_overtaken(ready, seed):
    rng = random.Random(seed)
    kept, out = pass_through(
        Holding(8), ready, skips=lambda _: rng.random() < 0.3, wants=lambda _: rng.random() < 0.8
    )
    assert [firing for _, firing in out] == kept


def test_one_firing_a_cycle_while_the_target_takes_one_a_cycle():
    _, out = pass_through(Holding(8), [True] * 30)
    # Granted in cycle 0, there in 1, offered in 2.
    assert [cycle for cycle, _ in out[:28]] == list(range(2, 30))


def test_a_target_that_takes_every_other_firing_is_kept_busy():
    _, out = pass_through(Holding(8), [False, True] * 15)
    assert len([cycle for cycle, _ in out if cycle < 30]) == 14


def test_a_target_that_takes_nothing_gets_two_firings():
    kept, _ = pass_through(Holding(8), [False] * 10)
    assert kept == [0, 1]


def test_an_empty_mask_gives_its_place_back():
    kept, out = pass_through(Holding(8), [False] * 10, skips=lambda cycle: cycle < 5)
    assert kept == [4, 5]
    assert [firing for _, firing in out] == kept


@pytest.mark.parametrize("bad", [0, -1, "8"])
def test_width_must_be_positive(bad):
    with pytest.raises(
        TypeError, match=rf"^Holding width must be a positive integer, not {bad!r}$"
    ):
        Holding(bad)
