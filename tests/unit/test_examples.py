"""Every shipped example: its interface, its image, its plan, and its workloads on the model."""

import json
import tomllib

import pytest
from typer.testing import CliRunner

from fabricgen.abi.image import decode_image, encode_image
from fabricgen.author.fabric import parse_fabric
from fabricgen.cli.main import app
from fabricgen.model.execute import execute
from fabricgen.plan.geometry_class import geometry_class
from fabricgen.plan.realisation import unsupported, unsupported_rows
from fabricgen.records import fabric_codec
from fabricgen.records.occurrence import Spatial, Temporal
from fabricgen.vocab.fabric import EndpointDirection
from tests.support.examples import CASES, EXAMPLES, NAMES, folder, read

GEOMETRIES = {
    "element": "ElementAccessOnly",
    "vector": "VectorAccessOnly",
    "hybrid": "ElementAndVectorAccess",
}
#: Payload widths of the specification's interfaces; a manager of 64 bits serves all of them.
ELEMENT = {
    "rd_addr": 32, "rd_ctrl": 0, "rd_data": 32, "rd_done": 0,
    "wr_addr": 32, "wr_data": 32, "wr_ctrl": 0, "wr_done": 0,
}  # fmt: skip
VECTOR = ELEMENT | {"rd_mask": 4, "wr_mask": 4, "rd_data": 128, "wr_data": 128}
WIDTHS = {"element": ELEMENT, "vector": VECTOR, "hybrid": VECTOR}


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.stderr
    return result


def files(name, suffix=""):
    return folder(name) / "fabric.toml", folder(name) / f"mapping{suffix}.toml"


def test_there_are_ten_examples():
    found = sorted(each.name for each in EXAMPLES.iterdir() if (each / "fabric.toml").exists())
    assert tuple(found) == NAMES
    assert len(NAMES) == 10


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_legal_and_built(name):
    fabric = parse_fabric((folder(name) / "fabric.toml").read_text())
    assert fabric.name == name
    assert unsupported(fabric) == ()
    assert fabric_codec.decode(fabric_codec.encode(fabric)) == fabric


@pytest.mark.parametrize("schedule", ["spatial", "temporal"])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_the_six_interfaces_are_those_of_the_specification(schedule, geometry):
    fabric = parse_fabric((folder(f"{schedule}-{geometry}") / "fabric.toml").read_text())
    (named,) = fabric.memories
    occurrence, names = named.occurrence, named.names
    ends = dict(zip(names.endpoints, occurrence.endpoints, strict=True))
    assert {name: end.payload_width for name, end in ends.items()} == WIDTHS[geometry]
    outputs = {n for n, end in ends.items() if end.direction is EndpointDirection.OUT}
    assert outputs == {"rd_data", "rd_done", "wr_done"}
    expected = None if schedule == "spatial" else 4
    assert {end.tag_width for end in ends.values()} == {expected}
    contract = occurrence.engine.contract
    assert isinstance(contract, Spatial if schedule == "spatial" else Temporal)
    assert occurrence.local_service is None
    assert [manager.beat_width_bits for manager in occurrence.manager_endpoints] == [64]
    assert occurrence.connectivity.internal_connections == ()
    assert [geometry_class(port).value for port in occurrence.engine.ports] == [
        GEOMETRIES[geometry]
    ] * 2


def test_the_hybrid_element_widths_are_those_of_the_specification():
    for name in ("spatial-hybrid", "temporal-hybrid"):
        document = tomllib.loads((folder(name) / "fabric.toml").read_text())
        for port, kind in zip(document["memory"][0]["port"], ("load", "store"), strict=True):
            (alternative,) = port[kind]
            assert [each["element_bits"] for each in alternative["access"]] == [[8, 16, 32], [32]]


@pytest.mark.parametrize(("name", "suffix"), CASES)
def test_a_mapping_survives_its_image(name, suffix):
    fabric, mapping, _ = read(name, suffix)
    rows = mapping.configuration
    assert decode_image(fabric, encode_image(fabric, rows)) == rows
    assert unsupported_rows(fabric.memories[0], rows.memories[0]) == ()


@pytest.mark.parametrize(("name", "suffix"), CASES)
def test_the_commands_take_an_example(tmp_path, name, suffix):
    fabric, mapping = files(name, suffix)
    run("check", fabric, mapping)
    listed = json.loads(run("plan", fabric, mapping, "--json").stdout)
    named = tomllib.loads(mapping.read_text())["memory"]["mem0"]["row"]
    assert sorted(row["name"] for row in listed) == sorted(row["name"] for row in named)
    run("image", fabric, mapping, "-o", tmp_path / "image.bin")
    run("image", fabric, "--read", tmp_path / "image.bin")


WORK = [(name, suffix, suffix) for name, suffix in CASES]
WORK += [("temporal-vector", "", "-lanes"), ("temporal-vector", "-lanes", "")]


@pytest.mark.parametrize(("name", "suffix", "work"), WORK)
def test_the_model_gives_what_a_workload_expects(name, suffix, work):
    fabric, mapping, workload = read(name, suffix, work)
    (named,), (configuration,) = fabric.memories, mapping.configuration.memories
    service = named.occurrence.local_service
    memory = bytearray(0 if service is None else service.capacity_bytes)
    for offset, data in workload.memories[0]:
        memory[offset : offset + len(data)] = data
    managers = {
        ordinal: {offset + i: byte for offset, data in parts for i, byte in enumerate(data)}
        for ordinal, parts in workload.managers[0].items()
    }
    streams = {(end, tag): tokens for (_, end, tag), tokens in workload.streams.items()}
    execution = execute(named, configuration, streams, bytes(memory), managers)
    expected = {(end, tag): tokens for (_, end, tag), tokens in workload.expected.items()}
    assert {key: execution.outputs[key] for key in expected} == expected
    assert set(execution.leftover.values()) == {0}
    assert (execution.out_of_range_count, execution.unmatched) == (0, ())
    if name not in ("gather-local", "spatial-local"):
        rows = zip(configuration.operation_rows, execution.firings, strict=True)
        assert expected
        assert all(firings >= 64 for row, firings in rows if row is not None)


def gather_plan(suffix):
    fabric, mapping = files("temporal-vector", suffix)
    listed = json.loads(run("plan", fabric, mapping, "--mask", "1011", "--json").stdout)
    return next(row for row in listed if row["name"] == "gather")


def test_a_masked_direct_firing_is_one_child_that_any_lane_activates():
    row = gather_plan("")
    assert row["row"] == 2
    assert row["arguments"] == {
        "address": "rd_addr tag 1",
        "mask": "rd_mask tag 7",
        "control": "rd_ctrl tag 3",
    }
    assert row["results"] == {"data": "rd_data tag 5", "completion": "rd_done tag 6"}
    assert row["transactions"] == [
        {
            "ordinal": 0,
            "activation": "ParentMaskAny",
            "projection": "ParentRequest",
            "active": True,
        }
    ]


def test_a_masked_walk_has_four_children_of_which_the_mask_leaves_three():
    children = gather_plan("-lanes")["transactions"]
    assert [child["projection"] for child in children] == [f"ElementLane({i})" for i in range(4)]
    assert [child["activation"] for child in children] == [f"ParentMaskLane({i})" for i in range(4)]
    assert [child["active"] for child in children] == [True, True, False, True]


def test_the_masked_workload_has_the_masks_of_the_specification():
    fabric, _, workload = read("temporal-vector")
    mask = fabric.memories[0].names.endpoints.index("rd_mask")
    assert {0b1011, 0} <= set(workload.streams[0, mask, 7])
