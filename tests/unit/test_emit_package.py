# amaranth: UnusedElaboratable=no
import errno
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from fabricgen.abi.identity import fabric_identity
from fabricgen.abi.registers import register_map
from fabricgen.emit.package import emit_fabric, top_name
from fabricgen.emit.registers import registers_text
from fabricgen.errors import Unsupported
from fabricgen.records.fabric import Fabric, MemoryImplementation
from tests.support.records import copy_fabric, gather_fabric, load_fabric
from tests.support.rich_memory import rich_memory
from tests.support.subordinates import CONTEXT, LOCAL, RANGE, SPACE, dispatch, exposed_storage
from tests.support.temporal import manager_memory
from tests.support.verilog import check, compiles_as_2005, emitted_elsewhere, lint, ports

CONFIGURATION = [
    ("cfg_awaddr", "input [31:0]"),
    ("cfg_awvalid", "input"),
    ("cfg_awready", "output"),
    ("cfg_wdata", "input [31:0]"),
    ("cfg_wstrb", "input [3:0]"),
    ("cfg_wvalid", "input"),
    ("cfg_wready", "output"),
    ("cfg_bresp", "output [1:0]"),
    ("cfg_bvalid", "output"),
    ("cfg_bready", "input"),
    ("cfg_araddr", "input [31:0]"),
    ("cfg_arvalid", "input"),
    ("cfg_arready", "output"),
    ("cfg_rdata", "output [31:0]"),
    ("cfg_rresp", "output [1:0]"),
    ("cfg_rvalid", "output"),
    ("cfg_rready", "input"),
]


def rich_fabric():
    return Fabric("rich-local", (rich_memory()[0],))


@pytest.fixture(scope="module")
def emitted(tmp_path_factory):
    return emit_fabric(load_fabric(), tmp_path_factory.mktemp("emitted") / "load")


@pytest.fixture(scope="module")
def text(emitted):
    return emitted.verilog.read_text()


@pytest.fixture(scope="module")
def manifest(emitted):
    return json.loads(emitted.manifest.read_text())


def test_the_ports_are_the_abi_in_order(text):
    assert list(ports(text, "load_local").items()) == [
        ("clk", "input"),
        ("rst", "input"),
        *CONFIGURATION,
        ("rd_addr_data", "input [31:0]"),
        ("rd_addr_valid", "input"),
        ("rd_addr_ready", "output"),
        ("rd_ctrl_valid", "input"),
        ("rd_ctrl_ready", "output"),
        ("rd_data_data", "output [31:0]"),
        ("rd_data_valid", "output"),
        ("rd_data_ready", "input"),
        ("rd_done_valid", "output"),
        ("rd_done_ready", "input"),
    ]


def test_the_folder_holds_the_design_and_its_descriptions(emitted):
    assert sorted(path.name for path in emitted.directory.iterdir()) == [
        "load_local.v",
        "manifest.json",
        "names.json",
        "registers.json",
        "registers.md",
    ]


