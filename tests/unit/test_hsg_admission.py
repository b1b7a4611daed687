"""Each admission: actors that a resource admits, and the nearest ones that it refuses."""

from dataclasses import replace

import pytest

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.hsg.admission import ADMISSIONS
from fabricgen.hsg.profile import STRICT_IEEE, FloatBehaviorProfile
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.scalar_params import (
    ScalarFloatCompareMinMaxParams,
    ScalarFloatParams,
    ScalarIntegerCompareMinMaxParams,
    ScalarIntegerParams,
    ScalarSpecialMathParams,
    ScalarValueSelectParams,
)
from fabricgen.hsg.token_params import RoutedTokenParams
from fabricgen.hsg.vector_params import (
    FixedVectorFloatCompareMinMaxParams,
    FixedVectorFloatParams,
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
    FixedVectorShuffleParams,
    FixedVectorValueSelectParams,
)
from fabricgen.schema.payload import (
    Disjoint,
    Exact,
    FloatCompare,
    FloatingPoint,
    IntegerCompare,
    IntegerOverflowFlags,
    NonNegative,
    NoPayload,
    RegisteredIntrinsic,
    ShuffleMask,
    SpecialMathAccuracy,
    StaticPosition,
    StreamRecurrence,
    TypedConstant,
    ZeroPoison,
)
from fabricgen.schema.types import IntegerType, NoneType, PointerType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.families import TypedAdmissionProviderId
from fabricgen.vocab.hardware import (
    FloatNaNBehavior,
    FloatSignedZeroBehavior,
    FloatSubnormalBehavior,
)
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerOverflow,
    IntegerPredicate,
    RoundingMode,
    SpecialMathAccuracyTier,
    StreamStepKind,
)
from tests.support.hsg import (
    BF16,
    F16,
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
    W,
    actor,
    resource,
    vector,
)

ADD = IntegerOverflowFlags()
FP = FloatingPoint()
EQ, SLT = IntegerCompare(IntegerPredicate.EQ), IntegerCompare(IntegerPredicate.SLT)
N = NoneType()
POINTER = PointerType(PointerFormat(0, 64, 48))
STEP = StreamRecurrence(StreamStepKind.ADD, IntegerPredicate.SLT)
V4, M4 = vector(4, I8), vector(4, I1)
UP, EVEN = RoundingMode.UPWARD, RoundingMode.TO_NEAREST_EVEN

