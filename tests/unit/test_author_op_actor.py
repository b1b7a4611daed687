"""The tables of datapath resources in a mapping."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.abi.image import decode_image, encode_image
from fabricgen.author.findings import Findings
from fabricgen.author.mapping import parse_mapping, read_mapping_document
from fabricgen.author.op_actor_document import ACTOR_OPERATIONS
from fabricgen.author.op_constant import float_bits
from fabricgen.author.schema import json_schema
from fabricgen.errors import Invalid, Unsupported
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.semantics import semantic_field
from fabricgen.hsg.setting import configured_value, inactive_value
from fabricgen.hsg.vector_params import FixedVectorAdapterParams
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Disabled
from fabricgen.records.fabric import Fabric, NamedOp
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth
from tests.support.actor_text import actor_values
from tests.support.documents import changed, toml
from tests.support.hsg import first_lanes, resource
from tests.support.hsg_ops import add_sub
from tests.support.json_schema import errors
from tests.support.records import load_fabric

SCHEMA = json_schema("mapping")
OPS = {
    "alu": add_sub(),
    "five": resource(F.TOKEN_CONSTANT),
    "cut": resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE),
    "mix": resource(F.FIXED_VECTOR_SHUFFLE),
    "pick": resource(F.TOKEN_MUX),
    "less": resource(F.SCALAR_INTEGER_COMPARE_MIN_MAX),
    "sums": resource(F.SCALAR_FLOAT_ADD_SUB),
    "sine": resource(F.SCALAR_MATH_SIN),
    "walk": resource(F.LOOP_STREAM),
    "product": resource(F.SCALAR_INTEGER_MULTIPLY),
}
FABRIC = Fabric("ops", (), tuple(NamedOp(name, op) for name, op in OPS.items()))
ADD = {
    "operation": "arith.addi",
    "operands": ["i32", "i32"],
    "results": ["i32"],
    "overflow": ["nsw"],
}
FIVE = {"operation": "dataflow.constant", "operands": ["none"], "results": ["i8"], "value": 5}
CUT = {
    "operation": "vector.insert",
    "operands": ["i8", "vector<2x4xi8>", "index32"],
    "results": ["vector<2x4xi8>"],
    "positions": ["dynamic", 3],
}
MIX = {
    "operation": "vector.shuffle",
    "operands": ["vector<2xi8>", "vector<2xi8>"],
    "results": ["vector<3xi8>"],
    "mask": [3, -1, 1],
}
PICK = {
    "operation": "dataflow.mux",
    "operands": ["i1", "i8", "i8"],
    "results": ["i8"],
    "lanes": [1, 2],
}
LESS = {
    "operation": "arith.cmpi",
    "operands": ["i16", "i16"],
    "results": ["i1"],
    "predicate": "slt",
}
SUMS = {
    "operation": "arith.addf",
    "operands": ["f32", "f32"],
    "results": ["f32"],
    "fast_math": ["nnan", "contract"],
    "rounding": "to_nearest_even",
}
SINE = {
    "operation": "math.sin",
    "operands": ["f32"],
    "results": ["f32"],
    "fast_math": ["afn"],
    "accuracy": "max_1_ulp",
}
WALK = {
    "operation": "dataflow.stream",
    "operands": ["i32", "i32", "i32"],
    "results": ["i32", "i1"],
    "step": "add",
    "predicate": "ult",
}
PRODUCT = {"operation": "arith.muli", "operands": ["i8", "i8"], "results": ["i8"]}
ACTORS = {
    "alu": ADD,
    "five": FIVE,
    "cut": CUT,
    "mix": MIX,
    "pick": PICK,
    "less": LESS,
    "sums": SUMS,
    "sine": SINE,
    "walk": WALK,
    "product": PRODUCT,
}
DOCUMENT = {"fabric": "ops", "op": ACTORS}


def read(document):
    return parse_mapping(toml(document), FABRIC)


def refused(document, fabric=FABRIC):
    with pytest.raises(Invalid) as caught:
        parse_mapping(toml(document), fabric)
    return [(d.code, d.where, d.message) for d in caught.value.diagnostics]


def test_every_table_is_the_value_of_its_resource():
    values = dict(zip(OPS, read(DOCUMENT).ops, strict=True))
    assert values["alu"].role == "Add"
    assert values["five"] == 5
    # As tests of the carriers have them, by hand.
    assert values["cut"] == 1 | 24 << 1 | 7 << 8 | 32 << 14
    assert values["mix"] == 7 | 1 << 5 | 2 << 8 | 3 << 10 | 0 << 13 | 1 << 16
    assert values["pick"].lanes == (1, 2)
    assert (values["less"].role, values["less"].predicate.name) == ("Compare", "SLT")
    assert values["less"].active_bits == 16
    assert (values["sums"].role, values["sums"].format) == ("Add", FloatFormat.F32)
    assert values["sine"].format is FloatFormat.F32
    assert (values["walk"].active_bits, values["walk"].predicate.name) == (32, "ULT")
    assert values["product"] is None
    configuration = read(DOCUMENT)
    assert decode_image(FABRIC, encode_image(FABRIC, configuration)) == configuration


def test_a_resource_without_a_table_is_inactive():
    assert read({"fabric": "ops"}) == FabricConfiguration.inactive(FABRIC)
    both = Fabric("both", load_fabric().memories, (NamedOp("alu", OPS["alu"]),))
    configuration = parse_mapping(toml({"fabric": "both", "op": {"alu": ADD}}), both)
    assert configuration.memories == (Disabled(),)
    assert configuration.ops == (semantic_field(OPS["alu"]).keys[0],)
    assert configuration.ops == (inactive_value(OPS["alu"]),)


@pytest.mark.parametrize("family", F, ids=lambda each: each.name.lower())
def test_every_reachable_actor_can_be_written(family):
    op = resource(family)
    fabric = Fabric("one", (), (NamedOp("it", op),))
    for number, actor in enumerate(op.reachable()):
        if number > 8 and number % 17:
            continue
        document = {"fabric": "one", "op": {"it": actor_values(actor)}}
        assert parse_mapping(toml(document), fabric).ops == (
            configured_value(op, actor, first_lanes(actor)),
        )
        assert not list(errors(SCHEMA, document))


def test_every_operation_of_a_family_can_be_written():
    members = {each for row in FAMILIES.values() for each in row.admitted_operation_schema_ids}
    assert members - set(ACTOR_OPERATIONS.values()) == {O.LLVM_GET_ELEMENT_PTR}


def written(name, **changes):
    """The findings against one table with other values; None leaves a key out."""
    table = {k: v for k, v in (ACTORS[name] | changes).items() if v is not None}
    return refused({"fabric": "ops", "op": {name: table}})


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        (
            "alu",
            {"operation": "arith.addj"},
            ("unknown-key", "op.alu.overflow", None),
        ),
        (
            "alu",
            {"operation": "arith.addj", "overflow": None},
            (
                "operation-unknown",
                "op.alu.operation",
                "The name must be one of arith.addi, arith.subi, not "
                '"arith.addj" (did you mean arith.addi?)',
            ),
        ),
        (
            "alu",
            {"operation": "arith.muli"},
            (
                "op-not-enabled",
                "op.alu.operation",
                "The name must be one of arith.addi, arith.subi, not "
                '"arith.muli" (did you mean arith.subi?)',
            ),
        ),
        (
            "alu",
            {"operands": ["i32", "i3x"]},
            (
                "value-type-text",
                "op.alu.operands[1]",
                'The type must have its end at character 3, not "x"',
            ),
        ),
        ("alu", {"operands": ["i32"]}, ("actor-shape", "op.alu.operands", None)),
        (
            "alu",
            {"operands": ["i16", "i16"], "results": ["i16"]},
            (
                "admission-width",
                "op.alu.results[0]",
                "The integer must be one of i8, i32, not i16",
            ),
        ),
        ("alu", {"overflow": ["nsv"]}, ("unknown-value", "op.alu.overflow[0]", None)),
        (
            "alu",
            {"overflow": ["nsw", "nuw", "nsw"]},
            (
                "duplicate-value",
                "op.alu.overflow[2]",
                'The name must be unique, not "nsw" as op.alu.overflow[0]',
            ),
        ),
        ("alu", {"lanes": [0]}, ("unknown-key", "op.alu.lanes", None)),
        ("alu", {"results": None}, ("missing-key", "op.alu.results", None)),
        ("five", {"value": 256}, ("constant-range", "op.five.value", None)),
        ("five", {"value": 1.0}, ("constant-range", "op.five.value", None)),
        ("five", {"value": None}, ("constant-value", "op.five", None)),
        ("five", {"bits": 5}, ("constant-value", "op.five", None)),
        ("five", {"value": [5]}, ("constant-lanes", "op.five.value", None)),
        ("five", {"value": "5"}, ("wrong-type", "op.five.value", None)),
        ("five", {"value": True}, ("wrong-type", "op.five.value", None)),
        ("five", {"results": ["none"]}, ("constant-type", "op.five.results[0]", None)),
        ("five", {"results": []}, ("actor-shape", "op.five.results", None)),
        (
            "five",
            {"results": ["vector<2xi8>"], "value": [1, -129]},
            ("constant-range", "op.five.value[1]", None),
        ),
        (
            "five",
            {"results": ["i128"]},
            ("admission-capacity", "op.five.results[0]", None),
        ),
        ("cut", {"positions": [0, -2]}, ("value-out-of-range", "op.cut.positions[1]", None)),
        ("cut", {"positions": ["any", 3]}, ("unknown-value", "op.cut.positions[0]", None)),
        (
            "cut",
            {
                "positions": ["dynamic", "dynamic"],
                "operands": ["i8", "vector<2x4xi8>", "index32", "index32"],
            },
            ("admission-position-rank", "op.cut.positions", None),
        ),
        ("mix", {"mask": []}, ("payload-range", "op.mix.mask", None)),
        (
            "mix",
            {"mask": [0] * 5, "results": ["vector<5xi8>"]},
            ("admission-block-count", "op.mix.mask", None),
        ),
        ("pick", {"lanes": None}, ("missing-key", "op.pick.lanes", None)),
        ("pick", {"lanes": [2, 2]}, ("lane-image", "op.pick.lanes", None)),
        ("pick", {"lanes": [1, 2, 3]}, ("lane-count", "op.pick.lanes", None)),
        ("less", {"predicate": "lt"}, ("unknown-value", "op.less.predicate", None)),
        ("sums", {"rounding": "upward"}, ("admission-rounding", "op.sums.rounding", None)),
        ("sums", {"fast_math": ["fast"]}, ("unknown-value", "op.sums.fast_math[0]", None)),
        ("sine", {"fast_math": []}, ("payload-accuracy-needs-afn", "op.sine.accuracy", None)),
        ("walk", {"step": "sub"}, ("admission-step", "op.walk.step", None)),
        ("walk", {"predicate": "eq"}, ("admission-predicate", "op.walk.predicate", None)),
    ],
)
def test_a_wrong_table_is_refused_in_its_place(name, changes, expected):
    found = written(name, **changes)
    code, where, message = expected
    assert (code, where) in [each[:2] for each in found], found
    assert message is None or (code, where, message) in found


def test_of_many_lanes_a_finding_shows_the_first_ones():
    ((code, where, message),) = written("pick", lanes=list(range(3000)))
    assert (code, where) == ("lane-image", "op.pick.lanes")
    assert message.endswith("...] of 3000")
    assert len(message) < 1000


def test_findings_of_all_tables_come_together():
    document = changed(DOCUMENT, ("op", "alu", "operands", 0), "j32")
    document = changed(document, ("op", "five", "value"), 300)
    document = changed(document, ("op", "pick", "lanes"), [3, 1])
    document = changed(document, ("op", "wrong"), ADD)
    assert [(code, where) for code, where, _ in refused(document)] == [
        ("unknown-name", "op.wrong"),
        ("value-type-text", "op.alu.operands[0]"),
        ("constant-range", "op.five.value"),
        ("lane-image", "op.pick.lanes"),
    ]


def test_a_finding_about_what_is_not_written_is_one_of_the_table():
    found = refused({"fabric": "ops", "op": {"alu": ADD | {"operands": [], "results": []}}})
    assert [(code, where) for code, where, _ in found] == [("actor-shape", "op.alu.operands")]


def test_a_mapping_can_be_read_without_its_fabric():
    findings = Findings()
    assert read_mapping_document(toml(DOCUMENT), findings).op.keys() == ACTORS.keys()
    assert findings.diagnostics == []


@pytest.mark.parametrize(
    ("kind", "value", "bits"),
    [
        ("i8", -1, 0xFF),
        ("i8", 255, 0xFF),
        ("i1", -1, 1),
        ("f32", 1, 0x3F800000),
        ("f32", -0.0, 0x80000000),
        ("f32", 0.1, 0x3DCCCCCD),
        ("bf16", 3.14, 0x4049),
        ("f16", 65504.0, 0x7BFF),
        ("f16", float("inf"), 0x7C00),
        ("f64", float("nan"), 0x7FF8000000000000),
        ("vector<2xf16>", [1.0, -2], 0xC0003C00),
        ("vector<2x2xi8>", [1, 2, 3, -4], 0xFC030201),
    ],
)
def test_values_of_constants(kind, value, bits):
    table = FIVE | {"results": [kind], "value": value}
    document = {"fabric": "ops", "op": {"five": table}}
    assert read(document).ops[1] == bits
    assert not list(errors(SCHEMA, document))


def test_exact_bits_of_constants():
    table = {k: v for k, v in FIVE.items() if k != "value"} | {"results": ["f32"]}
    document = {"fabric": "ops", "op": {"five": table | {"bits": 0x7F800001}}}
    assert read(document).ops[1] == 0x7F800001
    found = written("five", value=None, bits=256)
    assert [each[:2] for each in found] == [("constant-range", "op.five.bits")]


def test_a_float_beyond_the_largest_one_is_no_constant():
    # Halfway from the largest float to the next power of two rounds to infinity.
    ((code, where, message),) = written("five", results=["f16"], value=65520.0)
    assert (code, where) == ("constant-range", "op.five.value")
    assert "in the range of f16" in message


def test_a_resource_of_too_many_keys_is_told_where_it_is():
    # A key for each of 1 to 2**20 lanes.
    params = FixedVectorAdapterParams((IntegerWidth.I1,), (), 2**20)
    outputs = (2**20, 2**20, 1)
    op = resource(F.FIXED_VECTOR_PARALLELIZE, params=params, outputs=outputs)
    fabric = Fabric("ops", (), (NamedOp("many", op),))
    with pytest.raises(Unsupported) as caught:
        parse_mapping(toml({"fabric": "ops"}), fabric)
    assert [(d.code, d.where) for d in caught.value.diagnostics] == [
        ("semantic-keys-too-many", "op.many")
    ]


@given(st.floats(width=64), st.sampled_from([("e", FloatFormat.F16), ("f", FloatFormat.F32)]))
def test_floats_round_as_the_machine_does(value, target):
    code, kind = target
    if math.isnan(value):
        return
    try:
        expected = int.from_bytes(struct.pack(f">{code}", value), "big")
    except OverflowError:
        expected = None
    assert float_bits(value, kind) == expected


@given(st.floats(width=64))
def test_doubles_are_their_own_bits(value):
    if not math.isnan(value):
        assert float_bits(value, FloatFormat.F64) == int.from_bytes(struct.pack(">d", value), "big")


def test_integers_are_numbers_of_floats():
    assert float_bits(2**24 + 1, FloatFormat.F32) == float_bits(2**24, FloatFormat.F32)
    assert float_bits(2**128, FloatFormat.F32) is None
    # 2**-133 is the least of bf16; half of it is even, so it goes to zero, and more goes up.
    assert float_bits(2.0**-133, FloatFormat.BF16) == 1
    assert float_bits(2.0**-134, FloatFormat.BF16) == 0
    assert float_bits(2.0**-134 * 1.5, FloatFormat.BF16) == 1


@pytest.mark.parametrize("name", ACTORS)
def test_the_schema_accepts_what_the_document_accepts(name):
    document = {"fabric": "ops", "op": {name: ACTORS[name]}}
    assert not list(errors(SCHEMA, document))
    for at, value in [
        (("operation",), "arith.add"),
        (("operands",), None),
        (("results", 0), "x8"),
        (("unknown",), 1),
    ]:
        wrong = changed(document, ("op", name, *at), value)
        assert list(errors(SCHEMA, wrong)), at
