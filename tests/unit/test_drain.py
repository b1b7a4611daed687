import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fabricgen.examples
from fabricgen.abi.image import encode_image
from fabricgen.abi.program import AxiLitePoll, AxiLiteWrite, programming_sequence
from fabricgen.abi.unit import programming_unit
from fabricgen.cli.main import app
from fabricgen.config.changes import affected_rows
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Active, Disabled
from fabricgen.report.image import steps_json
from tests.support import memories as mem
from tests.support.axi_lite import OKAY, SLVERR, read, write
from tests.support.reconfiguration_mutants import ClosingFrontEnd, DeafFrontEnd, DeafPort
from tests.support.reconfigured import TaggedTop, perform
from tests.support.reconfigured_rows import (
    BESIDE,
    FEEDS,
    NAMED,
    STORES,
    STREAMS,
    TURNS,
    memory,
    offer,
    offer_beside,
    wrong_beside,
    wrong_turns,
)
from tests.support.temporal_engines import AT
from tests.support.top_harness import TopRun
from tests.support.untagged import execute

ALL = (TURNS[0], *BESIDE)
WORDS, BYTES = mem.view(mem.ELEMENT, element=32), mem.view(mem.ELEMENT, element=8)


def drained_turns(seed, *, count=40, turns=6):
    """Row 0 is drained and reprogrammed while it, and all others, have tokens all the time."""
    rng = random.Random(seed)
    top = TaggedTop(NAMED, memory(), seed=seed, offer=1.0, accept=0.8)
    tokens = offer_beside(top, count, rng)
    offer(top, 1, [rng.randrange(16) for _ in range(3 * count)])

    async def bench(ctx):
        await top.program(ctx, ALL)
        running = ALL
        for turn in range(1, turns):
            following = TURNS[turn % len(TURNS)], *BESIDE
            steps = programming_sequence(
                top.fabric, top.image(following), running=top.image(running)
            )
            await perform(ctx, top.dut.cfg, steps)
            running = following
        top.after_drains = len(top.taken[AT["rd_addr"], 1])
        await top.settle(ctx, 1500)
        top.after = top.contents(ctx)

    top.run(bench)
    return top, tokens


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


def test_a_host_drains_the_rows_that_it_changes_and_lets_them_go():
    fabric = mem.fabric(NAMED)
    registers = programming_unit(fabric).registers

    def image(rows):
        return encode_image(fabric, FabricConfiguration((Active(tuple(rows)),)))

    following = image((TURNS[1], STREAMS, FEEDS, replace(STORES, base_addr=0x304)))
    steps = programming_sequence(fabric, following, running=image(ALL))
    commit = steps.index(AxiLiteWrite(registers.commit, 1))
    assert steps[commit - 2 : commit + 2] == (
        AxiLiteWrite(registers.words["drain"], 0b1101),
        AxiLitePoll(registers.words["busy"], 0, 0b1101),
        AxiLiteWrite(registers.commit, 1),
        AxiLiteWrite(registers.words["drain"], 0),
    )
    # All else is as without a running image.
    rest = [*steps[: commit - 2], steps[commit], *steps[commit + 2 :]]
    assert rest == [*programming_sequence(fabric, following)]
    listed = steps_json(steps)[commit - 1]
    assert listed == {
        "access": "poll",
        "address": registers.words["busy"],
        "data": 0,
        "mask": 0b1101,
        "response": "OKAY",
    }


def test_a_host_waits_for_all_of_a_spatial_memory():
    images = [encode_image(SPATIAL, FabricConfiguration((each,))) for each in LOADS]
    steps = programming_sequence(SPATIAL, images[1], running=images[0])
    registers = programming_unit(SPATIAL).registers
    assert AxiLiteWrite(registers.words["drain"], 0b11) in steps
    assert AxiLitePoll(registers.flags, 0b10, 0b10) in steps


def test_the_rows_that_a_change_affects():
    def rows(before, after):
        return affected_rows(NAMED, Active(tuple(before)), Active(tuple(after)))

    assert rows(ALL, ALL) == ()
    assert rows(ALL, (TURNS[3], *BESIDE)) == (0,)
    assert rows(ALL, (TURNS[0], None, *BESIDE[1:])) == (1,)
    assert rows((TURNS[0], STREAMS, None, None), ALL) == (2, 3)
    assert affected_rows(NAMED, Disabled(), Active((TURNS[0], None, None, None))) == (0, 1, 2, 3)


EXAMPLE = Path(fabricgen.examples.__file__).parent / "temporal-local"


def test_the_command_lists_what_a_host_does_to_a_running_design(tmp_path):
    fabric, mapping = str(EXAMPLE / "fabric.toml"), str(EXAMPLE / "mapping.toml")
    image = str(tmp_path / "running.image")

    def run(*words):
        return CliRunner().invoke(app, ["image", fabric, *words])

    assert run(mapping, "-o", image).exit_code == 0
    refused = run("--read", image, "--running", image)
    assert (refused.exit_code, "--writes with --running" in refused.output) == (2, True)
    steps = json.loads(run(mapping, "--writes", "--running", image, "--json").stdout)
    # Nothing changes: no row is drained, and none is waited for.
    plain = json.loads(run(mapping, "--writes", "--json").stdout)
    drains = [step for step in steps if step not in plain]
    assert {(step["access"], step["data"]) for step in drains} == {("write", 0)}
    other = tmp_path / "other"
    other.write_bytes(b"no image")
    assert run(mapping, "--writes", "--running", str(other)).exit_code == 1
