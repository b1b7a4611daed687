"""The parameter records of datapath resources as a document has them, one class per record.

A key has the name of the record's field. What one key means to the record stands in its type:
:class:`SetOf`, :class:`PairsOf`, :class:`ChoiceOf` and :class:`FlagsOf` say of which closed values
it is. A set has its values in any order; one that may be empty may be left out.
"""

import enum
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticKnownError

from fabricgen.author.access_document import PointerFormatDocument
from fabricgen.author.document import Document
from fabricgen.author.fields import U32_MAX, U32Count
from fabricgen.author.op_words import (
    Accuracy,
    FastMathFlag,
    FloatPredicateWord,
    IntegerPredicateWord,
    Rounding,
    StepWord,
)
from fabricgen.vocab.hardware import (
    FloatFormat,
    FloatNaNBehavior,
    FloatSignedZeroBehavior,
    FloatSubnormalBehavior,
    IntegerWidth,
    ResolvedIndexWidth,
)
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerPredicate,
    RoundingMode,
    SpecialMathAccuracyTier,
    StreamStepKind,
)

__all__ = [
    "ChoiceOf",
    "FixedVectorAdapterParamsDocument",
    "FixedVectorFloatCompareMinMaxParamsDocument",
    "FixedVectorFloatParamsDocument",
    "FixedVectorIntegerCompareMinMaxParamsDocument",
    "FixedVectorIntegerParamsDocument",
    "FixedVectorShuffleParamsDocument",
    "FixedVectorSliceAlignMergeParamsDocument",
    "FixedVectorValueSelectParamsDocument",
    "FlagsOf",
    "FloatBehaviorDocument",
    "IntegerCastRelationDocument",
    "LoopStreamParamsDocument",
    "PairsOf",
    "ParamsDocument",
    "PayloadCapacityParamsDocument",
    "RoutedTokenParamsDocument",
    "ScalarBitReinterpretParamsDocument",
    "ScalarFloatCompareMinMaxParamsDocument",
    "ScalarFloatParamsDocument",
    "ScalarFloatWidthCastParamsDocument",
    "ScalarIntegerCastParamsDocument",
    "ScalarIntegerCompareMinMaxParamsDocument",
    "ScalarIntegerFloatConversionParamsDocument",
    "ScalarIntegerParamsDocument",
    "ScalarSpecialMathParamsDocument",
    "ScalarValueSelectParamsDocument",
    "SetOf",
    "TokenPlaneParamsDocument",
]


@dataclass(frozen=True, slots=True)
class SetOf:
    """A list is a set of these values."""

    kind: type[enum.Enum]


@dataclass(frozen=True, slots=True)
class PairsOf:
    """A list is a set of pairs of a value of each kind."""

    first: type[enum.Enum]
    second: type[enum.Enum]


@dataclass(frozen=True, slots=True)
class ChoiceOf:
    """A word is one of these values."""

    kind: type[enum.Enum]


@dataclass(frozen=True, slots=True)
class FlagsOf:
    """A list is a set of these flags, of which there may be none."""

    kind: type[enum.Flag]


def _exactly(expected: str) -> BeforeValidator:
    """Refuse ``true``, which Python takes for 1, numbers with a fraction of zero, and large ones.

    Pydantic does not compare an integer of more than 64 bits.
    """

    def check(value: object) -> object:
        is_large = isinstance(value, int) and value.bit_length() > 63
        if isinstance(value, bool | float) or is_large:
            raise PydanticKnownError("literal_error", {"expected": expected})
        return value

    return BeforeValidator(check)


_Width = Annotated[Literal[1, 8, 16, 32, 64], _exactly("1, 8, 16, 32 or 64")]
_IndexWidth = Annotated[Literal[32, 64], _exactly("32 or 64")]
_Format = Literal["f16", "bf16", "f32", "f64"]
_WidthPair = Annotated[list[_Width], Field(min_length=2, max_length=2)]
_FormatPair = Annotated[list[_Format], Field(min_length=2, max_length=2)]
_Widths = Annotated[list[_Width], SetOf(IntegerWidth)]
_Formats = Annotated[list[_Format], SetOf(FloatFormat)]
_IndexWidths = Annotated[list[_IndexWidth], SetOf(ResolvedIndexWidth)]
_IntegerTests = Annotated[list[IntegerPredicateWord], SetOf(IntegerPredicate)]
_FloatTests = Annotated[list[FloatPredicateWord], SetOf(FloatPredicate)]
_WidthPairs = Annotated[list[_WidthPair], PairsOf(IntegerWidth, IntegerWidth)]
_FormatPairs = Annotated[list[_FormatPair], PairsOf(FloatFormat, FloatFormat)]
#: A width and a format; which comes first is told where the pair is read.
_MixedPair = Annotated[
    list[
        Annotated[
            Literal[1, 8, 16, 32, 64, "f16", "bf16", "f32", "f64"],
            _exactly("1, 8, 16, 32, 64, 'f16', 'bf16', 'f32' or 'f64'"),
        ]
    ],
    Field(min_length=2, max_length=2),
    WithJsonSchema(
        {
            "type": "array",
            "prefixItems": [{"enum": [1, 8, 16, 32, 64]}, {"enum": list(get_args(_Format))}],
            "minItems": 2,
            "maxItems": 2,
        }
    ),
]
_MixedPairs = Annotated[list[_MixedPair], PairsOf(IntegerWidth, FloatFormat)]


