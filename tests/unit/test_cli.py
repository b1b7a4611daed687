"""The command line: exit codes, what goes to which stream, and that nothing is a traceback."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabricgen.abi.image import image_payload
from fabricgen.abi.unit import programming_unit
from fabricgen.author.fabric import parse_fabric
from fabricgen.cli.main import app
from fabricgen.cli.output import LACKING
from fabricgen.errors.catalog import CATALOG
from fabricgen.records import engine_codec, fabric_codec
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.engine import memory_engine_template
from fabricgen.records.fabric import Fabric
from tests.support.documents import LITTLE, changed, fabric_document, mapping_document, toml
from tests.support.examples import NAMES
from tests.support.memories import hybrid_memory, replaced
from tests.support.temporal import temporal_memory

FABRIC, MAPPING = str(LITTLE / "fabric.toml"), str(LITTLE / "mapping.toml")
NARROW = ("memory", 0, "endpoints", 2, "bits")
NARROW_LINE = (
    "memory[0].port[0].load[0].access[1].lanes: Every payload must fit the 3 bits of "
    "memory[0].port[0].load[0].roles.mask, not take 4 bits [mask-endpoint-narrow]\n"
)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def written(tmp_path):
    """Write documents under the test's folder and return their paths."""

    def write(name, document):
        (tmp_path / name).write_text(document if isinstance(document, str) else toml(document))
        return tmp_path / name

    return write


def test_a_legal_fabric_and_mapping_are_fine():
    result = run("check", FABRIC, MAPPING)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "fine\n")


def test_findings_are_lines_on_stderr(written):
    bad = written("bad.toml", changed(fabric_document(), NARROW, 3))
    result = run("check", bad)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", NARROW_LINE)


def test_findings_are_a_list_on_stdout_with_json(written):
    bad = written("bad.toml", changed(fabric_document(), NARROW, 3))
    result = run("check", bad, "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    (finding,) = json.loads(result.stdout)
    assert finding["file"] == str(bad)
    assert f"{finding['where']}: {finding['message']} [{finding['code']}]\n" == NARROW_LINE


def test_json_without_findings_is_an_empty_list():
    assert json.loads(run("check", FABRIC, MAPPING, "--json").stdout) == []


def test_a_bad_fabric_does_not_hide_a_bad_mapping(written):
    fabric = written("fabric.toml", changed(fabric_document(), NARROW, 3))
    row = ("memory", "mem0", "row", 0, "bas")
    mapping = written("mapping.toml", changed(mapping_document(), row, 1))
    result = run("check", fabric, mapping)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] + "\n" == NARROW_LINE
    assert "memory.mem0.row[0].bas: The key must be one of" in result.stderr


def test_legal_but_unsupported_is_exit_3_and_illegal_comes_first(written):
    banks = changed(fabric_document(), ("memory", 0, "local", "resources", "banks"), 3)
    fabric = written("fabric.toml", banks)
    result = run("check", fabric)
    assert (result.exit_code, result.stderr) == (
        3,
        f"{LACKING}\n"
        "memory[0].local.resources: The number of banks must be a power of two, not 3 "
        "[bank-count]\n",
    )
    assert run("plan", fabric, MAPPING).exit_code == 3
    mapping = written("mapping.toml", changed(mapping_document(), ("fabric",), "other"))
    assert run("check", fabric, mapping).exit_code == 1


