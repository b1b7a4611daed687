"""The performance suite measures what it says, and says when the contract is broken."""

import json
import shutil
from dataclasses import replace

import pytest

from sim import bench_suite
from sim.bench_suite import PAGE, Figure, main, page

pytest.importorskip("amaranth")
icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")


def few(cases, *names):
    return [case for case in cases if case.name in names]


@pytest.fixture
def small(monkeypatch):
    """Two cases of few firings."""
    cases = few(bench_suite.cases(), "Spatial element load", "gather, all on one bank")
    cut = [replace(case, tokens=tuple((t[:20], m[:20]) for t, m in case.tokens)) for case in cases]
    monkeypatch.setattr(bench_suite, "cases", lambda: cut)
    return cut


def test_figures_are_printed_and_written(small, tmp_path, capsys):
    output = tmp_path / "build" / "bench.json"
    assert main(["--simulator", "python", "--output", str(output)]) == 0
    figures = json.loads(output.read_text())
    assert figures == [
        {
            "row": "Spatial element load",
            "unit": "firings/cycle/port",
            "achieved": 1.0,
            "limit": 1.0,
            "must": 1.0,
            "lower_is_better": False,
        },
        {
            "row": "Spatial element load, operands to result",
            "unit": "cycles",
            "achieved": 3.0,
            "limit": 2.0,
            "must": 3.0,
            "lower_is_better": True,
        },
        {
            "row": "gather, all on one bank",
            "unit": "cycles/firing",
            "achieved": 4.0,
            "limit": 4.0,
            "must": 4.0,
            "lower_is_better": True,
        },
    ]
    assert "MISSED" not in capsys.readouterr().out


def test_a_change_since_the_last_run_is_said(small, tmp_path, capsys):
    output = tmp_path / "bench.json"
    recorded = Figure("gather, all on one bank", "cycles/firing", 5.0, 4.0, 4.0, True)
    output.write_text(json.dumps([vars_of(recorded)]))
    main(["--simulator", "python", "--output", str(output)])
    assert "  gather, all on one bank: 5.0000 -> 4.0000" in capsys.readouterr().out


def vars_of(figure):
    return {name: getattr(figure, name) for name in Figure.__dataclass_fields__}


@pytest.mark.parametrize(
    ("achieved", "must", "lower_is_better", "is_met"),
    [
        (1.0, 1.0, False, True),
        (0.99, 1.0, False, False),
        (3.0, 3.0, True, True),
        (3.01, 3.0, True, False),
    ],
)
def test_a_figure_is_met_on_its_own_side(achieved, must, lower_is_better, is_met):
    assert Figure("row", "unit", achieved, must, must, lower_is_better).is_met is is_met


def test_a_broken_contract_fails_the_suite(small, tmp_path, capsys, monkeypatch):
    slow = Figure("row", "cycles", 4.0, 2.0, 3.0, True)
    monkeypatch.setattr(bench_suite, "measure", lambda *_: [slow])
    assert main(["--simulator", "python", "--output", str(tmp_path / "b.json")]) == 1
    assert "MISSED" in capsys.readouterr().out


def test_every_row_of_the_contract_has_a_case():
    names = " ".join(case.name for case in bench_suite.cases())
    for row in ("element load", "element store", "ports", "contiguous", "gather", "scatter"):
        assert row in names


def test_the_page_says_what_is_missed(small, tmp_path, monkeypatch):
    written = tmp_path / "performance.md"
    monkeypatch.setattr(bench_suite, "PAGE", written)
    chosen = ["--simulator", "python", "--output", str(tmp_path / "bench.json")]
    assert main(chosen) == 0
    assert not written.exists()
    assert main([*chosen, "--record"]) == 0
    row = "| Spatial element load | firings/cycle/port | 1.0000 | 1.0000 | at least 1.0000 |  |"
    assert row in written.read_text().splitlines()
    written.write_text(bench_suite.with_emission(written.read_text(), ["| kept |"]))
    assert main([*chosen, "--record"]) == 0
    assert written.read_text().endswith("python -m tools.emit_bench --record`.\n\n| kept |\n")
    late = Figure("slow", "cycles", 4.0, 2.0, 3.0, True)
    assert "| slow | cycles | 4.0000 | 2.0000 | at most 3.0000 | **missed** |" in page([late])


def test_the_page_has_every_row_of_the_contract():
    listed = PAGE.read_text()
    assert [case.name for case in bench_suite.cases() if f"| {case.name}" not in listed] == []


def test_on_the_simulator_python_nobody_stands_before_a_bus(small, tmp_path, monkeypatch, capsys):
    bus = [case for case in bench_suite._subordinates() if case.needs_cocotb]
    monkeypatch.setattr(bench_suite, "cases", lambda: [*small, *bus])
    output = tmp_path / "bench.json"
    assert main(["--simulator", "python", "--output", str(output)]) == 0
    assert len(json.loads(output.read_text())) == 3
    said = capsys.readouterr().err
    assert all(f"{case.name}: not on the simulator python" in said for case in bus)
    assert len(bus) == 6


@icarus
@pytest.mark.parametrize(
    "queue", [6, pytest.param(2, marks=pytest.mark.slow)], ids=["six slots", "two slots"]
)
def test_a_subordinate_serves_a_beat_in_every_cycle_with_six_slots(queue, tmp_path):
    (case,) = few(
        bench_suite._subordinates(), "AXI4 subordinate over 16 KiB, reads in single beats"
    )
    cut = replace(case, engine=replace(case.engine, queue=queue), beats=case.beats[:60])
    (figure,) = bench_suite.measure(cut, "icarus", tmp_path)
    assert figure.is_met == (queue == 6)
    assert (figure.achieved == 1.0) == (queue == 6)
