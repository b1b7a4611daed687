"""The AXI4 manager adapter on Icarus, between random beats and memories of two makers."""

import shutil
from dataclasses import asdict

import pytest

from fabricgen.emit.verilog import to_verilog
from fabricgen.rtl.axi4.bus import Axi4Shape
from fabricgen.rtl.axi4.manager import Axi4Manager, manager_bus
from fabricgen.rtl.axi4.manager_reads import ManagerReads
from fabricgen.rtl.axi4.manager_writes import ManagerWrites
from fabricgen.rtl.axi4.origins import BeatOrigins
from fabricgen.rtl.manager.stream import ManagerStreamShape
from sim.axi4_bench import make_manager, manager_bench
from sim.axi4_memory import FAST, Pace
from sim.run import SimulationFailed
from tests.support import verilog
from tests.support.axi4_mutants import (
    ConfusedReads,
    CrossingReads,
    CrossingWrites,
    DeafReads,
    DeafWrites,
    EndlessWrites,
    ForgetfulReads,
    GreedyReads,
    HastyWrites,
    OrderlyWrites,
    StrobelessWrites,
    WithdrawingReads,
    manager_of,
)
from tools.axi4_rates import burst_rate, single_read_rate

needs_icarus = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="no iverilog on PATH; apt-get install iverilog"
)

#: Reads and writes fail here.
BAD = {"bad": (0x4000, 0x5000)}
WRITE_BAD = {"bad": (0x10_2000, 0x10_6000)}


def job(seed, pace=None, runs=40, **options):
    traffic = {name: options.pop(name) for name in ("gap", "shapes", "beats") if name in options}
    shown = None if pace is None else asdict(pace)
    return {"seed": seed, "runs": runs, "traffic": traffic, "pace": shown, **options}


def few(cases, *fast):
    """All cases, of which only these are not slow."""
    return [each if each in fast else pytest.param(each, marks=pytest.mark.slow) for each in cases]


def shape(**changes):
    fields = {
        "beat_bytes": 8,
        "reads": True,
        "writes": True,
        "volatile": False,
        "origin_bits": 4,
        "beat_bits": 3,
        "more_bits": 3,
    }
    return ManagerStreamShape(**fields | changes)


#: Beat, slots of each port, rows, and what else differs.
SHAPES = {
    "rows": (8, (16,), 4, {}),
    "ports": (4, (4, 8), 1, {"beat_bits": 4, "more_bits": 4}),
    "bytes": (1, (2,), 1, {"beat_bits": 0, "more_bits": 0}),
    "few": (4, (8, 8, 4), 2, {"outstanding": 1}),
    "reads": (16, (4,), 1, {"writes": False, "volatile": False}),
    "writes": (2, (3,), 3, {"reads": False}),
}


@needs_icarus
@pytest.mark.parametrize("name", few(SHAPES, "ports", "bytes"))
def test_beats_reach_memories_of_two_makers_and_are_answered(name, tmp_path):
    beat, slots, rows, options = SHAPES[name]
    dut = make_manager(beat, slots, rows=rows, **options)
    figures = manager_bench(
        dut,
        tmp_path,
        job(1, FAST),
        job(2, Pace(), **BAD),
        job(3, Pace(order="both" if dut.shape.writes else "any"), **WRITE_BAD),
        job(4, **BAD),
        job(5, stalls=0.0, **WRITE_BAD),
    )
    assert all(len(each["taken"]) == len(each["answered"]) >= 40 for each in figures)
    read, written = (sum(figures[at]["errors"] for at in places) for places in ((1, 3), (2, 4)))
    assert (read > 0, written > 0) == (dut.shape.reads, dut.shape.writes)


@needs_icarus
@pytest.mark.parametrize("order", few(("any", "address", "data", "both"), "both"))
def test_address_and_data_of_a_write_wait_for_nobody(order, tmp_path):
    dut = make_manager(8, (8,), reads=False)
    manager_bench(dut, tmp_path, job(1, Pace(order=order)), job(2, Pace(1, 1, 1, 0, order)))


#: What each wrong adapter must be caught with.
MUTANTS = {
    "an address changes while it waits": (ForgetfulReads, ManagerWrites, job(1, Pace())),
    "an offer is withdrawn": (WithdrawingReads, ManagerWrites, job(1, Pace())),
    "a read crosses 4 KiB": (CrossingReads, ManagerWrites, job(1, Pace(), shapes=["full"])),
    "a read touches inactive bytes": (GreedyReads, ManagerWrites, job(1, Pace())),
    "answers are those of another row": (ConfusedReads, ManagerWrites, job(1, Pace())),
    "an error of a part is lost": (
        DeafReads,
        ManagerWrites,
        job(1, Pace(), shapes=["holes"], bad=(0x4000, 0x5000, 4)),
    ),
    "a write crosses 4 KiB": (ManagerReads, CrossingWrites, job(1, Pace())),
    "the last transfer is not marked": (ManagerReads, EndlessWrites, job(1, Pace())),
    "data waits for the address": (ManagerReads, OrderlyWrites, job(1, Pace(order="both"))),
    "a write is answered early": (ManagerReads, HastyWrites, job(1, Pace(), **WRITE_BAD)),
    "an error of a write is lost": (ManagerReads, DeafWrites, job(1, Pace(), **WRITE_BAD)),
    "strobes are ignored": (ManagerReads, StrobelessWrites, job(1, Pace())),
}


