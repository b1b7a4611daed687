"""Counts of rows over the programming port, against the bench's own."""

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from fabricgen.abi.registers import register_map
from fabricgen.abi.status import COUNTS, status_shape
from fabricgen.plan.rows import Active
from fabricgen.records.fabric import MemoryImplementation
from fabricgen.rtl.event_counters import EventCounters
from fabricgen.rtl.temporal.engine import TemporalEngine
from fabricgen.rtl.temporal.port import TemporalPort
from tests.support import memories as mem
from tests.support import yosys
from tests.support.axi_lite import OKAY, read
from tests.support.channel import run
from tests.support.reconfigured import TaggedTop
from tests.support.reconfigured_rows import BESIDE, NAMED, TURNS, memory, offer, offer_beside
from tests.support.temporal_engines import AT, engine_memory
from tests.support.top_harness import TopRun

COUNTED = MemoryImplementation(counters=True)
TEMPORAL = replace(NAMED, implementation=COUNTED)
SPATIAL = replace(mem.hybrid_memory(capacity=256), implementation=COUNTED)
RD_ADDR, RD_CTRL, RD_DATA, RD_DONE = 0, 2, 7, 8
WORDS = mem.view(mem.ELEMENT, element=32)
ROWS = Active((mem.row(0, mem.LOAD, WORDS, base=0), None))

#: Operands of the rows of ``NAMED`` by the bits of their words: address, data, mask, control.
NEEDED = {0: 0b1001, 1: 0b1001, 2: 0b1001, 3: 0b1011}
OPERANDS = 4
#: The endpoint and the tag of the completion of each row.
DONE = {0: ("rd_done", 1), 1: ("rd_done", 2), 2: ("rd_done", 3), 3: ("wr_done", 4)}


def causes(words, published):
    """What each row of each cycle lost or did, from what it has and what comes out.

    A firing is issued where every operand is there, and none in the next cycle.
    """
    found = Counter()
    for cycle, (now, then) in enumerate(pairwise(words)):
        for row, needed in NEEDED.items():
            size = OPERANDS + 4
            here = now >> row * size & (1 << size) - 1
            after = then >> row * size & (1 << size) - 1
            claim, issued, _, complete = (here >> OPERANDS + bit & 1 for bit in range(4))
            is_issued = here & needed == needed and not after & needed
            fired = cycle in published[row]
            if here & needed != needed:
                found["operand_stalls", row] += 1
            elif not claim:
                found["claim_stalls", row] += 1
            elif not is_issued:
                found["dispatch_stalls", row] += 1
            found["firings", row] += fired
            found["service_stalls", row] += bool(issued and not complete)
            found["publication_stalls", row] += bool(complete and not fired)
    return found


async def counted(ctx, dut, rows):
    """Every count, from the registers."""
    words = dut.unit.registers.words
    found = Counter()
    for row in range(rows):
        for name in COUNTS:
            value, response = await read(ctx, dut.cfg, words[f"{name}_{row}"])
            assert response == OKAY
            found[name, row] = value
    return found


def under_traffic(seed):
    """Counts over the traffic of four rows, and what the bench has seen of them."""
    rng = random.Random(seed)
    top = TaggedTop(TEMPORAL, memory(), seed=seed, offer=0.9, accept=rng.choice([0.2, 0.6]))
    words = []

    async def watch(ctx):
        waits = top.dut.occurrence.waits
        while True:
            words.append(ctx.get(waits))
            await ctx.tick()

    async def bench(ctx):
        await top.program(ctx, (TURNS[0], *BESIDE))
        before = await counted(ctx, top.dut, 4)
        first = top.cycle
        offer(top, 1, [rng.randrange(16) for _ in range(25)])
        offer_beside(top, 25, rng)
        await top.settle(ctx, 2000)
        await ctx.tick().repeat(3)
        last = top.cycle
        after = await counted(ctx, top.dut, 4)
        # Reading takes time, in which rows without tokens go on to lack operands.
        for name in ("firings", *COUNTS[2:]):
            for row in range(4):
                top.counts[name, row] = after[name, row] - before[name, row]
        top.window = first, last

    top.counts = Counter()
    top.run(bench, watch)
    first, last = top.window
    published = {
        row: {cycle - first for cycle, _ in top.given[AT[end], tag]}
        for row, (end, tag) in DONE.items()
    }
    return top.counts, causes(words[first : last + 1], published)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_counts_of_temporal_rows_are_those_of_the_bench(seed):
    found, wanted = under_traffic(seed)
    assert {row: found["firings", row] for row in range(4)} == dict.fromkeys(range(4), 25)
    for name in ("firings", *COUNTS[2:]):
        assert {row: found[name, row] for row in range(4)} == {
            row: wanted[name, row] for row in range(4)
        }, name
    for name in COUNTS[3:]:
        assert sum(found[name, row] for row in range(4)), name