ADDER = resource(
    F.SCALAR_INTEGER_ADD_SUB,
    params=ScalarIntegerParams((W.I8, W.I32)),
    inputs=(32, 32),
    outputs=(16,),
)
LOGIC = resource(F.SCALAR_INTEGER_LOGIC, params=ScalarIntegerParams((W.I1, W.I8)))
COUNT = resource(F.SCALAR_INTEGER_COUNT_ZEROS, params=ScalarIntegerParams((W.I8,)))
COMPARE = resource(
    F.SCALAR_INTEGER_COMPARE_MIN_MAX,
    params=ScalarIntegerCompareMinMaxParams((W.I8,), (IntegerPredicate.EQ,)),
)
CAST = resource(F.SCALAR_INTEGER_CAST)
REINTERPRET = resource(F.SCALAR_BIT_REINTERPRET)
SELECT = resource(F.SCALAR_VALUE_SELECT, params=ScalarValueSelectParams((W.I1, W.I8), (FF.F16,)))
FLOAT = resource(F.SCALAR_FLOAT_ADD_SUB, params=ScalarFloatParams((FF.F16, FF.F32), STRICT_IEEE))
FCOMPARE = resource(
    F.SCALAR_FLOAT_COMPARE_MIN_MAX,
    O.ARITH_CMPF,
    params=ScalarFloatCompareMinMaxParams((FF.F32,), STRICT_IEEE, (FloatPredicate.OLT,)),
)
FCAST = resource(F.SCALAR_FLOAT_WIDTH_CAST)
CONVERT = resource(F.SCALAR_FLOAT_TO_INTEGER)
TO_FLOAT = resource(F.SCALAR_INTEGER_TO_FLOAT)
STREAM = resource(F.LOOP_STREAM)
CARRY = resource(F.LOOP_CARRY, inputs=(1, 32, 32), outputs=(64,))
GATE = resource(F.LOOP_GATE)
VADD = resource(F.FIXED_VECTOR_INTEGER_ADD_SUB, params=FixedVectorIntegerParams((W.I8, W.I16), 64))
VLOGIC = resource(F.FIXED_VECTOR_INTEGER_LOGIC, params=FixedVectorIntegerParams((W.I1,), 64))
VCOUNT = resource(F.FIXED_VECTOR_INTEGER_COUNT_ZEROS, params=FixedVectorIntegerParams((W.I8,), 64))
VCOMPARE = resource(
    F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX,
    params=FixedVectorIntegerCompareMinMaxParams((W.I8,), (IntegerPredicate.EQ,), 32),
    outputs=(32,),
)
VSELECT = resource(
    F.FIXED_VECTOR_VALUE_SELECT, params=FixedVectorValueSelectParams((W.I8,), (FF.F16,), 64)
)
VFLOAT = resource(
    F.FIXED_VECTOR_FLOAT_ADD_SUB, params=FixedVectorFloatParams((FF.F16,), STRICT_IEEE, 64)
)
VFCOMPARE = resource(
    F.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX,
    O.ARITH_CMPF,
    params=FixedVectorFloatCompareMinMaxParams((FF.F16,), STRICT_IEEE, (FloatPredicate.OLT,), 64),
)
PACK = resource(F.FIXED_VECTOR_PACK)
UNPACK = resource(F.FIXED_VECTOR_UNPACK)
PARALLELIZE = resource(F.FIXED_VECTOR_PARALLELIZE, outputs=(64, 4, 1))
SERIALIZE = resource(F.FIXED_VECTOR_SERIALIZE)
CONSTANT = resource(F.TOKEN_CONSTANT, outputs=(32,))
ROUTED = RoutedTokenParams(64, 3)
SYNC = resource(F.TOKEN_SYNC, params=ROUTED, inputs=(8, 64, 64), outputs=(8, 64, 16))
MUX = resource(F.TOKEN_MUX, params=ROUTED, inputs=(32, 8, 64, 64, 64), outputs=(64,))
DEMUX = resource(F.TOKEN_DEMUX, params=ROUTED, inputs=(1, 64), outputs=(8, 64, 64))
SLICE = resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE, inputs=(64, 128, 32), outputs=(128,))
SHUFFLE = resource(
    F.FIXED_VECTOR_SHUFFLE, params=FixedVectorShuffleParams((W.I8,), (), 64, 32, 16, 8, 4)
)
MATH = resource(
    F.SCALAR_MATH_SIN,
    params=ScalarSpecialMathParams(
        (FF.F32,),
        replace(STRICT_IEEE, required_fast_math=FastMath.AFN),
        SpecialMathAccuracyTier.MAX_2_ULP,
    ),
)


def add(kind, result=None, operation=O.ARITH_ADDI):
    return actor(operation, (kind, kind), (result or kind,), ADD)


def addf(kind, rounding=None, flags=FastMath.NONE):
    return actor(O.ARITH_ADDF, (kind, kind), (kind,), FloatingPoint(flags, rounding))


def cmpi(kind, result, payload=EQ):
    return actor(O.ARITH_CMPI, (kind, kind), (result,), payload)


def cmpf(kind, result, predicate=FloatPredicate.OLT):
    return actor(O.ARITH_CMPF, (kind, kind), (result,), FloatCompare(predicate))


def sine(tier, flags=FastMath.AFN, kind=F32):
    return actor(O.MATH_SIN, (kind,), (kind,), SpecialMathAccuracy(flags, tier))


def sync(*kinds):
    return actor(O.DATAFLOW_SYNC, kinds, kinds)


def mux(selector, count, kind):
    return actor(O.DATAFLOW_MUX, (selector, *(kind,) * count), (kind,))


def demux(selector, count, kind):
    return actor(O.DATAFLOW_DEMUX, (selector, kind), (kind,) * count)


