"""Inputs of the codes of ``hsg``: resources, and actors that a resource does not admit."""

from dataclasses import replace

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.hsg.admission import ADMISSIONS
from fabricgen.hsg.bits import carrier_from_bytes
from fabricgen.hsg.keys import BehaviorKey, encode_key
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import STRICT_IEEE, IntegerCastRelation
from fabricgen.hsg.registry import FAMILIES, family_named
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.scalar_params import (
    ScalarFloatCompareMinMaxParams,
    ScalarFloatParams,
    ScalarIntegerCastParams,
    ScalarIntegerCompareMinMaxParams,
    ScalarIntegerParams,
    ScalarSpecialMathParams,
)
from fabricgen.hsg.semantics import behavior_key, semantic_field
from fabricgen.hsg.setting import configured_value
from fabricgen.hsg.token_params import RoutedTokenParams
from fabricgen.hsg.vector_params import (
    FixedVectorAdapterParams,
    FixedVectorIntegerParams,
    FixedVectorShuffleParams,
)
from fabricgen.schema.payload import (
    FloatingPoint,
    IntegerCompare,
    IntegerOverflowFlags,
    ShuffleMask,
    SpecialMathAccuracy,
    StaticPosition,
    StreamRecurrence,
)
from fabricgen.schema.types import VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import CapabilityParamsSchemaId as P
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import FloatSubnormalBehavior
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerPredicate,
    RoundingMode,
    SpecialMathAccuracyTier,
    StreamStepKind,
)
from tests.support.hsg import (
    BOTH_NANS,
    F32,
    F64,
    FF,
    I1,
    I8,
    I16,
    I32,
    I64,
    INDEX32,
    INDEX64,
    ORDINARY,
    PARAMS,
    W,
    X,
    actor,
    resource,
    vector,
)

ADDER, COMPARE = F.SCALAR_INTEGER_ADD_SUB, F.SCALAR_INTEGER_COMPARE_MIN_MAX
FCOMPARE, CAST = F.SCALAR_FLOAT_COMPARE_MIN_MAX, F.SCALAR_INTEGER_CAST
ADD, NARROW = IntegerOverflowFlags(), ScalarIntegerParams((W.I8,))
EQ = ScalarIntegerCompareMinMaxParams((W.I32,), (IntegerPredicate.EQ,))
TIER = SpecialMathAccuracyTier
GRID = VectorType((2, 4), I8)
FAN = RoutedTokenParams(64, 3)
SYNC = resource(F.TOKEN_SYNC, params=FAN, inputs=(8, 64, 64), outputs=(8, 64, 16))
MUX = resource(F.TOKEN_MUX, params=FAN, inputs=(32, 8, 64, 64, 64), outputs=(64,))
SLICE = resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE)


def changed(schema, **change):
    """A parameter record with one field replaced."""
    return lambda: replace(PARAMS[schema], **change)


def declared(*change, **changes):
    """A resource of one family and some operations."""
    return lambda: resource(*change, **changes)


def asked(op, operation, operands, results, payload=None):
    """What a resource lacks for one actor."""
    return lambda: op.admission(actor(operation, operands, results, payload))


def op_list(*operations):
    return lambda: replace(resource(ADDER), op_list=operations)


def casts(operation, *pairs, indices=()):
    params = ScalarIntegerCastParams(IntegerCastRelation(pairs, indices))
    return lambda: resource(CAST, operation, params=params)


def sums(kind, op=None, operation=O.ARITH_ADDI):
    return asked(op or resource(ADDER, params=NARROW), operation, (kind, kind), (kind,), ADD)


def float_sums(flags=FastMath.NONE, rounding=None, **behavior):
    params = ScalarFloatParams((FF.F32,), replace(STRICT_IEEE, **behavior))
    op = resource(F.SCALAR_FLOAT_ADD_SUB, params=params)
    return asked(op, O.ARITH_ADDF, (F32, F32), (F32,), FloatingPoint(flags, rounding))


