"""What of the local service's atomics has no hardware, and what its accesses cost in the model."""

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.model.execute import execute
from fabricgen.plan.atomic_use import LocalAtomics
from fabricgen.plan.geometry import requester_shape
from fabricgen.plan.realisation import unsupported, unsupported_rows
from fabricgen.vocab.dataflow import AtomicRmwKind as K
from tests.support.atomic_text import atomic_fabric, atomic_mapping, atomic_row

SCALAR = {"sync_scope": "system", "granularity": "absent", "volatile": False}
ADD = {"kind": "add", "ordering": "acq_rel", "target": "local", **SCALAR}


def found(text):
    return [(each.code, each.message) for each in unsupported(parse_fabric(text))]


def rows_found(fabric, row):
    (rows,) = parse_mapping(atomic_mapping(row), fabric).memories
    return [(each.code, each.where) for each in unsupported_rows(fabric.memories[0], rows)]


def test_floats_are_named():
    text = atomic_fabric(only={"rmw"}, targets=["local"], kinds=["add", "fmax", "fadd"])
    message = "The read-modify-writes of the local service must be those of integers, not "
    assert found(text) == [("atomic-rmw", message + "fadd, fmax")] * 2


def test_a_service_of_fences_alone_has_no_banks():
    codes = {code for code, _ in found(atomic_fabric(only={"fence"}, targets=["local"]))}
    assert codes == {"beat-width"}


SPLIT = [("row-atomic-beats", "operation_rows[0].access")]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"bits": 32, "alignment": 4}, []),
        ({"bits": 32, "alignment": 1, "base": 4}, []),
        (
            {"bits": 32, "alignment": 4, "base": 6},
            [("row-atomic-beats", "operation_rows[0].access")],
        ),
        ({"bits": 16, "alignment": 2, "base": 6}, []),
    ],
)
def test_an_object_lies_in_one_beat(changes, expected):
    fabric = parse_fabric(atomic_fabric(only={"rmw"}, targets=["local"]))
    assert rows_found(fabric, atomic_row("r", "rmw", **ADD, **changes)) == expected


def test_an_object_wider_than_a_beat_is_no_row_and_costs_no_hardware():
    fabric = parse_fabric(atomic_fabric(only={"rmw"}, targets=["local"], beat_bits=16))
    assert rows_found(fabric, atomic_row("r", "rmw", bits=32, alignment=4, **ADD)) == [
        ("row-atomic-beats", "operation_rows[0].access")
    ]
    assert requester_shape(fabric.memories[0], 0).local.element_bytes == (1, 2)


def test_accesses_whose_objects_are_all_wider_than_a_beat_cost_nothing():
    fabric = parse_fabric(atomic_fabric(only={"rmw"}, targets=["local"], beat_bits=8))
    local = requester_shape(fabric.memories[0], 0).local
    # Two contiguous lanes of 16 bits are admitted, too.
    assert local.element_bytes == (1,)


def test_what_a_port_asks_of_each_target_is_told_apart():
    text = atomic_fabric(targets=["local", "ext0"], kinds=["add", "umax"])
    shape = requester_shape(parse_fabric(text).memories[0], 0)
    assert shape.local == LocalAtomics(
        (K.ADD, K.UMAX), exchange=True, fence=True, element_bytes=(1, 2, 4)
    )
    local, far = shape.at_service(), shape.at_manager()
    assert (local.every.ordered, local.every.weak, local.volatile) == (False, False, False)
    assert (far.every.ordered, far.every.weak, far.volatile) == (True, True, True)
    assert far.local == LocalAtomics()


def test_a_read_modify_write_takes_both_sides_of_its_bank():
    fabric = parse_fabric(atomic_fabric(only={"rmw", "fence"}, targets=["local"]))
    named = fabric.memories[0]
    row = atomic_row("r", "rmw", alignment=4, **ADD)
    (rows,) = parse_mapping(atomic_mapping(row), fabric).memories
    ends = {name: at for at, name in enumerate(named.names.endpoints)}
    streams = {
        (ends["addr"], None): [3] * 9,
        (ends["data"], None): [2] * 9,
        (ends["ctrl"], None): [0] * 9,
    }
    done = execute(named, rows, streams, bytes(2048))
    assert done.cycle_limit == 9
    assert done.outputs[ends["read"], None] == tuple(range(0, 18, 2))
    assert done.memory[12] == 18


def test_a_fence_takes_a_cycle_of_its_port():
    fabric = parse_fabric(atomic_fabric(only={"rmw", "fence"}, targets=["local"]))
    named = fabric.memories[0]
    row = atomic_row("f", "fence", ordering="release", sync_scope="system", target="local")
    (rows,) = parse_mapping(atomic_mapping(row), fabric).memories
    control = named.names.endpoints.index("ctrl")
    assert execute(named, rows, {(control, None): [0] * 5}, bytes(2048)).cycle_limit == 5