def test_a_base_that_an_option_gives_up_is_exit_3(written):
    options = changed(fabric_document(), ("memory", 0, "implementation"), {"aligned_bases": True})
    fabric = written("fabric.toml", options)
    base = ("memory", "mem0", "row", 1, "base")
    mapping = written("mapping.toml", changed(mapping_document(), base, 2))
    result = run("check", fabric, mapping)
    assert (result.exit_code, result.stderr) == (
        3,
        f"{LACKING}\n"
        "memory.mem0.row[1].base: With aligned_bases the base must be a multiple of "
        "4 bytes, not 2 [row-base-unaligned]\n",
    )
    assert run("check", FABRIC, mapping).exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", FABRIC, MAPPING, "x"],
        ["check", FABRIC, "--fast"],
        ["chek", FABRIC],
        ["plan", FABRIC, MAPPING, "--mask", "01x1"],
        ["plan", FABRIC, MAPPING, "--mask", "01"],
        ["image", FABRIC, MAPPING],
        ["image", FABRIC],
        ["image", FABRIC, MAPPING, "--read", "x"],
        ["image", FABRIC, "--read", "x", "-o", "y"],
        ["image", FABRIC, "--writes"],
        ["normalize", FABRIC, "--json", "--wire"],
        ["examples", "no-such"],
        ["examples", "spatial-local"],
        ["explain"],
        ["explain", "no-such-code"],
        ["explain", "unknown-key", "--all"],
        ["json-schema", "other"],
    ],
)
def test_wrong_usage_is_exit_2(arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize("name", ["absent.toml", ".", "binary.toml", "bom.toml"])
@pytest.mark.parametrize("command", ["check", "normalize", "plan", "image"])
def test_an_unreadable_input_is_one_finding(tmp_path, name, command):
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)))
    (tmp_path / "bom.toml").write_bytes(b"\xff\xfe")
    more = {"plan": [MAPPING], "image": [MAPPING, "-o", tmp_path / "x"]}.get(command, [])
    result = run(command, tmp_path / name, *more)
    assert (result.exit_code, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.rstrip().endswith(("[file-unreadable]", "[not-utf8]"))
    assert not (tmp_path / "x").exists()


def test_a_byte_order_mark_is_no_part_of_a_document(tmp_path):
    (tmp_path / "bom.toml").write_bytes(b"\xef\xbb\xbf" + Path(FABRIC).read_bytes())
    assert run("check", tmp_path / "bom.toml").exit_code == 0


def test_a_wire_file_reads_like_its_document(tmp_path):
    wire = tmp_path / "little.fabric"
    assert run("normalize", FABRIC, "--wire", "-o", wire).exit_code == 0
    assert wire.read_bytes() == fabric_codec.encode(parse_fabric(Path(FABRIC).read_text()))
    assert run("normalize", FABRIC, "--wire").stdout_bytes == wire.read_bytes()
    assert run("normalize", wire).stdout == run("normalize", FABRIC).stdout
    assert run("check", wire, MAPPING).exit_code == 0
    for position in range(0, len(wire.read_bytes()), 199):
        broken = bytearray(wire.read_bytes())
        broken[position] ^= 0x80
        (tmp_path / "broken.fabric").write_bytes(broken)
        result = run("check", tmp_path / "broken.fabric")
        # Some bytes are numbers of a fabric that is as legal as this one.
        assert result.exit_code in (0, 1, 3), f"byte {position}"
        assert result.exception is None or isinstance(result.exception, SystemExit)


def test_normalize_spells_records_as_json():
    record = json.loads(run("normalize", FABRIC).stdout)
    (memory,) = record["memories"]
    assert memory["name"] == "mem0"
    read = memory["occurrence"]["engine"]["ports"][0]
    (load,) = read["capability_alternatives"]
    classes = load["parameterized_access_domain"]["access_classes"]
    assert {c["access_form"]: c["element_width_bits"] for c in classes} == {
        "element": [[8, 8], [32, 32]],
        "contiguous": [[32, 32]],
    }


def test_normalize_lists_memories_by_their_engine(tmp_path):
    """Two memories of one engine before different services, and one of another engine."""
    twin = replaced(hybrid_memory(banks=2), manager_endpoints=(ServiceEndpoint(64),))
    named = [
        hybrid_memory(),
        replace(twin, name="twin", names=replace(twin.names, managers=("ext0",))),
        replace(temporal_memory(), name="other"),
    ]
    wire = tmp_path / "three.fabric"
    wire.write_bytes(fabric_codec.encode(Fabric("three", tuple(named))))
    listed = json.loads(run("normalize", wire).stdout)["engine_templates"]
    assert [each["memories"] for each in listed] == [["mem0", "twin"], ["other"]]
    digests = [
        hashlib.sha256(engine_codec.encode(memory_engine_template(each.occurrence))).hexdigest()
        for each in named
    ]
    assert digests[0] == digests[1]
    assert [each["sha256"] for each in listed] == [digests[0], digests[2]]


def test_plan_shows_what_the_mask_does():
    load, store = json.loads(run("plan", FABRIC, MAPPING, "--mask", "0110", "--json").stdout)
    assert load["transactions"] == [
        {"ordinal": 0, "activation": "Always", "projection": "ParentRequest"}
    ]
    assert load["assembly"] == {"data": "PassThroughParent"}
    assert store["active_lanes"] == [1, 2]
    assert store["transactions"][0]["active"] is True
    assert store["arguments"] == {
        "address": "wr_addr",
        "data": "wr_data",
        "mask": "wr_mask",
        "control": "wr_ctrl",
    }
    _, idle = json.loads(run("plan", FABRIC, MAPPING, "--mask", "0000", "--json").stdout)
    assert idle["transactions"][0]["active"] is False
    assert "active lanes" in run("plan", FABRIC, MAPPING, "--mask", "0110").stdout


def test_an_image_reads_back_what_was_mapped(tmp_path):
    image = tmp_path / "deep" / "little.image"
    assert run("image", FABRIC, MAPPING, "-o", image).exit_code == 0
    assert [path.name for path in image.parent.iterdir()] == ["little.image"]
    fields = {
        f["name"]: f for f in json.loads(run("image", FABRIC, "--read", image, "--json").stdout)
    }
    assert fields["mem0.active"]["value"] == 1
    assert fields["mem0.write0.base_addr"]["value"] == 512
    assert "mem0.write0.base_addr" in run("image", FABRIC, "--read", image).stdout


def test_a_bad_image_is_refused(tmp_path, written):
    image = tmp_path / "little.image"
    run("image", FABRIC, MAPPING, "-o", image)
    data = image.read_bytes()
    for position in range(0, len(data), 23):
        flipped = bytearray(data)
        flipped[position] ^= 1 << position % 8
        image.write_bytes(flipped)
        result = run("image", FABRIC, "--read", image)
        assert (result.exit_code, result.stdout) == (1, ""), f"byte {position}"
    image.write_bytes(data)
    other = changed(fabric_document(), ("memory", 0, "local", "resources", "queue"), 3)
    result = run("image", written("other.toml", other), "--read", image)
    assert result.exit_code == 1
    assert "[image-other-fabric]" in result.stderr


def test_the_bus_accesses_of_an_image_are_those_of_its_mapping(tmp_path):
    image = tmp_path / "little.image"
    assert run("image", FABRIC, MAPPING, "-o", image).exit_code == 0
    listed = run("image", FABRIC, MAPPING, "--writes", "--json").stdout
    assert run("image", FABRIC, "--read", image, "--writes", "--json").stdout == listed
    fabric = parse_fabric(Path(FABRIC).read_text())
    unit = programming_unit(fabric)
    payload = image_payload(fabric, image.read_bytes())
    steps = json.loads(listed)
    written = {step["address"]: step["data"] for step in steps if step["access"] == "write"}
    assert sum(written[4 * i] << 32 * i for i in range(unit.word_count)) == payload
    assert {step["response"] for step in steps} == {"OKAY"}
    table = run("image", FABRIC, MAPPING, "--writes").stdout
    assert re.search(rf"write +│ {unit.registers.commit:#05x} +│ commit +│ 0x00000001", table)


def test_one_command_writes_an_image_and_lists_its_bus_accesses(tmp_path):
    result = run("image", FABRIC, MAPPING, "-o", tmp_path / "x", "--writes", "--json")
    assert (result.exit_code, result.stderr) == (0, f"wrote {tmp_path / 'x'}\n")
    assert json.loads(result.stdout)
    assert (tmp_path / "x").exists()


def test_an_illegal_mapping_writes_no_image(tmp_path, written):
    mapping = written("mapping.toml", changed(mapping_document(), ("fabric",), "other"))
    assert run("image", FABRIC, mapping, "-o", tmp_path / "x.image").exit_code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mapping.toml"]


def test_an_unwritable_output_is_one_finding(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("normalize", FABRIC, "-o", tmp_path / "file" / "x")
    assert result.exit_code == 1
    assert result.stderr == (
        f"{tmp_path}/file/x: The file must be writable, not: File exists [file-unwritable]\n"
    )


def test_every_code_is_explained():
    result = run("explain", "unknown-key")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("unknown-key: A table has only the keys")
    assert result.stdout.endswith("Page: docs/guide.md\n")
    assert run("explain", "row-count").stdout.endswith(
        "Specification: Operation Rows And Internal Dependencies\n"
    )
    listing = json.loads(run("explain", "--all", "--json").stdout)
    assert [rule["code"] for rule in listing] == list(CATALOG)
    table = run("explain", "--all").stdout
    assert all(code in table for code in CATALOG)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("unknown-key", "the input is not legal (exit code 1)"),
        ("bank-limit", "legal, but not built in this version (exit code 3)"),
        ("tool-missing", "something around the input failed (exit code 4 for a tool that is"),
    ],
)
def test_the_kind_of_a_code_is_explained(code, kind):
    assert f"\nKind: {kind}" in run("explain", code).stdout


