"""Volume on native programs: every member of each family, and wrong hardware that is noticed."""

import random
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.providers.registry import PROVIDERS
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.types import FloatType, IndexType, IntegerType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from sim.native.bench import emit, measure, run
from sim.native.build import NativeFailed, build
from sim.native.elements import element_result
from sim.native.positions import drawn_points, position_cases
from sim.native.resources import Resource, resources
from sim.native.scalars import FULL, QUICK, Volume
from sim.native.tokens import group_cases
from sim.native.vectors import join, split
from tests.support.hsg import widened
from tests.support.integer_oracle import integer_result
from tests.support.position_bench import ports_of
from tests.support.position_oracle import position_result
from tests.support.vector_oracle import vector_result

RESOURCES = {each.name: each for each in resources()}
TINY = Volume(random=200, divider_stride=997, carriers=50)


#: Families with a state between firings, or with lanes that are routed: sim/benches has them.
ELSEWHERE = {
    *(F.LOOP_STREAM, F.LOOP_CARRY, F.LOOP_INVARIANT, F.LOOP_GATE),
    *(F.TOKEN_SYNC, F.TOKEN_MUX, F.TOKEN_DEMUX),
}


def test_every_family_with_a_provider_is_there():
    integer = {
        family for family in PROVIDERS if "FLOAT" not in family.name and "MATH" not in family.name
    }
    assert {each.op.family for each in RESOURCES.values()} == integer - ELSEWHERE
    short = {each.op.family for each in RESOURCES.values() if not each.is_large}
    assert short == integer - ELSEWHERE
    for family in integer - ELSEWHERE:
        members = set(FAMILIES[family].admitted_operation_schema_ids) - {O.LLVM_GET_ELEMENT_PTR}
        ops = [e.op for e in RESOURCES.values() if e.op.family is family and not e.is_large]
        assert {member for op in ops for member in op.op_list} == members


def checked(resource: Resource, volume: Volume, folder) -> None:
    rows = run(resource.name, resource.op, resource.cases(resource.op, volume), folder)
    assert rows
    interval = resource.op.timing.initiation_interval_cycles
    for row in rows:
        assert row.mismatches == 0, f"{row.member}: {row.example}"
        if resource.cases is group_cases:
            # Ends of groups take cycles, too, of which the job allows exactly as many.
            assert row.points >= 1_000
            assert row.rate > 0.9
        elif "carriers" not in row.member:
            assert row.points >= 2_000
            assert row.rate == pytest.approx(1 / interval), row.member


@pytest.mark.parametrize("name", [name for name, each in RESOURCES.items() if not each.is_large])
def test_every_member_in_short(name, tmp_path):
    checked(RESOURCES[name], QUICK, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(RESOURCES))
def test_every_member_in_full(name, tmp_path):
    checked(RESOURCES[name], FULL, tmp_path)


def rewired(port: str, expression: str, *lines: str):
    """Puts something between a port and what is inside, where it is called ``own``.

    An output is driven with the expression; an input comes to the inside as it.
    """

    def change(text: str) -> str:
        before, end, inside = text.partition("\n);\n")
        (declared,) = re.findall(rf"(input|output) wire (\[[^]]*\] )?{port}\b", before)
        direction, width = declared
        inside = re.sub(rf"\b{port}\b", "own", inside)
        value = f"assign {port} = {expression};" if direction == "output" else ""
        known = f" = {expression}" if direction == "input" else ""
        head = [f"wire {width}own{known};", *lines, value]
        return before + end + "\n".join(head) + "\n" + inside

    return change


@cache
def emitted(name: str):
    return emit(RESOURCES[name].op)


@cache
def batches(name: str) -> list:
    each = RESOURCES[name]
    return list(each.cases(each.op, TINY))


def wrong(name: str, folder, change) -> dict:
    """Rows by member of a resource whose text is changed."""
    text = replace(emitted(name), text=change(emitted(name).text))
    rows = measure(name, RESOURCES[name].op, batches(name), build(text, folder))
    return {row.member: row for row in rows}


ADDER, SHIFTER = "ScalarIntegerAddSub", "FixedVectorIntegerShift 128"
SLICER = "FixedVectorSliceAlignMerge 128 rank 1 latency 1"
TICK = "reg tick; always @(posedge clk) tick <= ~tick & ~rst;"


def test_nothing_is_noticed_where_nothing_is_wrong(tmp_path):
    rows = wrong(ADDER, tmp_path, rewired("in0_data", "in0_data"))
    assert not any(row.mismatches for row in rows.values())


