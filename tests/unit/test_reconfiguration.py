import random
from dataclasses import replace
from itertools import combinations

import pytest

from fabricgen.config.codec import encode_configuration
from fabricgen.plan.rows import Active
from fabricgen.rtl.commit_sequencer import CommitSequencer
from fabricgen.rtl.temporal.row_changes import RowChanges
from tests.support.axi_lite import OKAY, SLVERR
from tests.support.channel import run
from tests.support.memories import ROLE, STORE
from tests.support.reconfiguration_mutants import (
    BlindRowChanges,
    HoldingNone,
    OpenFrontEnd,
    StoppingFrontEnd,
)
from tests.support.reconfigured import TaggedTop
from tests.support.reconfigured_rows import (
    BESIDE,
    BYTE,
    FEEDS,
    NAMED,
    STORES,
    STREAMS,
    TURNS,
    WORD,
    load,
    memory,
    offer,
    offer_beside,
    wrong_beside,
    wrong_turns,
)
from tests.support.temporal_engines import AT, engine_row


def reprogram_under_traffic(seed, *, count=40, turns=6):
    """Row 0 becomes one thing after the other while all four rows have tokens."""
    rng = random.Random(seed)
    top = TaggedTop(NAMED, memory(), seed=seed, offer=rng.choice([0.5, 0.8]), accept=0.8)
    tokens = offer_beside(top, count, rng)

    async def bench(ctx):
        await top.program(ctx, (TURNS[0], *BESIDE))
        for turn in range(1, turns):
            offer(top, 1, [rng.randrange(16) for _ in range(rng.randrange(16))])
            await ctx.tick().repeat(rng.randrange(1, 12))
            await top.program(ctx, (TURNS[turn % len(TURNS)], *BESIDE), attempts=60)
        await top.program(ctx, (TURNS[0], *BESIDE), attempts=60)
        await top.settle(ctx)
        top.after = top.contents(ctx)

    top.run(bench)
    return top, tokens


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_row_is_reprogrammed_again_and_again_while_others_stream(seed):
    top, tokens = reprogram_under_traffic(seed)
    assert wrong_turns(top) == []
    assert wrong_beside(top, tokens) == []
    # It was busy now and then, so some commits were refused; and it was not idle all the time.
    assert top.refused
    assert len({table for _, _, table in top.taken[AT["rd_addr"], 1]}) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "mutant"),
    [
        ("fabricgen.rtl.loader.CommitSequencer", HoldingNone),
        ("fabricgen.rtl.temporal.port.RowFrontEnd", OpenFrontEnd),
    ],
)
def test_the_bench_rejects_a_commit_that_does_not_hold_the_row(part, mutant, monkeypatch):
    monkeypatch.setattr(part, mutant)

    def is_wrong(seed):
        try:
            top, tokens = reprogram_under_traffic(seed)
        except AssertionError:
            return True
        return bool(wrong_turns(top) or wrong_beside(top, tokens))

    assert any(is_wrong(seed) for seed in range(2))


def stream_alone(*, commits):
    """Rows 1 to 3 stream; row 0 has no token, and is reprogrammed or left as it is."""
    top = TaggedTop(NAMED, memory(), seed=11, offer=0.9, accept=0.9)

    async def bench(ctx):
        await top.program(ctx, (TURNS[0], *BESIDE))
        start = top.cycle
        offer_beside(top, 30, random.Random(3))
        for turn in range(commits):
            await top.program(ctx, (TURNS[1 + turn % 3], *BESIDE))
        await ctx.tick().repeat(start + 300 - top.cycle)
        assert not any(top.pending.values())

    top.run(bench)
    return top.taken, top.given


def cycles_of(traces):
    return {key: [each[:2] for each in trace] for kind in traces for key, trace in kind.items()}


@pytest.mark.slow
def test_rows_that_are_not_affected_lose_no_cycle():
    assert cycles_of(stream_alone(commits=3)) == cycles_of(stream_alone(commits=0))


@pytest.mark.slow
def test_the_comparison_rejects_a_commit_that_stops_every_row(monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.port.RowFrontEnd", StoppingFrontEnd)
    assert cycles_of(stream_alone(commits=3)) != cycles_of(stream_alone(commits=0))


def affected(before, after, mutant=RowChanges):
    """Rows that a change from one table to another affects."""
    dut, seen = mutant(NAMED), []

    async def bench(ctx):
        ctx.set(dut.configuration, encode_configuration(NAMED, Active(tuple(before))))
        ctx.set(dut.following, encode_configuration(NAMED, Active(tuple(after))))
        await ctx.tick()
        seen.append(ctx.get(dut.affected))

    run(dut, bench)
    return {row for row in range(4) if seen[0] >> row & 1}


ALL = (TURNS[0], *BESIDE)
#: A store of the data at its endpoint, and a load that forwards to nobody.
APART = engine_row(
    3,
    1,
    STORE,
    WORD,
    dict.fromkeys((ROLE.ADDRESS, ROLE.DATA, ROLE.CONTROL, ROLE.COMPLETION), 4),
    base=0x300,
)
KEEPS = load(2, WORD, 3, 0x000)


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [
        (ALL, ALL, set()),
        (ALL, (TURNS[1], *BESIDE), {0}),
        (ALL, (None, *BESIDE), {0}),
        ((None, *BESIDE), ALL, {0}),
        # Either end of a connection affects the other one.
        (ALL, (TURNS[0], STREAMS, replace(FEEDS, base_addr=4), STORES), {2, 3}),
        (ALL, (TURNS[0], STREAMS, FEEDS, replace(STORES, base_addr=0x304)), {2, 3}),
        # One that is given up, and one that is made.
        (ALL, (TURNS[0], STREAMS, KEEPS, APART), {2, 3}),
        ((TURNS[0], STREAMS, KEEPS, APART), ALL, {2, 3}),
        ((TURNS[0], None, KEEPS, APART), (TURNS[0], None, KEEPS, None), {3}),
    ],
)
def test_affected_are_rows_that_change_and_those_at_their_connections(before, after, rows):
    assert affected(before, after) == rows


