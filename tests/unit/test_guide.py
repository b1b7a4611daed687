"""What the guide shows is one project that works."""

import json
import re
import shlex
import struct
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.workload import parse_workload
from fabricgen.cli.main import app
from fabricgen.errors.catalog import CATALOG
from fabricgen.model.execute import execute

pytest.importorskip("cocotb")
ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guide.md").read_text()


def test_the_project_of_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r"```toml\n# (\S+)\n(.*?)```", GUIDE, re.S):
        Path(name).write_text(text)
    commands = re.findall(r"^    fabricgen (.*)$", GUIDE, re.M)
    assert {command.split()[0] for command in commands} >= {"check", "emit", "image", "simulate"}
    for command in commands:
        result = CliRunner().invoke(app, shlex.split(command))
        assert result.exit_code == 0, (command, result.stderr)
    results = json.loads(Path("results.json").read_text())
    assert results["outputs"]["ram.rd_data"] == [hex(103), hex(100)]
    assert results["memory"].startswith("0700f8ff09000000")
    assert {path.name for path in Path("rtl").iterdir()} >= {"own.v", "registers.md"}


def test_the_shared_rows_of_the_guide_give_what_it_says(tmp_path):
    for name, text in re.findall(r"```toml\n# (shared\S*)\n(.*?)```", GUIDE, re.S):
        (tmp_path / name).write_text(text)
    fabric = parse_fabric((tmp_path / "shared.toml").read_text())
    rows = parse_mapping((tmp_path / "shared-mapping.toml").read_text(), fabric)
    text = (tmp_path / "shared-workload.toml").read_text()
    workload = parse_workload(text, fabric, rows, tmp_path)
    (local,), ((base, words),) = workload.memories[0], workload.managers[0][0]
    memory = bytearray(1024)
    memory[local[0] : local[0] + len(local[1])] = local[1]
    streams = {(end, tag): tokens for (_, end, tag), tokens in workload.streams.items()}
    outside = {0: {base + i: byte for i, byte in enumerate(words)}}
    execution = execute(fabric.memories[0], rows[0], streams, bytes(memory), outside)
    expected = {(end, tag): tokens for (_, end, tag), tokens in workload.expected.items()}
    assert {key: execution.outputs[key] for key in expected} == expected
    kept = struct.unpack("<12H", execution.memory[:24])
    assert kept == (1, 2, 3, 4, 5, 6, 0, 8, 0, 0, 0, 0)


def test_both_grant_policies_of_the_guide_are_legal(tmp_path):
    fabric = re.search(r"# fabric.toml\n(.*?)```", GUIDE, re.S)[1]
    policies = re.findall(r"`(\{ (?:round_robin|fixed_priority) = .*? \})`", GUIDE)
    assert len(policies) == 2
    for policy in policies:
        changed, count = re.subn(
            r"grant = \{ round_robin = \{.*?\} \}", f"grant = {policy}", fabric
        )
        assert count == 1
        (tmp_path / "fabric.toml").write_text(changed)
        assert CliRunner().invoke(app, ["check", str(tmp_path / "fabric.toml")]).exit_code == 0


def test_codes_and_options_of_the_guide_exist():
    codes = re.findall(
        r"^\| (`[a-z`, -]+?`)(?: \(exit 3\))? \|", GUIDE.split("| you meet |")[1], re.M
    )
    named = [code for cell in codes for code in re.findall(r"`([a-z-]+)`", cell)]
    assert len(named) >= 5
    assert set(named) <= set(CATALOG)
    helps = "".join(
        CliRunner().invoke(app, [command, "--help"], terminal_width=200).stdout
        for command in ("simulate", "image", "normalize", "plan")
    )
    assert set(re.findall(r"`(--[a-z-]+)`", GUIDE)) <= set(re.findall(r"--[a-z-]+", helps))


def test_every_key_of_a_source_is_in_the_guide():
    schema = json.loads(CliRunner().invoke(app, ["json-schema", "workload"]).stdout)
    sources = {name: each for name, each in schema["$defs"].items() if "Source" in name}
    assert sources
    for name, each in sources.items():
        for key in each["required"]:
            assert f"`{key}`" in GUIDE or f"{key} = " in GUIDE, (name, key)