def flushed():
    """Such a resource admits nothing, so none can be built: its admission is asked itself."""
    family = FAMILIES[F.SCALAR_FLOAT_ADD_SUB]
    flushing = replace(STRICT_IEEE, subnormal_behaviors=(FloatSubnormalBehavior.FLUSH_TO_ZERO,))
    return ADMISSIONS[family.typed_admission_provider_id](
        ScalarFloatParams((FF.F32,), flushing),
        PhysicalPorts((32, 32), (32,)),
        actor(O.ARITH_ADDF, (F32, F32), (F32,), FloatingPoint()),
    )


def sine():
    afn = replace(STRICT_IEEE, required_fast_math=FastMath.AFN)
    op = resource(F.SCALAR_MATH_SIN, params=ScalarSpecialMathParams((FF.F32,), afn, TIER.MAX_2_ULP))
    payload = SpecialMathAccuracy(FastMath.AFN, TIER.MAX_1_ULP)
    return op.admission(actor(O.MATH_SIN, (F32,), (F32,), payload))


def stream(step, predicate, width=I32):
    payload = StreamRecurrence(step, predicate)
    return asked(resource(F.LOOP_STREAM), O.DATAFLOW_STREAM, (width,) * 3, (width, I1), payload)


def synchronised(*kinds):
    return asked(SYNC, O.DATAFLOW_SYNC, kinds, kinds)


def extract(container, components, *indices):
    operands = (container, *indices)
    return asked(SLICE, O.VECTOR_EXTRACT, operands, (I8,), StaticPosition(components))


def shuffle():
    op = resource(
        F.FIXED_VECTOR_SHUFFLE, params=FixedVectorShuffleParams((W.I8,), (), 64, 32, 16, 8, 4)
    )
    operands = (vector(4, I8), vector(5, I8))
    return op.admission(actor(O.VECTOR_SHUFFLE, operands, (vector(1, I8),), ShuffleMask((0,))))


def too_many_keys():
    """A key for each of 1 to 2**20 lanes."""
    params = FixedVectorAdapterParams((W.I1,), (), 2**20)
    outputs = (2**20, 2**20, 1)
    return semantic_field(resource(F.FIXED_VECTOR_PARALLELIZE, params=params, outputs=outputs))


def unknown_key():
    return semantic_field(resource(ADDER)).decode(encode_key(BehaviorKey(ADDER, "Mul")), "key")


def lanes(*chosen):
    """Which physical lanes two tokens of a multiplexer take."""
    return lambda: behavior_key(MUX, actor(O.DATAFLOW_MUX, (I1, I8, I8), (I8,)), chosen)