def test_a_wrong_member_is_noticed(tmp_path):
    rows = wrong(ADDER, tmp_path, rewired("configuration", "1'b0"))
    assert rows["arith.addi"].mismatches == 0 < rows["arith.subi"].mismatches
    assert "not 0x" in rows["arith.subi"].example


@pytest.mark.parametrize(
    ("change", "message"),
    [
        # A token is taken and lost; another one comes from nowhere.
        (rewired("in0_valid", "in0_valid & (in0_data[2:0] != 5)"), "0 must"),
        (rewired("in0_valid", "in0_valid | in1_valid"), "0 must"),
        # A cycle without a result, where nobody stalls and behind a stall.
        (rewired("in0_ready", "own & tick", TICK), "input 0 must be ready"),
        (rewired("out0_valid", "own & tick", TICK), "output 0 must show a result"),
        # A result is late by a cycle.
        (
            rewired(
                "out0_valid",
                "own & seen",
                "reg seen; always @(posedge clk) seen <= own & ~(seen & out0_ready);",
            ),
            "output 0 must show a result",
        ),
        # An operand waits for the other one.
        (rewired("in0_ready", "own & in1_valid"), "input 0 must be ready"),
        # A result changes while it waits.
        (rewired("out0_data", "own ^ {63'd0, tick}", TICK), "output 0 must not change its offer"),
        # A firing leaves though its result stalls.
        (rewired("out0_ready", "1'b1"), "must"),
        # A register counts before it was written.
        (rewired("out0_data", "own ^ start", "reg [63:0] start;"), "register's start"),
        (rewired("quiescent", "1'b1"), "must not be quiescent"),
        (rewired("quiescent", "1'b0"), "must be quiescent"),
    ],
)
def test_a_channel_that_breaks_its_contract_is_noticed(tmp_path, change, message):
    with pytest.raises(NativeFailed, match=message):
        wrong(ADDER, tmp_path, change)


def test_bits_above_the_active_width_are_compared(tmp_path):
    rows = wrong("ScalarIntegerCountZeros", tmp_path, rewired("out0_data", "own | 64'h100"))
    assert all(row.mismatches == row.points - row.poisonous for row in rows.values())


def test_a_poisonous_lane_that_changes_its_neighbour_is_noticed(tmp_path):
    # Of wider elements, an amount like this is that of lane 0 itself.
    kept = (
        "reg [127:0] amount; always @(posedge clk) if (in1_valid & in1_ready) amount <= in1_data;"
    )
    change = rewired("out0_data", "own ^ {127'd0, amount[15:8] > 8'd7}", kept)
    rows = wrong(SHIFTER, tmp_path, change)
    assert set(rows) == {"arith.shli", "arith.shrsi", "arith.shrui"}
    for row in rows.values():
        assert 0 < row.mismatches <= row.poisonous


def test_a_poisonous_lane_may_be_anything(tmp_path):
    kept = (
        "reg [127:0] amount; always @(posedge clk) if (in1_valid & in1_ready) amount <= in1_data;"
    )
    change = rewired("out0_data", "own ^ {127'd0, amount[7:0] > 8'd63}", kept)
    assert not any(row.mismatches for row in wrong(SHIFTER, tmp_path, change).values())


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("ScalarUnsignedIntegerDivRem iterative 16", rewired("in1_ready", "own & |in1_data")),
        (SHIFTER, rewired("in1_ready", "own & ~&in1_data[7:6]")),
        (SLICER, rewired("in2_ready", "own & ~|in2_data[31:20]")),
        # Some carriers, valid or not.
        (SLICER, rewired("in0_ready", "own & ~&configuration[4:2]")),
        (
            "FixedVectorShuffle bits 6 latency 1",
            rewired("in0_ready", "own & ~&configuration[2:0]"),
        ),
    ],
)
def test_a_stall_of_poison_is_noticed(tmp_path, name, change):
    with pytest.raises(NativeFailed, match="must be ready"):
        wrong(name, tmp_path, change)


