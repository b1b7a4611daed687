"""What the guide shows is one project that works."""

import json
import re
import shlex
import struct
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabricgen.abi.image import encode_image
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.cli.main import app
from fabricgen.errors.catalog import CATALOG
from fabricgen.records import fabric_codec
from tests.support.documents import toml

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
        result = CliRunner().invoke(app, shlex.split(command, comments=True))
        expected = 3 if command.endswith("ends with 3") else 0
        assert result.exit_code == expected, (command, result.stderr)
    results = json.loads(Path("results.json").read_text())
    assert results["outputs"]["ram.rd_data"] == [hex(103), hex(100)]
    assert results["memory"].startswith("0700f8ff09000000")
    shared = json.loads(Path("shared.json").read_text())
    assert shared["outputs"]["ram.rd_data tag 1"] == [hex(0x0067_0066_0065_0064)]
    # The third vector has no active lane, the second lacks lane 2.
    kept = struct.unpack("<12H", bytes.fromhex(shared["memory"])[:24])
    assert kept == (1, 2, 3, 4, 5, 6, 0, 8, 0, 0, 0, 0)
    assert {path.name for path in Path("rtl").iterdir()} >= {"own.v", "registers.md"}
    # A macro is deeper than a bank, and half as wide.
    macros = Path("bank-macros/bank_storage.v").read_text()
    assert macros.count("  SRAM2P_512X32 macro_0_") == 2
    assert "reg [63:0] words [255:0];" in Path("bank-rtl/bank_storage.v").read_text()
    bank = json.loads(Path("bank.json").read_text())
    assert bank["answers"]["ram.host"] == ["0x2", "0x0", "0xff03", None]
    assert bytes.fromhex(bank["memory"])[0x110:0x118] == (0xFF03).to_bytes(8, "little")


def test_what_the_guide_says_has_no_hardware_is_legal_and_unsupported(tmp_path):
    text = re.search(r"# device.toml\n(.*?)```", GUIDE, re.S)[1]
    path = tmp_path / "device.toml"
    path.write_text(f"#:schema ./fabric.schema.json\n{text}")
    result = CliRunner().invoke(app, ["check", str(path), "--json"])
    assert result.exit_code == 3
    codes = {each["code"] for each in json.loads(result.stdout)}
    assert codes == {"multiple-memories", "region-mmio", "subordinate-synchronisation"}


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


def test_the_contract_of_the_guide_is_that_of_its_port():
    fabric = re.search(r"# fabric.toml\n(.*?)```", GUIDE, re.S)[1]
    text = re.search(r"```toml\n(\[\[memory\.port\]\]\n.*?)```", GUIDE, re.S)[1]
    (written,) = tomllib.loads(text)["memory"]["port"]
    document = tomllib.loads(fabric)
    port = document["memory"][0]["port"][0]
    del port["resources"]
    port |= written
    assert parse_fabric(toml(document)) == parse_fabric(fabric)


def test_the_shorthand_of_the_guide_has_the_ports_that_it_says():
    document = tomllib.loads(re.search(r"# fabric.toml\n(.*?)```", GUIDE, re.S)[1])
    text = re.search(r"```toml\n(\[\[memory\]\]\n.*?)```", GUIDE, re.S)[1]
    (short,) = tomllib.loads(text)["memory"]
    (memory,) = document["memory"]
    del memory["endpoints"], memory["port"]
    document["memory"] = [memory | short]
    names = parse_fabric(toml(document)).memories[0].names
    assert names.ports == ("load0", "load1", "store0")
    said = re.search(r"ports `load0`,.*?pattern `direct`", GUIDE, re.S)[0]
    assert set(names.endpoints) >= set(re.findall(r"`(load0_\w+)`", said))
    assert names.patterns == (("direct",),) * 3


def test_the_program_of_the_guide_says_what_its_documents_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = re.search(r"```python\n(.*?)```", GUIDE, re.S)[1]
    exec(compile(program, "guide", "exec"), {})
    document = parse_fabric(re.search(r"# fabric.toml\n(.*?)```", GUIDE, re.S)[1])
    assert fabric_codec.decode(Path("own-built.fabric").read_bytes()) == document
    mapping = parse_mapping(re.search(r"# mapping.toml\n(.*?)```", GUIDE, re.S)[1], document)
    assert Path("own-built.image").read_bytes() == encode_image(document, mapping)


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
