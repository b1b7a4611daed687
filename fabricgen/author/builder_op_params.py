"""Types of the parameter tables of datapath resources, for Python.

A table has the name of its parameter record and the keys of the document class of that name, where
their meaning stands. Nothing is checked before the fabric is built.
"""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

from fabricgen.author.builder_tables import PointerFormat
from fabricgen.author.op_words import (
    Accuracy,
    FastMathFlag,
    FloatPredicateWord,
    IntegerPredicateWord,
    Rounding,
    StepWord,
)

__all__ = [
    "FixedVectorAdapterParams",
    "FixedVectorFloatCompareMinMaxParams",
    "FixedVectorFloatParams",
    "FixedVectorIntegerCompareMinMaxParams",
    "FixedVectorIntegerParams",
    "FixedVectorShuffleParams",
    "FixedVectorSliceAlignMergeParams",
    "FixedVectorValueSelectParams",
    "FloatBehavior",
    "Format",
    "FormatPair",
    "HwParams",
    "IndexWidth",
    "IntegerCastRelation",
    "LoopStreamParams",
    "MixedPair",
    "PayloadCapacityParams",
    "RoutedTokenParams",
    "ScalarBitReinterpretParams",
    "ScalarFloatCompareMinMaxParams",
    "ScalarFloatParams",
    "ScalarFloatWidthCastParams",
    "ScalarIntegerCastParams",
    "ScalarIntegerCompareMinMaxParams",
    "ScalarIntegerFloatConversionParams",
    "ScalarIntegerParams",
    "ScalarSpecialMathParams",
    "ScalarValueSelectParams",
    "TokenPlaneParams",
    "Width",
    "WidthPair",
]

Width = Literal[1, 8, 16, 32, 64]
IndexWidth = Literal[32, 64]
Format = Literal["f16", "bf16", "f32", "f64"]
#: Two widths or two formats, as a tuple or a list.
WidthPair = tuple[Width, Width] | list[Width]
FormatPair = tuple[Format, Format] | list[Format]
MixedPair = tuple[Width, Format] | list[Width | Format]


class FloatBehavior(TypedDict):
    """What a datapath can do with roundings, NaNs, subnormals and signed zeros."""

    rounding_modes: Sequence[Rounding]
    nan_behaviors: Sequence[Literal["ieee", "number_preferred"]]
    subnormal_behaviors: Sequence[Literal["preserve", "flush_to_zero"]]
    signed_zero_behaviors: Sequence[Literal["preserve", "ignore_sign"]]
    required_fast_math: NotRequired[Sequence[FastMathFlag]]


class IntegerCastRelation(TypedDict):
    """Width pairs of integer casts, and the index widths that they resolve."""

    width_pairs: Sequence[WidthPair]
    resolved_index_widths: NotRequired[Sequence[IndexWidth]]


class _Scalars(TypedDict):
    integer_widths: NotRequired[Sequence[Width]]
    float_formats: NotRequired[Sequence[Format]]


class _Elements(TypedDict):
    integer_element_widths: NotRequired[Sequence[Width]]
    float_element_formats: NotRequired[Sequence[Format]]


class _Payload(TypedDict):
    max_payload_bits: int


class _IntegerPredicates(TypedDict):
    predicates: NotRequired[Sequence[IntegerPredicateWord]]


class _FloatPredicates(TypedDict):
    predicates: Sequence[FloatPredicateWord]


class _FloatScalars(TypedDict):
    formats: Sequence[Format]
    behavior: FloatBehavior


class _FloatElements(_Payload):
    element_formats: Sequence[Format]
    behavior: FloatBehavior


class _IntegerElements(_Payload):
    element_widths: Sequence[Width]


class ScalarIntegerParams(TypedDict):
    """Integer datapath."""

    integer_widths: Sequence[Width]
    pointer_formats: NotRequired[Sequence[PointerFormat]]


class ScalarIntegerCompareMinMaxParams(_IntegerPredicates):
    """Integer comparator."""

    operand_widths: Sequence[Width]


class ScalarValueSelectParams(_Scalars):
    """Selector of scalar values."""


class ScalarIntegerCastParams(TypedDict):
    """Integer width converter."""

    relation: IntegerCastRelation


class ScalarBitReinterpretParams(_Scalars):
    """Copy of bits between types of equal width."""


class ScalarFloatParams(_FloatScalars):
    """Floating-point datapath."""


class ScalarSpecialMathParams(_FloatScalars):
    """Special function."""

    accuracy_guarantee: Accuracy


class ScalarFloatCompareMinMaxParams(_FloatScalars, _FloatPredicates):
    """Floating-point comparator."""


class ScalarFloatWidthCastParams(TypedDict):
    """Float format converter."""

    format_pairs: Sequence[FormatPair]
    behavior: FloatBehavior


class ScalarIntegerFloatConversionParams(TypedDict):
    """Converter between integers and floats."""

    format_pairs: Sequence[MixedPair]


class LoopStreamParams(TypedDict):
    """Stream of integers."""

    integer_widths: Sequence[Width]
    fixed_step_kind: StepWord
    continuation_predicates: Sequence[IntegerPredicateWord]


class TokenPlaneParams(TypedDict):
    """Token control that its ports alone bound: an empty table."""


class FixedVectorIntegerParams(_IntegerElements):
    """Integer lanes."""


class FixedVectorIntegerCompareMinMaxParams(_IntegerElements, _IntegerPredicates):
    """Integer comparator lanes."""


class FixedVectorValueSelectParams(_Elements, _Payload):
    """Selector lanes."""


class FixedVectorFloatParams(_FloatElements):
    """Floating-point lanes."""


class FixedVectorFloatCompareMinMaxParams(_FloatElements, _FloatPredicates):
    """Floating-point comparator lanes."""


class FixedVectorAdapterParams(_Elements, _Payload):
    """Pack, unpack, parallelize or serialize."""


class PayloadCapacityParams(_Payload):
    """Constant token."""


class RoutedTokenParams(_Payload):
    """Sync, mux or demux."""

    max_fan: int


class FixedVectorSliceAlignMergeParams(_Elements):
    """Slice and merge at a position."""

    max_container_payload_bits: int
    max_slice_payload_bits: int
    max_dynamic_position_rank: int
    resolved_index_widths: NotRequired[Sequence[IndexWidth]]


class FixedVectorShuffleParams(_Elements):
    """Static shuffle of blocks."""

    max_operand_payload_bits: int
    max_result_payload_bits: int
    max_block_payload_bits: int
    max_source_blocks: int
    max_result_blocks: int


HwParams = (
    ScalarIntegerParams
    | ScalarIntegerCompareMinMaxParams
    | ScalarValueSelectParams
    | ScalarIntegerCastParams
    | ScalarBitReinterpretParams
    | ScalarFloatParams
    | ScalarSpecialMathParams
    | ScalarFloatCompareMinMaxParams
    | ScalarFloatWidthCastParams
    | ScalarIntegerFloatConversionParams
    | LoopStreamParams
    | TokenPlaneParams
    | FixedVectorIntegerParams
    | FixedVectorIntegerCompareMinMaxParams
    | FixedVectorValueSelectParams
    | FixedVectorFloatParams
    | FixedVectorFloatCompareMinMaxParams
    | FixedVectorAdapterParams
    | PayloadCapacityParams
    | RoutedTokenParams
    | FixedVectorSliceAlignMergeParams
    | FixedVectorShuffleParams
)
