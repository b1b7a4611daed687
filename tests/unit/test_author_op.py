"""Datapath resources of a document: their records, and what is said about bad ones."""

from typing import get_args

import pytest
from hypothesis import given, settings

from fabricgen.author import op_document as documents
from fabricgen.author.document import Document, validated
from fabricgen.author.expand_op import expand_op
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.fabric_document import FabricDocument
from fabricgen.author.findings import Findings
from fabricgen.author.schema import json_schema
from fabricgen.errors import Invalid
from fabricgen.hsg.params import PARAMS
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.registry import FAMILIES, family_keyword
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.scalar_params import ScalarIntegerParams
from fabricgen.records.fabric import Fabric, NamedOp
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import IntegerWidth as W
from tests.support.documented import documented
from tests.support.documented_op import op_document, params_document
from tests.support.documents import changed, fabric_document, ops_document, toml
from tests.support.hsg import resource
from tests.support.hsg_params import RECORDS, concrete
from tests.support.json_schema import errors

ALU = {
    "name": "alu",
    "family": "ScalarIntegerAddSub",
    "op_list": ["arith.subi", "arith.addi"],
    "hw_params": {"integer_widths": [32, 8]},
    "ports": {"inputs": [32, 16], "outputs": [33]},
    "timing": {"latency_cycles": 2, "initiation_interval_cycles": 3},
}
FABRIC = {"fabric": {"name": "ops"}, "op": [ALU]}
OP = ("op", 0)
PARAMS_OF = (*OP, "hw_params")


def test_a_resource_is_its_record():
    (named,) = parse_fabric(toml(FABRIC)).ops
    assert named == NamedOp(
        "alu",
        FabricOp(
            F.SCALAR_INTEGER_ADD_SUB,
            (O.ARITH_ADDI, O.ARITH_SUBI),
            ScalarIntegerParams((W.I8, W.I32)),
            PhysicalPorts((32, 16), (33,)),
            ResourceTiming(2, 3),
        ),
    )


def test_a_fabric_has_memories_and_resources():
    memories = parse_fabric(toml(fabric_document())).memories
    fabric = parse_fabric(toml(fabric_document() | {"op": [ALU]}))
    assert fabric.memories == memories
    assert [op.name for op in fabric.ops] == ["alu"]


@pytest.mark.parametrize("family", F)
def test_every_family_has_a_document(family):
    """A resource of each family, said in a document that its schema accepts, is that resource."""
    fabric = Fabric("one", (), (NamedOp("it", resource(family)),))
    document = documented(fabric)
    assert list(errors(json_schema("fabric"), document)) == []
    assert parse_fabric(toml(document)) == fabric


@settings(max_examples=60)
@given(concrete())
def test_every_resource_has_a_document(op):
    document, found = validated(
        FabricDocument, {"fabric": {"name": "one"}, "op": [op_document(NamedOp("it", op))]}
    )
    assert found == ()
    findings = Findings()
    assert expand_op(document.op[0], "op[0]", findings) == NamedOp("it", op)
    assert findings.diagnostics == []


@pytest.mark.parametrize("schema", PARAMS)
def test_every_key_of_a_record_is_one_of_its_document(schema):
    """What is drawn of a parameter record satisfies the part of the schema that is its own."""
    definitions = json_schema("fabric")["$defs"]
    name = f"{PARAMS[schema].__name__}Document"

    @settings(max_examples=20)
    @given(RECORDS[schema])
    def holds(record):
        table = params_document(record)
        assert list(errors(definitions[name], table, {"$defs": definitions})) == []
        assert set(definitions[name]["properties"]) == set(table)

    holds()


def test_each_family_and_operation_is_in_one_class():
    """The schema lists exactly the members of the families of each parameter record."""
    found = {}
    for each in get_args(get_args(documents.OpDocument)[0]):
        model = get_args(each)[0]
        if issubclass(model, Document) and model is not documents.UnknownOpDocument:
            schema = model.model_json_schema()["properties"]
            for keyword in schema["family"]["enum"]:
                assert keyword not in found
                found[keyword] = model
    for row in FAMILIES.values():
        model = found.pop(family_keyword(row.family_id))
        params = PARAMS[row.capability_params_schema_id]
        assert model.model_fields["hw_params"].annotation.__name__ == f"{params.__name__}Document"
        listed = model.model_json_schema()["properties"]["op_list"]["items"]["enum"]
        words = op_document(NamedOp("x", resource(row.family_id)))["op_list"]
        assert set(words) <= set(listed)
    assert found == {}