def constant(kind, lanes=1):
    return actor(O.DATAFLOW_CONSTANT, (N,), (kind,), TypedConstant(kind, (1,) * lanes))


def gather(lanes, element):
    return actor(
        O.DATAFLOW_PARALLELIZE, (element, I1), (vector(lanes, element), vector(lanes, I1), I1)
    )


def extract(container, part, components, *indices):
    return actor(O.VECTOR_EXTRACT, (container, *indices), (part,), StaticPosition(components))


def insert(container, part, components, *indices):
    return actor(
        O.VECTOR_INSERT, (part, container, *indices), (container,), StaticPosition(components)
    )


def shuffle(left, right, mask, block=()):
    def kind(count):
        return VectorType((count, *block), I8)

    return actor(O.VECTOR_SHUFFLE, (kind(left), kind(right)), (kind(len(mask)),), ShuffleMask(mask))


A = TypedAdmissionProviderId
NSW = IntegerOverflowFlags(IntegerOverflow.NSW)
ROWS = [
    (A.SCALAR_ORDINARY_INTEGER, ADDER, add(I8), []),
    (A.SCALAR_ORDINARY_INTEGER, ADDER, actor(O.ARITH_SUBI, (I8, I8), (I8,), NSW), []),
    (A.SCALAR_ORDINARY_INTEGER, ADDER, add(I16), ["admission-width"]),
    (A.SCALAR_ORDINARY_INTEGER, ADDER, add(I32), ["admission-port-width"]),
    (A.SCALAR_ORDINARY_INTEGER, ADDER, add(vector(1, I8)), ["admission-scalar"] * 3),
    (A.SCALAR_ORDINARY_INTEGER, ADDER, add(INDEX32), ["admission-width", "admission-port-width"]),
    (
        A.SCALAR_ORDINARY_INTEGER,
        ADDER,
        actor(O.ARITH_MULI, (I8, I8), (I8,), ADD),
        ["op-not-enabled"],
    ),
    (A.SCALAR_LOGIC_INTEGER, LOGIC, actor(O.ARITH_ANDI, (I1, I1), (I1,)), []),
    (A.SCALAR_LOGIC_INTEGER, LOGIC, actor(O.LLVM_OR_DISJOINT, (I8, I8), (I8,), Disjoint(True)), []),
    (A.SCALAR_LOGIC_INTEGER, LOGIC, actor(O.ARITH_ANDI, (I16, I16), (I16,)), ["admission-width"]),
    (A.SCALAR_UNARY_INTEGER, COUNT, actor(O.LLVM_CTLZ, (I8,), (I8,), ZeroPoison(True)), []),
    (A.SCALAR_UNARY_INTEGER, COUNT, actor(O.MATH_CTTZ, (I16,), (I16,)), ["admission-width"]),
    (A.SCALAR_INTEGER_COMPARE, COMPARE, cmpi(I8, I1), []),
    (A.SCALAR_INTEGER_COMPARE, COMPARE, actor(O.ARITH_MINSI, (I8, I8), (I8,)), []),
    (A.SCALAR_INTEGER_COMPARE, COMPARE, cmpi(I8, I1, SLT), ["admission-predicate"]),
    (A.SCALAR_INTEGER_COMPARE, COMPARE, cmpi(I16, I1), ["admission-width"]),
    (A.SCALAR_INTEGER_COMPARE, COMPARE, cmpi(V4, M4), ["admission-scalar"] * 3),
    (A.SCALAR_INTEGER_CAST, CAST, actor(O.ARITH_EXTSI, (I8,), (I32,)), []),
    (A.SCALAR_INTEGER_CAST, CAST, actor(O.ARITH_EXTUI, (I8,), (I32,), NonNegative(True)), []),
    (A.SCALAR_INTEGER_CAST, CAST, actor(O.ARITH_INDEX_CAST, (I8,), (INDEX32,)), []),
    (A.SCALAR_INTEGER_CAST, CAST, actor(O.ARITH_INDEX_CAST, (INDEX32,), (I32,)), []),
    (A.SCALAR_INTEGER_CAST, CAST, actor(O.ARITH_EXTSI, (I8,), (I16,)), ["admission-cast-pair"]),
    (
        A.SCALAR_INTEGER_CAST,
        CAST,
        actor(O.ARITH_INDEX_CAST, (I8,), (INDEX64,)),
        ["admission-index-width", "admission-cast-pair"],
    ),
    (A.SCALAR_BIT_REINTERPRET, REINTERPRET, actor(O.ARITH_BITCAST, (I16,), (BF16,)), []),
    (
        A.SCALAR_BIT_REINTERPRET,
        REINTERPRET,
        actor(O.ARITH_BITCAST, (I1,), (I1,)),
        ["admission-width"] * 2,
    ),
    (
        A.SCALAR_BIT_REINTERPRET,
        REINTERPRET,
        actor(O.ARITH_BITCAST, (vector(2, I16),), (vector(1, I32),)),
        ["admission-scalar"] * 2,
    ),
    (A.SCALAR_VALUE_SELECT, SELECT, actor(O.ARITH_SELECT, (I1, I1, I1), (I1,)), []),
    (A.SCALAR_VALUE_SELECT, SELECT, actor(O.ARITH_SELECT, (I1, F16, F16), (F16,)), []),
    (
        A.SCALAR_VALUE_SELECT,
        SELECT,
        actor(O.ARITH_SELECT, (I1, BF16, BF16), (BF16,)),
        ["admission-format"],
    ),
    (
        A.SCALAR_VALUE_SELECT,
        SELECT,
        actor(O.ARITH_SELECT, (I1, I16, I16), (I16,)),
        ["admission-width"],
    ),
    (A.SCALAR_UNIFORM_FLOAT, FLOAT, addf(F16), []),
    (A.SCALAR_UNIFORM_FLOAT, FLOAT, addf(F16, EVEN, FastMath.NNAN), []),
    (A.SCALAR_UNIFORM_FLOAT, FLOAT, addf(F64), ["admission-format"]),
    (A.SCALAR_UNIFORM_FLOAT, FLOAT, addf(F16, UP), ["admission-rounding"]),
    (A.SCALAR_UNIFORM_FLOAT, FLOAT, addf(vector(1, F16)), ["admission-scalar"] * 3),
    (A.SCALAR_FLOAT_COMPARE, FCOMPARE, cmpf(F32, I1), []),
    (A.SCALAR_FLOAT_COMPARE, FCOMPARE, cmpf(F32, I1, FloatPredicate.ULT), ["admission-predicate"]),
    (A.SCALAR_FLOAT_COMPARE, FCOMPARE, cmpf(F16, I1), ["admission-format"]),
    (A.SCALAR_FLOAT_CAST, FCAST, actor(O.ARITH_EXTF, (F16,), (F32,), FP), []),
    (
        A.SCALAR_FLOAT_CAST,
        FCAST,
        actor(O.ARITH_TRUNCF, (F32,), (F16,), FloatingPoint(rounding=UP)),
        ["admission-rounding"],
    ),
    (A.SCALAR_FLOAT_CAST, FCAST, actor(O.ARITH_EXTF, (BF16,), (F32,), FP), ["admission-cast-pair"]),
    (A.SCALAR_INTEGER_FLOAT_CONVERSION, CONVERT, actor(O.ARITH_FPTOSI, (F32,), (I32,)), []),
    (
        A.SCALAR_FLOAT_CAST,
        FCAST,
        actor(O.ARITH_EXTF, (vector(2, F16),), (vector(2, F32),), FP),
        ["admission-scalar"] * 2,
    ),
    (
        A.SCALAR_INTEGER_FLOAT_CONVERSION,
        CONVERT,
        actor(O.ARITH_FPTOSI, (vector(2, F32),), (vector(2, I32),)),
        ["admission-scalar"] * 2,
    ),
    (
        A.SCALAR_INTEGER_FLOAT_CONVERSION,
        CONVERT,
        actor(O.LLVM_FPTOUI_SAT, (F64,), (I64,), RegisteredIntrinsic()),
        [],
    ),
    (
        A.SCALAR_INTEGER_FLOAT_CONVERSION,
        CONVERT,
        actor(O.ARITH_FPTOSI, (F32,), (I64,)),
        ["admission-cast-pair"],
    ),
    (
        A.SCALAR_INTEGER_FLOAT_CONVERSION,
        TO_FLOAT,
        actor(O.ARITH_UITOFP, (I64,), (F64,), NonNegative()),
        [],
    ),
    (
        A.SCALAR_INTEGER_FLOAT_CONVERSION,
        TO_FLOAT,
        actor(O.ARITH_SITOFP, (IntegerType(24),), (F32,)),
        ["admission-cast-pair"],
    ),
    (A.STREAM, STREAM, actor(O.DATAFLOW_STREAM, (I32,) * 3, (I32, I1), STEP), []),
    (A.STREAM, STREAM, actor(O.DATAFLOW_STREAM, (I16,) * 3, (I16, I1), STEP), ["admission-width"]),
    (
        A.STREAM,
        STREAM,
        actor(O.DATAFLOW_STREAM, (I32,) * 3, (I32, I1), replace(STEP, step=StreamStepKind.SUB)),
        ["admission-step"],
    ),
    (
        A.STREAM,
        STREAM,
        actor(
            O.DATAFLOW_STREAM, (I32,) * 3, (I32, I1), replace(STEP, predicate=IntegerPredicate.SGE)
        ),
        ["admission-predicate"],
    ),
    (A.TOKEN_PLANE, CARRY, actor(O.DATAFLOW_CARRY, (I1, F32, F32), (F32,)), []),
    (A.TOKEN_PLANE, CARRY, actor(O.DATAFLOW_CARRY, (I1, V4, V4), (V4,)), []),
    (A.TOKEN_PLANE, CARRY, actor(O.DATAFLOW_CARRY, (I1, N, N), (N,)), []),
    (
        A.TOKEN_PLANE,
        CARRY,
        actor(O.DATAFLOW_CARRY, (I1, F64, F64), (F64,)),
        ["admission-port-width"] * 2,
    ),
    (A.TOKEN_PLANE, GATE, actor(O.DATAFLOW_GATE, (I1, POINTER), (I1, POINTER)), []),
    (
        A.TOKEN_PLANE,
        GATE,
        actor(O.DATAFLOW_GATE, (I1, INDEX32), (I1, INDEX32)),
        ["admission-payload-type"],
    ),
    (A.FIXED_VECTOR_ORDINARY_INTEGER, VADD, add(vector(8, I8)), []),
    (A.FIXED_VECTOR_ORDINARY_INTEGER, VADD, add(VectorType((2, 2), I16)), []),
    (A.FIXED_VECTOR_ORDINARY_INTEGER, VADD, add(vector(9, I8)), ["admission-capacity"]),
    (A.FIXED_VECTOR_ORDINARY_INTEGER, VADD, add(vector(2, I32)), ["admission-width"]),
    (A.FIXED_VECTOR_ORDINARY_INTEGER, VADD, add(I8), ["admission-vector"] * 3),
    (A.FIXED_VECTOR_LOGIC_INTEGER, VLOGIC, actor(O.ARITH_XORI, (M4, M4), (M4,)), []),
    (
        A.FIXED_VECTOR_LOGIC_INTEGER,
        VLOGIC,
        actor(O.ARITH_XORI, (V4, V4), (V4,)),
        ["admission-width"],
    ),
    (A.FIXED_VECTOR_UNARY_INTEGER, VCOUNT, actor(O.MATH_CTLZ, (V4,), (V4,)), []),
    (
        A.FIXED_VECTOR_UNARY_INTEGER,
        VCOUNT,
        actor(O.MATH_CTLZ, (I8,), (I8,)),
        ["admission-vector"] * 2,
    ),
    (A.FIXED_VECTOR_INTEGER_COMPARE, VCOMPARE, cmpi(V4, M4), []),
    (A.FIXED_VECTOR_INTEGER_COMPARE, VCOMPARE, cmpi(V4, M4, SLT), ["admission-predicate"]),
    (
        A.FIXED_VECTOR_INTEGER_COMPARE,
        VCOMPARE,
        cmpi(vector(5, I8), vector(5, I1)),
        ["admission-capacity"],
    ),
    (A.FIXED_VECTOR_VALUE_SELECT, VSELECT, actor(O.ARITH_SELECT, (M4, V4, V4), (V4,)), []),
    (
        A.FIXED_VECTOR_VALUE_SELECT,
        VSELECT,
        actor(O.ARITH_SELECT, (I1, V4, V4), (V4,)),
        ["admission-vector"],
    ),
    (
        A.FIXED_VECTOR_VALUE_SELECT,
        VSELECT,
        actor(O.ARITH_SELECT, (vector(2, I1), vector(2, F32), vector(2, F32)), (vector(2, F32),)),
        ["admission-format"],
    ),
    (A.FIXED_VECTOR_UNIFORM_FLOAT, VFLOAT, addf(vector(4, F16)), []),
    (A.FIXED_VECTOR_UNIFORM_FLOAT, VFLOAT, addf(vector(5, F16)), ["admission-capacity"]),
    (A.FIXED_VECTOR_UNIFORM_FLOAT, VFLOAT, addf(vector(4, BF16)), ["admission-format"]),
    (A.FIXED_VECTOR_UNIFORM_FLOAT, VFLOAT, addf(vector(4, F16), UP), ["admission-rounding"]),
    (A.FIXED_VECTOR_UNIFORM_FLOAT, VFLOAT, addf(F16), ["admission-vector"] * 3),
    (A.FIXED_VECTOR_FLOAT_COMPARE, VFCOMPARE, cmpf(vector(4, F16), M4), []),
    (
        A.FIXED_VECTOR_FLOAT_COMPARE,
        VFCOMPARE,
        cmpf(vector(4, F16), M4, FloatPredicate.OGT),
        ["admission-predicate"],
    ),
    (
        A.FIXED_VECTOR_FLOAT_COMPARE,
        VFCOMPARE,
        cmpf(vector(2, F32), vector(2, I1)),
        ["admission-format"],
    ),
    (
        A.FIXED_VECTOR_ADAPTER,
        PACK,
        actor(O.DATAFLOW_PACK, (vector(16, I8),), (IntegerType(128),)),
        [],
    ),
    (
        A.FIXED_VECTOR_ADAPTER,
        PACK,
        actor(O.DATAFLOW_PACK, (vector(17, I8),), (IntegerType(136),)),
        ["admission-capacity", "admission-port-width", "admission-port-width"],
    ),
    (
        A.FIXED_VECTOR_ADAPTER,
        UNPACK,
        actor(O.DATAFLOW_UNPACK, (I32,), (VectorType((2, 2), I8),)),
        [],
    ),
    (
        A.FIXED_VECTOR_ADAPTER,
        UNPACK,
        actor(O.DATAFLOW_UNPACK, (I32,), (vector(2, I16),)),
        ["admission-width"],
    ),
    (A.FIXED_VECTOR_ADAPTER, PARALLELIZE, gather(4, I8), []),
    (A.FIXED_VECTOR_ADAPTER, PARALLELIZE, gather(5, I8), ["admission-port-width"]),
    (A.FIXED_VECTOR_ADAPTER, PARALLELIZE, gather(2, F32), ["admission-format"]),
    (A.FIXED_VECTOR_ADAPTER, SERIALIZE, actor(O.DATAFLOW_SERIALIZE, (V4, M4, I1), (I8, I1)), []),
    (A.CONSTANT_TOKEN, CONSTANT, constant(I32), []),
    (A.CONSTANT_TOKEN, CONSTANT, constant(V4, 4), []),
    (A.CONSTANT_TOKEN, CONSTANT, constant(INDEX32), []),
    (A.CONSTANT_TOKEN, CONSTANT, constant(I64), ["admission-port-width"]),
    (
        A.CONSTANT_TOKEN,
        CONSTANT,
        constant(IntegerType(65)),
        ["admission-capacity", "admission-port-width"],
    ),
    (A.SYNC_TOKEN, SYNC, sync(I64, I8, I16), []),
    (A.SYNC_TOKEN, SYNC, sync(I64, I16, I16), ["admission-lane-room"]),
    (A.SYNC_TOKEN, SYNC, sync(I8, I8, I8, I8), ["admission-fan", "admission-lane-room"]),
    (A.SYNC_TOKEN, SYNC, sync(IntegerType(65)), ["admission-capacity", "admission-lane-room"]),
    (A.MUX_TOKEN, MUX, mux(I1, 2, I64), []),
    (A.MUX_TOKEN, MUX, mux(INDEX32, 3, I64), []),
    (A.MUX_TOKEN, MUX, mux(INDEX64, 3, I64), ["admission-port-width"]),
    (A.MUX_TOKEN, MUX, mux(INDEX32, 4, I8), ["admission-fan"]),
    (A.MUX_TOKEN, MUX, mux(I1, 2, INDEX32), ["admission-payload-type"]),
    (A.DEMUX_TOKEN, DEMUX, demux(I1, 2, I64), []),
    (A.DEMUX_TOKEN, DEMUX, demux(INDEX32, 3, I8), ["admission-port-width"]),
    (A.DEMUX_TOKEN, DEMUX, demux(I1, 2, N), []),
    (A.DEMUX_TOKEN, DEMUX, demux(INDEX32, 3, I16), ["admission-lane-room", "admission-port-width"]),
    (A.FIXED_VECTOR_SLICE_ALIGN_MERGE, SLICE, extract(vector(8, I8), I8, (7,)), []),
    (A.FIXED_VECTOR_SLICE_ALIGN_MERGE, SLICE, extract(vector(8, I8), I8, (None,), INDEX32), []),
    (
        A.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        SLICE,
        extract(vector(8, I8), I8, (None,), INDEX64),
        ["admission-index-width", "admission-port-width"],
    ),
    (
        A.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        SLICE,
        extract(VectorType((2, 4), I8), I8, (None, None), INDEX32, INDEX32),
        ["admission-position-rank"],
    ),
    (
        A.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        SLICE,
        extract(vector(16, I8), I8, (0,)),
        ["admission-port-width"],
    ),
    (A.FIXED_VECTOR_SLICE_ALIGN_MERGE, SLICE, insert(vector(16, I8), I8, (0,)), []),
    (
        A.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        SLICE,
        insert(VectorType((1, 16), I8), vector(16, I8), (0,)),
        ["admission-capacity", "admission-port-width"],
    ),
    (
        A.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        SLICE,
        insert(vector(17, I8), I8, (0,)),
        ["admission-capacity", "admission-port-width", "admission-port-width"],
    ),
    (
        A.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        SLICE,
        insert(vector(2, I16), I16, (0,)),
        ["admission-width"],
    ),
    (A.FIXED_VECTOR_SHUFFLE, SHUFFLE, shuffle(4, 4, (7, -1, 0, 0)), []),
    (A.FIXED_VECTOR_SHUFFLE, SHUFFLE, shuffle(2, 2, (3, 1), (2,)), []),
    (A.FIXED_VECTOR_SHUFFLE, SHUFFLE, shuffle(4, 5, (0,)), ["admission-block-count"]),
    (
        A.FIXED_VECTOR_SHUFFLE,
        SHUFFLE,
        shuffle(4, 4, (0,) * 5),
        ["admission-capacity", "admission-block-count"],
    ),
    (A.FIXED_VECTOR_SHUFFLE, SHUFFLE, shuffle(2, 2, (0,), (3,)), ["admission-capacity"]),
    (A.SCALAR_SPECIAL_MATH, MATH, sine(SpecialMathAccuracyTier.MAX_2_ULP), []),
    (A.SCALAR_SPECIAL_MATH, MATH, sine(SpecialMathAccuracyTier.MAX_4_ULP), []),
    (A.SCALAR_SPECIAL_MATH, MATH, sine(SpecialMathAccuracyTier.MAX_1_ULP), ["admission-accuracy"]),
    (
        A.SCALAR_SPECIAL_MATH,
        MATH,
        sine(SpecialMathAccuracyTier.CORRECTLY_ROUNDED, FastMath.NONE),
        ["admission-fast-math", "admission-accuracy"],
    ),
    (
        A.SCALAR_SPECIAL_MATH,
        MATH,
        sine(SpecialMathAccuracyTier.MAX_4_ULP, kind=F64),
        ["admission-format"],
    ),
]


