"""Emitted tops whose subordinates are AXI4 or AXI4-Lite, before a host and a bare bus."""

import pytest

from fabricgen.plan.rows import AddressSpaceMatch, ContextMatch, RangeMatch
from fabricgen.records.fabric import Fabric, MemoryImplementation
from fabricgen.rtl.axi4 import lite_subordinate as lite
from fabricgen.rtl.axi4 import subordinate as adapter
from fabricgen.rtl.axi4.lite_bus import LiteShape
from fabricgen.rtl.axi4.lite_subordinate import LiteReads, LiteWrites
from fabricgen.rtl.axi4.subordinate_reads import SubordinateReads
from fabricgen.rtl.subordinate.stream import SubordinateStreamShape
from tests.support.axi4_mutants import CredulousReads, CredulousWrites
from tests.support.axi_lite import read
from tests.support.subordinates import (
    CONTEXT,
    LOCAL,
    NONE,
    RANGE,
    SPACE,
    decode_row,
    dispatch,
    exposed_storage,
    exposing,
)
from tests.support.top_harness import TopRun

OKAY, SLVERR, DECERR = 0, 2, 3
WINDOW = (decode_row(RangeMatch(0x1000, 0x80)),)
MOVED = (decode_row(RangeMatch(0x2000, 0x80), offset=2**64 - 0x1000),)
BUSSED = MemoryImplementation(subordinate_protocol="axi4")
STORAGE = exposed_storage(implementation=BUSSED, capacity=0x1100)
#: The same bytes, under one address space and one context.
MATCHED = dispatch(1, (RANGE, SPACE, CONTEXT), NONE, (LOCAL,))
GUARDED = exposed_storage(MATCHED, implementation=BUSSED, capacity=0x1100)
GUARD = decode_row(RangeMatch(0x1000, 0x80), AddressSpaceMatch(7), ContextMatch(5))
SPACE_7, CONTEXT_5 = 7, 5 << 32
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


def test_a_bus_that_hides_what_it_has_is_seen(monkeypatch):
    monkeypatch.setattr(adapter.Axi4Subordinate, "READS", restless(SubordinateReads))
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


#: The same bytes over AXI4-Lite.
LITE = exposed_storage(
    implementation=MemoryImplementation(subordinate_protocol="axi4_lite"), capacity=0x1100
)


def lite_held_up(begin, end):
    """As above: a commit is refused between the two, and goes through behind them."""
    top = Top(LITE)

    async def bench(ctx):
        await top.program(ctx, exposing(LITE, WINDOW))
        await begin(top, ctx)
        await ctx.tick().repeat(20)
        await top.change(ctx, exposing(LITE, MOVED), SLVERR)
        await end(top, ctx)
        await ctx.tick().repeat(2)
        assert await top.commit(ctx) == OKAY
        for address, response in ((0x2000, OKAY), (0x1000, DECERR)):
            await top.send(ctx, "ar", addr=address)
            assert await top.take(ctx, "r") == [response]

    top.run(bench)


async def lite_asks(top, ctx):
    await top.send(ctx, "ar", addr=0x1000)


async def lite_takes(top, ctx):
    assert await top.take(ctx, "r") == [OKAY]


async def lite_writes(top, ctx):
    await top.send(ctx, "w", strb=0xFF)


async def lite_responds(top, ctx):
    await top.send(ctx, "aw", addr=0x1000)
    await ctx.tick().repeat(20)
    assert await top.commit(ctx) == SLVERR
    assert await top.take(ctx, "b") == [OKAY]


@pytest.mark.parametrize(
    ("begin", "end"), [(lite_asks, lite_takes), (lite_writes, lite_responds)], ids=["read", "write"]
)
def test_what_waits_over_axi4_lite_holds_up_a_commit(begin, end):
    lite_held_up(begin, end)


def restless(part):
    """The part, saying nothing of what it has."""

    class Made(part):
        def elaborate(self, platform):
            m = super().elaborate(platform)
            m.d.comb += self.idle.eq(1)
            return m

    return Made


