"""The benchmark of the normaliser: its fit by hand, and what it calls exploding is bounded."""

import json
import sys

import pytest

from fabricgen.relation.diagram import Diagram
from tools import normalise_bench
from tools.normalise_bench import EXPLODING, exponent, outcome


@pytest.mark.parametrize("power", [1.0, 1.3, 2.0])
def test_the_exponent_is_the_slope_of_the_logarithms(power):
    counts = (10, 100, 1000, 10_000)
    assert exponent([3e-6 * count**power for count in counts], counts) == pytest.approx(power)


def test_the_exponent_is_fitted_over_all_counts():
    # Logarithms 0, 1, 1 over 0, 1, 2: the slope of least squares is 1/2.
    assert exponent([1, 10, 10], [1, 10, 100]) == pytest.approx(0.5)


@pytest.mark.slow
@pytest.mark.parametrize("build", EXPLODING.values(), ids=EXPLODING)
def test_whatever_is_built_to_cost_much_is_refused_within_the_bound_of_steps(build, monkeypatch):
    seen = []
    visit = Diagram.visit
    monkeypatch.setattr(Diagram, "visit", lambda self, count: seen.append(visit(self, count)))
    assert outcome(build()) == "relation-too-large"
    assert len(seen) <= 1_750_000


@pytest.mark.slow
def test_the_benchmark_fails_where_a_bound_does_not_hold(tmp_path, monkeypatch, capsys):
    report = tmp_path / "normalise.json"
    monkeypatch.setattr(sys, "argv", ["normalise_bench", "-o", str(report)])
    monkeypatch.setattr(normalise_bench, "COUNTS", (10, 1000))
    monkeypatch.setattr(normalise_bench, "EXPLODING", {"pairs": EXPLODING["2**40 products"]})
    monkeypatch.setattr(normalise_bench, "MAX_SECONDS", 0.0)
    monkeypatch.setattr(normalise_bench, "MAX_EXPONENT", 0.0)
    monkeypatch.setattr(normalise_bench, "MAX_EXPLODING_SECONDS", 0.0)
    assert normalise_bench.main() == 1
    refused = capsys.readouterr().err.splitlines()
    written = json.loads(report.read_text())["written"]
    assert len(refused) == 2 * len(written) + 1
    assert all(each["rows"] == [10, 1000] for each in written.values())
