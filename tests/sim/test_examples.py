"""Every shipped example in hardware: clean text, and no mismatch on any simulator."""

import shutil

import pytest

from fabricgen.emit.package import emit_fabric
from sim.simulate import simulate
from tests.support.examples import CASES, NAMES, read
from tests.support.verilog import check, compiles_as_2005, lint

pytest.importorskip("cocotb")
needs_icarus = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="apt-get install iverilog"
)
SIMULATORS = ["verilator", pytest.param("icarus", marks=needs_icarus), "python"]


def run(directory, simulator, name, suffix="", **options):
    fabric, mapping, workload = read(name, suffix)
    report = simulate(
        fabric,
        mapping.configuration,
        workload,
        simulator=simulator,
        seed=1,
        build_dir=directory,
        **options,
    )
    assert report.passed, report.findings
    return report


@needs_icarus
def test_context_2_of_the_specification_runs(tmp_path):
    """Five roles on tags 1, 7, 3, 5 and 6: masked vectors of which one mask is 1011, one 0000."""
    report = run(tmp_path, "icarus", "temporal-vector", patterns=("always",))
    gather = report.rows[2]
    assert (gather.firings, gather.empty_masks) == (64, 4)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_an_example_is_clean(tmp_path, name):
    fabric, _, _ = read(name)
    emitted, again = (emit_fabric(fabric, tmp_path / folder) for folder in ("out", "again"))
    text = emitted.verilog.read_text()
    assert again.verilog.read_text() == text
    assert lint(text, emitted.top, tmp_path) == []
    assert check(text, emitted.top, tmp_path) == ""
    assert compiles_as_2005(text, tmp_path) == ""
    assert emitted.top == name.replace("-", "_")


@pytest.mark.slow
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize(("name", "suffix"), CASES)
def test_an_example_agrees_with_the_model(tmp_path, name, suffix, simulator):
    report = run(tmp_path, simulator, name, suffix)
    assert report.cycles >= report.cycle_limit > 0