def test_an_input_that_is_not_used_must_not_be_taken(tmp_path):
    with pytest.raises(NativeFailed, match="input 1 must not be ready"):
        wrong(SLICER, tmp_path, rewired("in1_ready", "1'b1"))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        # An element is lost; a phase is taken twice; a cycle is lost in the long run.
        ("Parallelize 64", rewired("in0_valid", "in0_valid & ~&in0_data[3:0]"), "ended|quiescent"),
        ("Parallelize 64", rewired("in0_ready", "own & (tick | ~in0_valid)", TICK), "ended"),
        (
            "Serialize 64",
            rewired("out0_valid", "own & (tick | out0_ready)", TICK),
            "offer back",
        ),
        ("Serialize 64", rewired("quiescent", "1'b0"), "must leave nothing inside"),
    ],
)
def test_wrong_groups_are_noticed(tmp_path, name, change, message):
    with pytest.raises(NativeFailed, match=message):
        wrong(f"FixedVector{name}", tmp_path, change)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("FixedVectorSerialize 64", rewired("in0_data", "{in0_data[63:1], 1'b0}")),
        ("FixedVectorParallelize 64", rewired("out1_data", "own | 8'd2")),
        ("TokenConstant 64", rewired("configuration", "configuration & ~64'd4")),
        ("FixedVectorShuffle 128 latency 1", rewired("in1_data", "in0_data")),
        (SLICER, rewired("out0_data", "own ^ {127'd0, configuration[8]}")),
        ("FixedVectorPack 128", rewired("out0_data", "{own[119:0], own[127:120]}")),
        ("FixedVectorValueSelect 128", rewired("in0_data", "in0_data & ~128'd2")),
    ],
)
def test_wrong_tokens_are_noticed(tmp_path, name, change):
    assert any(row.mismatches for row in wrong(name, tmp_path, change).values())


def test_a_behaviour_without_points_is_noticed(tmp_path):
    program = build(emitted(ADDER), tmp_path)
    with pytest.raises(NativeFailed, match="all but"):
        measure(ADDER, RESOURCES[ADDER].op, batches(ADDER)[:1], program)


def _numbers(actor: OperationActor, count: int) -> list[np.ndarray]:
    drawn = random.Random(str(actor))
    return [
        np.array(
            [drawn.getrandbits(kind.bits) >> drawn.randrange(kind.bits) for _ in range(count)],
            np.uint64,
        )
        for kind in actor.operands
    ]


SCALARS = [
    each.op for each in RESOURCES.values() if each.name.startswith("Scalar") and not each.is_large
]


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


@pytest.mark.parametrize("name", [name for name in RESOURCES if name.endswith(" 128")])
def test_lanes_of_arrays_agree_with_python_integers(name: str):
    each = RESOURCES[name]
    drawn = np.random.default_rng(1)
    actors = [a for a in each.op.reachable() if isinstance(a.operands[-1], VectorType)]
    for probe in actors:
        if probe.schema_id in (O.DATAFLOW_PACK, O.DATAFLOW_UNPACK):
            continue
        actor = widened(probe, 128 // probe.operands[-1].element.bits)
        lanes = [
            drawn.integers(0, 1 << min(k.element.bits, 6), (20, k.lanes), np.uint64)
            for k in actor.operands
        ]
        source, result = actor.operands[-1].element.bits, actor.results[0].element.bits
        found, defined = element_result(actor.schema_id, actor.payload, source, result, lanes)
        tokens = [join(v, k.element.bits, 2) for v, k in zip(lanes, actor.operands, strict=True)]
        for kind, values, packed in zip(actor.operands, lanes, tokens, strict=True):
            assert (split(packed, kind.element.bits, kind.lanes) == values).all()
        masks = np.where(defined, np.uint64((1 << result) - 1), np.uint64(0))
        value, mask = join(found, result, 2), join(masks, result, 2)
        for at in range(20):
            wanted = vector_result(actor, tuple(number(each[at]) for each in tokens))
            assert number(mask[at]) == wanted[1]
            assert number(value[at] & mask[at]) == wanted[0] & wanted[1]


def number(token) -> int:
    return sum(int(word) << 64 * place for place, word in enumerate(token))


POSITIONS = [
    name for name, each in RESOURCES.items() if each.cases is position_cases and not each.is_large
]


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_of_arrays_agree_with_nested_lists(name: str):
    checked = 0
    for actor, inputs, value, promised in drawn_points(RESOURCES[name].op, 80):
        ports = ports_of(actor)
        operands = [
            number(inputs[port][0]) & (1 << kind.bits) - 1
            for port, kind in zip(ports, actor.operands, strict=True)
        ]
        wanted, mask = position_result(actor, tuple(operands))
        low = (1 << actor.results[0].bits) - 1
        assert number(promised[0]) & low == mask
        assert number(value[0]) & mask == wanted & mask
        checked += mask != 0
    assert checked > 40
