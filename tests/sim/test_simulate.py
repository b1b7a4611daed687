"""From documents to a report, on every simulator; and wrong Verilog is never reported as right."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from amaranth.hdl import Const

import fabricgen
from fabricgen.abi.image import encode_image
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.workload import parse_workload
from fabricgen.errors import Invalid
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.rtl.temporal.port import TemporalPort
from sim import simulate as subject
from sim.simulate import simulate

pytest.importorskip("cocotb")
EXAMPLES = Path(fabricgen.__file__).parent / "examples"
pytestmark = pytest.mark.usefixtures("emit_once")
icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")


def example(name, kind=""):
    folder = EXAMPLES / name
    fabric = parse_fabric((folder / "fabric.toml").read_text())
    rows = parse_mapping((folder / f"mapping{kind}.toml").read_text(), fabric)
    text = (folder / f"workload{kind}.toml").read_text()
    return fabric, rows, parse_workload(text, fabric, rows.memories, folder)


def run(source, directory, simulator="icarus", **options):
    options = {"seed": 1, "build_dir": directory, "patterns": ("always",)} | options
    return simulate(*source, simulator=simulator, **options)


def mutated(monkeypatch, change):
    """Emit a design whose text was changed; the change must hit."""
    emit = subject.emit_fabric

    def changed(fabric, directory):
        emitted = emit(fabric, directory)
        before = emitted.verilog.read_text()
        after = change(before)
        assert before != after
        emitted.verilog.write_text(after)
        return emitted

    monkeypatch.setattr(subject, "emit_fabric", changed)


@icarus
def test_a_gather_under_every_pattern_agrees_with_the_model(tmp_path):
    report = run(example("gather-local", "-masked"), tmp_path, patterns=None)
    assert report.passed, report.findings
    assert [(row.port, row.firings) for row in report.rows] == [("gather0", 8), ("store0", 8)]
    # One mask of the eight is empty.
    assert [row.empty_masks for row in report.rows] == [1, 0]
    assert {run.pattern for run in report.runs} == set(subject.PATTERNS)
    assert report.cycles >= report.cycle_limit > 0
    assert report.to_json()["passed"] is True


@icarus
def test_cycles_and_latencies_are_the_same_on_icarus_and_on_python(tmp_path):
    source = example("spatial-local", "-vector")
    reports = [run(source, tmp_path / each, each) for each in ("icarus", "python")]
    assert all(report.passed for report in reports)
    assert reports[0].rows == reports[1].rows
    assert reports[0].runs == reports[1].runs


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spatial-local", "gather-local"])
def test_the_examples_agree_with_the_model_on_verilator(tmp_path, name):
    report = run(example(name), tmp_path, "verilator", patterns=None)
    assert report.passed, report.findings
    assert report.achieved == pytest.approx(report.limit)


@pytest.mark.slow
def test_verilator_and_icarus_see_the_same_cycles(tmp_path):
    source = example("gather-local", "-masked")
    simulators = ("icarus", "verilator")
    reports = [run(source, tmp_path / each, each, patterns=None) for each in simulators]
    assert reports[0].runs == reports[1].runs


@icarus
def test_an_image_replaces_the_mapping(tmp_path):
    fabric, rows, workload = example("gather-local", "-masked")
    (table,) = rows.memories
    gather, store = table.operation_rows
    moved = replace(table, operation_rows=(gather, replace(store, base_addr=0x2000)))
    source = (fabric, rows, workload)
    report = run(source, tmp_path, image=encode_image(fabric, FabricConfiguration((moved,))))
    assert report.passed, report.findings


def test_a_broken_image_is_refused_before_anything_runs(tmp_path):
    source = example("gather-local", "-masked")
    image = bytearray(encode_image(source[0], source[1]))
    image[-40] ^= 1
    with pytest.raises(Invalid, match="image-digest"):
        run(source, tmp_path, image=bytes(image))
    assert not list(tmp_path.iterdir())


def test_an_expectation_that_the_model_does_not_meet_is_reported_without_hardware(tmp_path):
    fabric, rows, workload = example("gather-local", "-masked")
    at = fabric.memories[0].names.endpoints.index("g_done")
    data = fabric.memories[0].names.endpoints.index("g_data")
    report = run((fabric, rows, replace(workload, expected={(0, at, None): (0,) * 7})), tmp_path)
    assert [(f.kind, f.expected, f.got) for f in report.findings] == [("expect", "7", "8")]
    wrong = {(0, data, None): (0,) * 8}
    report = run((fabric, rows, replace(workload, expected=wrong)), tmp_path)
    assert [(f.kind, f.token, f.expected) for f in report.findings] == [("expect", 0, "0x0")]
    assert not list(tmp_path.iterdir())


@icarus
@pytest.mark.parametrize("simulator", ["icarus", "python"])
def test_a_waveform_is_written_and_named(tmp_path, simulator):
    report = run(example("gather-local", "-masked"), tmp_path, simulator, waves=True)
    assert report.waves.stat().st_size > 1000
    assert report.to_json()["waves"] == str(report.waves)


def late(endpoint):
    """Publish one result a cycle late."""

    def change(text):
        inner = f"{endpoint}_early"
        text = re.sub(rf"(\.\w+)\({endpoint}_valid\)", rf"\1({inner})", text, count=1)
        body = (
            f"  wire {inner};\n  reg {endpoint}_late;\n"
            f"  always @(posedge clk) {endpoint}_late <= {inner};\n"
            f"  assign {endpoint}_valid = {endpoint}_late;\nendmodule"
        )
        return text.replace("endmodule", body, 1)

    return change


def substituted(pattern, new):
    return lambda text: re.sub(pattern, new, text)


MUTANTS = {
    "a completion a cycle late": (late("s_done"), {"early", "joint", "spurious", "hang"}),
    "data and completion apart": (late("g_done"), {"joint"}),
    "a byte enable that is never set": (
        substituted(r"if \((\w+)\[0\]\) (mem\[)", r"if (\1[0] & 1'b0) \2"),
        {"memory"},
    ),
    "storage that answers with another row": (
        substituted(r"<= mem\[(\w+)\];", r"<= mem[\1 ^ 1'b1];"),
        {"token"},
    ),
    "an ingress that is never ready": (
        substituted(r"(\.\w+)\(g_ctrl_ready\)", r"\1()"),
        {"unknown", "hang"},
    ),
}


@icarus
@pytest.mark.parametrize("name", list(MUTANTS))
def test_a_wrong_design_is_reported(tmp_path, monkeypatch, name):
    change, kinds = MUTANTS[name]
    mutated(monkeypatch, change)
    source = example("gather-local", "-masked")
    report = run(source, tmp_path, patterns=("always", "geometric"))
    assert not report.passed
    assert kinds & {finding.kind for finding in report.findings}


def silent(monkeypatch):
    """Emit a design of which port 0 gets no response from its first target."""
    mutated(monkeypatch, substituted(r"(\.request_0_0_rsp_valid)\(\w+\)", r"\1(1'b0)"))


def hangs(report):
    return [finding.message for finding in report.findings if finding.kind == "hang"]


@icarus
def test_a_hang_report_looks_into_a_spatial_port(tmp_path, monkeypatch):
    silent(monkeypatch)
    report = run(example("gather-local", "-masked"), tmp_path)
    assert hangs(report)[0] == "Row 0 (gather0) waits for the response of local"


@icarus
def test_a_hang_report_looks_into_a_temporal_port(tmp_path, monkeypatch):
    silent(monkeypatch)
    report = run(example("temporal-local"), tmp_path)
    assert hangs(report)[:4] == [
        "Row 0 (read0) waits for the response of local",
        "Row 1 (read0) waits for the response of local",
        "Row 2 (read0) waits for the response of local",
        "Row 3 (write0) waits for operands: DATA (connection 0 from row 1)",
    ]


@pytest.mark.slow
def test_a_hang_report_looks_into_ports_on_verilator(tmp_path, monkeypatch):
    silent(monkeypatch)
    report = run(example("temporal-local"), tmp_path, "verilator")
    assert hangs(report)[1] == "Row 1 (read0) waits for the response of local"


@pytest.mark.slow
def test_a_hang_report_looks_into_ports_on_the_python_simulator(tmp_path, monkeypatch):
    # Every response goes to slot 0 of row 0.
    monkeypatch.setattr(TemporalPort, "_response_slot", staticmethod(lambda request: Const(0, 4)))
    report = run(example("temporal-local"), tmp_path, "python")
    assert "Row 1 (read0) waits for the response of local" in hangs(report)
