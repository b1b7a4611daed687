"""Emitted fabrics whose subordinates are a bus, behind the master of another maker."""

import random
import shutil
from dataclasses import replace

import pytest
from amaranth.hdl import Const

from fabricgen.author.requests import ExpectedAnswer, Requests
from fabricgen.author.workload import Workload
from fabricgen.plan.beat_request import BeatRequest
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Active, AddressSpaceMatch, ContextMatch, RangeMatch
from fabricgen.records.fabric import Fabric, MemoryImplementation
from fabricgen.rtl.axi4 import lite_subordinate as lite
from fabricgen.rtl.axi4 import subordinate as adapter
from fabricgen.rtl.axi4.lite_subordinate import LiteReads, LiteWrites
from sim.run import SimulationFailed
from sim.simulate import simulate
from tests.support.axi4_mutants import (
    CarelessWrites,
    DeafSubordinateReads,
    DeafSubordinateWrites,
    FickleLiteReads,
    LastlessReads,
    WithdrawingResponses,
)
from tests.support.memories import ELEMENT, LOAD, STORE, row, view
from tests.support.subordinate_bench import READ, WRITE
from tests.support.subordinates import (
    CONTEXT,
    LOCAL,
    RANGE,
    SPACE,
    decode_row,
    dispatch,
    exposed_storage,
    exposing,
)

pytest.importorskip("cocotb")
icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")

BUSSED = MemoryImplementation(subordinate_protocol="axi4")
CONTENTS = bytes((at * 37 + 5) & 0xFF for at in range(256))
#: Bytes 0 to 0x80 at 0x1000, under one space and context where they are matched.
WINDOW = (decode_row(RangeMatch(0x1000, 0x80), offset=2**64 - 0x1000),)
MATCHED = dispatch(2, (RANGE, SPACE, CONTEXT), targets=(LOCAL,))
MATCHING = RangeMatch(0x1000, 0x80), AddressSpaceMatch(7), ContextMatch(2**63 + 5)


