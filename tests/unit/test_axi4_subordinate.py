"""The AXI4 subordinate adapter on Icarus, behind masters of two makers."""

import shutil

import pytest

from fabricgen.emit.verilog import to_verilog
from fabricgen.rtl.axi4.subordinate import subordinate_bus
from fabricgen.rtl.axi4.subordinate_reads import SubordinateReads
from fabricgen.rtl.axi4.subordinate_writes import SubordinateWrites
from fabricgen.rtl.subordinate.stream import SubordinateStreamShape
from sim.axi4_bench import make_subordinate, subordinate_bench
from sim.run import SimulationFailed
from tests.support import verilog
from tests.support.axi4_mutants import (
    AlignedReads,
    CarelessWrites,
    CredulousReads,
    CredulousWrites,
    DeafSubordinateReads,
    DeafSubordinateWrites,
    EarlyResponses,
    GreedySubordinateReads,
    StraightReads,
    WithdrawingResponses,
    subordinate_of,
)

needs_icarus = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="no iverilog on PATH; apt-get install iverilog"
)

SLVERR, DECERR = 2, 3
#: What AXI4 forbids, of every kind.
FORBIDDEN = {"reserved": 3, "wide": 4, "long": 5, "odd": 6, "crooked": 7, "crossing": 8}
RESERVED = FORBIDDEN["reserved"]


def job(seed, count=60, *, bad=(0, 0), memory=(), **traffic):
    shown = {"count": count, **traffic}
    return {"seed": seed, "bad": bad, "traffic": shown, "memory": dict(memory)}


def foreign(seed, count=4, *, bad=(0, 0), stalls=0.4):
    return {"seed": seed, "bad": bad, "count": count, "stalls": stalls, "memory": {}}


def few(cases, fast=None):
    """All cases, of which at most one is not slow."""
    return [each if each == fast else pytest.param(each, marks=pytest.mark.slow) for each in cases]


def forbidden(beat_bytes):
    """A transfer of one byte is always at a multiple of its bytes."""
    return [kind for name, kind in FORBIDDEN.items() if beat_bytes > 1 or name != "crooked"]


BAD = (0x4000, 0x5000)
WRITE_BAD = (0x10_2000, 0x10_6000)
SHAPES = {
    "wide": (8, {}),
    "bytes": (1, {"id_bits": 1}),
    "one": (4, {"outstanding": 1, "id_bits": 16}),
    "reads": (16, {"writes": False}),
    "writes": (2, {"reads": False}),
}


@needs_icarus
@pytest.mark.parametrize("name", few(SHAPES, "wide"))
def test_bursts_of_every_kind_reach_the_beats_and_are_answered(name, tmp_path):
    beat, options = SHAPES[name]
    dut = make_subordinate(beat, **options)
    only = {"reads": dut.shape.reads, "writes": dut.shape.writes}
    jobs = [
        job(1, **only),
        job(2, bad=BAD, rate=0.3, **only),
        job(3, bad=WRITE_BAD, rate=1, memory={"ready": 1, "spread": 0}, **only),
        job(4, 60, bursts=[0, 1, 2, *forbidden(beat)], memory={"ready": 0.2}, **only),
    ]
    if all(only.values()):
        jobs += [foreign(5, bad=BAD), foreign(6, stalls=0.0)]
    figures = subordinate_bench(dut, tmp_path, *jobs)
    read, written, refused = (set(figures[at]["responses"]) for at in (1, 2, 3))
    assert (DECERR in read) == dut.shape.reads
    assert (DECERR in written) == dut.shape.writes
    assert SLVERR in refused


@needs_icarus
def test_a_master_may_leave_read_data_until_its_writes_are_answered(tmp_path):
    subordinate_bench(make_subordinate(4, outstanding=4), tmp_path, job(1, keeps_reads=True))