@pytest.mark.parametrize(
    ("provider", "op", "point", "found"), ROWS, ids=[f"{r[0].name}-{i}" for i, r in enumerate(ROWS)]
)
def test_admission(provider, op, point, found):
    assert FAMILIES[op.family].typed_admission_provider_id is provider
    assert [each.code for each in op.admission(point)] == found
    assert op.admits(point) is not bool(found)


def test_every_admission_has_a_good_and_a_bad_row():
    assert set(ADMISSIONS) == set(A)
    good = {row[0] for row in ROWS if not row[3]}
    bad = {row[0] for row in ROWS if row[3]}
    assert good == set(A)
    assert bad == set(A)


def floats(**change):
    behavior = replace(STRICT_IEEE, **change)
    return resource(F.SCALAR_FLOAT_ADD_SUB, params=ScalarFloatParams((FF.F32,), behavior))


@pytest.mark.parametrize(
    ("change", "needed"),
    [
        (
            {"required_fast_math": FastMath.CONTRACT | FastMath.ARCP},
            FastMath.CONTRACT | FastMath.ARCP,
        ),
        ({"nan_behaviors": (FloatNaNBehavior.NUMBER_PREFERRED,)}, FastMath.NNAN),
        ({"signed_zero_behaviors": (FloatSignedZeroBehavior.IGNORE_SIGN,)}, FastMath.NSZ),
    ],
)
def test_a_datapath_states_the_permissions_that_it_needs(change, needed):
    op = floats(**change)
    assert op.admits(addf(F32, flags=needed))
    assert op.admits(addf(F32, flags=needed | FastMath.REASSOC))
    for missing in (FastMath.NONE, ~needed):
        assert [each.code for each in op.admission(addf(F32, flags=missing))] == [
            "admission-fast-math"
        ]


