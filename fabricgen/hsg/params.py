"""The closed union of ``hw_params`` records, by their schema id."""

from fabricgen.hsg.scalar_params import (
    ScalarBitReinterpretParams,
    ScalarFloatCompareMinMaxParams,
    ScalarFloatParams,
    ScalarFloatWidthCastParams,
    ScalarIntegerCastParams,
    ScalarIntegerCompareMinMaxParams,
    ScalarIntegerFloatConversionParams,
    ScalarIntegerParams,
    ScalarSpecialMathParams,
    ScalarValueSelectParams,
)
from fabricgen.hsg.token_params import (
    LoopStreamParams,
    PayloadCapacityParams,
    RoutedTokenParams,
    TokenPlaneParams,
)
from fabricgen.hsg.vector_params import (
    FixedVectorAdapterParams,
    FixedVectorFloatCompareMinMaxParams,
    FixedVectorFloatParams,
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
    FixedVectorShuffleParams,
    FixedVectorSliceAlignMergeParams,
    FixedVectorValueSelectParams,
)
from fabricgen.vocab.families import CapabilityParamsSchemaId

__all__ = ["PARAMS", "CapabilityParams"]

CapabilityParams = (
    ScalarIntegerParams
    | ScalarIntegerCompareMinMaxParams
    | ScalarValueSelectParams
    | ScalarIntegerCastParams
    | ScalarBitReinterpretParams
    | ScalarFloatParams
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
    | ScalarSpecialMathParams
)

_P = CapabilityParamsSchemaId
#: Record class of each parameter schema.
PARAMS: dict[CapabilityParamsSchemaId, type[CapabilityParams]] = {
    _P.SCALAR_INTEGER: ScalarIntegerParams,
    _P.SCALAR_INTEGER_COMPARE_MIN_MAX: ScalarIntegerCompareMinMaxParams,
    _P.SCALAR_VALUE_SELECT: ScalarValueSelectParams,
    _P.SCALAR_INTEGER_CAST: ScalarIntegerCastParams,
    _P.SCALAR_BIT_REINTERPRET: ScalarBitReinterpretParams,
    _P.SCALAR_FLOAT: ScalarFloatParams,
    _P.SCALAR_FLOAT_COMPARE_MIN_MAX: ScalarFloatCompareMinMaxParams,
    _P.SCALAR_FLOAT_WIDTH_CAST: ScalarFloatWidthCastParams,
    _P.SCALAR_INTEGER_FLOAT_CONVERSION: ScalarIntegerFloatConversionParams,
    _P.LOOP_STREAM: LoopStreamParams,
    _P.TOKEN_PLANE: TokenPlaneParams,
    _P.FIXED_VECTOR_INTEGER: FixedVectorIntegerParams,
    _P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX: FixedVectorIntegerCompareMinMaxParams,
    _P.FIXED_VECTOR_VALUE_SELECT: FixedVectorValueSelectParams,
    _P.FIXED_VECTOR_FLOAT: FixedVectorFloatParams,
    _P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX: FixedVectorFloatCompareMinMaxParams,
    _P.FIXED_VECTOR_ADAPTER: FixedVectorAdapterParams,
    _P.PAYLOAD_CAPACITY: PayloadCapacityParams,
    _P.ROUTED_TOKEN: RoutedTokenParams,
    _P.FIXED_VECTOR_SLICE_ALIGN_MERGE: FixedVectorSliceAlignMergeParams,
    _P.FIXED_VECTOR_SHUFFLE: FixedVectorShuffleParams,
    _P.SCALAR_SPECIAL_MATH: ScalarSpecialMathParams,
}