BAD = [
    (
        (*OP, "family"),
        "ScalarIntegerAddSubb",
        "op[0].family: The name must be one of ",
        'not "ScalarIntegerAddSubb" (did you mean ScalarIntegerAddSub?) [family-unknown]',
    ),
    (
        (*OP, "op_list", 1),
        "arith.adddi",
        "op[0].op_list[1]: The name must be one of arith.addi, arith.subi, llvm.getelementptr, ",
        'not "arith.adddi" (did you mean arith.addi?) [operation-unknown]',
    ),
    (
        (*OP, "op_list", 0),
        "arith.muli",
        "op[0].op_list[0]: An operation of ScalarIntegerAddSub must be one of ",
        "[op-outside-family]",
    ),
    (
        (*OP, "op_list"),
        ["arith.addi", "arith.subi", "arith.addi"],
        "op[0].op_list[2]: The value must stand once in its set, ",
        'not "arith.addi" as op[0].op_list[0] [duplicate-value]',
    ),
    (
        (*OP, "op_list"),
        [],
        "op[0].op_list: The list must hold at least 1 item, not 0 [list-length]",
        "",
    ),
    (
        (*PARAMS_OF, "integer_widths"),
        [32, 8, 32],
        "op[0].hw_params.integer_widths[2]: The value must stand once in its set, ",
        "not 32 as op[0].hw_params.integer_widths[0] [duplicate-value]",
    ),
    (
        (*PARAMS_OF, "integer_widths", 1),
        24,
        "op[0].hw_params.integer_widths[1]: The value must be 1, 8, 16, 32 or 64, ",
        "not 24 [unknown-value]",
    ),
    (
        (*PARAMS_OF, "integer_widths", 1),
        True,
        "op[0].hw_params.integer_widths[1]: The value must be 1, 8, 16, 32 or 64, ",
        "not true [unknown-value]",
    ),
    (
        (*PARAMS_OF, "integer_widths", 1),
        8.0,
        "op[0].hw_params.integer_widths[1]: The value must be 1, 8, 16, 32 or 64, ",
        "not 8.0 [unknown-value]",
    ),
    (
        (*PARAMS_OF, "integer_widths", 1),
        2**64,
        "op[0].hw_params.integer_widths[1]: The value must be 1, 8, 16, 32 or 64, ",
        "not 18446744073709551616 [unknown-value]",
    ),
    (
        (*PARAMS_OF, "integer_widths", 1),
        1,
        "op[0].hw_params.integer_widths: ",
        "[params-width-class]",
    ),
    (
        (*PARAMS_OF, "pointer_formats"),
        [{"address_space": 0, "representation_bits": 32, "address_bits": 64}],
        "op[0].hw_params.pointer_formats[0]",
        "]",
    ),
    (
        (*PARAMS_OF, "width"),
        1,
        "op[0].hw_params.width: The key must be one of integer_widths, pointer_formats, ",
        'not "width" [unknown-key]',
    ),
    (
        PARAMS_OF,
        None,
        "op[0].hw_params: The key must be present, not absent [missing-key]",
        "",
    ),
    (
        (*OP, "ports", "inputs"),
        [32],
        "op[0].ports: ScalarIntegerAddSub must have 2 inputs and 1 outputs, not 1 and 1 ",
        "[resource-port-count]",
    ),
    (
        (*OP, "ports", "inputs", 1),
        2**32,
        "op[0].ports.inputs[1]: The value must be at most 4294967295, not 4294967296 ",
        "[value-out-of-range]",
    ),
    (
        (*OP, "ports", "outputs", 0),
        7,
        "op[0].op_list[1]: ",
        "[op-unreachable]",
    ),
    (
        (*OP, "timing", "initiation_interval_cycles"),
        None,
        "op[0].timing.initiation_interval_cycles: The key must be present, not absent ",
        "[missing-key]",
    ),
    (
        (*OP, "timing", "initiation_interval_cycles"),
        0,
        "op[0].timing.initiation_interval_cycles: The value must be at least 1, not 0 ",
        "[value-out-of-range]",
    ),
    ((*OP, "name"), "cfg_alu", "op[0].name: The name must leave clk, rst", "[name-reserved]"),
    ((*OP, "name"), "wire", "op[0].name: ", "[name-keyword]"),
    ((*OP, "name"), "a-b", "op[0].name: ", "[text-format]"),
    (OP, 3, "op[0]: The value must be a table, not 3 [wrong-type]", ""),
    ((*OP, "family"), 3, "op[0].family: The value must be a string, not 3 [wrong-type]", ""),
]


@pytest.mark.parametrize(("at", "value", "start", "end"), BAD)
def test_a_bad_resource_gets_its_finding(at, value, start, end):
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(changed(FABRIC, at, value)))
    lines = str(error.value).splitlines()
    assert any(line.startswith(start) and line.endswith(end) for line in lines), lines


def converted(*pairs):
    """A converter of integers into floats."""
    return {
        "name": "into",
        "family": "ScalarIntegerToFloat",
        "op_list": ["arith.sitofp"],
        "hw_params": {"format_pairs": list(pairs)},
        "ports": {"inputs": [64], "outputs": [64]},
        "timing": {"latency_cycles": 1, "initiation_interval_cycles": 1},
    }


def cast(*pairs):
    return converted() | {
        "family": "ScalarIntegerCast",
        "op_list": ["arith.extsi"],
        "hw_params": {"relation": {"width_pairs": list(pairs)}},
    }