def test_the_first_table_affects_every_row():
    dut = RowChanges(NAMED)

    async def bench(ctx):
        ctx.set(dut.following, encode_configuration(NAMED, Active(ALL)))
        await ctx.tick()
        assert ctx.get(dut.affected) == 0b1111

    run(dut, bench)


def test_the_cases_reject_changes_without_connections():
    after = (TURNS[0], STREAMS, replace(FEEDS, base_addr=4), STORES)
    assert affected(ALL, after, BlindRowChanges) == {2}


def test_a_commit_waits_for_the_row_at_the_other_end_of_a_connection():
    top = TaggedTop(NAMED, memory(), offer=1.0, accept=1.0)
    other = (TURNS[0], STREAMS, FEEDS, replace(STORES, base_addr=0x380))

    async def bench(ctx):
        await top.program(ctx, ALL)
        # The load that feeds the store has one token of two.
        top.pending[AT["rd_addr"], 3].append(7)
        await ctx.tick().repeat(4)
        await top.fill(ctx, other)
        before = ctx.get(top.dut.occurrence.configuration)
        assert await top.commit(ctx) == SLVERR
        assert ctx.get(top.dut.occurrence.configuration) == before
        # Row 1 may change meanwhile.
        await top.program(ctx, (TURNS[0], load(1, BYTE, 2, 0x40), FEEDS, STORES))
        top.pending[AT["rd_ctrl"], 3].append(0)
        offer(top, 4, [1], port="wr")
        await top.settle(ctx)
        await top.fill(ctx, other)
        assert await top.commit(ctx) == OKAY
        offer(top, 3, [9])
        offer(top, 4, [2], port="wr")
        await top.settle(ctx)
        after = top.contents(ctx)
        assert after[0x304:0x308] == memory()[28:32]
        assert after[0x388:0x38C] == memory()[36:40]

    top.run(bench)


def test_a_row_becomes_active_only_where_its_claims_can_be_in_reserve():
    # Three Active rows have 5 - 3 firings beyond their first ones; a fourth leaves one.
    top = TaggedTop(NAMED, memory(), offer=1.0, accept=0.0)
    busy = (STREAMS, load(2, WORD, 3, 0))

    async def bench(ctx):
        await top.program(ctx, (None, *busy, None))
        offer(top, 2, range(4))
        offer(top, 3, range(4))
        await ctx.tick().repeat(30)
        # Both rows hold two firings: two beyond first ones, of 5 - 2.
        await top.program(ctx, (TURNS[0], *busy, None))
        held = sum(ctx.get(top.dut.occurrence.engine.ports[0].issued) >> r & 1 for r in range(4))
        assert held == 2
        # Rows of this port: a fourth one leaves 5 - 4 units beyond first ones, and two are taken.
        fourth = load(3, WORD, 4, 0x40)
        await top.fill(ctx, (TURNS[0], *busy, fourth))
        assert await top.commit(ctx) == SLVERR
        top.accept = 1.0
        for _ in range(20):
            if await top.commit(ctx) == OKAY:
                break
        else:
            raise AssertionError("The commit must be taken once claims have come back")
        await top.settle(ctx)

    top.run(bench)


def test_consumers_of_the_bench_are_ready_independently_of_each_other():
    """Two that were ready together in no cycle would keep a row that needs both for ever."""
    top = TaggedTop(NAMED, memory())
    keys = [(end, tag) for end in (6, 7) for tag in range(16)]
    ready = {key: set() for key in keys}
    for top.cycle in range(1000):
        for key in keys:
            if top._draw(*key) < 0.4:
                ready[key].add(top.cycle)
    together = [len(ready[a] & ready[b]) for a, b in combinations(keys, 2)]
    assert 100 < min(together) <= max(together) < 220


def test_the_sequencer_holds_only_what_is_affected():
    dut, seen = CommitSequencer(3), []

    async def bench(ctx):
        ctx.set(dut.affected, 0b101)
        ctx.set(dut.permitted, 1)
        ctx.set(dut.request, 1)
        for cycle in range(5):
            ctx.set(dut.quiescent, cycle == 1)
            seen.append((ctx.get(dut.hold), ctx.get(dut.hold_rows), ctx.get(dut.swap)))
            await ctx.tick()
            if cycle == 1:
                ctx.set(dut.request, 0)
            ctx.set(dut.affected, 0b010)

    run(dut, bench)
    assert seen == [(0, 0, 0), (1, 0b101, 1), (1, 0b101, 0), (1, 0b101, 0), (0, 0, 0)]
