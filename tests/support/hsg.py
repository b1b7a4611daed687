"""Concrete resources of every implementation family, and actors for them."""

from hypothesis import strategies as st

from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import STRICT_IEEE, FloatBehaviorProfile, IntegerCastRelation
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource import FabricOp, ResourceTiming
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
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import NoPayload
from fabricgen.schema.types import FloatType, IndexType, IntegerType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import CapabilityParamsSchemaId as P
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import (
    FloatFormat,
    FloatNaNBehavior,
    FloatSignedZeroBehavior,
    FloatSubnormalBehavior,
    IntegerWidth,
    ResolvedIndexWidth,
)
from fabricgen.vocab.operations import (
    FloatPredicate,
    IntegerPredicate,
    RoundingMode,
    SpecialMathAccuracyTier,
    StreamStepKind,
)

W, FF, X = IntegerWidth, FloatFormat, ResolvedIndexWidth
I1, I8, I16, I32, I64 = (IntegerType(bits) for bits in (1, 8, 16, 32, 64))
F16, BF16, F32, F64 = map(FloatType, FloatFormat)
INDEX32, INDEX64 = map(IndexType, ResolvedIndexWidth)
ORDINARY = (W.I8, W.I16, W.I32, W.I64)
EVERY_WIDTH = tuple(W)
BOTH_NANS = FloatBehaviorProfile(
    (RoundingMode.TO_NEAREST_EVEN,),
    tuple(FloatNaNBehavior),
    (FloatSubnormalBehavior.PRESERVE,),
    (FloatSignedZeroBehavior.PRESERVE,),
)
ONCE = ResourceTiming(1)

PARAMS = {
    P.SCALAR_INTEGER: ScalarIntegerParams(ORDINARY),
    P.SCALAR_INTEGER_COMPARE_MIN_MAX: ScalarIntegerCompareMinMaxParams(
        ORDINARY, tuple(IntegerPredicate)
    ),
    P.SCALAR_VALUE_SELECT: ScalarValueSelectParams(EVERY_WIDTH, tuple(FF)),
    P.SCALAR_INTEGER_CAST: ScalarIntegerCastParams(
        IntegerCastRelation(((W.I8, W.I32), (W.I32, W.I8), (W.I32, W.I32)), (X.I32,))
    ),
    P.SCALAR_BIT_REINTERPRET: ScalarBitReinterpretParams(ORDINARY, tuple(FF)),
    P.SCALAR_FLOAT: ScalarFloatParams(tuple(FF), STRICT_IEEE),
    P.SCALAR_FLOAT_COMPARE_MIN_MAX: ScalarFloatCompareMinMaxParams(
        tuple(FF), BOTH_NANS, tuple(FloatPredicate)
    ),
    P.SCALAR_FLOAT_WIDTH_CAST: ScalarFloatWidthCastParams(
        ((FF.F16, FF.F32), (FF.F32, FF.F16)), STRICT_IEEE
    ),
    P.SCALAR_INTEGER_FLOAT_CONVERSION: ScalarIntegerFloatConversionParams(
        ((W.I32, FF.F32), (W.I64, FF.F64))
    ),
    P.LOOP_STREAM: LoopStreamParams(
        (W.I32, W.I64), StreamStepKind.ADD, (IntegerPredicate.SLT, IntegerPredicate.ULT)
    ),
    P.TOKEN_PLANE: TokenPlaneParams(),
    P.FIXED_VECTOR_INTEGER: FixedVectorIntegerParams(ORDINARY, 128),
    P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX: FixedVectorIntegerCompareMinMaxParams(
        ORDINARY, tuple(IntegerPredicate), 128
    ),
    P.FIXED_VECTOR_VALUE_SELECT: FixedVectorValueSelectParams(EVERY_WIDTH, tuple(FF), 128),
    P.FIXED_VECTOR_FLOAT: FixedVectorFloatParams(tuple(FF), STRICT_IEEE, 128),
    P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX: FixedVectorFloatCompareMinMaxParams(
        tuple(FF), BOTH_NANS, tuple(FloatPredicate), 128
    ),
    P.FIXED_VECTOR_ADAPTER: FixedVectorAdapterParams((W.I8, W.I32), (), 128),
    P.PAYLOAD_CAPACITY: PayloadCapacityParams(64),
    P.ROUTED_TOKEN: RoutedTokenParams(64, 3),
    P.FIXED_VECTOR_SLICE_ALIGN_MERGE: FixedVectorSliceAlignMergeParams(
        (W.I8,), (FF.F32,), 128, 64, 1, (X.I32,)
    ),
    P.FIXED_VECTOR_SHUFFLE: FixedVectorShuffleParams((W.I8, W.I32), (), 128, 128, 32, 8, 4),
    P.SCALAR_SPECIAL_MATH: ScalarSpecialMathParams(
        tuple(FF), STRICT_IEEE, SpecialMathAccuracyTier.CORRECTLY_ROUNDED
    ),
}
ONE_INPUT = (
    *(F(n) for n in range(43, 64)),
    F.SCALAR_INTEGER_CAST,
    F.SCALAR_BIT_REINTERPRET,
    F.SCALAR_FLOAT_SIGN,
    F.SCALAR_FLOAT_WIDTH_CAST,
    F.SCALAR_INTEGER_TO_FLOAT,
    F.SCALAR_FLOAT_TO_INTEGER,
    F.FIXED_VECTOR_FLOAT_SIGN,
    F.FIXED_VECTOR_PACK,
    F.FIXED_VECTOR_UNPACK,
    F.TOKEN_CONSTANT,
    F.SCALAR_INTEGER_COUNT_ZEROS,
    F.FIXED_VECTOR_INTEGER_COUNT_ZEROS,
)
THREE_INPUTS = (
    F.SCALAR_VALUE_SELECT,
    F.FIXED_VECTOR_VALUE_SELECT,
    F.SCALAR_FLOAT_FMA,
    F.FIXED_VECTOR_FLOAT_FMA,
    F.LOOP_STREAM,
    F.LOOP_CARRY,
    F.FIXED_VECTOR_SERIALIZE,
    F.FIXED_VECTOR_SLICE_ALIGN_MERGE,
)
OUTPUTS = {
    F.LOOP_STREAM: 2,
    F.LOOP_GATE: 2,
    F.FIXED_VECTOR_PARALLELIZE: 3,
    F.FIXED_VECTOR_SERIALIZE: 2,
    F.TOKEN_SYNC: 3,
    F.TOKEN_DEMUX: 3,
}
INPUTS = {F.TOKEN_SYNC: 3, F.TOKEN_MUX: 4}