def test_nobody_permits_flushed_subnormals():
    both = (FloatSubnormalBehavior.PRESERVE, FloatSubnormalBehavior.FLUSH_TO_ZERO)
    assert floats(subnormal_behaviors=both).admits(addf(F32))
    flushing = FloatBehaviorProfile(
        STRICT_IEEE.rounding_modes,
        STRICT_IEEE.nan_behaviors,
        (FloatSubnormalBehavior.FLUSH_TO_ZERO,),
        STRICT_IEEE.signed_zero_behaviors,
    )
    admission = ADMISSIONS[A.SCALAR_UNIFORM_FLOAT]
    params = ScalarFloatParams((FF.F32,), flushing)
    found = list(admission(params, FLOAT.ports, addf(F32, flags=~FastMath.NONE)))
    assert [each.code for each in found] == ["admission-subnormal"]


def test_minnumf_wants_the_number():
    number = replace(STRICT_IEEE, nan_behaviors=(FloatNaNBehavior.NUMBER_PREFERRED,))
    op = resource(
        F.SCALAR_FLOAT_COMPARE_MIN_MAX,
        O.ARITH_MINNUMF,
        O.ARITH_MINIMUMF,
        params=ScalarFloatCompareMinMaxParams(
            (FF.F32,), replace(number, nan_behaviors=tuple(FloatNaNBehavior)), (FloatPredicate.OLT,)
        ),
    )
    assert op.admits(actor(O.ARITH_MINNUMF, (F32, F32), (F32,), FP))
    assert op.admits(actor(O.ARITH_MINIMUMF, (F32, F32), (F32,), FP))


def test_parameters_of_another_record_are_a_bug():
    with pytest.raises(TypeError, match=r"^Admission parameters must be ScalarIntegerParams"):
        list(ADMISSIONS[A.SCALAR_ORDINARY_INTEGER](FLOAT.hw_params, FLOAT.ports, add(I8)))


def test_division_is_scalar():
    op = resource(F.SCALAR_SIGNED_INTEGER_DIV_REM)
    assert op.admits(actor(O.ARITH_DIVSI, (I8, I8), (I8,), Exact()))
    assert not op.admits(actor(O.ARITH_REMSI, (V4, V4), (V4,), NoPayload()))
