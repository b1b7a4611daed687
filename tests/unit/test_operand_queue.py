# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import ResetInserter, Signal
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.rtl.channel import ChannelShape
from fabricgen.rtl.operand_queue import OperandQueue
from tests.support import channel
from tests.support.channel import get, put, run

GAPS = st.lists(st.integers(0, 3), min_size=8, max_size=8)


def pass_through(width, depth, values, idles, stalls):
    """Send values through a queue with the given gaps; return what came out."""
    dut = OperandQueue(width, depth)
    names = dut.channel.payload_names
    received = []

    async def producer(ctx):
        for value, idle in zip(values, idles, strict=True):
            await put(ctx, dut.i, dict.fromkeys(names, value), idle=idle)

    async def consumer(ctx):
        for stall in stalls:
            received.append((await get(ctx, dut.o, names, stall=stall)).get("data"))

    run(dut, producer, consumer)
    return received


@settings(max_examples=40)
@given(st.integers(1, 6), st.lists(st.integers(0, 255), min_size=8, max_size=8), GAPS, GAPS)
def test_no_gap_pattern_loses_or_reorders_a_token(depth, values, idles, stalls):
    assert pass_through(8, depth, values, idles, stalls) == values


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_queue_without_payload_counts_tokens(depth):
    assert pass_through(0, depth, [0] * 8, [0] * 8, [0, 2] * 4) == [None] * 8


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_a_blocked_queue_takes_exactly_its_depth(depth):
    dut = OperandQueue(4, depth)

    async def bench(ctx):
        ctx.set(dut.i.valid, 1)
        accepted = 0
        for _ in range(depth + 3):
            accepted += ctx.get(dut.i.ready)
            await ctx.tick()
        assert accepted == depth

    run(dut, bench)


@pytest.mark.parametrize(("depth", "cycles"), [(1, 39), (2, 20), (3, 20), (4, 20)])
def test_throughput_is_one_token_a_cycle_from_two_slots_on(depth, cycles):
    dut = OperandQueue(8, depth)
    seen = []

    async def bench(ctx):
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.o.ready, 1)
        await ctx.tick()
        for _ in range(cycles):
            seen.append(ctx.get(dut.o.valid))
            await ctx.tick()
        assert sum(seen) == 20

    run(dut, bench)


def test_a_queue_of_two_shows_what_stands_behind_the_oldest_token():
    dut = OperandQueue(4, 2, shows_behind=True)

    async def bench(ctx):
        for value in (5, 9):
            assert ctx.get(dut.behind_valid) == 0
            await put(ctx, dut.i, {"data": value})
        assert (ctx.get(dut.o.data), ctx.get(dut.behind_valid)) == (5, 1)
        assert ctx.get(dut.behind_data) == 9
        await get(ctx, dut.o, ["data"])
        assert (ctx.get(dut.o.data), ctx.get(dut.behind_valid)) == (9, 0)

    run(dut, bench)


@pytest.mark.parametrize("depth", [1, 3])
def test_only_a_queue_of_two_shows_it(depth):
    with pytest.raises(ValueError, match=f"^OperandQueue depth must be 2 to .*, not {depth}$"):
        OperandQueue(4, depth, shows_behind=True)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_a_full_queue_reopens_one_cycle_after_a_token_left(depth):
    dut = OperandQueue(0, depth)

    async def bench(ctx):
        for _ in range(depth):
            await put(ctx, dut.i, {})
        ctx.set(dut.o.ready, 1)
        assert (ctx.get(dut.o.valid), ctx.get(dut.i.ready)) == (1, 0)
        await ctx.tick()
        assert ctx.get(dut.i.ready) == 1

    run(dut, bench)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_reset_empties_the_queue_in_mid_traffic(depth):
    reset = Signal()
    dut = OperandQueue(8, depth)

    async def bench(ctx):
        for value in range(depth):
            await put(ctx, dut.i, {"data": value})
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)
        assert ctx.get(dut.empty) == 1
        await put(ctx, dut.i, {"data": 77})
        assert (await get(ctx, dut.o, ["data"]))["data"] == 77
        assert ctx.get(dut.empty) == 1

    run(ResetInserter(reset)(dut), bench)


@pytest.mark.parametrize("bad", [0, -1, None, "2"])
def test_depth_must_be_positive(bad):
    with pytest.raises(
        TypeError, match=rf"^OperandQueue depth must be a positive integer, not {bad!r}$"
    ):
        OperandQueue(8, bad)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"data_width": -1}, r"^Channel data_width must be a non-negative integer, not -1$"),
        (
            {"data_width": 8, "tag_width": "4"},
            r"^Channel tag_width must be a non-negative integer, not '4'$",
        ),
    ],
)
def test_channel_widths_are_checked(kwargs, message):
    with pytest.raises(TypeError, match=message):
        ChannelShape(**kwargs)


def test_a_bench_that_waits_for_ever_fails(monkeypatch):
    monkeypatch.setattr(channel, "CYCLE_LIMIT", 50)

    async def waits(ctx):
        while True:
            await ctx.delay(1e-6)

    with pytest.raises(AssertionError, match=r"^the bench must end within 50 cycles$"):
        run(OperandQueue(8, 2), waits)