@needs_icarus
@pytest.mark.parametrize("fault", few(MUTANTS, "a write is answered early"))
def test_the_bench_rejects_an_adapter_in_which(fault, tmp_path):
    reads, writes, run = MUTANTS[fault]
    kind = manager_of(reads, writes)
    with pytest.raises(SimulationFailed):
        manager_bench(make_manager(4, (8,), rows=2, kind=kind), tmp_path, run)


@needs_icarus
@pytest.mark.parametrize("beats", few((1, 2, 4, 8)))
@pytest.mark.parametrize("direction", ["reads", "writes"])
def test_contiguous_runs_use_the_bus_at_32_cycles_of_latency(direction, beats, tmp_path):
    """40 beats in flight are enough for 95 %."""
    rate, _outstanding = burst_rate(tmp_path, reads=direction == "reads", beats=beats)
    assert rate >= 0.95


@needs_icarus
@pytest.mark.parametrize("outstanding", few((1, 4, 16, 32), 16))
def test_single_reads_are_limited_by_what_may_be_outstanding(outstanding, tmp_path):
    rate, law = single_read_rate(tmp_path, outstanding)
    assert rate == pytest.approx(law, rel=0.03)


@needs_icarus
def test_a_run_is_one_burst_and_ragged_ends_are_narrow(tmp_path):
    dut = make_manager(8, (8,), volatile=False)
    pace = Pace(1, 1, 1, 0)
    full, ragged = manager_bench(
        dut,
        tmp_path,
        job(1, pace, beats=4, shapes=["full"]),
        job(2, pace, beats=4, shapes=["ragged"]),
    )
    assert {tuple(each) for each in full["reads"] + full["writes"]} == {(3, 4)}
    assert {size for size, _count in ragged["reads"]} == {0, 1, 2, 3}
    assert {size for size, _count in ragged["writes"]} == {3}


@pytest.mark.parametrize("name", few(SHAPES, "ports", "bytes"))
def test_the_text_is_clean(name, tmp_path):
    beat, slots, rows, options = SHAPES[name]
    text = to_verilog(make_manager(beat, slots, rows=rows, **options), "adapter")
    assert verilog.lint(text, "adapter", tmp_path) == []
    assert verilog.check(text, "adapter", tmp_path) == ""


def test_a_bus_has_the_channels_of_its_directions_only():
    origins = BeatOrigins((16,))
    both, read = shape(), shape(writes=False)
    assert {name[:2] for name in manager_bus(read, origins).signature().members} == {
        "ar",
        "ri",
        "rd",
        "rr",
        "rl",
        "rv",
    }
    members = manager_bus(both, origins).signature().members
    assert {"awaddr", "wdata", "bresp", "araddr", "rdata"} <= set(members)
    assert members["awaddr"].shape == 64
    assert members["wstrb"].shape == 8


def test_identifiers_are_ports_and_rows():
    """By hand: two ports of four rows, two and four slots a row."""
    origins = BeatOrigins((8, 16), 4)
    assert (origins.slot_bits, origins.origin_bits, origins.index_bits) == (4, 5, 2)
    assert (origins.id_bits, origins.row_bits, origins.count) == (3, 2, 8)
    assert BeatOrigins((5,)).id_bits == 1
    assert BeatOrigins((5,)).count == 1
    assert BeatOrigins((3, 3, 3)).count == 3
    assert BeatOrigins((6, 6), 3).count == 7


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BeatOrigins(()), "a slot for each row"),
        (lambda: BeatOrigins((2,), 4), r"not \(2,\) for 4 rows"),
        (lambda: Axi4Shape(3, 1, 64, True, True), "power of two up to 128, not 3"),
        (lambda: Axi4Shape(256, 1, 64, True, True), "not 256"),
        (lambda: Axi4Shape(8, 0, 64, True, True), "not 0 and 64"),
        (lambda: Axi4Shape(8, 1, 64, False, False), "a direction"),
        (
            lambda: Axi4Manager(shape(), BeatOrigins((8,)), outstanding=4),
            "the 4 bits of the stream, not 3",
        ),
        (lambda: ManagerReads(shape(), BeatOrigins((16,)), 4, 257), "1 to 256, not 257"),
        (lambda: ManagerWrites(shape(), BeatOrigins((16,)), 4, 0), "1 to 256, not 0"),
    ],
)
def test_wrong_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