def test_a_finding_in_json_has_its_kind():
    (found,) = json.loads(run("check", "absent", "--json").stdout)
    assert (found["code"], found["kind"]) == ("file-unreadable", "illegal")


def test_no_description_of_a_command_is_cut():
    commands = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).stdout
    assert "check " in commands
    assert "..." not in commands.split("Commands:")[1]


def test_a_schema_is_json():
    assert json.loads(run("json-schema", "mapping").stdout)["title"] == "MappingDocument"


def example_names():
    return [each["name"] for each in json.loads(run("examples", "--json").stdout)]


def test_the_examples_are_listed():
    assert example_names() == list(NAMES)
    assert "gather-local" in run("examples").stdout


@pytest.mark.parametrize("name", NAMES)
def test_a_written_example_is_fine(tmp_path, name):
    assert run("examples", name, "-o", tmp_path).exit_code == 0
    assert run("examples", name, "-o", tmp_path).exit_code == 0
    fabric = tmp_path / "fabric.toml"
    mappings = sorted(tmp_path.glob("mapping*.toml"))
    assert tmp_path / "mapping.toml" in mappings
    for mapping in mappings:
        assert tomllib.loads(mapping.read_text())["fabric"] == name
        assert run("check", fabric, mapping).exit_code == 0


def program(arguments, **streams):
    return subprocess.run(
        [sys.executable, "-m", "fabricgen.cli.main", *arguments],
        env=os.environ | {"LC_ALL": "C"},
        check=False,
        text=True,
        **streams,
    )


