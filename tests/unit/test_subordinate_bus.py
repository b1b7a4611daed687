"""Emitted tops whose subordinates are AXI4, before a configuration host and a bare bus."""

import pytest

from fabricgen.plan.rows import RangeMatch
from fabricgen.records.fabric import Fabric, MemoryImplementation
from fabricgen.rtl.axi4 import subordinate as adapter
from fabricgen.rtl.axi4.subordinate_reads import SubordinateReads
from tests.support.subordinates import decode_row, exposed_storage, exposing
from tests.support.top_harness import TopRun

OKAY, SLVERR, DECERR = 0, 2, 3
WINDOW = (decode_row(RangeMatch(0x1000, 0x80)),)
MOVED = (decode_row(RangeMatch(0x2000, 0x80), offset=2**64 - 0x1000),)
BUSSED = MemoryImplementation(subordinate_protocol="axi4")
STORAGE = exposed_storage(implementation=BUSSED, capacity=0x1100)
#: Two transfers of a whole beat each.
PAIR = {"addr": 0x1000, "len": 1, "size": 3, "burst": 1}


class Top(TopRun):
    """The top with its bus, nothing of which is offered or taken."""

    def __init__(self, named=STORAGE):
        super().__init__(Fabric("bank", (named,)))
        self.bus = self.dut.subordinate_0

    def put(self, ctx, channel, **fields):
        """Offer a request, or data, from now on."""
        for name, value in fields.items():
            ctx.set(getattr(self.bus, f"{channel}{name}"), value)
        ctx.set(getattr(self.bus, f"{channel}valid"), 1)

    async def send(self, ctx, channel, **fields):
        """Offer until it is taken."""
        self.put(ctx, channel, **fields)
        await self.until(ctx, getattr(self.bus, f"{channel}ready"))
        await ctx.tick()
        ctx.set(getattr(self.bus, f"{channel}valid"), 0)

    async def until(self, ctx, signal):
        """Wait for a signal of the bus."""
        for _ in range(50):
            if ctx.get(signal):
                return
            await ctx.tick()
        raise AssertionError(f"{signal.name} must come, and does not")

    async def take(self, ctx, channel, count=1):
        """Responses of the next transfers."""
        responses = []
        ctx.set(getattr(self.bus, f"{channel}ready"), 1)
        for _ in range(count):
            await self.until(ctx, getattr(self.bus, f"{channel}valid"))
            responses.append(ctx.get(getattr(self.bus, f"{channel}resp")))
            await ctx.tick()
        ctx.set(getattr(self.bus, f"{channel}ready"), 0)
        return responses

    async def change(self, ctx, table, response):
        """Load and commit another configuration."""
        await self.fill(ctx, table)
        assert await self.commit(ctx) == response


def held_up(begin, end, named=STORAGE):
    """A commit is refused between the two, and goes through behind them."""
    top = Top(named)

    async def bench(ctx):
        await top.program(ctx, exposing(named, WINDOW))
        await begin(top, ctx)
        # Everything that can move has moved by then.
        await ctx.tick().repeat(20)
        await top.change(ctx, exposing(named, MOVED), SLVERR)
        await end(top, ctx)
        await ctx.tick().repeat(2)
        assert await top.commit(ctx) == OKAY
        await top.send(ctx, "ar", **PAIR | {"addr": 0x2000})
        assert await top.take(ctx, "r", 2) == [OKAY, OKAY]
        await top.send(ctx, "ar", **PAIR)
        assert await top.take(ctx, "r", 2) == [DECERR, DECERR]

    top.run(bench)


async def asks(top, ctx):
    await top.send(ctx, "ar", **PAIR)


async def takes(top, ctx):
    assert await top.take(ctx, "r", 2) == [OKAY, OKAY]


def test_read_data_that_nobody_takes_holds_up_a_commit():
    held_up(asks, takes)


def test_data_without_an_address_holds_up_a_commit():
    async def begin(top, ctx):
        await top.send(ctx, "w", strb=0xFF, last=1)

    async def end(top, ctx):
        await top.send(ctx, "aw", **PAIR | {"len": 0})
        assert await top.take(ctx, "b") == [OKAY]

    held_up(begin, end)


def test_an_address_without_data_and_a_response_hold_up_a_commit():
    async def begin(top, ctx):
        await top.send(ctx, "aw", **PAIR)
        await top.send(ctx, "w", strb=0, last=0)

    async def end(top, ctx):
        await top.send(ctx, "w", strb=0xFF, last=1)
        await ctx.tick().repeat(20)
        assert await top.commit(ctx) == SLVERR
        assert await top.take(ctx, "b") == [OKAY]

    held_up(begin, end)


class Restless(SubordinateReads):
    """Says nothing of what it has."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.idle.eq(1)
        return m


def test_a_bus_that_hides_what_it_has_is_seen(monkeypatch):
    monkeypatch.setattr(adapter.Axi4Subordinate, "READS", Restless)
    with pytest.raises(AssertionError):
        held_up(asks, takes)


def test_nothing_is_taken_while_a_commit_is_decided():
    top = Top()
    closed = []

    async def bench(ctx):
        await top.program(ctx, exposing(STORAGE, WINDOW))
        await top.fill(ctx, exposing(STORAGE, MOVED))
        top.put(ctx, "ar", **PAIR | {"addr": 0x2000})
        ctx.set(top.bus.rready, 1)
        # The bus is never at rest: the commit is refused, and closes it for one cycle.
        assert await top.commit(ctx) == SLVERR
        ctx.set(top.bus.arvalid, 0)
        await ctx.tick().repeat(20)
        assert await top.commit(ctx) == OKAY
        await top.send(ctx, "ar", **PAIR | {"addr": 0x2000})
        assert await top.take(ctx, "r", 2) == [OKAY, OKAY]

    async def watch(ctx):
        while True:
            ready = [ctx.get(getattr(top.bus, f"{each}ready")) for each in ("ar", "aw", "w")]
            if not any(ready[1:]):
                closed.append(ready)
            await ctx.tick()

    top.run(bench, watch)
    # One cycle of each commit, and two more behind one that goes through.
    assert closed == [[0, 0, 0]] * 7


def test_a_forbidden_request_is_refused_and_service_goes_on():
    top = Top()

    async def bench(ctx):
        await top.program(ctx, exposing(STORAGE, WINDOW))
        await top.send(ctx, "ar", **PAIR | {"size": 4})
        await top.send(ctx, "ar", **PAIR)
        assert await top.take(ctx, "r", 4) == [SLVERR, SLVERR, OKAY, OKAY]

    top.run(bench)
