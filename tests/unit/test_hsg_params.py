"""Parameter records: one legal record, one change, one code."""

from dataclasses import replace

import pytest

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.errors import Invalid
from fabricgen.hsg.params import PARAMS as CLASSES
from fabricgen.hsg.profile import STRICT_IEEE, IntegerCastRelation
from fabricgen.hsg.sets import sorted_pairs, sorted_set
from fabricgen.vocab.families import CapabilityParamsSchemaId as P
from fabricgen.vocab.hardware import FloatNaNBehavior
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerPredicate,
    RoundingMode,
    SpecialMathAccuracyTier,
)
from tests.support.hsg import FF, PARAMS, W, X

TIER = SpecialMathAccuracyTier.MAX_1_ULP
DOWN = replace(STRICT_IEEE, rounding_modes=(RoundingMode.DOWNWARD,))
TWO = replace(STRICT_IEEE, rounding_modes=(RoundingMode.TO_NEAREST_EVEN, RoundingMode.TOWARD_ZERO))

CHANGES = [
    (P.SCALAR_INTEGER, {"integer_widths": ()}, "domain-empty"),
    (P.SCALAR_INTEGER, {"integer_widths": (W.I16, W.I8)}, "domain-not-canonical"),
    (P.SCALAR_INTEGER, {"integer_widths": (W.I8, W.I8)}, "domain-not-canonical"),
    (
        P.SCALAR_INTEGER,
        {"pointer_formats": (PointerFormat(1, 32, 32), PointerFormat(0, 32, 32))},
        "domain-not-canonical",
    ),
    (P.SCALAR_INTEGER_COMPARE_MIN_MAX, {"operand_widths": (W.I1, W.I8)}, "params-width-class"),
    (
        P.SCALAR_INTEGER_COMPARE_MIN_MAX,
        {"predicates": (IntegerPredicate.NE, IntegerPredicate.EQ)},
        "domain-not-canonical",
    ),
    (P.SCALAR_VALUE_SELECT, {"integer_widths": (), "float_formats": ()}, "params-element-missing"),
    (P.SCALAR_BIT_REINTERPRET, {"integer_widths": (W.I1,)}, "params-width-class"),
    (
        P.SCALAR_BIT_REINTERPRET,
        {"integer_widths": (), "float_formats": ()},
        "params-element-missing",
    ),
    (P.SCALAR_FLOAT, {"formats": ()}, "domain-empty"),
    (P.SCALAR_FLOAT, {"formats": (FF.F32, FF.F16)}, "domain-not-canonical"),
    (P.SCALAR_FLOAT_COMPARE_MIN_MAX, {"behavior": DOWN}, "params-compare-rounding"),
    (P.SCALAR_FLOAT_COMPARE_MIN_MAX, {"behavior": TWO}, "params-compare-rounding"),
    (P.SCALAR_FLOAT_COMPARE_MIN_MAX, {"predicates": ()}, "domain-empty"),
    (P.SCALAR_FLOAT_WIDTH_CAST, {"format_pairs": ((FF.F16, FF.BF16),)}, "params-format-pair"),
    (P.SCALAR_FLOAT_WIDTH_CAST, {"format_pairs": ()}, "domain-empty"),
    (P.SCALAR_INTEGER_FLOAT_CONVERSION, {"format_pairs": ((W.I1, FF.F32),)}, "params-width-class"),
    (
        P.SCALAR_INTEGER_FLOAT_CONVERSION,
        {"format_pairs": ((W.I32, FF.F32), (W.I8, FF.F32))},
        "domain-not-canonical",
    ),
    (P.LOOP_STREAM, {"integer_widths": (W.I1,)}, "params-width-class"),
    (P.LOOP_STREAM, {"continuation_predicates": ()}, "domain-empty"),
    (P.FIXED_VECTOR_INTEGER, {"max_payload_bits": 0}, "params-capacity"),
    (P.FIXED_VECTOR_INTEGER, {"max_payload_bits": 2**32}, "params-capacity"),
    (P.FIXED_VECTOR_INTEGER, {"element_widths": ()}, "domain-empty"),
    (P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX, {"element_widths": (W.I1,)}, "params-width-class"),
    (P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX, {"max_payload_bits": 0}, "params-capacity"),
    (
        P.FIXED_VECTOR_VALUE_SELECT,
        {"integer_element_widths": (), "float_element_formats": ()},
        "params-element-missing",
    ),
    (P.FIXED_VECTOR_VALUE_SELECT, {"max_payload_bits": 0}, "params-capacity"),
    (P.FIXED_VECTOR_FLOAT, {"max_payload_bits": 0}, "params-capacity"),
    (P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX, {"behavior": TWO}, "params-compare-rounding"),
    (
        P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX,
        {"predicates": (FloatPredicate.OGT, FloatPredicate.OEQ)},
        "domain-not-canonical",
    ),
    (P.FIXED_VECTOR_ADAPTER, {"integer_element_widths": ()}, "params-element-missing"),
    (P.PAYLOAD_CAPACITY, {"max_payload_bits": 0}, "params-capacity"),
    (P.ROUTED_TOKEN, {"max_payload_bits": 0}, "params-capacity"),
    (P.ROUTED_TOKEN, {"max_fan": 0}, "params-capacity"),
    (P.FIXED_VECTOR_SLICE_ALIGN_MERGE, {"max_slice_payload_bits": 129}, "params-capacity-order"),
    (P.FIXED_VECTOR_SLICE_ALIGN_MERGE, {"max_slice_payload_bits": 0}, "params-capacity"),
    (P.FIXED_VECTOR_SLICE_ALIGN_MERGE, {"max_dynamic_position_rank": 0}, "params-index-widths"),
    (P.FIXED_VECTOR_SLICE_ALIGN_MERGE, {"resolved_index_widths": ()}, "params-index-widths"),
    (P.FIXED_VECTOR_SLICE_ALIGN_MERGE, {"max_dynamic_position_rank": -1}, "params-capacity"),
    (P.FIXED_VECTOR_SHUFFLE, {"max_source_blocks": 1}, "params-capacity"),
    (P.FIXED_VECTOR_SHUFFLE, {"max_result_blocks": 0}, "params-capacity"),
    (P.FIXED_VECTOR_SHUFFLE, {"max_operand_payload_bits": 31}, "params-capacity-order"),
    (P.FIXED_VECTOR_SHUFFLE, {"max_result_payload_bits": 31}, "params-capacity-order"),
    (P.SCALAR_SPECIAL_MATH, {"accuracy_guarantee": TIER}, "params-accuracy-needs-afn"),
    (P.SCALAR_SPECIAL_MATH, {"formats": ()}, "domain-empty"),
]


