"""What the elaborated endpoint looks at, and the text of fabrics with subordinates."""

import json

import pytest

from fabricgen.emit.package import emit_fabric
from fabricgen.records.fabric import Fabric
from fabricgen.rtl import occurrence
from fabricgen.rtl.occurrence import MemoryOccurrence
from tests.support import formal_report
from tests.support.memories import LOCAL
from tests.support.netlist import Netlist
from tests.support.subordinate_mutants import BypassSubordinate
from tests.support.subordinates import CONTEXT, NONE, RANGE, dispatch, exposed_storage
from tests.support.verilog import check, compiles_as_2005, lint, ports

TWO = (
    dispatch(2, (RANGE,), targets=(LOCAL,)),
    dispatch(1, (CONTEXT,), NONE, (LOCAL,)),
)
MEMORIES = {
    "storage alone": lambda: exposed_storage(*TWO),
    "behind two ports": lambda: exposed_storage(*TWO, engine=True),
    "one slot": lambda: exposed_storage(queue=1),
}


def readies(netlist):
    return {
        name: netlist.input_sources(name)
        for name in netlist.ports
        if name.startswith("subordinate_") and name.endswith("__req_ready")
    }


@pytest.mark.formal
@pytest.mark.proves("subordinate ready follows from registered state and hold")
@pytest.mark.parametrize("name", ["storage alone", "one slot"])
def test_every_request_ready_depends_on_hold_and_registers_only(name, tmp_path):
    formal_report.note(f"Subordinates, {name}", "netlist", 1)
    netlist = Netlist(MemoryOccurrence(MEMORIES[name]()), tmp_path)
    found = readies(netlist)
    assert found
    assert set(map(frozenset, found.values())) == {frozenset({"hold"})}
    answers = [name for name in netlist.ports if "__rsp_" in name and not name.endswith("ready")]
    flags = [name for name in answers if name.endswith(("valid", "error"))]
    assert flags
    for each in flags:
        assert netlist.input_sources(each) == set()
    # A memory counts as a whole, with what is written.
    for each in answers:
        assert not any(source.endswith("rsp_ready") for source in netlist.input_sources(each))
    assert netlist.input_sources("quiescent") == set()


@pytest.mark.formal
@pytest.mark.rejects("subordinate ready follows from registered state and hold")
def test_the_check_sees_a_slot_that_is_free_in_the_cycle_of_its_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(occurrence, "Subordinate", BypassSubordinate)
    netlist = Netlist(MemoryOccurrence(MEMORIES["one slot"]()), tmp_path)
    assert readies(netlist) == {
        "subordinate_0__req_ready": {"hold", "subordinate_0__rsp_ready"},
    }


@pytest.fixture(scope="module", params=["storage alone", "behind two ports"])
def emitted(request, tmp_path_factory):
    fabric = Fabric("shared", (MEMORIES[request.param](),))
    return request.param, emit_fabric(fabric, tmp_path_factory.mktemp("emitted") / "shared")


def test_every_field_is_a_port_of_the_top(emitted):
    name, package = emitted
    found = ports(package.verilog.read_text(), "shared")
    assert {port: span for port, span in found.items() if port.startswith("from")} == {
        "from0_req_valid": "input",
        "from0_req_ready": "output",
        "from0_req_kind": "input [2:0]",
        "from0_req_origin": "input [15:0]",
        "from0_req_beat": "input [15:0]",
        "from0_req_address": "input [63:0]",
        "from0_req_strobe": "input [7:0]",
        "from0_req_data": "input [63:0]",
        "from0_rsp_valid": "output",
        "from0_rsp_ready": "input",
        "from0_rsp_origin": "output [15:0]",
        "from0_rsp_beat": "output [15:0]",
        "from0_rsp_data": "output [63:0]",
        "from0_rsp_error": "output",
        "from1_req_valid": "input",
        "from1_req_ready": "output",
        "from1_req_kind": "input [2:0]",
        "from1_req_origin": "input [15:0]",
        "from1_req_beat": "input [15:0]",
        "from1_req_address": "input [63:0]",
        "from1_req_strobe": "input [7:0]",
        "from1_req_data": "input [63:0]",
        "from1_req_context": "input [63:0]",
        "from1_rsp_valid": "output",
        "from1_rsp_ready": "input",
        "from1_rsp_origin": "output [15:0]",
        "from1_rsp_beat": "output [15:0]",
        "from1_rsp_data": "output [63:0]",
        "from1_rsp_error": "output",
    }
    others = {port for port in found if not port.startswith(("from", "cfg_"))}
    assert (others == {"clk", "rst"}) == (name == "storage alone")


def test_the_text_is_clean(emitted, tmp_path):
    _, package = emitted
    text = package.verilog.read_text()
    assert lint(text, package.top, tmp_path) == []
    assert check(text, package.top, tmp_path) == ""
    assert compiles_as_2005(text, tmp_path) == ""


def test_manifest_names_and_registers_describe_the_subordinates(emitted):
    name, package = emitted
    (memory,) = json.loads(package.manifest.read_text())["memories"]
    first, second = memory["subordinates"]
    assert first == {
        "name": "from0",
        "beat_bytes": 8,
        "request": {
            "kind": 3,
            "origin": 16,
            "beat": 16,
            "address": 64,
            "strobe": 8,
            "data": 64,
        },
        "response": {"origin": 16, "beat": 16, "data": 64, "error": 1},
        "slots": 6,
        "bindings": 2,
        "protocol": "stream",
        "axi4": None,
        "axi4_lite": None,
    }
    assert second["request"] == {**first["request"], "context": 64}
    assert memory["storage"]["capacity_bytes"] == 256

    names = json.loads((package.directory / "names.json").read_text())
    (described,) = names["memories"]
    assert described["subordinates"] == [
        {"name": f"from{at}", "instance": f"occurrence.subordinate_{at}"} for at in range(2)
    ]
    for each in described["subordinates"]:
        assert names["instances"][each["instance"]] == "Subordinate"
    assert len(described["ports"]) == (0 if name == "storage alone" else 2)

    registers = json.loads((package.directory / "registers.json").read_text())
    text = json.dumps(registers)
    assert "mem0.from0.binding1.base_offset" in text
    assert "mem0.from1.binding0.context" in text
    assert ("out_of_range" in text) == (name != "storage alone")