@needs_icarus
@pytest.mark.parametrize(
    ("direction", "length"),
    [("reads", 16), ("writes", 16)]
    + [pytest.param(direction, 1, marks=pytest.mark.slow) for direction in ("reads", "writes")],
)
def test_there_is_a_transfer_in_every_cycle(direction, length, tmp_path):
    """Behind a stream of one beat a cycle and five cycles of latency, as a subordinate has."""
    only = {name: name == direction for name in ("reads", "writes")}
    memory = {"ready": 1, "latency": 5, "spread": 0}
    run = job(1, 400 // length, rate=1, bursts=[1], length=length, memory=memory, **only)
    (figures,) = subordinate_bench(make_subordinate(4, **only), tmp_path, run)
    transfers = figures["transfers"][20:]
    assert len(transfers) / (transfers[-1] - transfers[0] + 1) >= 0.99


@needs_icarus
@pytest.mark.parametrize("kind", few(FORBIDDEN, "crossing"))
def test_what_axi4_forbids_touches_nothing_and_is_answered_with_slverr(kind, tmp_path):
    """The bench holds the memory against what legal writes have left there."""
    run = job(5, 24, bursts=[FORBIDDEN[kind]])
    (figures,) = subordinate_bench(make_subordinate(4), tmp_path, run)
    assert set(figures["responses"]) == {SLVERR}


#: What each wrong adapter must be caught with.
MUTANTS = {
    "a WRAP burst goes straight on": (StraightReads, SubordinateWrites, job(1, bursts=[2])),
    "unaligned reads are aligned": (AlignedReads, SubordinateWrites, job(1)),
    "an error of a read is lost": (DeafSubordinateReads, SubordinateWrites, job(2, bad=BAD)),
    "answers have no place": (GreedySubordinateReads, SubordinateWrites, job(1, keeps_reads=True)),
    "strobes outside the transfer": (SubordinateReads, CarelessWrites, job(1)),
    "a response comes with the last data": (SubordinateReads, EarlyResponses, job(1)),
    "a response is withdrawn": (SubordinateReads, WithdrawingResponses, job(1)),
    "a forbidden read is served": (CredulousReads, SubordinateWrites, job(1, bursts=[8])),
    "a forbidden write is served": (SubordinateReads, CredulousWrites, job(1, bursts=[5])),
    "an error of a write is lost": (SubordinateReads, DeafSubordinateWrites, job(3, bad=WRITE_BAD)),
}


@needs_icarus
@pytest.mark.parametrize("fault", few(MUTANTS, "a WRAP burst goes straight on"))
def test_the_bench_rejects_an_adapter_in_which(fault, tmp_path):
    reads, writes, run = MUTANTS[fault]
    dut = make_subordinate(4, outstanding=4, kind=subordinate_of(reads, writes))
    with pytest.raises(SimulationFailed):
        subordinate_bench(dut, tmp_path, run)


@pytest.mark.parametrize("name", few(SHAPES, "wide"))
def test_the_text_is_clean(name, tmp_path):
    beat, options = SHAPES[name]
    text = to_verilog(make_subordinate(beat, **options), "adapter")
    assert verilog.lint(text, "adapter", tmp_path) == []
    assert verilog.check(text, "adapter", tmp_path) == ""


def test_what_the_decode_matches_is_in_the_user_signals():
    """32 bits of address space and 64 of context, where they are matched."""
    plain = subordinate_bus(SubordinateStreamShape(4, True, True), 2).signature().members
    assert not {name for name in plain if name.endswith("user")}
    both = SubordinateStreamShape(4, True, True, address_space=True, context=True)
    members = subordinate_bus(both, 2).signature().members
    assert (members["aruser"].shape, members["awuser"].shape) == (96, 96)
    context = SubordinateStreamShape(4, True, False, context=True)
    assert subordinate_bus(context, 2).signature().members["aruser"].shape == 64


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"id_bits": 0}, "id_bits must be 1 to 16, not 0"),
        ({"id_bits": 17}, "not 17"),
        ({"outstanding": 0}, "outstanding must be positive, not 0"),
    ],
)
def test_wrong_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_subordinate(4, **options)
