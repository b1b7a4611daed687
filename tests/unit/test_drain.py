import random

import pytest

from fabricgen.abi.image import encode_image
from fabricgen.abi.program import programming_sequence
from fabricgen.abi.status import FLAG_QUIESCENT
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Active, RangeMatch
from tests.support import memories as mem
from tests.support.axi_lite import OKAY, SLVERR, read, write
from tests.support.reconfiguration_mutants import ClosingFrontEnd, DeafFrontEnd, DeafPort
from tests.support.reconfigured import TaggedTop, perform
from tests.support.reconfigured_rows import (
    BESIDE,
    NAMED,
    TURNS,
    drained_turns,
    memory,
    offer,
    wrong_beside,
    wrong_turns,
)
from tests.support.subordinates import (
    NONE,
    RANGE,
    decode_row,
    dispatch,
    exposed_storage,
    exposing,
)
from tests.support.temporal_engines import AT
from tests.support.top_harness import TopRun
from tests.support.untagged import execute

ALL = (TURNS[0], *BESIDE)
WORDS, BYTES = mem.view(mem.ELEMENT, element=32), mem.view(mem.ELEMENT, element=8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_busy_row_is_drained_committed_and_loses_nothing(seed):
    top, tokens = drained_turns(seed)
    assert wrong_turns(top) == []
    assert wrong_beside(top, tokens) == []
    assert len(top.given[AT["rd_data"], 1]) == 120
    assert 0 < top.after_drains < 120


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [ClosingFrontEnd, DeafFrontEnd])
def test_the_bench_rejects_a_row_that_does_not_drain(mutant, monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.port.RowFrontEnd", mutant)
    with pytest.raises(AssertionError, match="AxiLite"):
        drained_turns(0)


def test_a_temporal_row_that_drains_takes_what_its_firing_lacks_and_no_more():
    top = TaggedTop(NAMED, memory(), offer=1.0, accept=1.0)
    at = top.registers.words

    async def bench(ctx):
        await top.program(ctx, ALL)
        assert await write(ctx, top.dut.cfg, at["drain"], 0b0011) == OKAY
        offer(top, 2, [5])
        await ctx.tick().repeat(6)
        # Row 1 was empty, so it takes nothing, and its tag is not called unmatched.
        assert len(top.pending[AT["rd_addr"], 2]) == len(top.pending[AT["rd_ctrl"], 2]) == 1
        assert (await top.word(ctx, "busy"), await top.flags(ctx)) == (0, 0b10)

        assert await write(ctx, top.dut.cfg, at["drain"], 0) == OKAY
        top.pending[AT["rd_addr"], 1].extend([1, 2])
        await ctx.tick().repeat(6)
        assert list(top.pending[AT["rd_addr"], 1]) == [2]
        assert await top.word(ctx, "partial") == 0b0001
        assert await write(ctx, top.dut.cfg, at["drain"], 0b0001) == OKAY
        await ctx.tick().repeat(6)
        assert (await top.word(ctx, "busy"), await top.word(ctx, "partial")) == (1, 1)
        top.pending[AT["rd_ctrl"], 1].extend([0, 0])
        await ctx.tick().repeat(20)
        # The control of the firing that had begun, and nothing of the next one.
        assert list(top.pending[AT["rd_addr"], 1]) == [2]
        assert list(top.pending[AT["rd_ctrl"], 1]) == [0]
        assert len(top.given[AT["rd_data"], 1]) == 1
        assert (await top.word(ctx, "busy"), await top.word(ctx, "partial")) == (0, 0)
        await top.program(ctx, (TURNS[1], *BESIDE))
        assert await write(ctx, top.dut.cfg, at["drain"], 0) == OKAY
        await top.settle(ctx)
        assert len(top.given[AT["rd_data"], 1]) == 2

    top.run(bench)


SMALL = mem.hybrid_memory(capacity=256)
SPATIAL = mem.fabric(SMALL)
RD_ADDR, RD_CTRL, RD_DATA, WR_ADDR, WR_DATA, WR_CTRL = 0, 2, 7, 3, 4, 6
#: What a load becomes in turn, beside a store that stays.
LOADS = [
    Active((mem.row(0, mem.LOAD, access, base=base), mem.row(1, mem.STORE, WORDS, base=128)))
    for access, base in ((WORDS, 0), (BYTES, 5))
]


def test_a_spatial_row_that_drains_fills_up_the_firings_that_have_begun():
    top = TopRun(SPATIAL, offer=1.0, accept=1.0)
    at = top.registers.words

    async def word(ctx, name):
        return (await read(ctx, top.dut.cfg, at[name]))[0]

    async def bench(ctx):
        await top.program(ctx, LOADS[0])
        top.pending[RD_ADDR].extend(range(5))
        await ctx.tick().repeat(8)
        left = list(top.pending[RD_ADDR])
        # Queues of two: two firings have begun, of which one gets its control at once.
        assert left == [2, 3, 4]
        assert (await word(ctx, "busy"), await word(ctx, "partial")) == (0b01, 0b01)
        assert await write(ctx, top.dut.cfg, at["drain"], 0b11) == OKAY
        top.pending[RD_CTRL].append(0)
        await ctx.tick().repeat(8)
        assert list(top.pending[RD_ADDR]) == left
        await top.fill(ctx, LOADS[1])
        assert await top.commit(ctx) == SLVERR
        assert await word(ctx, "partial") == 0b01
        top.pending[RD_CTRL].extend([0] * 4)
        await ctx.tick().repeat(12)
        assert (list(top.pending[RD_ADDR]), len(top.pending[RD_CTRL])) == (left, 3)
        assert (await word(ctx, "busy"), await word(ctx, "partial")) == (0, 0)
        assert await top.commit(ctx) == OKAY
        assert await write(ctx, top.dut.cfg, at["drain"], 0) == OKAY
        await top.settle(ctx)
        assert len(top.outputs[RD_DATA]) == 5

    top.run(bench)


def test_an_answer_that_nobody_takes_holds_up_a_commit_and_no_row():
    named = exposed_storage(dispatch(1, (RANGE,), NONE, (mem.LOCAL,)), engine=True)
    tables = [
        exposing(
            named,
            (decode_row(RangeMatch(0, 0x80)),),
            rows=(mem.row(0, mem.LOAD, WORDS, base=base), None),
        )
        for base in (0x80, 0xC0)
    ]
    top = TopRun(mem.fabric(named), offer=1.0, accept=1.0)
    stream, drain = top.dut.subordinate_0, top.registers.words["drain"]

    async def loads(ctx, published):
        top.pending[RD_ADDR].extend(range(5))
        top.pending[RD_CTRL].extend([0] * 5)
        await ctx.tick().repeat(20)
        assert len(top.outputs[RD_DATA]) == published

    async def bench(ctx):
        await top.program(ctx, tables[0])
        ctx.set(stream.req_strobe, 0xFF)
        ctx.set(stream.req_valid, 1)
        # Every slot has an answer.
        await ctx.tick().repeat(20)
        assert not ctx.get(stream.req_ready)
        ctx.set(stream.req_valid, 0)
        await loads(ctx, 5)
        assert await write(ctx, top.dut.cfg, drain, 0b11) == OKAY
        assert (await read(ctx, top.dut.cfg, top.registers.words["busy"]))[0] == 0
        await top.fill(ctx, tables[1])
        assert await top.commit(ctx) == SLVERR
        assert not (await top.flags(ctx))[0] >> FLAG_QUIESCENT & 1
        assert await write(ctx, top.dut.cfg, drain, 0) == OKAY
        await loads(ctx, 10)
        ctx.set(stream.rsp_ready, 1)
        await ctx.tick().repeat(10)
        assert (await top.flags(ctx))[0] >> FLAG_QUIESCENT & 1
        assert await top.commit(ctx) == OKAY
        await loads(ctx, 15)

    top.run(bench)


def drained_loads(seed, turns=5):
    """A Spatial memory is drained and reprogrammed while tokens stand at all its endpoints."""
    rng = random.Random(seed)
    top = TopRun(SPATIAL, seed=seed, offer=1.0, accept=0.8)
    contents = rng.randbytes(256)

    def image(turn):
        return encode_image(SPATIAL, FabricConfiguration((LOADS[turn % 2],)))

    async def bench(ctx):
        top.load(ctx, contents)
        await top.program(ctx, LOADS[0])
        top.pending[RD_ADDR].extend(rng.randrange(20) for _ in range(150))
        top.pending[RD_CTRL].extend([0] * 150)
        top.pending[WR_ADDR].extend(rng.randrange(20) for _ in range(150))
        top.pending[WR_DATA].extend(rng.getrandbits(32) for _ in range(150))
        top.pending[WR_CTRL].extend([0] * 150)
        for turn in range(1, turns):
            steps = programming_sequence(SPATIAL, image(turn), running=image(turn - 1))
            await perform(ctx, top.dut.cfg, steps)
        await top.settle(ctx, 1500)

    top.run(bench)
    tables = {top.carrier(table): table for table in LOADS}
    wanted = []
    for carrier, streams in top.epochs:
        done = execute(SMALL, tables[carrier], streams, contents)
        assert not any(done.leftover.values())
        wanted += done.outputs.get(RD_DATA, [])
    return top.outputs[RD_DATA] == wanted, len(wanted), len(top.epochs)


@pytest.mark.slow
def test_a_busy_spatial_memory_is_drained_and_loses_nothing():
    assert drained_loads(4) == (True, 150, 5)


@pytest.mark.slow
def test_the_bench_rejects_a_spatial_port_that_does_not_drain(monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.spatial.engine.SpatialPort", DeafPort)
    # It never comes to rest before all tokens are gone.
    assert drained_loads(4)[2] < 5