def test_the_manifest_has_the_digest_of_every_other_file(emitted, manifest):
    assert [entry["name"] for entry in manifest["files"]] == [
        "load_local.v",
        "names.json",
        "registers.json",
        "registers.md",
    ]
    for entry in manifest["files"]:
        content = (emitted.directory / entry["name"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]


def test_the_manifest_has_the_ports_of_the_text(text, manifest):
    widths = {
        name: int(span.split("[")[1].split(":")[0]) + 1 if "[" in span else 1
        for name, span in ports(text, "load_local").items()
    }
    assert {port["name"]: port["width"] for port in manifest["ports"]} == widths
    directions = {name: span.split()[0] for name, span in ports(text, "load_local").items()}
    assert {port["name"]: port["direction"] for port in manifest["ports"]} == directions


def test_the_manifest_names_the_fabric_and_its_options(manifest):
    assert manifest["fabric"] == manifest["top"] == "load_local"
    assert manifest["identity"] == fabric_identity(load_fabric()).hex()
    (memory,) = manifest["memories"]
    assert memory["implementation"] == {
        "bank_function": "interleaved",
        "aligned_bases": False,
        "issue_lanes": 1,
        "counters": False,
        "manager_protocol": "stream",
        "memory_wrapper": False,
        "subordinate_protocol": "stream",
    }
    assert memory["endpoints"][0] == {
        "name": "rd_addr",
        "direction": "in",
        "payload_width": 32,
        "tag_width": None,
    }


def test_the_storage_is_where_the_manifest_says(text, manifest, emitted):
    """1 KiB in two banks of 32-bit words is 128 words a bank."""
    storage = manifest["memories"][0]["storage"]
    assert (storage["capacity_bytes"], storage["word_bytes"], storage["rows"]) == (1024, 4, 128)
    assert emitted.banks == (tuple(storage["banks"]),)
    assert len(storage["banks"]) == 2
    for path in storage["banks"]:
        *instances, array = path.split(".")
        module = "_".join(["load_local", *instances])
        body = text.split(f"\nmodule {module} (")[1].split("\nendmodule")[0]
        assert f"reg [31:0] {array} [127:0];" in body


def test_names_lead_from_row_and_role_to_the_hierarchy(text, emitted):
    names = json.loads((emitted.directory / "names.json").read_text())
    (memory,) = names["memories"]
    (port,) = memory["ports"]
    assert (port["name"], port["row"]) == ("read0", 0)
    assert port["roles"]["address"]["endpoints"] == ["rd_addr"]
    paths = [
        names["loader"],
        memory["instance"],
        memory["service"],
        port["instance"],
        *port["parts"].values(),
        port["roles"]["address"]["queue"],
        port["roles"]["control"]["queue"],
    ]
    for path in paths:
        assert f"\nmodule load_local_{path.replace('.', '_')} (" in text


def test_the_register_map_is_there_for_tools_and_for_people(emitted):
    registers = register_map(load_fabric())
    assert json.loads((emitted.directory / "registers.json").read_text()) == registers
    page = (emitted.directory / "registers.md").read_text()
    for name in ("commit", "status", "identity", "flags", "mem0.read0.base_addr"):
        assert f"| `{name}` |" in page or f"`{name}` |" in page
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings == ["## Bus", "## Programming", "## Streams", "## Payload"]


def test_the_page_speaks_of_what_there_is():
    """A memory that only subordinates reach has no rows that could drain, and no endpoints."""
    managed, bank = manager_fabric(), Fabric("bank", (exposed_storage(),))
    rows, storage = (registers_text(each, register_map(each)) for each in (managed, bank))
    for word in ("`drain`", "`partial`", "Each endpoint", "docs/managers.md"):
        assert (word in rows, word in storage) == (True, False)
    for word in ("the subordinates", "docs/subordinates.md"):
        assert (word in rows, word in storage) == (False, True)


def test_lint_is_silent(text, tmp_path):
    assert lint(text, "load_local", tmp_path) == []


def test_yosys_finds_no_problem_and_no_latch(text, tmp_path):
    assert check(text, "load_local", tmp_path) == ""


def test_the_text_is_plain_verilog_2005(text, tmp_path):
    assert compiles_as_2005(text, tmp_path) == ""


@pytest.mark.parametrize("pattern", ["__", "\\", "initial ", "[-1:0]", "/work", "/home", " src"])
def test_nothing_unwanted_is_in_the_text(text, pattern):
    assert pattern not in text


def manager_fabric():
    return Fabric("managed", (manager_memory(),))


@pytest.fixture(scope="module")
def managed(tmp_path_factory):
    return emit_fabric(manager_fabric(), tmp_path_factory.mktemp("emitted") / "managed")


def test_a_manager_stands_at_the_boundary_field_by_field(managed):
    """Two ports of 4 rows with 2 slots each: 3 bits of slot and 1 of port. 16 bytes at any place
    touch 3 beats of 8 bytes."""
    found = ports(managed.verilog.read_text(), "managed")
    assert [(name, span) for name, span in found.items() if name.startswith("ext0_")] == [
        ("ext0_req_valid", "output"),
        ("ext0_req_ready", "input"),
        ("ext0_req_kind", "output [2:0]"),
        ("ext0_req_origin", "output [3:0]"),
        ("ext0_req_beat", "output [1:0]"),
        ("ext0_req_more", "output [1:0]"),
        ("ext0_req_address", "output [63:0]"),
        ("ext0_req_strobe", "output [7:0]"),
        ("ext0_req_data", "output [63:0]"),
        ("ext0_rsp_valid", "input"),
        ("ext0_rsp_ready", "output"),
        ("ext0_rsp_origin", "input [3:0]"),
        ("ext0_rsp_beat", "input [1:0]"),
        ("ext0_rsp_data", "input [63:0]"),
        ("ext0_rsp_error", "input"),
    ]


def test_the_manifest_describes_each_manager(managed):
    (memory,) = json.loads(managed.manifest.read_text())["memories"]
    assert memory["storage"] is None
    widths = {"kind": 3, "origin": 4, "beat": 2, "more": 2, "address": 64, "strobe": 8, "data": 64}
    assert memory["managers"] == [
        {
            "name": "ext0",
            "protocol": "stream",
            "axi4": None,
            "beat_bytes": 8,
            "request": widths,
            "response": {"origin": 4, "beat": 2, "data": 64, "error": 1},
            "origins": [{"port": "port0", "slots": 8}, {"port": "port1", "slots": 8}],
        }
    ]


def axi4_ports(id_bits, data_bytes, user_bits=0, outwards=True):
    """Ports of a bus by their names in AXI4: those of its manager, or of its subordinate."""
    widths = {"id": id_bits, "addr": 64, "len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4}
    widths |= {"prot": 3, "qos": 4, "user": user_bits, "valid": 1}
    sent = {f"{channel}{name}": bits for channel in ("aw", "ar") for name, bits in widths.items()}
    sent |= {"wdata": 8 * data_bytes, "wstrb": data_bytes, "wlast": 1, "wvalid": 1}
    got = {"awready": 1, "arready": 1, "wready": 1, "bid": id_bits, "bresp": 2, "bvalid": 1}
    got |= {"rid": id_bits, "rdata": 8 * data_bytes, "rresp": 2, "rlast": 1, "rvalid": 1}
    sent |= {"bready": 1, "rready": 1}
    ways = ("output", "input") if outwards else ("input", "output")
    return {
        name: way if bits == 1 else f"{way} [{bits - 1}:0]"
        for way, listed in zip(ways, (sent, got), strict=True)
        for name, bits in listed.items()
        if bits
    }


def test_a_manager_over_axi4_stands_at_the_boundary_channel_by_channel(tmp_path):
    """Two ports of 4 rows: 3 bits of identifier. Each row has 2 slots of up to 3 beats: 48."""
    options = MemoryImplementation(manager_protocol="axi4")
    fabric = Fabric("bussed", (replace(manager_memory(), implementation=options),))
    emitted = emit_fabric(fabric, tmp_path / "bussed")
    text = emitted.verilog.read_text()
    found = {name: span for name, span in ports(text, "bussed").items() if name[:5] == "ext0_"}
    assert found == {f"ext0_axi_{name}": span for name, span in axi4_ports(3, 8).items()}
    (memory,) = json.loads(emitted.manifest.read_text())["memories"]
    assert memory["managers"][0]["protocol"] == "axi4"
    assert memory["managers"][0]["axi4"] == {
        "prefix": "ext0_axi",
        "data_bytes": 8,
        "address_bits": 64,
        "id_bits": 3,
        "row_bits": 2,
        "reads": True,
        "writes": True,
        "burst_beats": 8,
        "outstanding": 48,
    }
    assert lint(text, "bussed", tmp_path) == []
    assert check(text, "bussed", tmp_path) == ""


def test_a_subordinate_over_axi4_stands_at_the_boundary_channel_by_channel(tmp_path):
    """Six slots and two cycles around them; what is matched stands in the user signals."""
    matched = dispatch(2, (RANGE, SPACE, CONTEXT), targets=(LOCAL,))
    options = MemoryImplementation(subordinate_protocol="axi4")
    fabric = Fabric("bank", (exposed_storage(matched, implementation=options),))
    emitted = emit_fabric(fabric, tmp_path / "bank")
    text = emitted.verilog.read_text()
    found = {name: span for name, span in ports(text, "bank").items() if name[:6] == "from0_"}
    expected = axi4_ports(8, 8, 96, outwards=False)
    assert found == {f"from0_axi_{name}": span for name, span in expected.items()}
    (memory,) = json.loads(emitted.manifest.read_text())["memories"]
    assert memory["subordinates"][0]["protocol"] == "axi4"
    assert memory["subordinates"][0]["axi4_lite"] is None
    assert memory["subordinates"][0]["axi4"] == {
        "prefix": "from0_axi",
        "data_bytes": 8,
        "address_bits": 64,
        "id_bits": 8,
        "user": {"address_space": 32, "context": 64},
        "reads": True,
        "writes": True,
        "outstanding": 8,
    }
    assert lint(text, "bank", tmp_path) == []
    assert check(text, "bank", tmp_path) == ""


def test_a_subordinate_over_axi4_lite_stands_at_the_boundary_channel_by_channel(tmp_path):
    options = MemoryImplementation(subordinate_protocol="axi4_lite")
    fabric = Fabric("bank", (exposed_storage(beat=32, implementation=options),))
    emitted = emit_fabric(fabric, tmp_path / "bank")
    text = emitted.verilog.read_text()
    found = {name: span for name, span in ports(text, "bank").items() if name[:6] == "from0_"}
    request = {"addr": "input [63:0]", "prot": "input [2:0]", "valid": "input", "ready": "output"}
    assert found == {
        **{
            f"from0_axi_{channel}{name}": span
            for channel in ("aw", "ar")
            for name, span in request.items()
        },
        "from0_axi_wdata": "input [31:0]",
        "from0_axi_wstrb": "input [3:0]",
        "from0_axi_wvalid": "input",
        "from0_axi_wready": "output",
        "from0_axi_bresp": "output [1:0]",
        "from0_axi_bvalid": "output",
        "from0_axi_bready": "input",
        "from0_axi_rdata": "output [31:0]",
        "from0_axi_rresp": "output [1:0]",
        "from0_axi_rvalid": "output",
        "from0_axi_rready": "input",
    }
    (memory,) = json.loads(emitted.manifest.read_text())["memories"]
    assert memory["subordinates"][0]["axi4"] is None
    assert memory["subordinates"][0]["axi4_lite"] == {
        "prefix": "from0_axi",
        "data_bytes": 4,
        "address_bits": 64,
        "reads": True,
        "writes": True,
        "outstanding": 8,
    }
    assert lint(text, "bank", tmp_path) == []
    assert check(text, "bank", tmp_path) == ""


def test_a_subordinate_stands_at_the_boundary_as_beats_unless_it_is_said(tmp_path):
    emitted = emit_fabric(Fabric("bank", (exposed_storage(),)), tmp_path / "bank")
    (memory,) = json.loads(emitted.manifest.read_text())["memories"]
    (subordinate,) = memory["subordinates"]
    assert [subordinate[key] for key in ("protocol", "axi4", "axi4_lite")] == ["stream", None, None]


def test_names_lead_from_a_manager_to_its_parts(managed):
    text = managed.verilog.read_text()
    (memory,) = json.loads((managed.directory / "names.json").read_text())["memories"]
    (manager,) = memory["managers"]
    assert memory["service"] is None
    assert manager["name"] == "ext0"
    assert list(manager["requesters"]) == ["port0", "port1"]
    for path in (manager["arbiter"], *manager["requesters"].values()):
        assert f"\nmodule managed_{path.replace('.', '_')} (" in text


@pytest.mark.slow
@pytest.mark.parametrize("make", [copy_fabric, gather_fabric, rich_fabric, manager_fabric])
def test_every_top_is_clean(make, tmp_path):
    emitted = emit_fabric(make(), tmp_path / "out")
    text = emitted.verilog.read_text()
    assert lint(text, emitted.top, tmp_path) == []
    assert check(text, emitted.top, tmp_path) == ""
    assert compiles_as_2005(text, tmp_path) == ""


@pytest.mark.slow
def test_files_depend_on_neither_hash_seed_nor_folder(emitted, tmp_path):
    program = (
        "from pathlib import Path\n"
        "from fabricgen.emit.package import emit_fabric\n"
        "from tests.support.records import load_fabric\n"
        "emit_fabric(load_fabric(), Path('out'))"
    )
    for seed in ("0", "1", "2"):
        folder = tmp_path / f"at{seed}"
        folder.mkdir()
        emitted_elsewhere(program, seed, folder)
        for path in emitted.directory.iterdir():
            assert (folder / "out" / path.name).read_bytes() == path.read_bytes(), path.name


def test_an_unsupported_fabric_writes_nothing(tmp_path):
    (named,) = load_fabric().memories
    two = Fabric("two", (named, replace(named, name="mem1")))
    with pytest.raises(Unsupported) as caught:
        emit_fabric(two, tmp_path / "deep" / "out")
    assert caught.value.diagnostics[0].code == "multiple-memories"
    assert list(tmp_path.iterdir()) == []


def test_a_failure_while_writing_leaves_nothing(monkeypatch, tmp_path):
    honest, count = Path.write_bytes, []

    def full_disk(self, *args, **kwargs):
        count.append(self)
        if len(count) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return honest(self, *args, **kwargs)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(OSError, match="No space"):
        emit_fabric(load_fabric(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_keeps_what_is_not_ours(emitted, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "load_local.v").write_text("old")
    again = emit_fabric(load_fabric(), tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert again.verilog.read_bytes() == emitted.verilog.read_bytes()


@pytest.mark.parametrize(
    ("name", "top"),
    [
        ("spatial-local", "spatial_local"),
        ("small", "fabric_small"),
        ("clk", "fabric_clk"),
        ("rd_addr_data", "fabric_rd_addr_data"),
    ],
)
def test_the_top_is_named_after_the_fabric_unless_the_name_is_taken(name, top):
    assert top_name(replace(load_fabric(), name=name), {"rd_addr_data": ...}) == top