@pytest.mark.parametrize(
    ("name", "part", "begin", "end"),
    [
        ("READS", LiteReads, lite_asks, lite_takes),
        ("WRITES", LiteWrites, lite_writes, lite_responds),
    ],
)
def test_a_lite_bus_that_hides_what_it_has_is_seen(name, part, begin, end, monkeypatch):
    monkeypatch.setattr(lite.LiteSubordinate, name, restless(part))
    with pytest.raises(AssertionError):
        lite_held_up(begin, end)


def test_hostile_requests_over_axi4_lite_touch_nothing_and_service_goes_on():
    """An unaligned address is that of the bytes from there on, as in AXI4."""
    top = Top(LITE)
    after = bytearray(BEFORE)
    after[0x1003:0x1008] = bytes([0xFF] * 5)
    after[0x1008:0x1010] = bytes([0xFF] * 8)

    async def write(ctx, address, strobe):
        await top.send(ctx, "w", data=2**64 - 1, strb=strobe)
        await top.send(ctx, "aw", addr=address)
        return (await top.take(ctx, "b"))[0]

    async def bench(ctx):
        top.load(ctx, BEFORE)
        await top.program(ctx, exposing(LITE, WINDOW))
        for address in (0x0FF8, 0x1080, 2**64 - 8, 0x1085):
            assert await write(ctx, address, 0xFF) == DECERR
            await top.send(ctx, "ar", addr=address)
            assert await top.take(ctx, "r") == [DECERR]
        assert await write(ctx, 0x1040, 0) == OKAY
        assert await write(ctx, 0x0FF8, 0) == OKAY
        assert top.contents(ctx) == BEFORE
        flags, _ = await read(ctx, top.dut.cfg, top.registers.flags)
        assert flags == FLAGS_AT_REST
        assert await write(ctx, 0x1003, 0xFF) == OKAY
        assert await write(ctx, 0x1008, 0xFF) == OKAY
        assert top.contents(ctx) == bytes(after)
        await top.send(ctx, "ar", addr=0x1002)
        await top.until(ctx, top.bus.rvalid)
        assert ctx.get(top.bus.rdata) == 0xFFFF_FFFF_FF02_0000
        assert await top.take(ctx, "r") == [OKAY]

    top.run(bench)


def test_what_is_too_wide_or_matched_has_no_axi4_lite():
    with pytest.raises(ValueError, match="data_bytes must be 4 or 8, not 16"):
        LiteShape(16, 64, True, True)
    with pytest.raises(ValueError, match="must have a direction, not none"):
        LiteShape(8, 64, False, False)
    with pytest.raises(ValueError, match="must match addresses alone"):
        lite.LiteSubordinate(SubordinateStreamShape(8, True, True, context=True))
    with pytest.raises(ValueError, match="LiteSubordinate outstanding must be positive, not 0"):
        lite.LiteSubordinate(SubordinateStreamShape(8, True, True), outstanding=0)


#: Requests that AXI4 forbids, of transfers that would otherwise be served.
FORBIDDEN = {
    "a reserved burst type": {"burst": 3},
    "transfers wider than the bus": {"size": 4},
    "the widest transfers": {"size": 7},
    "a FIXED burst of 17": {"burst": 0, "len": 16},
    "a WRAP burst of 3": {"burst": 2, "len": 2},
    "a WRAP burst of 17": {"burst": 2, "len": 16},
    "an unaligned WRAP burst": {"burst": 2, "addr": 0x1004},
    "a burst over 4 KiB": {"addr": 0x1FF8},
    "256 transfers over 4 KiB": {"addr": 0x1808, "len": 255},
}
#: Requests that reach nothing, or not with all of their transfers; the first that does not.
UNMAPPED = {
    "below": ({"addr": 0x0FF0}, 0),
    "behind": ({"addr": 0x1080}, 0),
    "over the end": ({"addr": 0x1078}, 1),
    "the last addresses": ({"addr": 2**64 - 16}, 0),
    "another space": ({"user": SPACE_7 ^ 1 | CONTEXT_5}, 0),
    "another context": ({"user": SPACE_7 | CONTEXT_5 ^ 1 << 95}, 0),
}
RIGHT = PAIR | {"user": SPACE_7 | CONTEXT_5}
BEFORE = bytes(at & 0xFF for at in range(0x1100))
FLAGS_AT_REST = 2  # quiescent, and nothing else


