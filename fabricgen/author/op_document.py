"""Datapath resources of a fabric document: one class for each parameter record.

The family chooses the record, so each class has the families of one record; a family that there is
not is read with everything that does not depend on it.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, Tag, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from fabricgen.author.document import Document
from fabricgen.author.fields import U32_MAX, Identifier, U32Count, by_table
from fabricgen.author.op_params_document import (
    FixedVectorAdapterParamsDocument,
    FixedVectorFloatCompareMinMaxParamsDocument,
    FixedVectorFloatParamsDocument,
    FixedVectorIntegerCompareMinMaxParamsDocument,
    FixedVectorIntegerParamsDocument,
    FixedVectorShuffleParamsDocument,
    FixedVectorSliceAlignMergeParamsDocument,
    FixedVectorValueSelectParamsDocument,
    LoopStreamParamsDocument,
    PayloadCapacityParamsDocument,
    RoutedTokenParamsDocument,
    ScalarBitReinterpretParamsDocument,
    ScalarFloatCompareMinMaxParamsDocument,
    ScalarFloatParamsDocument,
    ScalarFloatWidthCastParamsDocument,
    ScalarIntegerCastParamsDocument,
    ScalarIntegerCompareMinMaxParamsDocument,
    ScalarIntegerFloatConversionParamsDocument,
    ScalarIntegerParamsDocument,
    ScalarSpecialMathParamsDocument,
    ScalarValueSelectParamsDocument,
    TokenPlaneParamsDocument,
)
from fabricgen.hsg.registry import FAMILIES, family_keyword
from fabricgen.vocab.families import CapabilityParamsSchemaId
from fabricgen.vocab.words import word

__all__ = ["OpDocument", "OpPortsDocument", "OpTimingDocument", "UnknownOpDocument"]

_P = CapabilityParamsSchemaId
_Bits = Annotated[int, Field(ge=0, le=U32_MAX)]


class OpPortsDocument(Document):
    """Physical ports in their order."""

    inputs: list[_Bits] = Field(description="Payload widths in bits; 0 for bare tokens.")
    outputs: list[_Bits] = Field(description="Payload widths in bits; 0 for bare tokens.")


class OpTimingDocument(Document):
    """When results appear, and how often tokens are accepted."""

    latency_cycles: Annotated[int, Field(ge=0, le=U32_MAX)] = Field(
        description="Cycles from acceptance to result."
    )
    initiation_interval_cycles: U32Count = Field(
        description="Cycles between two acceptances at least."
    )


def _families(schema: CapabilityParamsSchemaId) -> WithJsonSchema:
    """Keywords of the families of a parameter record."""
    rows = [row for row in FAMILIES.values() if row.capability_params_schema_id is schema]
    return WithJsonSchema(
        {"type": "string", "enum": [family_keyword(row.family_id) for row in rows]}
    )


def _operations(schema: CapabilityParamsSchemaId) -> WithJsonSchema:
    """Members of the families of a parameter record."""
    members = {
        word(each): None
        for row in FAMILIES.values()
        if row.capability_params_schema_id is schema
        for each in row.admitted_operation_schema_ids
    }
    items = {"type": "string", "enum": list(members)}
    return WithJsonSchema({"type": "array", "items": items, "minItems": 1})


_FAMILY = Field(description="Implementation family, as `fabricgen families` prints it.")
_OP_LIST = Field(
    min_length=1,
    description="Enabled operations of the family, as `fabricgen operations` prints them.",
)
_PARAMS = Field(description="Parameters of the family.")


class _OpDocument(Document):
    name: Identifier = Field(description="Prefix of the emitted ports.")
    ports: OpPortsDocument = Field(description="Physical ports.")
    timing: OpTimingDocument = Field(description="Latency and initiation interval.")


class UnknownOpDocument(_OpDocument):
    """One resource of a family that there is not."""

    family: str = _FAMILY
    op_list: list[str] = _OP_LIST
    hw_params: dict[str, object] = _PARAMS


class ScalarIntegerOpDocument(_OpDocument):
    """One resource with ScalarIntegerParams."""

    family: Annotated[str, _families(_P.SCALAR_INTEGER)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_INTEGER)] = _OP_LIST
    hw_params: ScalarIntegerParamsDocument = _PARAMS


class ScalarIntegerCompareMinMaxOpDocument(_OpDocument):
    """One resource with ScalarIntegerCompareMinMaxParams."""

    family: Annotated[str, _families(_P.SCALAR_INTEGER_COMPARE_MIN_MAX)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_INTEGER_COMPARE_MIN_MAX)] = _OP_LIST
    hw_params: ScalarIntegerCompareMinMaxParamsDocument = _PARAMS


class ScalarValueSelectOpDocument(_OpDocument):
    """One resource with ScalarValueSelectParams."""

    family: Annotated[str, _families(_P.SCALAR_VALUE_SELECT)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_VALUE_SELECT)] = _OP_LIST
    hw_params: ScalarValueSelectParamsDocument = _PARAMS


class ScalarIntegerCastOpDocument(_OpDocument):
    """One resource with ScalarIntegerCastParams."""

    family: Annotated[str, _families(_P.SCALAR_INTEGER_CAST)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_INTEGER_CAST)] = _OP_LIST
    hw_params: ScalarIntegerCastParamsDocument = _PARAMS


class ScalarBitReinterpretOpDocument(_OpDocument):
    """One resource with ScalarBitReinterpretParams."""

    family: Annotated[str, _families(_P.SCALAR_BIT_REINTERPRET)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_BIT_REINTERPRET)] = _OP_LIST
    hw_params: ScalarBitReinterpretParamsDocument = _PARAMS


class ScalarFloatOpDocument(_OpDocument):
    """One resource with ScalarFloatParams."""

    family: Annotated[str, _families(_P.SCALAR_FLOAT)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_FLOAT)] = _OP_LIST
    hw_params: ScalarFloatParamsDocument = _PARAMS


class ScalarFloatCompareMinMaxOpDocument(_OpDocument):
    """One resource with ScalarFloatCompareMinMaxParams."""

    family: Annotated[str, _families(_P.SCALAR_FLOAT_COMPARE_MIN_MAX)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_FLOAT_COMPARE_MIN_MAX)] = _OP_LIST
    hw_params: ScalarFloatCompareMinMaxParamsDocument = _PARAMS


class ScalarFloatWidthCastOpDocument(_OpDocument):
    """One resource with ScalarFloatWidthCastParams."""

    family: Annotated[str, _families(_P.SCALAR_FLOAT_WIDTH_CAST)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_FLOAT_WIDTH_CAST)] = _OP_LIST
    hw_params: ScalarFloatWidthCastParamsDocument = _PARAMS


class ScalarIntegerFloatConversionOpDocument(_OpDocument):
    """One resource with ScalarIntegerFloatConversionParams."""

    family: Annotated[str, _families(_P.SCALAR_INTEGER_FLOAT_CONVERSION)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_INTEGER_FLOAT_CONVERSION)] = _OP_LIST
    hw_params: ScalarIntegerFloatConversionParamsDocument = _PARAMS


class LoopStreamOpDocument(_OpDocument):
    """One resource with LoopStreamParams."""

    family: Annotated[str, _families(_P.LOOP_STREAM)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.LOOP_STREAM)] = _OP_LIST
    hw_params: LoopStreamParamsDocument = _PARAMS


class TokenPlaneOpDocument(_OpDocument):
    """One resource with TokenPlaneParams."""

    family: Annotated[str, _families(_P.TOKEN_PLANE)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.TOKEN_PLANE)] = _OP_LIST
    hw_params: TokenPlaneParamsDocument = _PARAMS


class FixedVectorIntegerOpDocument(_OpDocument):
    """One resource with FixedVectorIntegerParams."""

    family: Annotated[str, _families(_P.FIXED_VECTOR_INTEGER)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.FIXED_VECTOR_INTEGER)] = _OP_LIST
    hw_params: FixedVectorIntegerParamsDocument = _PARAMS


class FixedVectorIntegerCompareMinMaxOpDocument(_OpDocument):
    """One resource with FixedVectorIntegerCompareMinMaxParams."""

    family: Annotated[str, _families(_P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX)] = _OP_LIST
    hw_params: FixedVectorIntegerCompareMinMaxParamsDocument = _PARAMS


class FixedVectorValueSelectOpDocument(_OpDocument):
    """One resource with FixedVectorValueSelectParams."""

    family: Annotated[str, _families(_P.FIXED_VECTOR_VALUE_SELECT)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.FIXED_VECTOR_VALUE_SELECT)] = _OP_LIST
    hw_params: FixedVectorValueSelectParamsDocument = _PARAMS


class FixedVectorFloatOpDocument(_OpDocument):
    """One resource with FixedVectorFloatParams."""

    family: Annotated[str, _families(_P.FIXED_VECTOR_FLOAT)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.FIXED_VECTOR_FLOAT)] = _OP_LIST
    hw_params: FixedVectorFloatParamsDocument = _PARAMS


class FixedVectorFloatCompareMinMaxOpDocument(_OpDocument):
    """One resource with FixedVectorFloatCompareMinMaxParams."""

    family: Annotated[str, _families(_P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX)] = _OP_LIST
    hw_params: FixedVectorFloatCompareMinMaxParamsDocument = _PARAMS


class FixedVectorAdapterOpDocument(_OpDocument):
    """One resource with FixedVectorAdapterParams."""

    family: Annotated[str, _families(_P.FIXED_VECTOR_ADAPTER)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.FIXED_VECTOR_ADAPTER)] = _OP_LIST
    hw_params: FixedVectorAdapterParamsDocument = _PARAMS


class PayloadCapacityOpDocument(_OpDocument):
    """One resource with PayloadCapacityParams."""

    family: Annotated[str, _families(_P.PAYLOAD_CAPACITY)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.PAYLOAD_CAPACITY)] = _OP_LIST
    hw_params: PayloadCapacityParamsDocument = _PARAMS


class RoutedTokenOpDocument(_OpDocument):
    """One resource with RoutedTokenParams."""

    family: Annotated[str, _families(_P.ROUTED_TOKEN)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.ROUTED_TOKEN)] = _OP_LIST
    hw_params: RoutedTokenParamsDocument = _PARAMS


class FixedVectorSliceAlignMergeOpDocument(_OpDocument):
    """One resource with FixedVectorSliceAlignMergeParams."""

    family: Annotated[str, _families(_P.FIXED_VECTOR_SLICE_ALIGN_MERGE)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.FIXED_VECTOR_SLICE_ALIGN_MERGE)] = _OP_LIST
    hw_params: FixedVectorSliceAlignMergeParamsDocument = _PARAMS


class FixedVectorShuffleOpDocument(_OpDocument):
    """One resource with FixedVectorShuffleParams."""

    family: Annotated[str, _families(_P.FIXED_VECTOR_SHUFFLE)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.FIXED_VECTOR_SHUFFLE)] = _OP_LIST
    hw_params: FixedVectorShuffleParamsDocument = _PARAMS


class ScalarSpecialMathOpDocument(_OpDocument):
    """One resource with ScalarSpecialMathParams."""

    family: Annotated[str, _families(_P.SCALAR_SPECIAL_MATH)] = _FAMILY
    op_list: Annotated[list[str], _operations(_P.SCALAR_SPECIAL_MATH)] = _OP_LIST
    hw_params: ScalarSpecialMathParamsDocument = _PARAMS


#: Tag of the class of each family.
_TAGS = {
    family_keyword(row.family_id): row.capability_params_schema_id.name.lower()
    for row in FAMILIES.values()
}


def _op_kind(table: Mapping[str, object]) -> str:
    family = table.get("family")
    return _TAGS.get(family, "unknown") if isinstance(family, str) else "unknown"


OpDocument = Annotated[
    Annotated[ScalarIntegerOpDocument, Tag("~scalar_integer")]
    | Annotated[ScalarIntegerCompareMinMaxOpDocument, Tag("~scalar_integer_compare_min_max")]
    | Annotated[ScalarValueSelectOpDocument, Tag("~scalar_value_select")]
    | Annotated[ScalarIntegerCastOpDocument, Tag("~scalar_integer_cast")]
    | Annotated[ScalarBitReinterpretOpDocument, Tag("~scalar_bit_reinterpret")]
    | Annotated[ScalarFloatOpDocument, Tag("~scalar_float")]
    | Annotated[ScalarFloatCompareMinMaxOpDocument, Tag("~scalar_float_compare_min_max")]
    | Annotated[ScalarFloatWidthCastOpDocument, Tag("~scalar_float_width_cast")]
    | Annotated[ScalarIntegerFloatConversionOpDocument, Tag("~scalar_integer_float_conversion")]
    | Annotated[LoopStreamOpDocument, Tag("~loop_stream")]
    | Annotated[TokenPlaneOpDocument, Tag("~token_plane")]
    | Annotated[FixedVectorIntegerOpDocument, Tag("~fixed_vector_integer")]
    | Annotated[
        FixedVectorIntegerCompareMinMaxOpDocument, Tag("~fixed_vector_integer_compare_min_max")
    ]
    | Annotated[FixedVectorValueSelectOpDocument, Tag("~fixed_vector_value_select")]
    | Annotated[FixedVectorFloatOpDocument, Tag("~fixed_vector_float")]
    | Annotated[FixedVectorFloatCompareMinMaxOpDocument, Tag("~fixed_vector_float_compare_min_max")]
    | Annotated[FixedVectorAdapterOpDocument, Tag("~fixed_vector_adapter")]
    | Annotated[PayloadCapacityOpDocument, Tag("~payload_capacity")]
    | Annotated[RoutedTokenOpDocument, Tag("~routed_token")]
    | Annotated[FixedVectorSliceAlignMergeOpDocument, Tag("~fixed_vector_slice_align_merge")]
    | Annotated[FixedVectorShuffleOpDocument, Tag("~fixed_vector_shuffle")]
    | Annotated[ScalarSpecialMathOpDocument, Tag("~scalar_special_math")]
    | Annotated[SkipJsonSchema[UnknownOpDocument], Tag("~unknown")],
    by_table(_op_kind),
]
