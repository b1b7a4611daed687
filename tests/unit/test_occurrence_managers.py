"""A whole occurrence before its managers: what reaches them, and what they report."""

from dataclasses import replace

from fabricgen.config.codec import encode_configuration
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import MemoryImplementation
from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.rtl.occurrence import MemoryOccurrence, local_policy
from tests.support.channel import run
from tests.support.memories import CONTIGUOUS, ELEMENT, LOAD, STORE, view
from tests.support.temporal import manager_memory, temporal_memory, temporal_row, temporal_table

EXT0 = ManagerEndpointTarget(0)
END = 1 << 64

#: Ordinals of the endpoints of the hybrid memory.
RD_ADDR, RD_CTRL, WR_ADDR, WR_DATA, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = 0, 2, 3, 4, 6, 7, 8, 9


class Bench:
    """Rows 0 (load) and 1 (store) of a memory with one manager; answers are given by hand."""

    def __init__(self, ctx, dut):
        self.ctx = ctx
        self.dut = dut
        self.stream = dut.manager_0
        self.seen = {"out_of_range": [], "target_error": []}

    async def begin(self, named, rows):
        table = temporal_table(
            *rows, contexts=named.occurrence.engine.contract.resident_context_count
        )
        self.ctx.set(self.dut.configuration, encode_configuration(named, table))
        for at in (RD_DATA, RD_DONE, WR_DONE):
            self.ctx.set(getattr(self.dut, f"egress_{at}").ready, 1)
        await self.step(4)

    async def step(self, count=1):
        for _ in range(count):
            await self.ctx.tick()
            for name, seen in self.seen.items():
                if self.ctx.get(getattr(self.dut, name)):
                    details = (f"{name}_row", f"{name}_address")
                    seen.append(tuple(self.ctx.get(getattr(self.dut, d)) for d in details))

    async def offer(self, at, tag, data=None):
        channel = getattr(self.dut, f"ingress_{at}")
        self.ctx.set(channel.valid, 1)
        self.ctx.set(channel.tag, tag)
        if data is not None:
            self.ctx.set(channel.data, data)
        while not self.ctx.get(channel.ready):
            await self.step()
        await self.step()
        self.ctx.set(channel.valid, 0)

    async def beat(self):
        """Take the next beat."""
        while not self.ctx.get(self.stream.req_valid):
            await self.step()
        fields = {
            name: self.ctx.get(getattr(self.stream, f"req_{name}"))
            for name in ("kind", "origin", "beat", "more", "address", "strobe", "data")
        }
        self.ctx.set(self.stream.req_ready, 1)
        await self.step()
        self.ctx.set(self.stream.req_ready, 0)
        return fields

    async def answer(self, beat, data=0, error=0):
        self.ctx.set(self.stream.rsp_valid, 1)
        for name, value in {**beat, "data": data, "error": error}.items():
            if hasattr(self.stream, f"rsp_{name}"):
                self.ctx.set(getattr(self.stream, f"rsp_{name}"), value)
        await self.step()
        self.ctx.set(self.stream.rsp_valid, 0)

    async def result(self, at):
        channel = getattr(self.dut, f"egress_{at}")
        while not self.ctx.get(channel.valid):
            await self.step()
        return self.ctx.get(channel.data) if hasattr(channel, "data") else None


def managed(body, *, base=0x1000, named=None):
    """Run ``body`` with a vector load in row 0 (tag 0) and an element store in row 1 (tag 1)."""
    named = named or manager_memory()
    dut = MemoryOccurrence(named)
    rows = (
        temporal_row(0, 0, LOAD, view(CONTIGUOUS, lanes=4), base=base, target=EXT0),
        temporal_row(1, 1, STORE, view(ELEMENT), base=0x2002, target=EXT0),
    )

    async def bench(ctx):
        here = Bench(ctx, dut)
        await here.begin(named, rows)
        await body(here)

    run(dut, bench)