def test_each_schema_has_one_record():
    assert {kind: type(record) for kind, record in PARAMS.items()} == CLASSES
    assert len(set(CLASSES.values())) == 22


@pytest.mark.parametrize(
    ("schema", "change", "code"),
    CHANGES,
    ids=[f"{s.name}-{c}-{i}" for i, (s, _, c) in enumerate(CHANGES)],
)
def test_one_change_has_one_code(schema, change, code):
    with pytest.raises(Invalid) as caught:
        replace(PARAMS[schema], **change)
    assert [each.code for each in caught.value.diagnostics] == [code]


def test_nearest_legal_neighbours():
    afn = replace(STRICT_IEEE, required_fast_math=FastMath.AFN)
    replace(PARAMS[P.SCALAR_SPECIAL_MATH], accuracy_guarantee=TIER, behavior=afn)
    replace(PARAMS[P.SCALAR_INTEGER], integer_widths=(W.I1,))
    replace(PARAMS[P.SCALAR_VALUE_SELECT], integer_widths=())
    replace(PARAMS[P.FIXED_VECTOR_SLICE_ALIGN_MERGE], max_slice_payload_bits=128)
    replace(
        PARAMS[P.FIXED_VECTOR_SLICE_ALIGN_MERGE],
        max_dynamic_position_rank=0,
        resolved_index_widths=(),
    )
    replace(PARAMS[P.FIXED_VECTOR_SHUFFLE], max_operand_payload_bits=32)
    replace(PARAMS[P.FIXED_VECTOR_INTEGER], max_payload_bits=2**32 - 1)


@pytest.mark.parametrize(
    "field",
    ["rounding_modes", "nan_behaviors", "subnormal_behaviors", "signed_zero_behaviors"],
)
def test_a_profile_offers_something_of_each(field):
    with pytest.raises(Invalid, match=rf"^{field}: .* \[domain-empty\]$"):
        replace(STRICT_IEEE, **{field: ()})


def test_relations_are_sorted_pairs():
    with pytest.raises(Invalid, match=r"not \(i32, i8\), \(i8, i32\) \[domain-not-canonical\]$"):
        IntegerCastRelation(((W.I32, W.I8), (W.I8, W.I32)))
    with pytest.raises(Invalid, match=r"\[domain-not-canonical\]$"):
        IntegerCastRelation(((W.I8, W.I32),), (X.I64, X.I32))


def test_the_authoring_door_sorts():
    assert sorted_set([W.I64, W.I8, W.I64]) == (W.I8, W.I64)
    assert sorted_pairs([(W.I32, W.I8), (W.I8, W.I32)]) == ((W.I8, W.I32), (W.I32, W.I8))


def test_minimal_flags_of_a_profile():
    assert STRICT_IEEE.minimal_flags() is FastMath.NONE
    number = replace(STRICT_IEEE, nan_behaviors=(FloatNaNBehavior.NUMBER_PREFERRED,))
    assert number.minimal_flags() is FastMath.NNAN
    assert number.minimal_flags(FloatNaNBehavior.NUMBER_PREFERRED) is FastMath.NONE
