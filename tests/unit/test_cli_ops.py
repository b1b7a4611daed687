"""Mappings and images of datapath resources on the command line."""

import json

import pytest
from typer.testing import CliRunner

from fabricgen.cli.main import app
from tests.support.bad_ops import FABRIC, MAPPING
from tests.support.documents import toml


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.toml").write_text(FABRIC)
    (tmp_path / "mapping.toml").write_text(toml(MAPPING))
    return lambda *words: CliRunner().invoke(app, list(words))


def test_an_image_is_written_and_listed(run):
    assert run("check", "fabric.toml", "mapping.toml").exit_code == 0
    assert run("image", "fabric.toml", "mapping.toml", "-o", "it.image").exit_code == 0
    listed = json.loads(run("image", "fabric.toml", "--read", "it.image", "--json").stdout)
    assert [(each["name"], each["value"], each["meaning"]) for each in listed] == [
        ("reserved", 0, "always 0"),
        ("alu.configuration", 1, "sub"),
    ]


def test_the_writes_of_an_image(run):
    steps = json.loads(run("image", "fabric.toml", "mapping.toml", "--writes", "--json").stdout)
    # Sub is code 1 behind the reserved bit; one word, then commit and status.
    assert [(each["access"], each["address"]) for each in steps] == [
        ("read", 16),
        ("write", 0),
        ("write", 16),
        ("read", 8),
        ("write", 4),
        ("read", 0),
    ]
    assert (steps[1]["data"], steps[-1]["data"]) == (0b010, 0b010)


def test_what_asks_for_rows_of_a_memory_finds_none(run):
    assert json.loads(run("plan", "fabric.toml", "mapping.toml", "--json").stdout) == []
    planned = run("plan", "fabric.toml", "mapping.toml")
    assert (planned.exit_code, planned.stdout) == (0, "")
    assert planned.stderr == "The fabric has no memory, whose rows would have plans\n"
    result = run("waits", "fabric.toml", "mapping.toml", "0x1")
    assert result.exit_code == 2