class FloatBehaviorDocument(Document):
    """What a datapath can do with roundings, NaNs, subnormals and signed zeros."""

    rounding_modes: Annotated[list[Rounding], SetOf(RoundingMode)] = Field(
        min_length=1, description="Roundings of an inexact result that are offered."
    )
    nan_behaviors: Annotated[list[Literal["ieee", "number_preferred"]], SetOf(FloatNaNBehavior)] = (
        Field(min_length=1, description="A NaN wins (ieee), or the number beside it does.")
    )
    subnormal_behaviors: Annotated[
        list[Literal["preserve", "flush_to_zero"]], SetOf(FloatSubnormalBehavior)
    ] = Field(min_length=1, description="What becomes of subnormal numbers.")
    signed_zero_behaviors: Annotated[
        list[Literal["preserve", "ignore_sign"]], SetOf(FloatSignedZeroBehavior)
    ] = Field(min_length=1, description="Whether the sign of a zero counts.")
    required_fast_math: Annotated[list[FastMathFlag], FlagsOf(FastMath)] = Field(
        default=[], description="Permissions that the datapath needs from each actor."
    )


class IntegerCastRelationDocument(Document):
    """Width pairs of integer casts, and the index widths that they resolve."""

    width_pairs: _WidthPairs = Field(
        min_length=1, description="Pairs of source and result width, in bits."
    )
    resolved_index_widths: _IndexWidths = Field(
        default=[], description="Widths in bits that an index may stand for."
    )


class _MaybeElements(Document):
    integer_element_widths: _Widths = Field(
        default=[], description="Widths of integer elements, in bits."
    )
    float_element_formats: _Formats = Field(default=[], description="Formats of float elements.")


class _Payload(Document):
    max_payload_bits: U32Count = Field(description="Bits of the widest flattened payload.")


class _Behavior(Document):
    behavior: FloatBehaviorDocument = Field(description="Behaviour of the datapath.")


class _FloatPredicates(Document):
    predicates: _FloatTests = Field(
        min_length=1, description="Relations of compare; minima need olt, maxima ogt."
    )


class _IntegerPredicates(Document):
    predicates: _IntegerTests = Field(
        default=[], description="Relations of compare; none without it."
    )


class _Scalars(Document):
    integer_widths: _Widths = Field(default=[], description="Widths of integers, in bits.")
    float_formats: _Formats = Field(default=[], description="Formats of floats.")


class _FloatScalars(_Behavior):
    formats: _Formats = Field(min_length=1, description="Formats of the datapath.")


class _FloatElements(_Behavior, _Payload):
    element_formats: _Formats = Field(min_length=1, description="Formats of one element.")


class _IntegerElements(_Payload):
    element_widths: _Widths = Field(min_length=1, description="Widths of one element, in bits.")


class ScalarIntegerParamsDocument(Document):
    """Integer datapath."""

    integer_widths: _Widths = Field(min_length=1, description="Widths of the datapath, in bits.")
    pointer_formats: list[PointerFormatDocument] = Field(
        default=[], description="Pointers of address computations; none without them."
    )


class ScalarIntegerCompareMinMaxParamsDocument(_IntegerPredicates):
    """Integer comparator."""

    operand_widths: _Widths = Field(min_length=1, description="Widths of operands, in bits.")


class ScalarValueSelectParamsDocument(_Scalars):
    """Selector of scalar values: integers, floats, or both."""


class ScalarIntegerCastParamsDocument(Document):
    """Integer width converter."""

    relation: IntegerCastRelationDocument = Field(description="What is converted into what.")


class ScalarBitReinterpretParamsDocument(_Scalars):
    """Copy of bits between types of equal width: integers, floats, or both."""


class ScalarFloatParamsDocument(_FloatScalars):
    """Floating-point datapath."""


