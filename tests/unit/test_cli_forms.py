"""Every command on a fabric as a document and as bytes, and on one that has no hardware."""

import json
from contextlib import chdir
from dataclasses import replace

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from fabricgen.cli.main import app
from fabricgen.cli.output import LACKING
from fabricgen.records import fabric_codec
from fabricgen.records.fabric import Fabric, MemoryImplementation
from tests.support.actor_memories import ALL, WRITTEN
from tests.support.documents import changed, fabric_document, mapping_document, toml

WORKLOAD = """
stream = [
  { endpoint = "mem0.rd_addr", tokens = [0, 3] },
  { endpoint = "mem0.rd_ctrl", tokens = { fill = true } },
]
"""
#: Commands that take a fabric; FABRIC stands for it.
COMMANDS = [
    ["check", "FABRIC"],
    ["check", "FABRIC", "mapping.toml", "--json"],
    ["check", "FABRIC", "bad.toml"],
    ["normalize", "FABRIC"],
    ["normalize", "FABRIC", "--wire"],
    ["plan", "FABRIC", "mapping.toml"],
    ["plan", "FABRIC", "mapping.toml", "--mask", "1011", "--json"],
    ["plan", "FABRIC", "bad.toml"],
    ["image", "FABRIC", "mapping.toml", "-o", "out/x.image", "--writes"],
    ["image", "FABRIC", "--read", "x.image", "--json"],
    ["waits", "FABRIC", "mapping.toml", "0x1b", "0", "--json"],
    ["emit", "FABRIC", "-o", "out/rtl"],
    [
        *["simulate", "FABRIC", "mapping.toml", "workload.toml", "--simulator", "python"],
        *["--build-dir", "build", "--results", "out/results.json", "--json"],
    ],
]


def run(arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def written(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def files():
    """Texts of a fabric with counters, of its mapping, a bad one and a workload, and an image."""
    fabric = changed(fabric_document(), ("memory", 0, "implementation"), {"counters": True})
    bad = changed(mapping_document(), ("memory", "mem0", "row", 1, "base"), 4096)
    return {
        "fabric.toml": toml(fabric),
        "mapping.toml": toml(mapping_document()),
        "bad.toml": toml(bad),
        "workload.toml": WORKLOAD,
    }


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:3]))
def test_a_command_does_the_same_for_a_document_and_for_its_bytes(files, tmp_path, command):
    outcomes = []
    for form in ("fabric.toml", "x.fabric"):
        folder = tmp_path / form.partition(".")[2]
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        with chdir(folder):
            run(["normalize", "fabric.toml", "--wire", "-o", "x.fabric"])
            run(["image", "fabric.toml", "mapping.toml", "-o", "x.image"])
            result = run([form if word == "FABRIC" else word for word in command])
        outcomes.append((result.exit_code, result.stdout, result.stderr, written(folder / "out")))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == (1 if "bad.toml" in command else 0)


@pytest.fixture
def actors(tmp_path):
    """A fabric of all five actors, whose option has no hardware, and a row of each."""
    lacking = replace(ALL, implementation=MemoryImplementation(issue_lanes=0))
    (tmp_path / "x.fabric").write_bytes(fabric_codec.encode(Fabric("actors", (lacking,))))
    (tmp_path / "mapping.toml").write_text(WRITTEN)
    with chdir(tmp_path):
        yield tmp_path


def test_a_plan_is_shown_without_hardware(actors):
    result = run(["plan", "x.fabric", "mapping.toml", "--mask", "0110", "--json"])
    assert result.exit_code == 3
    assert "[issue-lanes]" in result.stderr
    flag, publish, count, swap, order, chase = json.loads(result.stdout)
    one = [{"ordinal": 0, "activation": "Always", "projection": "ParentRequest"}]
    assert [each["transactions"] for each in (flag, count, order, chase)] == [one] * 4
    assert publish["transactions"] == [
        {
            "ordinal": lane,
            "activation": f"ParentMaskLane({lane})",
            "projection": f"ElementLane({lane})",
            "active": lane in (1, 2),
        }
        for lane in range(4)
    ]
    assert swap["transactions"] == [
        {"ordinal": lane, "activation": "Always", "projection": f"ElementLane({lane})"}
        for lane in range(2)
    ]
    lanes = "RowMajorLaneValues(2, NotApplicable)"
    assert [each["assembly"] for each in (flag, publish, count, swap, order)] == [
        {"data": "PassThroughParent"},
        {},
        {"old": "PassThroughParent"},
        {"old": lanes, "success": lanes},
        {},
    ]
    assert {each["retirement"] for each in (flag, order, chase)} == {"SingleParentRetirement"}
    assert [each["service"] for each in (count, swap, order)] == [
        "memory_atomic_rmw",
        "memory_compare_exchange",
        "memory_fence",
    ]


def test_a_plan_says_what_the_actor_is(actors):
    _, _, count, swap, order, chase = json.loads(
        run(["plan", "x.fabric", "mapping.toml", "--json"]).stdout
    )
    assert count["contract"] == {
        "kind": "atomic_rmw",
        "operation": "add",
        "ordering": "seq_cst",
        "sync_scope": "system",
        "granularity": "absent",
        "volatile": False,
    }
    assert (swap["contract"]["orderings"], swap["contract"]["weak"]) == (["seq_cst"] * 2, True)
    assert (order["access"], order["base"], order["arguments"]) == (
        None,
        None,
        {"control": "p4_control"},
    )
    assert (chase["base"], chase["access"]["index_bits"]) == (None, None)
    assert chase["access"]["pointer"]["address_space"] == 1
    shown = run(["plan", "x.fabric", "mapping.toml"]).stdout
    assert "pointer (space 1, 32 of 32 bits), data_pointer (space 0, 48 of 64 bits)" in shown
    assert "kind fence, ordering seq_cst, sync_scope system" in shown


@pytest.mark.parametrize(
    "command",
    [
        ["check", "x.fabric", "mapping.toml"],
        ["emit", "x.fabric", "-o", "rtl"],
        ["image", "x.fabric", "mapping.toml", "-o", "x.image"],
        ["simulate", "x.fabric", "mapping.toml", "workload.toml"],
        ["waits", "x.fabric", "mapping.toml", "0"],
    ],
)
def test_what_needs_hardware_is_refused_without_it(actors, command):
    before = written(actors)
    result = run(command)
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith(f"{LACKING}\n")
    assert "[issue-lanes]" in result.stderr
    assert written(actors) == before


def test_a_bad_mapping_of_a_fabric_without_hardware_is_illegal(actors):
    (actors / "mapping.toml").write_text(WRITTEN.replace('kind = "add"', 'kind = "umax"'))
    checked, planned = (run([word, "x.fabric", "mapping.toml"]) for word in ("check", "plan"))
    assert (checked.exit_code, planned.exit_code, planned.stdout) == (1, 1, "")
    for result in (checked, planned):
        assert "row[2].rmw.kind: The kind must be xchg or add or fminimum_num" in result.stderr


def test_every_command_with_a_fabric_is_run():
    group = get_command(app)
    listed = [group.get_command(None, name) for name in group.list_commands(None)]
    taking = {each.name for each in listed if "fabric" in {p.name for p in each.params}}
    assert taking == {command[0] for command in COMMANDS}