def shape(family):
    """Ports of a family with 128 bits each."""
    inputs = INPUTS.get(family, 1 if family in ONE_INPUT else 3 if family in THREE_INPUTS else 2)
    return PhysicalPorts((128,) * inputs, (128,) * OUTPUTS.get(family, 1))


def resource(family, *operations, params=None, inputs=None, outputs=None, timing=ONCE):
    """A resource with every member but GEP, unless some are named."""
    row = FAMILIES[family]
    members = [
        each
        for each in row.admitted_operation_schema_ids
        if each is not O.LLVM_GET_ELEMENT_PTR and (each in operations or not operations)
    ]
    extra = [each for each in operations if each not in members]
    usual = shape(family)
    ports = PhysicalPorts(inputs or usual.inputs, outputs or usual.outputs)
    chosen = PARAMS[row.capability_params_schema_id] if params is None else params
    return FabricOp.of(family, {*members, *extra}, chosen, ports, timing)


def actor(operation, operands, results, payload=None):
    payload = NoPayload() if payload is None else payload
    return OperationActor(operation, tuple(operands), tuple(results), payload)


def vector(lanes, element):
    return VectorType((lanes,), element)


@st.composite
def resources(draw):
    """One of the resources above."""
    return resource(draw(st.sampled_from(list(F))))


def widened(probe, lanes):
    """The actor with ``lanes`` lanes in each one-lane vector, where it has no other facts."""
    if probe.schema_id in (O.VECTOR_SHUFFLE, O.DATAFLOW_PACK, O.DATAFLOW_UNPACK):
        return probe

    def wide(kind):
        if isinstance(kind, VectorType) and kind.shape == (1,):
            return VectorType((lanes,), kind.element)
        return kind

    return OperationActor(
        probe.schema_id,
        tuple(map(wide, probe.operands)),
        tuple(map(wide, probe.results)),
        probe.payload,
    )


def first_lanes(probe):
    """Physical lanes of a routed token whose ports are all alike."""
    match probe.schema_id:
        case O.DATAFLOW_SYNC:
            return tuple(range(len(probe.operands)))
        case O.DATAFLOW_MUX:
            return tuple(range(1, len(probe.operands)))
        case O.DATAFLOW_DEMUX:
            return tuple(range(len(probe.results)))
        case _:
            return None