class ScalarSpecialMathParamsDocument(_FloatScalars):
    """Special function."""

    accuracy_guarantee: Annotated[Accuracy, ChoiceOf(SpecialMathAccuracyTier)] = Field(
        description="Largest error; one other than correctly_rounded needs afn among "
        "required_fast_math."
    )


class ScalarFloatCompareMinMaxParamsDocument(_FloatScalars, _FloatPredicates):
    """Floating-point comparator."""


class ScalarFloatWidthCastParamsDocument(_Behavior):
    """Float format converter."""

    format_pairs: _FormatPairs = Field(
        min_length=1, description="Pairs of source and result format, of unequal width."
    )


class ScalarIntegerFloatConversionParamsDocument(Document):
    """Converter between integers and floats, of whichever direction."""

    format_pairs: _MixedPairs = Field(
        min_length=1, description='Pairs of an integer width in bits and a format: [32, "f32"].'
    )


class LoopStreamParamsDocument(Document):
    """Stream of integers."""

    integer_widths: _Widths = Field(min_length=1, description="Widths of the stream, in bits.")
    fixed_step_kind: Annotated[StepWord, ChoiceOf(StreamStepKind)] = Field(
        description="Operation from one value to the next."
    )
    continuation_predicates: _IntegerTests = Field(
        min_length=1, description="Relations while which a stream goes on."
    )


class TokenPlaneParamsDocument(Document):
    """Token control that its ports alone bound: an empty table."""


class FixedVectorIntegerParamsDocument(_IntegerElements):
    """Integer lanes."""


class FixedVectorIntegerCompareMinMaxParamsDocument(_IntegerElements, _IntegerPredicates):
    """Integer comparator lanes."""


class FixedVectorValueSelectParamsDocument(_MaybeElements, _Payload):
    """Selector lanes: integers, floats, or both."""


class FixedVectorFloatParamsDocument(_FloatElements):
    """Floating-point lanes."""


class FixedVectorFloatCompareMinMaxParamsDocument(_FloatElements, _FloatPredicates):
    """Floating-point comparator lanes."""


class FixedVectorAdapterParamsDocument(_MaybeElements, _Payload):
    """Pack, unpack, parallelize or serialize: integers, floats, or both."""


class PayloadCapacityParamsDocument(_Payload):
    """Constant token."""


class RoutedTokenParamsDocument(_Payload):
    """Sync, mux or demux."""

    max_fan: U32Count = Field(description="Lanes at most.")


class FixedVectorSliceAlignMergeParamsDocument(_MaybeElements):
    """Slice and merge at a position."""

    max_container_payload_bits: U32Count = Field(description="Bits of the widest vector.")
    max_slice_payload_bits: U32Count = Field(description="Bits of the widest slice.")
    max_dynamic_position_rank: Annotated[int, Field(ge=0, le=U32_MAX)] = Field(
        description="Dynamic indices at most, each with an input; 0 where there is none."
    )
    resolved_index_widths: _IndexWidths = Field(
        default=[], description="Widths of dynamic indices, in bits; none without them."
    )


class FixedVectorShuffleParamsDocument(_MaybeElements):
    """Static shuffle of blocks."""

    max_operand_payload_bits: U32Count = Field(description="Bits of the widest operand.")
    max_result_payload_bits: U32Count = Field(description="Bits of the widest result.")
    max_block_payload_bits: U32Count = Field(description="Bits of the widest block.")
    max_source_blocks: Annotated[int, Field(ge=2, le=U32_MAX)] = Field(
        description="Blocks of both operands together at most."
    )
    max_result_blocks: U32Count = Field(description="Blocks of the result at most.")


ParamsDocument = (
    ScalarIntegerParamsDocument
    | ScalarIntegerCompareMinMaxParamsDocument
    | ScalarValueSelectParamsDocument
    | ScalarIntegerCastParamsDocument
    | ScalarBitReinterpretParamsDocument
    | ScalarFloatParamsDocument
    | ScalarFloatCompareMinMaxParamsDocument
    | ScalarFloatWidthCastParamsDocument
    | ScalarIntegerFloatConversionParamsDocument
    | LoopStreamParamsDocument
    | TokenPlaneParamsDocument
    | FixedVectorIntegerParamsDocument
    | FixedVectorIntegerCompareMinMaxParamsDocument
    | FixedVectorValueSelectParamsDocument
    | FixedVectorFloatParamsDocument
    | FixedVectorFloatCompareMinMaxParamsDocument
    | FixedVectorAdapterParamsDocument
    | PayloadCapacityParamsDocument
    | RoutedTokenParamsDocument
    | FixedVectorSliceAlignMergeParamsDocument
    | FixedVectorShuffleParamsDocument
    | ScalarSpecialMathParamsDocument
)
