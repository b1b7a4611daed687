"""What a host does to a design that runs: the rows that a change affects, and its steps."""

import json
from dataclasses import replace
from pathlib import Path

from typer.testing import CliRunner

import fabricgen.examples
from fabricgen.abi.image import encode_image
from fabricgen.abi.program import AxiLitePoll, AxiLiteWrite, programming_sequence
from fabricgen.abi.unit import programming_unit
from fabricgen.cli.main import app
from fabricgen.config.changes import affected_rows
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Active, Disabled
from fabricgen.report.image import steps_json
from tests.support import memories as mem
from tests.support.reconfigured_rows import BESIDE, FEEDS, NAMED, STORES, STREAMS, TURNS

ALL = (TURNS[0], *BESIDE)
SPATIAL = mem.fabric(mem.hybrid_memory(capacity=256))
LOADS = [
    Active((mem.row(0, mem.LOAD, mem.view(mem.ELEMENT, element=32), base=base), None))
    for base in (0, 4)
]


def test_a_host_drains_the_rows_that_it_changes_and_lets_them_go():
    fabric = mem.fabric(NAMED)
    registers = programming_unit(fabric).registers

    def image(rows):
        return encode_image(fabric, FabricConfiguration((Active(tuple(rows)),)))

    following = image((TURNS[1], STREAMS, FEEDS, replace(STORES, base_addr=0x304)))
    steps = programming_sequence(fabric, following, running=image(ALL))
    commit = steps.index(AxiLiteWrite(registers.commit, 1))
    assert steps[commit - 2 : commit + 2] == (
        AxiLiteWrite(registers.words["drain"], 0b1101),
        AxiLitePoll(registers.words["busy"], 0, 0b1101),
        AxiLiteWrite(registers.commit, 1),
        AxiLiteWrite(registers.words["drain"], 0),
    )
    # All else is as without a running image.
    rest = [*steps[: commit - 2], steps[commit], *steps[commit + 2 :]]
    assert rest == [*programming_sequence(fabric, following)]
    listed = steps_json(steps)[commit - 1]
    assert listed == {
        "access": "poll",
        "address": registers.words["busy"],
        "data": 0,
        "mask": 0b1101,
        "response": "OKAY",
    }


def test_a_host_waits_for_all_of_a_spatial_memory():
    images = [encode_image(SPATIAL, FabricConfiguration((each,))) for each in LOADS]
    steps = programming_sequence(SPATIAL, images[1], running=images[0])
    registers = programming_unit(SPATIAL).registers
    assert AxiLiteWrite(registers.words["drain"], 0b11) in steps
    assert AxiLitePoll(registers.flags, 0b10, 0b10) in steps


def test_nothing_waits_for_a_change_of_nothing():
    image = encode_image(SPATIAL, FabricConfiguration((LOADS[0],)))
    steps = programming_sequence(SPATIAL, image, running=image)
    drain = programming_unit(SPATIAL).registers.words["drain"]
    assert [step.data for step in steps if step.address == drain] == [0, 0]


def test_the_rows_that_a_change_affects():
    def rows(before, after):
        return affected_rows(NAMED, Active(tuple(before)), Active(tuple(after)))

    assert rows(ALL, ALL) == ()
    assert rows(ALL, (TURNS[3], *BESIDE)) == (0,)
    assert rows(ALL, (TURNS[0], None, *BESIDE[1:])) == (1,)
    assert rows((TURNS[0], STREAMS, None, None), ALL) == (2, 3)
    assert affected_rows(NAMED, Disabled(), Active((TURNS[0], None, None, None))) == (0, 1, 2, 3)


EXAMPLE = Path(fabricgen.examples.__file__).parent / "temporal-local"


def test_the_command_lists_what_a_host_does_to_a_running_design(tmp_path):
    fabric, mapping = str(EXAMPLE / "fabric.toml"), str(EXAMPLE / "mapping.toml")
    image = str(tmp_path / "running.image")

    def run(*words):
        return CliRunner().invoke(app, ["image", fabric, *words])

    assert run(mapping, "-o", image).exit_code == 0
    refused = run("--read", image, "--running", image)
    assert (refused.exit_code, "--writes with --running" in refused.output) == (2, True)
    steps = json.loads(run(mapping, "--writes", "--running", image, "--json").stdout)
    # Nothing changes: no row is drained, and none is waited for.
    plain = json.loads(run(mapping, "--writes", "--json").stdout)
    drains = [step for step in steps if step not in plain]
    assert {(step["access"], step["data"]) for step in drains} == {("write", 0)}
    other = tmp_path / "other"
    other.write_bytes(b"no image")
    assert run(mapping, "--writes", "--running", str(other)).exit_code == 1
