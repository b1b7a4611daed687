"""Beats of workloads on the design: what is right passes, and what is wrong is told by its kind."""

import shutil

import pytest
from amaranth.hdl import Mux, Signal

from fabricgen.author.requests import ExpectedAnswer, Requests
from fabricgen.author.workload import Workload
from fabricgen.plan.beat_request import BeatRequest
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Active, RangeMatch
from fabricgen.records.fabric import Fabric
from fabricgen.rtl import occurrence
from fabricgen.rtl.subordinate import subordinate as module
from sim.simulate import simulate
from tests.support import subordinate_mutants as wrong
from tests.support.memories import ELEMENT, LOAD, STORE, row, view
from tests.support.subordinate_bench import READ, WRITE
from tests.support.subordinates import decode_row, exposed_storage, exposing

pytest.importorskip("cocotb")
icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")

STORAGE, SHARED = exposed_storage(), exposed_storage(engine=True)
WINDOW = (decode_row(RangeMatch(0x1000, 0x80), offset=2**64 - 0x1000),)
CONTENTS = bytes(range(256))
#: Reads, writes and beats that fail, in the lower half of the memory.
BEATS = (
    BeatRequest(READ, 0x1000, 0xFF),
    BeatRequest(WRITE, 0x1008, 0x3C, 0x1122_3344_5566_7788),
    BeatRequest(READ, 0x1008, 0xF0),
    BeatRequest(READ, 0x1080, 0xFF),
    BeatRequest(WRITE, 0x1001, 0xFF, 2**64 - 1),
    BeatRequest(5, 0x1000, 0xFF),
    BeatRequest(WRITE, 0x1010, 0xFF, 0xABCD),
    *(BeatRequest(READ, 0x1000 + 8 * at, 0xFF) for at in range(8)),
)


def run(
    tmp_path, *, named=STORAGE, table=None, beats=BEATS, streams=None, expected=None, **options
):
    table = table or exposing(named, WINDOW)
    given = expected or (ExpectedAnswer(None, None),) * len(beats)
    workload = Workload(
        streams=streams or {},
        memories=(((0, CONTENTS),),),
        requests={(0, 0): Requests(tuple(beats), tuple(given))},
    )
    options = {"simulator": "python", "patterns": ("always", "geometric")} | options
    return simulate(
        Fabric("shared", (named,)),
        FabricConfiguration((table,)),
        workload,
        seed=3,
        build_dir=tmp_path,
        **options,
    )


def test_storage_alone_serves_beats(tmp_path):
    report = run(tmp_path)
    assert report.passed, report.findings
    answers = report.answers["mem0.from0"]
    assert answers[:7] == (0x0706_0504_0302_0100, 0, 0x0F0E_3344_0000_0000, None, None, None, 0)
    assert answers[9] == 0xABCD
    assert report.memory[:16] == CONTENTS[:10] + bytes.fromhex("665544330e0f")
    assert report.rows == ()


def test_beats_and_rows_share_the_memory(tmp_path):
    table = Active(
        (
            row(0, LOAD, view(ELEMENT), base=0x80),
            row(1, STORE, view(ELEMENT), base=0xC0),
        ),
        exposing(SHARED, WINDOW).provider_decode,
    )
    tokens = tuple(range(12))
    streams = {
        (0, at, None): tokens if at in (0, 3) else tuple(100 + each for each in tokens)
        for at in (0, 3, 4)
    } | {(0, at, None): (0,) * 12 for at in (2, 6)}
    report = run(tmp_path, named=SHARED, table=table, streams=streams)
    assert report.passed, report.findings
    assert [each.firings for each in report.rows] == [12, 12]
    assert len(report.answers["mem0.from0"]) == len(BEATS)


def test_without_a_beat_the_endpoint_is_idle(tmp_path):
    report = run(tmp_path, beats=())
    assert report.passed, report.findings
    assert report.memory == CONTENTS


def test_an_expectation_is_held_against_the_model(tmp_path):
    given = [ExpectedAnswer(None, None)] * len(BEATS)
    given[3] = ExpectedAnswer(None, False)
    (finding,) = run(tmp_path, expected=given).findings
    assert (finding.kind, finding.token) == ("expect", 3)
    assert (finding.expected, finding.got) == ("0x0", "0x1")
    given[3] = ExpectedAnswer(None, True)
    given[2] = ExpectedAnswer(0x0F0E_3344_0000_0001, False)
    (finding,) = run(tmp_path, expected=given).findings
    assert (finding.token, finding.got) == (2, "0xf0e334400000000")


class Unsteady(module.Subordinate):
    """Takes an answer back that waits."""

    def _ends(self, m, asked, give, given):
        done, error = super()._ends(m, asked, give, given)
        odd = Signal()
        m.d.sync += odd.eq(~odd)
        return Mux(odd, done, 0), error


class Nameless(module.Subordinate):
    """Answers everybody alike."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.stream.rsp_origin.eq(0)
        return m


class Talkative(module.Subordinate):
    """Answers before it was asked."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.stream.rsp_valid.eq(1)
        return m


class Silent(module.Subordinate):
    """Keeps its errors to itself."""

    def _ends(self, m, asked, give, given):
        done, error = super()._ends(m, asked, give, given)
        return done & ~error, error


MUTANTS = {
    "moves nothing": ((module, "ProviderDecoder", wrong.StillDecoder), {"subordinate", "memory"}),
    "compares no address": ((module, "ProviderDecoder", wrong.EagerDecoder), {"subordinate"}),
    "rounds addresses": (
        (occurrence, "Subordinate", wrong.CrookedSubordinate),
        {"subordinate", "memory"},
    ),
    "takes answers back": ((occurrence, "Subordinate", Unsteady), {"subordinate"}),
    "forgets names": ((occurrence, "Subordinate", Nameless), {"subordinate"}),
    "answers unasked": ((occurrence, "Subordinate", Talkative), {"subordinate"}),
    "never says error": ((occurrence, "Subordinate", Silent), {"hang", "subordinate"}),
}


#: Enough to see that the checks are there; the others are for the long run.
QUICK = ("moves nothing", "forgets names")


@pytest.mark.parametrize(
    "name",
    [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in MUTANTS],
)
def test_a_wrong_endpoint_is_reported(name, tmp_path, monkeypatch):
    change, kinds = MUTANTS[name]
    monkeypatch.setattr(*change)
    report = run(tmp_path)
    assert not report.passed
    assert {finding.kind for finding in report.findings} >= kinds


@icarus
def test_on_emitted_text_no_bit_is_unknown(tmp_path):
    report = run(tmp_path, simulator="icarus", patterns=("always", "geometric"))
    assert report.passed, report.findings
    assert report.answers["mem0.from0"][0] == 0x0706_0504_0302_0100


@icarus
def test_bytes_that_were_never_read_are_seen_as_unknown(tmp_path, monkeypatch):
    # Names in the hierarchy are those of the classes, so the class stays.
    monkeypatch.setattr(module.Subordinate, "_shown", wrong.OpenSubordinate._shown)
    report = run(tmp_path, beats=BEATS[1:4], simulator="icarus", patterns=("always",))
    assert "unknown" in {finding.kind for finding in report.findings}


@pytest.mark.slow
@pytest.mark.parametrize("named", [STORAGE, SHARED], ids=["storage alone", "engine"])
def test_every_stall_pattern_on_verilator(named, tmp_path):
    report = run(tmp_path, named=named, simulator="verilator", patterns=None)
    assert report.passed, report.findings
