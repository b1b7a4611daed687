import pytest

from fabricgen.emit.verilog import to_verilog
from fabricgen.plan.completion import hold_cycles
from fabricgen.rtl.temporal.publisher import Publisher
from tests.support.channel import run
from tests.support.verilog import lint


def shown(rows, cycles, *, dead=(), complete=None):
    """Per cycle: the candidate's row, whether it is published, and whether a hold ended in vain.

    Every row selects its own destination; that of a ``dead`` row is never ready.
    """
    dut = Publisher(rows, rows)
    trace = []

    async def bench(ctx):
        for row in range(rows):
            ctx.set(getattr(dut, f"selected_{row}"), 1 << row)
        ctx.set(dut.complete, (1 << rows) - 1 if complete is None else complete)
        ctx.set(dut.successor, 1)
        ctx.set(dut.ready, sum(1 << row for row in range(rows) if row not in dead))
        await ctx.tick()
        for _ in range(cycles):
            assert ctx.get(dut.candidate)
            row, retire = ctx.get(dut.row), ctx.get(dut.retire)
            assert ctx.get(dut.fire) == retire << row
            if ctx.get(dut.unpublished):
                assert ctx.get(dut.refusing) == 1 << row
            trace.append((row, retire, ctx.get(dut.unpublished)))
            await ctx.tick()

    run(dut, bench)
    return trace


@pytest.mark.parametrize("rows", [1, 3, 4])
def test_ready_candidates_are_published_in_every_cycle_from_row_0_on(rows):
    assert shown(rows, 9) == [(cycle % rows, 1, 0) for cycle in range(9)]


def test_one_row_alone_is_published_in_every_cycle():
    assert shown(4, 4, complete=0b0100) == [(2, 1, 0)] * 4


def test_a_refused_row_makes_way_at_once_and_is_held_once_in_each_turn_after_it():
    hold = [(1, 0, 0), (1, 0, 0), (1, 0, 1)]
    turn = [(2, 1, 0), (0, 1, 0)]
    assert hold_cycles(3) == 3
    assert shown(3, 13, dead=(1,)) == [(0, 1, 0), (1, 0, 0), *turn, *hold, *turn, *hold, (2, 1, 0)]


def test_a_dead_row_alone_is_held_over_and_over():
    assert shown(2, 7, dead=(1,), complete=0b10) == [
        (1, 0, 0),
        *[(1, 0, 0), (1, 0, 1)] * 3,
    ]


@pytest.mark.parametrize(("rows", "destinations"), [(0, 1), (1, 0), (2, "3")])
def test_a_publisher_has_rows_and_destinations(rows, destinations):
    name, value = ("rows", rows) if rows == 0 else ("destinations", destinations)
    message = f"^Publisher {name} must be a positive integer, not {value!r}$"
    with pytest.raises(TypeError, match=message):
        Publisher(rows, destinations)


@pytest.mark.parametrize("rows", [1, 4])
def test_lint_is_silent(rows, tmp_path):
    assert lint(to_verilog(Publisher(rows, 2), "publisher"), "publisher", tmp_path) == []
