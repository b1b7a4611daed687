"""The whole fabric: programming, traffic and reset against one another."""

import random
from collections import defaultdict

import pytest
from amaranth.hdl import Module

from fabricgen.errors import Invalid
from fabricgen.plan.rows import Active
from fabricgen.rtl import loader
from fabricgen.rtl.commit_sequencer import CommitSequencer
from tests.support import memories as mem
from tests.support.axi_lite import write
from tests.support.top_harness import TopRun
from tests.support.untagged import execute

CAPACITY = 256
SMALL = mem.hybrid_memory(capacity=CAPACITY)
FABRIC = mem.fabric(SMALL)
RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_MASK, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(10)
OKAY, SLVERR = 0, 2

WORDS = mem.view(mem.ELEMENT, element=32)
BYTES = mem.view(mem.ELEMENT, element=8)
VECTORS = mem.view(mem.CONTIGUOUS, lanes=4)
#: Different ways to read the low half and to write the high half; every token fits each of them.
TABLES = [
    Active((mem.row(0, mem.LOAD, load, base=low), mem.row(1, mem.STORE, store, base=high)))
    for load, low, store, high in (
        (WORDS, 0, WORDS, 128),
        (BYTES, 5, VECTORS, 131),
        (VECTORS, 3, BYTES, 128),
        (VECTORS, 0, VECTORS, 128),
    )
]


def offer(top, rng, count):
    """More firings of both rows."""
    for _ in range(count):
        top.pending[RD_ADDR].append(rng.randrange(16))
        top.pending[RD_CTRL].append(0)
        top.pending[WR_ADDR].append(rng.choice([rng.randrange(20), rng.getrandbits(32)]))
        top.pending[WR_DATA].append(rng.getrandbits(128))
        top.pending[WR_CTRL].append(0)


def check_epochs(top, memory, contents):
    """Every token had the effect of the configuration under which it entered."""
    tables = {top.carrier(table): table for table in TABLES}
    expected = defaultdict(list)
    for carrier, streams in top.epochs:
        done = execute(SMALL, tables[carrier], streams, memory)
        assert not any(done.leftover.values())
        for at, tokens in done.outputs.items():
            expected[at] += tokens
        memory = done.memory
    assert {at: top.outputs[at] for at in top.egress} == {at: expected[at] for at in top.egress}
    assert contents == memory


def commits_under_traffic(seed):
    """Commit one table after the other while tokens come; returns the run and the answers."""
    rng = random.Random(seed)
    memory = rng.randbytes(CAPACITY)
    top = TopRun(FABRIC, seed=seed, offer=rng.choice([0.1, 0.4, 1.0]))
    answers = []

    async def bench(ctx):
        top.load(ctx, memory)
        await top.program(ctx, TABLES[0])
        for turn in range(6):
            await top.fill(ctx, TABLES[(turn + 1) % len(TABLES)])
            offer(top, rng, rng.choice([1, 6]))
            for _ in range(rng.randrange(8)):
                await ctx.tick()
            while (answer := await top.commit(ctx)) == SLVERR:
                answers.append(answer)
            answers.append(answer)
        offer(top, rng, 6)
        await top.settle(ctx)
        check_epochs(top, memory, top.contents(ctx))

    top.run(bench)
    return top, answers


@pytest.mark.parametrize("seed", range(3))
def test_a_commit_under_traffic_is_refused_or_loses_nothing(seed):
    top, answers = commits_under_traffic(seed)
    assert set(answers) == {OKAY, SLVERR}
    assert len(top.epochs) > 2


class HastyCommit(CommitSequencer):
    """Swaps at once, whatever is inside."""

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.done.eq(1),
            self.success.eq(self.permitted),
            self.swap.eq(self.request & self.permitted),
        ]
        return m


def test_a_commit_that_does_not_wait_for_quiescence_is_seen(monkeypatch):
    monkeypatch.setattr(loader, "CommitSequencer", HastyCommit)
    with pytest.raises((AssertionError, Invalid)):
        commits_under_traffic(0)


