"""The cocotb bench on a fabric written by hand: right, and wrong in one line each."""

import shutil
from dataclasses import replace

import pytest

from sim import run
from sim.job import Run, Step, read_results
from sim.stalls import PATTERNS
from tests.sim.reference import TEXT, TOP, job

pytest.importorskip("cocotb")
icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")


def outcome(job, directory, text=TEXT, simulator="icarus"):
    built = run.build(text, TOP, directory, simulator=simulator)
    directory = built.directory
    job.write(directory / "job.json")
    results = directory / "results.json"
    env = {"FABRICGEN_JOB": str(directory / "job.json"), "FABRICGEN_RESULTS": str(results)}
    run.run_bench(built, "occurrence", seed=1, env=env)
    return read_results(results)


@icarus
def test_a_right_fabric_passes_every_pattern(tmp_path):
    runs = tuple(Run(pattern, seed) for seed, pattern in enumerate(PATTERNS))
    results = outcome(job(runs=runs), tmp_path)
    assert [result.findings for result in results] == [()] * len(runs)
    assert [row.firings for result in results for row in result.rows] == [50] * 2 * len(runs)
    # One operand register and one firing per row: taken, issued, published.
    assert {row.latency_min for row in results[0].rows} == {2}


@icarus
def test_leftover_tokens_and_lanes_out_of_range_are_expected_when_the_job_says_so(tmp_path):
    results = outcome(job(extra=3, outside=True), tmp_path)
    assert [result.findings for result in results] == [()] * 2


@pytest.mark.slow
def test_both_simulators_see_the_same_cycles(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # Make refuses spaces in a path; a build there must work all the same.
    found = [outcome(job(), tmp_path / f"on {s}", simulator=s) for s in ("icarus", "verilator")]
    assert found[0] == found[1]


#: Name: text, what replaces it, kind of finding that must follow.
MUTANTS = {
    "a result bit": ("lresult <= ld_out", "lresult <= 1 ^ ld_out", "token"),
    "done without its data": (
        "ld_done_valid = ld_fire",
        "ld_done_valid = lfull & ld_done_ready",
        "joint",
    ),
    "valid before ready": ("st_done_valid = st_fire", "st_done_valid = sbusy", "joint"),
    "a firing forgotten": ("if (st_fire) sbusy <= 0;", "", "spurious"),
    "an operand refused": ("st_ctrl_ready = active[2] & ~sc", "st_ctrl_ready = 0", "hang"),
    "an operand taken twice": ("la <= 0; lc <= 0; lbusy", "lc <= 0; lbusy", "token"),
    "a store into both banks": (
        "if (~st_out & ~sa_data[0]) bank0",
        "if (~st_out) bank0",
        "memory",
    ),
    "a store outside": ("if (~st_out & ~sa_data[0])", "if (~sa_data[0])", "memory"),
    "a byte never written": (
        "bank0[sa_data[5:1]] <= sd_data;",
        "bank0[sa_data[5:1]] <= sd_data[23:0];",
        "memory",
    ),
    "unknown data": ("la_data[0] ? bank1[la_data[5:1]]", "la_data[0] ? 32'bx", "unknown"),
    "unknown readiness": ("{la, lc, sa", "{lc, sa", "unknown"),
    "a silent report": ("sticky <= 1;", "", "out-of-range"),
    "a report of another row": ("sticky_row <= ~", "sticky_row <= ", "out-of-range"),
    "never quiescent": ("{quiescent, sticky}", "{1'b0, sticky}", "quiescent"),
    "another word read back": ("cfg_rdata <= active;", "cfg_rdata <= active + 1;", "program"),
    "a foreign image accepted": (
        "assign cfg_bresp = bad ? 2'd2 : 2'd0",
        "assign cfg_bresp = 0",
        "program",
    ),
}


@icarus
@pytest.mark.parametrize("name", list(MUTANTS))
def test_a_wrong_fabric_is_reported(tmp_path, name):
    old, new, kind = MUTANTS[name]
    assert TEXT.count(old) == 1
    results = outcome(job(outside=True), tmp_path, TEXT.replace(old, new))
    assert kind in {finding.kind for result in results for finding in result.findings}


@icarus
def test_a_reset_that_leaves_a_token_inside_is_reported(tmp_path):
    # Nothing is inside at the first reset; those in the middle of traffic tell.
    text = TEXT.replace("{la, lc, sa, sd", "if (la === 1'bx) la <= 0;\n{lc, sa, sd")
    runs = tuple(Run("geometric", seed) for seed in range(1, 9))
    first, *others = outcome(job(runs=runs), tmp_path, text)
    assert not first.findings
    assert any(result.findings for result in others)


@icarus
def test_a_host_that_gets_no_answer_is_reported(tmp_path):
    text = TEXT.replace("wire read = cfg_arvalid", "wire read = 0 & cfg_arvalid")
    results = outcome(replace(job(), program=(Step(False, 0, 0),)), tmp_path, text)
    finding = next(f for f in results[0].findings if f.kind == "program")
    assert (finding.message, finding.got) == ("Read from 0x0 is answered otherwise", "no answer")
