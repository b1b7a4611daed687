"""Commands on fabrics of datapath resources: what is refused, with paths of the document."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from fabricgen.cli.main import app
from fabricgen.cli.output import LACKING
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.records.fabric import NamedOp
from fabricgen.rtl.providers.registry import PROVIDERS
from tests.support.documented_op import op_document
from tests.support.documents import fabric_document, toml
from tests.support.hsg_ops import add_sub, sine

FINE = NamedOp("fine", add_sub(widths=(8,)))
SINE = NamedOp("sine", sine())
LATE = NamedOp("late", replace(add_sub(widths=(8,)), timing=ResourceTiming(2, 3)))
REFUSED = (
    "op[0].family: The family must have a provider, not be ScalarMathSin "
    "[family-without-provider]\n"
    "op[2].timing: The timing must be a latency of 1 cycles and an initiation interval of 1, "
    "not 2 and 3 [provider-timing]\n"
)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def document(tmp_path):
    """Write a fabric of these ops alone."""

    def write(*ops):
        path = tmp_path / "fabric.toml"
        described = {"fabric": {"name": "ops"}, "op": list(map(op_document, ops))}
        path.write_text(toml(described))
        return path

    return write


@pytest.mark.parametrize("command", ["check", "emit"])
def test_every_op_without_hardware_is_told_of_at_once(command, document, tmp_path):
    path = document(SINE, FINE, LATE)
    options = ("-o", tmp_path / "out") if command == "emit" else ()
    result = run(command, path, *options)
    assert (result.exit_code, result.stderr) == (3, f"{LACKING}\n{REFUSED}")
    assert not (tmp_path / "out").exists()


def test_what_the_memory_and_the_ops_lack_is_told_of_together(tmp_path):
    path = tmp_path / "fabric.toml"
    (memory,) = fabric_document()["memory"]
    twice = {"memory": [memory, memory | {"name": "mem1"}], "op": [op_document(SINE)]}
    path.write_text(toml(fabric_document() | twice))
    result = run("check", path, "--json")
    assert result.exit_code == 3
    assert [(each["code"], each["where"]) for each in json.loads(result.stdout)] == [
        ("multiple-memories", "memory"),
        ("family-without-provider", "op[0].family"),
    ]


def test_a_fabric_of_ops_is_emitted(document, tmp_path):
    result = run("emit", document(FINE), "-o", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [op["name"] for op in manifest["ops"]] == ["fine"]
    page = (tmp_path / "out" / "registers.md").read_text()
    assert "every op has its inactive configuration" in page
    assert "every memory is disabled" not in page


def test_ops_alone_are_not_simulated(document, tmp_path):
    files = {"mapping.toml": {"fabric": {"name": "ops"}}, "workload.toml": {}}
    for name, content in files.items():
        (tmp_path / name).write_text(toml(content))
    result = run("simulate", document(FINE), *(tmp_path / name for name in files))
    assert (result.exit_code, result.stderr) == (
        3,
        f"{LACKING}\nmemory: A simulated fabric must have a memory, not 1 ops alone "
        "[simulation-without-memory]\n",
    )


def test_the_families_that_have_hardware_are_listed():
    listed = json.loads(run("families", "--json").stdout)
    available = {each["family"] for each in listed if each["available"]}
    assert {each["id"] for each in listed if each["available"]} == {
        family.value for family in PROVIDERS
    }
    assert len(listed) == len(FAMILIES)
    assert len(available) == 34
    assert "LoopCarry" in available
    assert "ScalarMathSin" not in available
    rows = [line for line in run("families").stdout.splitlines() if "LoopCarry" in line]
    assert len(rows) == 1
    assert rows[0].split()[-2:] == ["yes", "│"]