def hostile(change, reads, writes, kept):
    """Reads and writes with this change, and what they are answered with; then right ones.

    ``kept`` is the number of transfers that have an effect.
    """
    fields, before = RIGHT | change, bytearray(BEFORE)
    top = Top(GUARDED)

    async def bench(ctx):
        top.load(ctx, BEFORE)
        await top.program(ctx, exposing(GUARDED, (GUARD,)))
        await top.send(ctx, "ar", **fields)
        assert await top.take(ctx, "r", fields["len"] + 1) == reads
        await top.send(ctx, "aw", **fields)
        for number in range(fields["len"] + 1):
            await top.send(ctx, "w", data=2**64 - 1, strb=0xFF, last=number == fields["len"])
        assert await top.take(ctx, "b") == [writes]
        for at in range(kept):
            place = fields["addr"] + 8 * at
            before[place : place + 8] = bytes([0xFF] * 8)
        assert top.contents(ctx) == bytes(before)
        flags, _ = await read(ctx, top.dut.cfg, top.registers.flags)
        assert flags == FLAGS_AT_REST
        await top.send(ctx, "aw", **RIGHT)
        for number in range(2):
            await top.send(ctx, "w", data=number, strb=0xFF, last=number)
        assert await top.take(ctx, "b") == [OKAY]
        await top.send(ctx, "ar", **RIGHT)
        assert await top.take(ctx, "r", 2) == [OKAY, OKAY]
        before[0x1000:0x1010] = (0).to_bytes(8, "little") + (1).to_bytes(8, "little")
        assert top.contents(ctx) == bytes(before)

    top.run(bench)


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_axi4_forbids_is_refused_and_service_goes_on(name):
    count = (PAIR | FORBIDDEN[name])["len"] + 1
    hostile(FORBIDDEN[name], [SLVERR] * count, SLVERR, 0)


@pytest.mark.parametrize(
    ("part", "wrong"), [("READS", CredulousReads), ("WRITES", CredulousWrites)]
)
def test_an_adapter_that_serves_what_axi4_forbids_is_seen(part, wrong, monkeypatch):
    monkeypatch.setattr(adapter.Axi4Subordinate, part, wrong)
    with pytest.raises(AssertionError):
        hostile({"burst": 3}, [SLVERR] * 2, SLVERR, 0)


@pytest.mark.parametrize("name", UNMAPPED)
def test_what_reaches_nothing_is_an_error_and_service_goes_on(name):
    change, first = UNMAPPED[name]
    hostile(change, [OKAY] * first + [DECERR] * (2 - first), DECERR, first)


def test_a_reset_in_the_middle_of_bursts_forgets_them():
    top = Top(GUARDED)

    async def bench(ctx):
        top.load(ctx, BEFORE)
        for _ in range(2):
            await top.program(ctx, exposing(GUARDED, (GUARD,)))
            await top.send(ctx, "ar", **RIGHT | {"len": 7})
            await top.send(ctx, "aw", **RIGHT)
            await top.send(ctx, "w", strb=0, last=0)
            assert await top.take(ctx, "r", 2) == [OKAY, OKAY]
            await top.pull_reset(ctx)
            assert not ctx.get(top.bus.rvalid)
            assert not ctx.get(top.bus.bvalid)
        await top.program(ctx, exposing(GUARDED, (GUARD,)))
        await top.send(ctx, "w", data=5, strb=1, last=1)
        await top.send(ctx, "aw", **RIGHT | {"len": 0})
        assert await top.take(ctx, "b") == [OKAY]
        changed = bytearray(BEFORE)
        changed[0x1000] = 5
        assert top.contents(ctx) == bytes(changed)

    top.run(bench)