PRODUCERS = {
    "family-unknown": lambda: family_named("ScalarAdder", "family"),
    "op-list-empty": op_list(),
    "op-list-not-canonical": op_list(O.ARITH_SUBI, O.ARITH_ADDI),
    "op-outside-family": declared(ADDER, O.ARITH_ADDI, O.ARITH_MULI),
    "op-gep-enabled": declared(ADDER, O.ARITH_ADDI, O.LLVM_GET_ELEMENT_PTR),
    "op-unreachable": declared(ADDER, inputs=(4, 8), outputs=(8,)),
    "op-not-enabled": sums(I8, operation=O.ARITH_MULI),
    "resource-params-schema": declared(ADDER, params=FixedVectorIntegerParams(ORDINARY, 128)),
    "resource-port-count": declared(ADDER, outputs=(8, 8)),
    "port-range": lambda: PhysicalPorts((-1,), ()),
    "timing-range": lambda: ResourceTiming(-1),
    "params-width-class": declared(ADDER, params=ScalarIntegerParams((W.I1, W.I8))),
    "params-element-missing": changed(P.SCALAR_VALUE_SELECT, integer_widths=(), float_formats=()),
    "params-compare-rounding": changed(
        P.SCALAR_FLOAT_COMPARE_MIN_MAX,
        behavior=replace(STRICT_IEEE, rounding_modes=(RoundingMode.DOWNWARD,)),
    ),
    "params-accuracy-needs-afn": changed(P.SCALAR_SPECIAL_MATH, accuracy_guarantee=TIER.MAX_1_ULP),
    "params-format-pair": changed(P.SCALAR_FLOAT_WIDTH_CAST, format_pairs=((FF.F16, FF.BF16),)),
    "params-capacity": changed(P.FIXED_VECTOR_INTEGER, max_payload_bits=0),
    "params-capacity-order": changed(P.FIXED_VECTOR_SHUFFLE, max_result_payload_bits=31),
    "params-index-widths": changed(P.FIXED_VECTOR_SLICE_ALIGN_MERGE, resolved_index_widths=()),
    "pointer-format-orphan": declared(
        ADDER, params=ScalarIntegerParams(ORDINARY, (PointerFormat(0, 64, 48),))
    ),
    "predicate-orphan": declared(COMPARE, O.ARITH_MINSI, params=EQ),
    "predicate-missing": declared(COMPARE, O.ARITH_CMPI, params=replace(EQ, predicates=())),
    "nan-behavior-orphan": declared(
        FCOMPARE,
        O.ARITH_CMPF,
        params=ScalarFloatCompareMinMaxParams((FF.F32,), BOTH_NANS, (FloatPredicate.OEQ,)),
    ),
    "cast-pair-orphan": casts(O.ARITH_EXTSI, (W.I8, W.I16), (W.I16, W.I8)),
    "index-width-orphan": casts(O.ARITH_EXTSI, (W.I8, W.I32), indices=(X.I32,)),
    "admission-scalar": sums(vector(1, I8)),
    "admission-vector": asked(
        resource(F.FIXED_VECTOR_INTEGER_ADD_SUB), O.ARITH_ADDI, (I8, I8), (I8,), ADD
    ),
    "admission-width": sums(I16),
    "admission-format": asked(
        resource(F.SCALAR_FLOAT_ADD_SUB, params=ScalarFloatParams((FF.F32,), STRICT_IEEE)),
        O.ARITH_ADDF,
        (F64, F64),
        (F64,),
        FloatingPoint(),
    ),
    "admission-predicate": asked(
        resource(COMPARE, params=EQ),
        O.ARITH_CMPI,
        (I32, I32),
        (I1,),
        IntegerCompare(IntegerPredicate.SLT),
    ),
    "admission-index-width": asked(resource(CAST), O.ARITH_INDEX_CAST, (I8,), (INDEX64,)),
    "admission-cast-pair": asked(resource(CAST), O.ARITH_EXTSI, (I8,), (I16,)),
    "admission-rounding": float_sums(rounding=RoundingMode.UPWARD),
    "admission-subnormal": flushed,
    "admission-fast-math": float_sums(required_fast_math=FastMath.NNAN),
    "admission-accuracy": sine,
    "admission-step": stream(StreamStepKind.SUB, IntegerPredicate.SLT),
    "admission-payload-type": asked(MUX, O.DATAFLOW_MUX, (I1, INDEX32, INDEX32), (INDEX32,)),
    "admission-capacity": sums(
        vector(9, I8),
        resource(F.FIXED_VECTOR_INTEGER_ADD_SUB, params=FixedVectorIntegerParams((W.I8,), 64)),
    ),
    "admission-port-width": sums(
        I32,
        resource(ADDER, inputs=(32, 32), outputs=(16,), params=ScalarIntegerParams(ORDINARY[:3])),
    ),
    "admission-fan": synchronised(I8, I8, I8, I8),
    "admission-lane-room": synchronised(I64, I16, I16),
    "admission-position-rank": extract(GRID, (None, None), INDEX32, INDEX32),
    "admission-block-count": shuffle,
    "lane-image": lanes(2, 2),
    "lanes-not-routed": lambda: configured_value(
        resource(ADDER), actor(O.ARITH_ADDI, (I8, I8), (I8,), ADD), (0,)
    ),
    "lane-count": lanes(1, 2, 3),
    "semantic-keys-too-many": too_many_keys,
    "semantic-key-unknown": unknown_key,
    "carrier-pad": lambda: carrier_from_bytes(b"\x01\x06", 10, "carrier"),
}