@pytest.mark.parametrize(
    "arguments", [["check", "absent", "--json"], ["explain", "--all"], ["--help"]]
)
def test_a_full_disk_behind_stdout_is_one_line(arguments):
    with Path("/dev/full").open("w") as full:
        done = program(arguments, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (
        1,
        "stdout: The file must be writable, not: No space left on device [file-unwritable]\n",
    )


def test_closed_streams_change_nothing_but_what_is_seen(tmp_path):
    command = f"{sys.executable} -m fabricgen.cli.main"
    for arguments, code in ((f"normalize {FABRIC}", 0), ("check absent --json", 1), ("chek", 2)):
        for closed in (">&-", "2>&-", ">&- 2>&-"):
            done = subprocess.run(
                ["bash", "-c", f"{command} {arguments} {closed}"],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == code, f"{arguments} {closed}"
            assert "Traceback" not in done.stderr
    emit = f"{command} normalize {FABRIC} -o {tmp_path / 'x'} >&- 2>&-"
    assert subprocess.run(["bash", "-c", emit], check=False).returncode == 0
    assert (tmp_path / "x").read_bytes() == run("normalize", FABRIC).stdout_bytes


def test_as_a_program_it_needs_no_hdl_and_survives_a_closed_pipe(tmp_path):
    environment = os.environ | {"PYTHONHASHSEED": "7", "LC_ALL": "C"}
    script = (
        "import sys\n"
        "from fabricgen.cli.main import app\n"
        "try:\n"
        f"    app(['check', {FABRIC!r}, {MAPPING!r}])\n"
        "finally:\n"
        "    assert not {'amaranth', 'numpy'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "fine\n")

    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "fabricgen.cli.main", "explain", "--all"]
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            command, stdout=closed, stderr=subprocess.PIPE, env=environment, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_explain_names_the_codes_that_a_part_is_of() -> None:
    result = CliRunner().invoke(app, ["explain", "workload-rac"])
    assert result.exit_code == 2
    assert "did you mean workload-race?" in " ".join(result.stderr.split())
