import json

import pytest

from fabricgen.emit.verilog import to_verilog
from fabricgen.rtl.service import service as service_module
from tests.support import service_mutants as mutants
from tests.support import yosys
from tests.support.netlist import Netlist
from tests.support.services import GATHER, LOOSE_VECTOR, WORD, service


def answers(dut):
    return [
        f"requester_{r}__{name}"
        for r in range(len(dut.requesters))
        for name in dut.requesters[r].signature().members
        if name.startswith("rsp_")
    ]


@pytest.mark.parametrize(
    "shapes",
    [(WORD, WORD), pytest.param((LOOSE_VECTOR, GATHER), marks=pytest.mark.slow)],
    ids=["words", "vectors"],
)
def test_answers_come_from_registers_and_storage_only(shapes, tmp_path):
    dut = service(*shapes)
    netlist = Netlist(dut, tmp_path)
    for name in answers(dut):
        assert netlist.input_sources(name) == set(), name
    assert netlist.input_sources("idle") == set()


def test_readiness_depends_on_requests_only(tmp_path):
    """Neither on data nor on the slot nor, thanks to the late range check, on ``beyond``."""
    netlist = Netlist(service(WORD, WORD, slots=2), tmp_path)
    assert netlist.input_sources("requester_0__ready") == {
        f"requester_{r}__{name}" for r in range(2) for name in ("valid", "write", "address")
    }


def test_there_is_no_combinational_loop(tmp_path):
    ok, log = yosys.run(service(GATHER, WORD, banks=2, outstanding=3), ["check -assert"], tmp_path)
    assert ok, log


def cells(dut, cwd):
    """ECP5 cells by type, of the text that people get."""
    (cwd / "dut.v").write_text(to_verilog(dut, "dut"))
    script = "read_verilog -sv dut.v\nsynth_ecp5 -top dut -json dut.json"
    ok, log = yosys.run_script(script, cwd)
    assert ok, log
    found = {}
    for cell in json.loads((cwd / "dut.json").read_text())["modules"]["dut"]["cells"].values():
        found[cell["type"]] = found.get(cell["type"], 0) + 1
    return found


@pytest.mark.slow
def test_four_requesters_on_four_banks_stay_small_and_use_each_block_ram_once(tmp_path):
    found = cells(service(WORD, WORD, WORD, WORD, capacity=16384), tmp_path)
    assert found["DP16KD"] == 8  # 16 KiB in blocks of 2 KiB
    assert found["LUT4"] <= 1.5 * 1185
    assert "TRELLIS_DPR16X4" not in found


@pytest.mark.slow
def test_storage_with_defined_collisions_would_be_seen(monkeypatch, tmp_path):
    monkeypatch.setattr(service_module, "Bank", mutants.PlainBank)
    found = cells(service(WORD, WORD, WORD, WORD, capacity=16384), tmp_path)
    assert found["LUT4"] > 1.5 * 1185
