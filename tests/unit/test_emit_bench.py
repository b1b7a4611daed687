"""The benchmark of emission: its fit by hand, and what it writes."""

import json

import pytest

from sim import bench_suite
from tools import emit_bench
from tools.emit_bench import Figure, exponent, main, section


@pytest.mark.parametrize("power", [1.0, 1.2, 2.0])
def test_the_exponent_is_the_slope_of_the_logarithms(power):
    sizes = (4, 16, 64, 512)
    assert exponent([(size, 3e-2 * size**power) for size in sizes]) == pytest.approx(power)


def test_the_exponent_is_fitted_over_all_sizes():
    # Logarithms 0, 1, 1 over 0, 1, 2: the slope of least squares is 1/2.
    assert exponent([(1, 1), (10, 10), (100, 10)]) == pytest.approx(0.5)


def test_a_section_has_examples_and_engines():
    figures = [Figure("memcpy-local", 0, 0.5, 1), Figure("K=4 P=2", 8, 0.25, 0.75)]
    assert section(figures, 1.234)[2:] == [
        "| memcpy-local |  | 0.50 | 1.00 |",
        "| K=4 P=2 | 8 | 0.25 | 0.75 |",
        "",
        "Emission grows with the power 1.23 of P * K.",
    ]


def test_the_benchmark_writes_its_part_of_the_page(tmp_path, monkeypatch, capsys):
    page, report = tmp_path / "page.md", tmp_path / "emit.json"
    page.write_text(bench_suite.with_emission(bench_suite.page([]), ["old"]))
    monkeypatch.setattr(emit_bench, "PAGE", page)
    monkeypatch.setattr(emit_bench.resources, "files", lambda _name: tmp_path)
    main(["--rows", "2", "--ports", "1", "--repeats", "1", "--output", str(report), "--record"])
    (figure,) = json.loads(report.read_text())
    assert figure["design"] == "K=2 P=1"
    assert 0 < figure["emission"] < figure["command"]
    assert f" {figure['emission']:.2f} s  " in capsys.readouterr().out
    before, _, lines = page.read_text().partition("emit_bench --record`.\n\n")
    assert before.startswith(bench_suite.page([]).rstrip())
    assert lines.splitlines()[2:] == [
        f"| K=2 P=1 | 2 | {figure['emission']:.2f} | {figure['command']:.2f} |"
    ]
