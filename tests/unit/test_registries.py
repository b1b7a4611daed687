"""The two closed registries against numbers and names that the reference gives."""

import json
import re

import pytest
from typer.testing import CliRunner

from fabricgen.cli.main import app
from fabricgen.errors import Invalid
from fabricgen.hsg.registry import FAMILIES, families_of, family_keyword, family_named
from fabricgen.schema.operations import OPERATION_SCHEMAS, dense_id, operation_named
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.families import (
    CapabilityParamsSchemaId,
    ImplementationFamilyId,
    TypedAdmissionProviderId,
)
from fabricgen.vocab.operations import ActorKind, SemanticPayloadCase


def listing(command):
    result = CliRunner().invoke(app, [command, "--json"])
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_there_are_107_operations_and_71_families():
    assert [row["id"] for row in listing("operations")] == list(range(107))
    assert [row["id"] for row in listing("families")] == list(range(71))
    assert len(CapabilityParamsSchemaId) == 22
    assert len(TypedAdmissionProviderId) == 28
    assert len(SemanticPayloadCase) == 19


@pytest.mark.parametrize(
    ("ordinal", "name", "op", "payload"),
    [
        (0, "ArithConstant", "arith.constant", "typed_constant_value"),
        (1, "ArithAddI", "arith.addi", "arith_integer_overflow"),
        (10, "ArithDivSI", "arith.divsi", "arith_exact"),
        (24, "ArithIndexCastUI", "arith.index_castui", "arith_non_negative"),
        (36, "ArithCmpF", "arith.cmpf", "arith_float_compare"),
        (45, "MathSin", "math.sin", "special_math_accuracy"),
        (53, "MathExpM1", "math.expm1", "special_math_accuracy"),
        (62, "MathRoundEven", "math.roundeven", "special_math_accuracy"),
        (65, "MathErf", "math.erf", "special_math_accuracy"),
        (66, "MathFma", "math.fma", "arith_floating_point"),
        (71, "LLVMUSubSat", "llvm.intr.usub.sat", "none"),
        (76, "DataflowStream", "dataflow.stream", "stream_recurrence"),
        (88, "DataflowLoad", "dataflow.load", "memory_contract"),
        (92, "DataflowFence", "dataflow.fence", "memory_contract"),
        (96, "VectorShuffle", "vector.shuffle", "vector_shuffle_mask"),
        (105, "LLVMGetElementPtr", "llvm.getelementptr", "llvm_get_element_ptr_semantics"),
        (106, "MathPowF", "math.powf", "special_math_accuracy"),
    ],
)
def test_an_operation_has_its_place_and_tag(ordinal, name, op, payload):
    row = listing("operations")[ordinal]
    assert (row["name"], row["op"], row["payload"]) == (name, op, payload)
    assert row["tag"] == 0x4C530201 + ordinal
    assert dense_id(operation_named(name, "op")) == ordinal


def test_kinds_of_actors():
    kinds = [schema.actor_kind for schema in OPERATION_SCHEMAS.values()]
    assert kinds == (
        [ActorKind.COMPUTE] * 76
        + [ActorKind.CONTROL] * 12
        + [ActorKind.MEMORY] * 5
        + [ActorKind.COMPUTE] * 14
    )


def test_liftability_is_told_only_where_it_is_known():
    by_name = {schema.name: schema.is_liftable for schema in OPERATION_SCHEMAS.values()}
    assert by_name["ArithAddI"] is True
    assert by_name["MathPowF"] is True
    assert by_name["ArithDivSI"] is False
    assert by_name["LLVMGetElementPtr"] is False
    assert by_name["LLVMSAddSat"] is None
    assert by_name["LLVMFshl"] is None


