"""Volume on native programs: every member of each family, and wrong hardware that is noticed."""

import random

import numpy as np
import pytest

from fabricgen.hsg.resource import FabricOp
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.types import FloatType, IndexType, IntegerType
from sim.native.bench import run
from sim.native.build import NativeFailed
from sim.native.elements import element_result
from sim.native.resources import Resource, resources
from sim.native.scalars import FULL, QUICK, Volume
from tests.support.integer_oracle import integer_result

RESOURCES = {each.name: each for each in resources()}
TINY = Volume(random=200, divider_stride=997, carriers=50)


def checked(resource: Resource, volume: Volume, folder) -> None:
    rows = run(resource.name, resource.op, resource.cases(resource.op, volume), folder)
    assert rows
    interval = resource.op.timing.initiation_interval_cycles
    for row in rows:
        assert row.points >= 240
        assert row.mismatches == 0, f"{row.member}: {row.example}"
        assert row.rate == pytest.approx(1 / interval), row.member


@pytest.mark.parametrize("name", [name for name, each in RESOURCES.items() if not each.is_large])
def test_every_member_in_short(name, tmp_path):
    checked(RESOURCES[name], QUICK, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(RESOURCES))
def test_every_member_in_full(name, tmp_path):
    checked(RESOURCES[name], FULL, tmp_path)


def wrong_text(name: str, old: str, new: str, folder) -> list:
    """Rows of a resource in whose text something is written otherwise."""

    def change(text: str) -> str:
        assert text.count(old) == 1, text
        return text.replace(old, new)

    each = RESOURCES[name]
    return run(name, each.op, each.cases(each.op, TINY), folder, change=change)


def test_a_wrong_member_is_noticed(tmp_path):
    rows = wrong_text(
        "ScalarIntegerAddSub", "out0_data_part = configuration", "out0_data_part = 0", tmp_path
    )
    wrong = {row.member for row in rows if row.mismatches}
    assert wrong == {"arith.subi"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # A firing leaves though its result stalls.
        ("leave_0 = full_0 & out0_ready", "leave_0 = full_0", "input 0 must not be ready"),
        # A token is taken and lost.
        (
            "(in0_valid & slot_ready_0)",
            "(in0_valid & slot_ready_0 & (in0_data[2:0] != 5))",
            "0 must",
        ),
        # A slot is empty for a cycle before it is filled again.
        ("slot_ready_0 = slot_ready_0_part | leave_0", "slot_ready_0 = slot_ready_0_part", "ready"),
        # An operand waits for the other one.
        ("in0_ready = slot_ready_0", "in0_ready = slot_ready_0 & in1_valid", "must be ready"),
        # A result is shown twice.
        ("leave_0 = full_0 & out0_ready", "leave_0 = full_0 & out0_ready & in0_valid", "0 must"),
        # An operand is replaced while its result waits.
        ("if (slot_ready_0)", "if (in0_valid)", "output 0 must not change its offer"),
    ],
)
def test_a_channel_that_breaks_its_contract_is_noticed(tmp_path, old, new, message):
    with pytest.raises(NativeFailed, match=message):
        wrong_text("ScalarIntegerAddSub", old, new, tmp_path)


def test_bits_above_the_active_width_are_compared(tmp_path):
    old, new = "assign out0_data[63:7] = 57'h0;", "assign out0_data[63:7] = 57'h2;"
    rows = wrong_text("ScalarIntegerCountZeros", old, new, tmp_path)
    assert all(row.mismatches == row.points - row.poisonous for row in rows)


def test_a_register_that_matters_before_it_is_written_is_noticed(tmp_path):
    old = "assign out0_data = "
    new = "reg [63:0] start; assign out0_data = (start & {64{operand_1[6]}}) + "
    with pytest.raises(NativeFailed, match="start"):
        wrong_text("ScalarIntegerAddSub", old, new, tmp_path)


def test_a_behaviour_without_points_is_noticed(tmp_path):
    each = RESOURCES["ScalarIntegerAddSub"]
    batches = list(each.cases(each.op, TINY))
    with pytest.raises(NativeFailed, match="all but"):
        run(each.name, each.op, [batches[0]], tmp_path)


def _numbers(actor: OperationActor, count: int) -> list[np.ndarray]:
    drawn = random.Random(str(actor))
    return [
        np.array(
            [drawn.getrandbits(kind.bits) >> drawn.randrange(kind.bits) for _ in range(count)],
            np.uint64,
        )
        for kind in actor.operands
    ]


SCALARS = [each.op for each in RESOURCES.values() if each.name.startswith("Scalar")]


@pytest.mark.parametrize("op", SCALARS)
def test_the_oracle_of_arrays_agrees_with_python_integers(op: FabricOp):
    for actor in op.reachable():
        assert all(isinstance(k, IntegerType | FloatType | IndexType) for k in actor.operands)
        operands = _numbers(actor, 60)
        if actor.schema_id.name.startswith("ARITH_SH"):
            operands[1] %= np.uint64(actor.operands[1].bits)
        source, result = actor.operands[-1].bits, actor.results[0].bits
        found = element_result(actor.schema_id, actor.payload, source, result, operands)
        for value, defined, *point in zip(*found, *operands, strict=True):
            wanted = integer_result(actor, tuple(map(int, point)))
            assert (int(value) if defined else None) == wanted, f"{actor} {point}"