@pytest.mark.parametrize("seed", range(3))
def test_after_a_reset_at_any_moment_it_is_as_after_the_first(seed):
    rng = random.Random(seed)
    memory = rng.randbytes(CAPACITY)
    top = TopRun(FABRIC, seed=seed)

    async def bench(ctx):
        for _ in range(5):
            await top.program(ctx, TABLES[3])
            offer(top, rng, 12)
            for _ in range(rng.randrange(30)):
                await ctx.tick()
            await top.pull_reset(ctx)
            assert await top.flags(ctx) == [2, 0, 0]
            assert ctx.get(top.dut.occurrence.configuration) == 0
        top.load(ctx, memory)
        await top.program(ctx, TABLES[3])
        offer(top, rng, 12)
        await top.settle(ctx)
        check_epochs(top, memory, top.contents(ctx))

    top.run(bench)


def test_the_first_fault_since_the_last_clear_is_kept():
    top = TopRun(FABRIC, offer=1.0, accept=1.0)

    async def fire(ctx, index):
        top.pending[RD_ADDR].append(index)
        top.pending[RD_CTRL].append(0)
        await top.settle(ctx)

    async def bench(ctx):
        top.load(ctx, bytes(CAPACITY))
        await top.program(ctx, TABLES[0])
        await fire(ctx, 64)
        await fire(ctx, 65)
        assert await top.flags(ctx) == [3, 0, 64 * 4 % CAPACITY]
        # A new configuration does not forget the fault, the host does.
        await top.program(ctx, TABLES[3])
        assert await top.flags(ctx) == [3, 0, 64 * 4 % CAPACITY]
        assert await write(ctx, top.dut.cfg, top.registers.flags, 1) == OKAY
        assert await top.flags(ctx) == [2, 0, 0]
        # The second lane is the first one outside.
        await fire(ctx, 63)
        assert await top.flags(ctx) == [3, 0, 64 * 4 % CAPACITY]

    top.run(bench)


def test_a_dead_egress_stops_its_own_row_only():
    named = mem.hybrid_memory(capacity=CAPACITY, queue=1, outstanding=1)
    top = TopRun(mem.fabric(named), seed=1)
    # Only the completion is closed: the data waits for it too.
    top.closed.add(RD_DONE)
    rng = random.Random(1)

    async def bench(ctx):
        top.load(ctx, bytes(CAPACITY))
        await top.program(ctx, TABLES[0])
        offer(top, rng, 40)
        for _ in range(600):
            await ctx.tick()
        assert len(top.outputs[WR_DONE]) == 40
        assert not top.outputs[RD_DATA]
        top.closed.clear()
        await top.settle(ctx, 2000)
        assert len(top.outputs[RD_DATA]) == len(top.outputs[RD_DONE]) == 40

    top.run(bench)


def test_results_wait_until_all_their_destinations_are_ready_together():
    top = TopRun(FABRIC, offer=1.0, accept=1.0)
    top.closed |= {RD_DATA}

    async def bench(ctx):
        top.load(ctx, bytes(CAPACITY))
        await top.program(ctx, TABLES[0])
        top.pending[RD_ADDR].extend(range(8))
        top.pending[RD_CTRL].extend([0] * 8)
        for _ in range(60):
            top.closed ^= {RD_DATA, RD_DONE}
            await ctx.tick()
        assert not top.outputs[RD_DATA]
        assert not top.outputs[RD_DONE]
        top.closed.clear()
        await top.settle(ctx)
        assert top.published_at[RD_DATA] == top.published_at[RD_DONE]
        assert len(top.published_at[RD_DATA]) == 8

    top.run(bench)


def test_a_load_behind_a_store_meets_it_at_every_distance():
    top = TopRun(FABRIC, offer=1.0, accept=1.0)
    table = Active((mem.row(0, mem.LOAD, WORDS, base=0), mem.row(1, mem.STORE, BYTES, base=0)))

    async def bench(ctx):
        await top.program(ctx, table)
        # The commit still holds the ingresses for some cycles.
        await ctx.tick().repeat(4)
        for distance in range(7):
            top.load(ctx, bytes([0x11] * CAPACITY))
            top.pending[WR_ADDR].append(5)
            top.pending[WR_DATA].append(0xAB)
            top.pending[WR_CTRL].append(0)
            for _ in range(distance):
                await ctx.tick()
            top.pending[RD_ADDR].append(1)
            top.pending[RD_CTRL].append(0)
            await ctx.tick()
            await top.settle(ctx)
            # Side by side the load is the older one, a cycle later the store is.
            assert top.outputs[RD_DATA].pop() == (0x1111AB11 if distance else 0x11111111)

    top.run(bench)