def narrowed(*pairs):
    (behavior,) = (
        op["hw_params"]["behavior"]
        for op in ops_document()["op"]
        if op["family"] == "ScalarFloatWidthCast"
    )
    return converted() | {
        "family": "ScalarFloatWidthCast",
        "op_list": ["arith.truncf"],
        "hw_params": {"format_pairs": list(pairs), "behavior": behavior},
    }


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (
            converted(["f32", 32]),
            [
                "op[0].hw_params.format_pairs[0][0]: The value must be one of 1, 8, 16, 32, 64, "
                'not "f32" [unknown-value]',
                "op[0].hw_params.format_pairs[0][1]: The value must be one of "
                '"f16", "bf16", "f32", "f64", not 32 [unknown-value]',
            ],
        ),
        (
            converted([32, "f32"], [8, "f16"], [32, "f32"]),
            [
                "op[0].hw_params.format_pairs[2]: The value must stand once in its set, "
                'not [32, "f32"] as op[0].hw_params.format_pairs[0] [duplicate-value]'
            ],
        ),
        (
            converted([32]),
            [
                "op[0].hw_params.format_pairs[0]: The list must hold at least 2 items, not 1 "
                "[list-length]"
            ],
        ),
        # The record has the pairs in order, so the one that nothing needs is its second.
        (
            cast([32, 8], [8, 16]),
            [
                "op[0].hw_params.relation.width_pairs[0]: The pair must serve an enabled "
                "operation, not be i32 to i8 without one [cast-pair-orphan]"
            ],
        ),
        (
            narrowed(["f64", "f32"], ["f32", "f32"], ["f16", "bf16"]),
            [
                "op[0].hw_params.format_pairs[2]: The formats must differ in width, not be f16 "
                "and bf16 [params-format-pair]",
                "op[0].hw_params.format_pairs[1]: The formats must differ in width, not be f32 "
                "and f32 [params-format-pair]",
            ],
        ),
    ],
)
def test_pairs_have_their_places_in_the_document(op, expected):
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(FABRIC | {"op": [op]}))
    assert str(error.value).splitlines() == expected


def test_everything_that_is_wrong_is_told_at_once():
    document = changed(FABRIC, (*OP, "family"), "ScalarIntegerAddSubb")
    document = changed(document, (*OP, "op_list", 0), "arith.subx")
    document["op"] += [
        converted([8, "f32"], [8, "f32"]) | {"name": "alu"},
        narrowed(["f32", "f32"]) | {"op_list": ["arith.truncg"]},
    ]
    document |= {"memory": fabric_document()["memory"]}
    document["memory"][0]["name"] = "into"
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(document))
    assert {(each.where, each.code) for each in error.value.diagnostics} == {
        ("op[0].family", "family-unknown"),
        ("op[0].op_list[0]", "operation-unknown"),
        ("op[1].name", "duplicate-name"),
        ("op[1].hw_params.format_pairs[1]", "duplicate-value"),
        ("op[2].name", "duplicate-name"),
        ("op[2].op_list[0]", "operation-unknown"),
        ("op[2].hw_params.format_pairs[0]", "params-format-pair"),
    }


def test_a_name_that_stands_twice_is_one_finding():
    document = {"fabric": {"name": "twice"}, "op": [ALU, ALU]}
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(document))
    assert [(each.where, each.code) for each in error.value.diagnostics] == [
        ("op[1].name", "duplicate-name")
    ]


def test_a_channel_is_no_endpoint():
    document = fabric_document() | {"op": [ALU | {"name": "rd"}]}
    assert parse_fabric(toml(document)).ops[0].name == "rd"
    renamed = toml(document).replace("rd_addr", "rd_in1")
    with pytest.raises(Invalid) as error:
        parse_fabric(renamed)
    (found,) = error.value.diagnostics
    assert (found.where, found.code) == ("op[0].name", "name-collision")
    assert "not 2 times to 'rd_in1'" in found.message
    parse_fabric(renamed.replace("rd_in1", "rd_in2"))


def test_a_fabric_has_a_memory_or_a_resource():
    header = {"fabric": {"name": "none"}}
    for document in (header, header | {"memory": []}, header | {"op": [], "memory": []}):
        with pytest.raises(Invalid) as error:
            parse_fabric(toml(document))
        assert [(d.where, d.code) for d in error.value.diagnostics] == [("memory", "fabric-empty")]
        assert list(errors(json_schema("fabric"), document))
    assert list(errors(json_schema("fabric"), FABRIC)) == []


def test_the_schema_refuses_what_the_document_refuses():
    for at, value, *_ in BAD:
        refused = list(errors(json_schema("fabric"), changed(FABRIC, at, value)))
        by_rule = at[-1] in ("outputs", "inputs", 0, "name") or value in (1, True, 8.0)
        by_rule |= isinstance(value, list) and value != []
        assert refused or by_rule, (at, value)