@pytest.mark.parametrize(
    ("ordinal", "keyword", "members", "params", "admission"),
    [
        (0, "ScalarIntegerAddSub", ["ArithAddI", "ArithSubI", "LLVMGetElementPtr"], 0, 0),
        (
            1,
            "ScalarIntegerLogic",
            ["ArithAndI", "ArithOrI", "ArithXOrI", "LLVMOrDisjoint"],
            0,
            1,
        ),
        (
            12,
            "ScalarFloatToInteger",
            ["ArithFPToSI", "ArithFPToUI", "LLVMFPToSISat", "LLVMFPToUISat"],
            8,
            9,
        ),
        (16, "LoopStream", ["DataflowStream"], 9, 10),
        (28, "FixedVectorFloatCompareMinMax", None, 15, 17),
        (34, "FixedVectorSerialize", ["DataflowSerialize"], 16, 18),
        (38, "TokenDemux", ["DataflowDemux"], 18, 22),
        (40, "ScalarUnsignedIntegerDivRem", ["ArithDivUI", "ArithRemUI"], 0, 0),
        (43, "ScalarMathSin", ["MathSin"], 21, 27),
        (51, "ScalarMathExpM1", ["MathExpM1"], 21, 27),
        (60, "ScalarMathRoundEven", ["MathRoundEven"], 21, 27),
        (63, "ScalarMathErf", ["MathErf"], 21, 27),
        (64, "ScalarIntegerSaturatingAddSub", None, 0, 0),
        (67, "FixedVectorIntegerCountZeros", None, 11, 24),
        (68, "ScalarMathPow", ["MathPowF"], 21, 27),
        (69, "FixedVectorSliceAlignMerge", ["VectorExtract", "VectorInsert"], 19, 25),
        (70, "FixedVectorShuffle", ["VectorShuffle"], 20, 26),
    ],
)
def test_a_family_has_its_four_facts(ordinal, keyword, members, params, admission):
    row = listing("families")[ordinal]
    assert row["family"] == keyword
    assert members is None or row["members"] == members
    assert (row["params"], row["admission"]) == (params, admission)
    assert family_named(keyword, "family") is ImplementationFamilyId(ordinal)


def test_every_family_but_those_of_floats_and_special_math_has_hardware():
    rows = listing("families")
    floats = [row["family"] for row in rows if re.search("Float|ScalarMath", row["family"])]
    assert [row["family"] for row in rows if not row["available"]] == floats
    assert (len(floats), len(rows)) == (15 + 22, 71)


def test_operations_of_no_family():
    orphans = {
        schema.name for schema in OPERATION_SCHEMAS.values() if not families_of(schema.schema_id)
    }
    assert orphans == {
        "ArithConstant",
        "MathAbsI",
        "UBPoison",
        "LLVMFreeze",
        "LLVMFshl",
        "LLVMByteSwap",
        "LLVMAbs",
        "LLVMExtractValue",
        "LLVMInsertValue",
        "DataflowLoad",
        "DataflowStore",
        "DataflowAtomicRmw",
        "DataflowCmpXchg",
        "DataflowFence",
    }


def test_special_math_has_22_families_and_a_member_is_listed_once():
    names = [family_keyword(family) for family in FAMILIES]
    assert sum(name.startswith("ScalarMath") for name in names) == 22
    assert len(set(names)) == 71
    for row in FAMILIES.values():
        members = row.admitted_operation_schema_ids
        assert len(set(members)) == len(members) > 0


def test_an_operation_may_be_a_member_of_a_scalar_and_a_vector_family():
    assert [family_keyword(each) for each in families_of(OperationSchemaId.ARITH_ADDI)] == [
        "ScalarIntegerAddSub",
        "FixedVectorIntegerAddSub",
    ]


@pytest.mark.parametrize("command", ["families", "operations"])
def test_a_listing_is_for_people_too(command):
    result = CliRunner().invoke(app, [command])
    assert result.exit_code == 0
    assert "ScalarIntegerAddSub" in result.stdout


def test_only_registered_names_are_found():
    with pytest.raises(Invalid, match=r"^family: .* not 'ScalarAdder' \[family-unknown\]$"):
        family_named("ScalarAdder", "family")
    with pytest.raises(Invalid, match=r"^op: .* not 'llvm.add' \[operation-unknown\]$"):
        operation_named("llvm.add", "op")