class LatePort(TemporalPort):
    """Counts a cycle without claims as one without room."""

    def _stalls(self, m, front, claims):
        super()._stalls(m, front, claims)
        m.d.comb += [self.claim_stalls.eq(0), self.dispatch_stalls.eq(self.rows.enabled)]


@pytest.mark.slow
def test_the_comparison_rejects_a_wrong_cause(monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.engine.TemporalPort", LatePort)
    found, wanted = under_traffic(0)
    assert any(found["dispatch_stalls", row] != wanted["dispatch_stalls", row] for row in range(4))


def test_a_spatial_row_loses_cycles_to_each_cause_in_turn(monkeypatch):
    made = []

    def build(events):
        made.append(EventCounters(events))
        return made[-1]

    monkeypatch.setattr("fabricgen.rtl.loader.EventCounters", build)
    top = TopRun(mem.fabric(SPATIAL), offer=1.0, accept=1.0)

    async def passing(ctx, cycles):
        """Counts over so many cycles: the registers of the counters, not the bus."""
        (counters,) = made
        before = ctx.get(counters.counts)
        await ctx.tick().repeat(cycles)
        after = ctx.get(counters.counts)
        words = [after >> 32 * at & 0xFFFFFFFF for at in range(6)]
        return [word - (before >> 32 * at & 0xFFFFFFFF) for at, word in enumerate(words)]

    async def bench(ctx):
        await top.program(ctx, ROWS)
        # An address alone: every cycle lacks the control.
        top.pending[RD_ADDR].append(3)
        await ctx.tick().repeat(4)
        assert await passing(ctx, 10) == [0, 10, 0, 0, 0, 0]
        # The other row is not in use and counts nothing.
        assert (await counted(ctx, top.dut, 2))["operand_stalls", 1] == 0
        # Nobody takes the results: the ring fills up, then the queues.
        top.closed = {RD_DATA}
        top.pending[RD_ADDR].extend(range(12))
        top.pending[RD_CTRL].extend([0] * 13)
        await ctx.tick().repeat(40)
        assert await passing(ctx, 10) == [0, 0, 10, 0, 0, 10]
        top.closed = set()
        await top.settle(ctx)
        await ctx.tick().repeat(3)
        assert (await counted(ctx, top.dut, 2))["firings", 0] == 13 == len(top.outputs[RD_DONE])

    top.run(bench)


def test_counts_wrap_and_are_cleared_by_reset_alone():
    dut = EventCounters(2)

    async def bench(ctx):
        ctx.set(dut.event, 0b01)
        await ctx.tick().repeat(3)
        assert ctx.get(dut.counts) == 3
        ctx.set(dut.event, 0b10)
        await ctx.tick().repeat(2)
        assert ctx.get(dut.counts) == 2 << 32 | 3

    run(dut, bench)


def test_the_register_map_has_a_word_for_each_count():
    described = {each["name"]: each for each in register_map(mem.fabric(SPATIAL))["registers"]}
    names = [f"{name}_{row}" for row in range(2) for name in COUNTS]
    assert [name for name in described if name in names] == names
    assert described["claim_stalls_1"]["meaning"] == (
        "cycles with all operands and without claims of row 1 since reset, modulo 2^32"
    )
    assert described["claim_stalls_1"]["access"] == "read"


def cells(named, tmp_path):
    """Cells of a flat engine by their kind."""
    commands = ["flatten", "opt -full", "opt_clean -purge", "tee -o stat.txt stat"]
    ok, log = yosys.run(TemporalEngine(named), commands, tmp_path)
    assert ok, log
    found = Counter()
    for line in (tmp_path / "stat.txt").read_text().splitlines():
        words = line.split()
        if len(words) > 1 and words[-1].startswith("$") and words[0].isdigit():
            found[words[-1]] += int(words[0])
    return found


@pytest.mark.slow
def test_without_the_option_counters_cost_no_gate(tmp_path, monkeypatch):
    plain = engine_memory(2)
    off = cells(plain, tmp_path)
    # What the rows wait for is not even looked at.
    monkeypatch.setattr(TemporalPort, "_watch", _busy_alone)
    assert cells(plain, tmp_path) == off
    assert off
    shape = status_shape(plain)
    assert not {"waits", "events"} & set(shape.members)
    assert not any(word.member == "counts" for word in shape.words())


def _busy_alone(port, m, front, claims, holdings):
    """What a port says of its rows without counters."""
    busy = claims.issued
    for i in range(len(port.shape.port.inputs)):
        busy = busy | getattr(front, f"present_{i}")
    m.d.comb += [
        port.busy.eq(busy),
        port.partial.eq(front.partial),
        port.fits.eq(claims.fits),
        port.issued.eq(claims.issued),
    ]