def some_beats(seed, count=160, beat=8, **fields):
    """Runs of reads and writes in and around the window, with all kinds of strobes."""
    rng, at = random.Random(seed), 0
    full = (1 << beat) - 1
    for _ in range(count):
        at = rng.choice((at + 1, at + 1, at + 1, rng.randrange(-2, 0x80 // beat + 2)))
        strobe = rng.choice((full, full, full, rng.randint(1, full)))
        kind = rng.choice((READ, READ, WRITE))
        yield BeatRequest(kind, 0x1000 + beat * at, strobe, rng.getrandbits(8 * beat), **fields)


def run(tmp_path, named, table, beats, *, streams=None, simulator="icarus", patterns=None):
    expected = (ExpectedAnswer(None, None),) * len(beats)
    return simulate(
        Fabric("bussed", (named,)),
        FabricConfiguration((table,)),
        Workload(
            streams=streams or {},
            memories=(((0, CONTENTS),),),
            requests={(0, 0): Requests(tuple(beats), expected)},
        ),
        simulator=simulator,
        seed=5,
        build_dir=tmp_path,
        patterns=patterns or ("always", "geometric", "bursty"),
    )


@icarus
@pytest.mark.parametrize("beat", [64, pytest.param(8, marks=pytest.mark.slow)])
def test_storage_serves_another_makers_master(beat, tmp_path):
    named = exposed_storage(beat=beat, implementation=BUSSED)
    beats = tuple(some_beats(1, beat=beat // 8))
    report = run(tmp_path, named, exposing(named, WINDOW), beats)
    assert report.passed, report.findings
    answers = report.answers["mem0.from0"]
    assert None in answers
    assert any(answers[at] for at, each in enumerate(beats) if each.kind == READ)


@icarus
@pytest.mark.slow
@pytest.mark.parametrize("field", [SPACE, CONTEXT])
def test_one_of_them_alone_does(field, tmp_path):
    named = exposed_storage(dispatch(2, (RANGE, field), targets=(LOCAL,)), implementation=BUSSED)
    value = MATCHING[1] if field is SPACE else MATCHING[2]
    row = decode_row(MATCHING[0], value, offset=2**64 - 0x1000)
    beats = tuple(some_beats(2, 40, address_space=7, context=2**63 + 5))
    report = run(tmp_path, named, exposing(named, (row,)), beats, patterns=("always", "geometric"))
    assert report.passed, report.findings
    assert any(report.answers["mem0.from0"])


@icarus
def test_space_and_context_stand_in_the_user_signals(tmp_path):
    named = exposed_storage(MATCHED, implementation=BUSSED)
    row = decode_row(*MATCHING, offset=2**64 - 0x1000)
    right = {"address_space": 7, "context": 2**63 + 5}
    beats = [
        *some_beats(2, 40, **right),
        *some_beats(3, 10, **right | {"context": 5}),
        *some_beats(4, 10, **right | {"address_space": 6}),
        *some_beats(5, 10, **right),
    ]
    report = run(tmp_path, named, exposing(named, (row,)), beats)
    assert report.passed, report.findings
    assert set(report.answers["mem0.from0"][40:60]) == {None}


def beside_rows(option=BUSSED):
    """Loads and stores of rows in the upper half, beats in the lower one."""
    named = exposed_storage(engine=True, implementation=option)
    table = Active(
        (
            row(0, LOAD, view(ELEMENT), base=0x80),
            row(1, STORE, view(ELEMENT), base=0xC0),
        ),
        exposing(named, WINDOW).provider_decode,
    )
    tokens = tuple(at % 16 for at in range(64))
    streams = {(0, at, None): tokens for at in (0, 3)} | {
        (0, 4, None): tuple(100 + each for each in tokens),
        **{(0, at, None): (0,) * len(tokens) for at in (2, 6)},
    }
    return named, table, streams


@icarus
def test_a_bus_and_rows_share_the_memory(tmp_path):
    named, table, streams = beside_rows()
    report = run(tmp_path, named, table, tuple(some_beats(6)), streams=streams)
    assert report.passed, report.findings
    assert [each.firings for each in report.rows] == [64, 64]


@icarus
@pytest.mark.parametrize("kinds", [(LOAD,), (STORE,)], ids=["read", "written"])
def test_a_bus_of_one_direction_has_no_other_channels(kinds, tmp_path):
    named = exposed_storage(kinds=kinds, implementation=BUSSED)
    kind = READ if kinds == (LOAD,) else WRITE
    beats = tuple(each for each in some_beats(7) if each.kind == kind)
    report = run(tmp_path, named, exposing(named, WINDOW), beats, patterns=("always", "geometric"))
    assert report.passed, report.findings


LITE = MemoryImplementation(subordinate_protocol="axi4_lite")


def lite_beats(seed, count=160, beat=8):
    """Of the reads those that one transfer makes."""
    for each in some_beats(seed, count, beat):
        start = each.address % 3 if each.kind == READ else 0
        strobe = ((1 << beat) - 1) >> start << start if each.kind == READ else each.strobe
        yield replace(each, strobe=strobe)


@icarus
@pytest.mark.parametrize("beat", [32, pytest.param(64, marks=pytest.mark.slow)])
def test_storage_serves_another_makers_lite_master(beat, tmp_path):
    named = exposed_storage(beat=beat, implementation=LITE)
    beats = tuple(lite_beats(1, beat=beat // 8))
    report = run(tmp_path, named, exposing(named, WINDOW), beats)
    assert report.passed, report.findings
    answers = report.answers["mem0.from0"]
    assert None in answers
    assert any(answers[at] for at, each in enumerate(beats) if each.kind == READ)


class DeafLiteReads(LiteReads):
    """Sees no error."""

    def _reply(self):
        return Const(0, 2)


class DeafLiteWrites(LiteWrites):
    """Sees no error."""

    def _reply(self):
        return Const(0, 2)


class CarelessLiteWrites(LiteWrites):
    """Writes whole words."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.stream.req_strobe.eq(-1)
        return m


LITE_MUTANTS = {
    "an error of a read is lost": ({"READS": DeafLiteReads}, "subordinate"),
    "an error of a write is lost": ({"WRITES": DeafLiteWrites}, "subordinate"),
    "strobes are ignored": ({"WRITES": CarelessLiteWrites}, "memory"),
    "data is withdrawn": ({"READS": FickleLiteReads}, "subordinate"),
}


@icarus
@pytest.mark.parametrize(
    "fault",
    [
        each if each == "data is withdrawn" else pytest.param(each, marks=pytest.mark.slow)
        for each in LITE_MUTANTS
    ],
)
def test_a_wrong_lite_adapter_is_told(fault, tmp_path, monkeypatch):
    parts, kind = LITE_MUTANTS[fault]
    for name, part in parts.items():
        monkeypatch.setattr(lite.LiteSubordinate, name, part)
    named = exposed_storage(beat=32, implementation=LITE)
    beats = tuple(lite_beats(9, beat=4))
    report = run(tmp_path, named, exposing(named, WINDOW), beats, patterns=("always", "geometric"))
    assert kind in {finding.kind for finding in report.findings}


@pytest.mark.slow
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
@pytest.mark.parametrize("option", [BUSSED, LITE], ids=["axi4", "axi4_lite"])
def test_every_stall_pattern(option, simulator, tmp_path):
    named, table, streams = beside_rows(option)
    every = ("always", "alternate", "bursty", "geometric", "starved", "adversarial", "shut")
    beats = tuple((lite_beats if option is LITE else some_beats)(8, 300))
    report = run(
        tmp_path, named, table, beats, streams=streams, simulator=simulator, patterns=every
    )
    assert report.passed, report.findings


#: Wrong adapters, and what must be told of them.
MUTANTS = {
    "an error of a read is lost": ({"READS": DeafSubordinateReads}, "subordinate"),
    "an error of a write is lost": ({"WRITES": DeafSubordinateWrites}, "subordinate"),
    "strobes are ignored": ({"WRITES": CarelessWrites}, "memory"),
    "a response is withdrawn": ({"WRITES": WithdrawingResponses}, "subordinate"),
}


@icarus
@pytest.mark.parametrize(
    "fault",
    [
        each if each == "an error of a read is lost" else pytest.param(each, marks=pytest.mark.slow)
        for each in MUTANTS
    ],
)
def test_a_wrong_adapter_is_told(fault, tmp_path, monkeypatch):
    parts, kind = MUTANTS[fault]
    for name, part in parts.items():
        monkeypatch.setattr(adapter.Axi4Subordinate, name, part)
    named = exposed_storage(implementation=BUSSED)
    beats = tuple(some_beats(9))
    report = run(tmp_path, named, exposing(named, WINDOW), beats, patterns=("always", "geometric"))
    assert kind in {finding.kind for finding in report.findings}


@icarus
def test_the_other_master_refuses_what_is_no_axi4(tmp_path, monkeypatch):
    monkeypatch.setattr(adapter.Axi4Subordinate, "READS", LastlessReads)
    named = exposed_storage(implementation=BUSSED)
    with pytest.raises(SimulationFailed):
        run(tmp_path, named, exposing(named, WINDOW), tuple(some_beats(9)), patterns=("always",))
    assert "rlast" in (tmp_path / "icarus" / "run.log").read_text()
