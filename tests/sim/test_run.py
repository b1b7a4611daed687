"""Builds are reused when nothing changed; a bench that proves nothing is refused."""

import shutil

import pytest

from sim import run

pytest.importorskip("cocotb")
pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")

TEXT = "module dut(input clk, output reg q); always @(posedge clk) q <= ~q; endmodule\n"


def test_the_same_text_is_built_once(tmp_path):
    run.build(TEXT, "dut", tmp_path, simulator="icarus")
    product = tmp_path / "sim.vvp"
    before = product.stat().st_mtime_ns
    run.build(TEXT, "dut", tmp_path, simulator="icarus")
    assert product.stat().st_mtime_ns == before
    run.build(TEXT + "\n", "dut", tmp_path, simulator="icarus")
    assert product.stat().st_mtime_ns != before


def test_a_text_that_does_not_build_names_the_log(tmp_path):
    with pytest.raises(run.SimulationFailed, match=r"icarus could not build dut .*build\.log$"):
        run.build("module dut(; endmodule", "dut", tmp_path, simulator="icarus")
    assert not (tmp_path / "build.json").exists()


def test_a_bench_without_tests_is_refused(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    built = run.build(TEXT, "dut", tmp_path / "build", simulator="icarus")
    with pytest.raises(run.SimulationFailed):
        run.run_bench(built, "__init__", seed=1)