def test_beats_of_both_ports_reach_the_manager_and_their_answers_come_back():
    async def body(bench):
        assert bench.ctx.get(bench.dut.quiescent)
        await bench.offer(RD_ADDR, 0, 1)
        await bench.offer(RD_CTRL, 0)
        first, second = await bench.beat(), await bench.beat()
        third = await bench.beat()
        # 16 bytes from 0x1004 on: 4 of the first beat, 8 of the second, 4 of the third.
        shapes = [(b["kind"], b["address"], b["strobe"], b["more"]) for b in (first, second, third)]
        assert shapes == [(0, 0x1000, 0xF0, 2), (0, 0x1008, 0xFF, 1), (0, 0x1010, 0x0F, 0)]
        assert not bench.ctx.get(bench.dut.quiescent)
        await bench.answer(third, data=0xDDDD_DDDD_4444_4444)
        await bench.answer(first, data=0x1111_1111_DDDD_DDDD)
        await bench.answer(second, data=0x3333_3333_2222_2222)
        assert await bench.result(RD_DATA) == 0x4444_4444_3333_3333_2222_2222_1111_1111
        await bench.step(4)
        assert bench.ctx.get(bench.dut.quiescent)

        await bench.offer(WR_ADDR, 1, 3)
        await bench.offer(WR_DATA, 1, 0xCAFE_BABE)
        await bench.offer(WR_CTRL, 1)
        low, high = await bench.beat(), await bench.beat()
        # Four bytes from 0x2002 + 12 on.
        assert (low["kind"], low["address"], low["strobe"]) == (1, 0x2008, 0b1100_0000)
        assert low["data"] == 0xBABE << 48
        assert (high["address"], high["strobe"], high["data"]) == (0x2010, 0b11, 0xCAFE)
        assert low["origin"] != first["origin"]
        await bench.answer(high)
        await bench.step(6)
        assert not bench.ctx.get(bench.dut.egress_9.valid)
        await bench.answer(low)
        await bench.result(WR_DONE)
        assert bench.seen == {"out_of_range": [], "target_error": []}

    managed(body)


def test_an_error_makes_the_result_zero_and_is_reported_with_row_and_beat():
    async def body(bench):
        await bench.offer(RD_ADDR, 0, 1)
        await bench.offer(RD_CTRL, 0)
        beats = [await bench.beat() for _ in range(3)]
        await bench.answer(beats[2], data=END - 1)
        await bench.answer(beats[1], data=END - 1, error=1)
        await bench.answer(beats[0], data=END - 1, error=1)
        assert await bench.result(RD_DATA) == 0
        await bench.step(4)
        assert bench.seen == {"out_of_range": [], "target_error": [(0, 0x1008)]}

    managed(body)


def test_lanes_beyond_the_last_address_read_as_zero_and_are_reported():
    async def body(bench):
        await bench.offer(RD_ADDR, 0, 1)
        await bench.offer(RD_CTRL, 0)
        beat = await bench.beat()
        # Bytes -8 to -1: lanes 0 and 1. Lane 2 would begin at 2**64.
        assert (beat["address"], beat["strobe"], beat["more"]) == (END - 8, 0xFF, 0)
        await bench.answer(beat, data=0x2222_2222_1111_1111)
        assert await bench.result(RD_DATA) == 0x2222_2222_1111_1111
        await bench.step(4)
        assert bench.seen == {"out_of_range": [(0, 0)], "target_error": []}

    managed(body, base=END - 12)


def test_an_error_and_a_lane_beyond_the_last_address_are_both_reported():
    async def body(bench):
        await bench.offer(RD_ADDR, 0, 1)
        await bench.offer(RD_CTRL, 0)
        await bench.answer(await bench.beat(), data=END - 1, error=1)
        assert await bench.result(RD_DATA) == 0
        await bench.step(4)
        assert bench.seen == {"out_of_range": [(0, 0)], "target_error": [(0, END - 8)]}

    managed(body, base=END - 12)


def test_a_row_stands_in_front_of_its_manager_until_its_last_beat_is_taken():
    named = manager_memory()
    named = replace(named, implementation=MemoryImplementation(counters=True))

    async def body(bench):
        def held():
            word = bench.ctx.get(bench.dut.waits)
            size = len(bench.dut.waits) // named.occurrence.engine.contract.resident_context_count
            return [word >> row * size + size - 2 & 1 for row in (0, 1)]

        # An element store over two beats: with the second one the access leaves its port.
        await bench.offer(WR_ADDR, 1, 1)
        await bench.offer(WR_DATA, 1, 0xCAFE_BABE)
        await bench.offer(WR_CTRL, 1)
        await bench.step(20)
        assert held() == [0, 1]
        low = await bench.beat()
        await bench.step(3)
        assert held() == [0, 1]
        high = await bench.beat()
        assert held() == [0, 0]
        await bench.answer(low)
        await bench.answer(high)
        await bench.result(WR_DONE)

    managed(body, named=named)


def test_a_memory_has_the_streams_of_its_managers():
    named = temporal_memory(managers={"ext0": 64})
    assert list(MemoryOccurrence(named).streams) == [0]
    assert list(MemoryOccurrence(temporal_memory()).streams) == []
    assert not hasattr(MemoryOccurrence(temporal_memory()), "target_error")


def test_the_policy_of_a_service_is_that_of_the_ports_that_reach_it():
    robin = RoundRobin((2, 0, 3, 1), 3)
    assert local_policy(robin, (0, 1, 2, 3)) == robin
    # From the cursor on the order is 3, 1, 2, 0; without port 3, port 1 is first.
    assert local_policy(robin, (0, 1, 2)) == RoundRobin((2, 0, 1), 1)
    assert local_policy(robin, (0, 2)) == RoundRobin((1, 0), 1)
    assert local_policy(FixedPriority((2, 0, 1)), (1, 2)) == FixedPriority((1, 0))
    assert local_policy(None, (0,)) is None
