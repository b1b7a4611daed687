"""Shapes of actors: each row a legal actor and its nearest illegal neighbours."""

import pytest

from fabricgen.errors import Invalid
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import (
    AggregatePosition,
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
from fabricgen.schema.types import NoneType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.operations import (
    FloatPredicate,
    IntegerPredicate,
    RoundingMode,
    StreamStepKind,
)
from tests.support.hsg import (
    BF16,
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    INDEX32,
    INDEX64,
    vector,
)

NONE = NoPayload()
V = vector(4, I8)
M = vector(4, I1)
GRID = VectorType((2, 4), I8)
EQ = IntegerCompare(IntegerPredicate.EQ)
STEP = StreamRecurrence(StreamStepKind.ADD, IntegerPredicate.SLT)
N = NoneType()

SHAPES = [
    (
        O.ARITH_ADDI,
        (I8, I8),
        (I8,),
        IntegerOverflowFlags(),
        [((I8, I16), (I8,)), ((I8,), (I8,)), ((F16, F16), (F16,))],
    ),
    (O.ARITH_ADDI, (V, V), (V,), IntegerOverflowFlags(), [((V, V), (I8,))]),
    (O.ARITH_DIVSI, (I8, I8), (I8,), Exact(), [((I8, I8), (I16,))]),
    (O.ARITH_CMPI, (V, V), (M,), EQ, [((V, V), (I1,)), ((V, V), (V,))]),
    (O.ARITH_CMPF, (F16, F16), (I1,), FloatCompare(FloatPredicate.OLT), [((I8, I8), (I1,))]),
    (O.ARITH_SELECT, (I1, V, V), (V,), NONE, [((vector(3, I1), V, V), (V,)), ((I1, N, N), (N,))]),
    (O.ARITH_SELECT, (M, V, V), (V,), NONE, [((I8, V, V), (V,))]),
    (O.ARITH_EXTUI, (I8,), (I16,), NonNegative(), [((I16,), (I16,)), ((I16,), (I8,))]),
    (O.ARITH_TRUNCI, (I16,), (I8,), IntegerOverflowFlags(), [((I8,), (I16,))]),
    (O.ARITH_INDEX_CAST, (I32,), (INDEX64,), NONE, [((I32,), (I32,)), ((INDEX64,), (INDEX32,))]),
    (
        O.ARITH_BITCAST,
        (I16,),
        (BF16,),
        NONE,
        [((I16,), (F32,)), ((I16,), (INDEX32,)), ((vector(1, I16),), (I16,))],
    ),
    (O.ARITH_EXTF, (F16,), (F32,), FloatingPoint(), [((F16,), (BF16,)), ((F32,), (F16,))]),
    (O.ARITH_TRUNCF, (F64,), (F32,), FloatingPoint(), [((F32,), (F64,))]),
    (O.ARITH_SITOFP, (I8,), (F32,), NONE, [((F32,), (I8,))]),
    (O.LLVM_FPTOSI_SAT, (F32,), (I8,), RegisteredIntrinsic(), [((I8,), (F32,))]),
    (O.ARITH_NEGF, (F16,), (F16,), FloatingPoint(), [((F16, F16), (F16,))]),
    (O.MATH_FMA, (F16,) * 3, (F16,), FloatingPoint(), [((F16,) * 2, (F16,))]),
    (O.MATH_SIN, (F32,), (F32,), SpecialMathAccuracy(), [((F32,) * 2, (F32,))]),
    (O.MATH_POWF, (F32,) * 2, (F32,), SpecialMathAccuracy(), [((F32,), (F32,))]),
    (O.MATH_CTLZ, (I8,), (I8,), NONE, [((I8, I8), (I8,))]),
    (O.LLVM_FSHL, (I8,) * 3, (I8,), NONE, [((I8,) * 2, (I8,))]),
    (O.UB_POISON, (), (F32,), NONE, [((I8,), (F32,))]),
    (O.LLVM_FREEZE, (F32,), (F32,), NONE, [((F32,), (I8,))]),
    (O.LLVM_USUB_SAT, (I8,) * 2, (I8,), NONE, [((I8,), (I8,))]),
    (O.ARITH_CONSTANT, (), (I8,), TypedConstant(I8, (5,)), [((), (I16,))]),
    (O.DATAFLOW_CONSTANT, (N,), (I8,), TypedConstant(I8, (5,)), [((), (I8,)), ((I1,), (I8,))]),
    (
        O.DATAFLOW_STREAM,
        (I32,) * 3,
        (I32, I1),
        STEP,
        [((I32, I32, I8), (I32, I1)), ((I32,) * 3, (I32,))],
    ),
    (O.DATAFLOW_CARRY, (I1, F32, F32), (F32,), NONE, [((I8, F32, F32), (F32,))]),
    (O.DATAFLOW_INVARIANT, (I1, V), (V,), NONE, [((I1, V), (I8,))]),
    (O.DATAFLOW_GATE, (I1, V), (I1, V), NONE, [((I1, V), (V,)), ((I8, V), (I8, V))]),
    (O.DATAFLOW_SYNC, (I8, F32), (I8, F32), NONE, [((I8, F32), (F32, I8)), ((), ())]),
    (O.DATAFLOW_MUX, (I1, I8, I8), (I8,), NONE, [((INDEX32, I8, I8), (I8,)), ((I1, I8), (I8,))]),
    (O.DATAFLOW_MUX, (INDEX32, I8, I8, I8), (I8,), NONE, [((I1, I8, I8, I8), (I8,))]),
    (O.DATAFLOW_DEMUX, (I1, I8), (I8, I8), NONE, [((I1, I8), (I8, I16)), ((I1, I8), (I8,))]),
    (
        O.DATAFLOW_PARALLELIZE,
        (I8, I1),
        (V, M, I1),
        NONE,
        [((I16, I1), (V, M, I1)), ((I8, I1), (GRID, VectorType((2, 4), I1), I1))],
    ),
    (O.DATAFLOW_SERIALIZE, (V, M, I1), (I8, I1), NONE, [((V, vector(3, I1), I1), (I8, I1))]),
    (O.DATAFLOW_PACK, (V,), (I32,), NONE, [((V,), (I16,)), ((I32,), (I32,))]),
    (O.DATAFLOW_UNPACK, (I32,), (V,), NONE, [((I32,), (M,))]),
    (
        O.VECTOR_EXTRACT,
        (GRID,),
        (V,),
        StaticPosition((1,)),
        [((GRID,), (I8,)), ((GRID, INDEX32), (V,)), ((V,), (V,)), ((I8,), (I8,))],
    ),
    (
        O.VECTOR_EXTRACT,
        (GRID, INDEX32),
        (I8,),
        StaticPosition((None, 3)),
        [((GRID,), (I8,)), ((GRID, I32), (I8,))],
    ),
    (
        O.VECTOR_INSERT,
        (V, GRID),
        (GRID,),
        StaticPosition((0,)),
        [((V, GRID), (V,)), ((I8, GRID), (GRID,))],
    ),
    (
        O.VECTOR_SHUFFLE,
        (V, V),
        (vector(2, I8),),
        ShuffleMask((7, -1)),
        [((V, V), (V,)), ((V, vector(3, I8)), (vector(2, I8),))],
    ),
]


@pytest.mark.parametrize(
    ("operation", "operands", "results", "payload", "bad"),
    SHAPES,
    ids=[f"{row[0].name}-{i}" for i, row in enumerate(SHAPES)],
)
def test_shapes(operation, operands, results, payload, bad):
    OperationActor(operation, operands, results, payload)
    for wrong_operands, wrong_results in bad:
        with pytest.raises(Invalid, match=r"\[actor-shape\]$"):
            OperationActor(operation, wrong_operands, wrong_results, payload)


@pytest.mark.parametrize(
    ("operation", "operands", "results", "payload"),
    [row[:4] for row in SHAPES],
    ids=[f"{row[0].name}-{i}" for i, row in enumerate(SHAPES)],
)
def test_more_operands_and_other_results_are_no_shape(operation, operands, results, payload):
    bare = (N,) * 4
    for wrong in ((operands + bare, results), (operands, results + bare), (operands, ())):
        with pytest.raises(Invalid, match=r"\[actor-shape\]$"):
            OperationActor(operation, *wrong, payload)


def test_aggregates_are_not_looked_into():
    position = AggregatePosition((0,))
    OperationActor(O.LLVM_EXTRACT_VALUE, (I32,), (I8,), position)
    with pytest.raises(Invalid, match=r"\[actor-shape\]$"):
        OperationActor(O.LLVM_EXTRACT_VALUE, (I32,), (), position)


def test_an_index_past_its_dimension_has_no_slice():
    with pytest.raises(Invalid, match=r"\[actor-shape\]$"):
        OperationActor(O.VECTOR_EXTRACT, (V,), (I8,), StaticPosition((4,)))
    for components in ((), (0, 0)):
        with pytest.raises(Invalid, match=r"\[actor-shape\]$"):
            OperationActor(O.VECTOR_EXTRACT, (V,), (I8,), StaticPosition(components))
    OperationActor(O.VECTOR_EXTRACT, (V,), (I8,), StaticPosition((-1,)))


def test_a_payload_of_another_case_is_refused():
    with pytest.raises(Invalid, match=r"must be IntegerOverflowFlags, not Exact \[actor-payload"):
        OperationActor(O.ARITH_ADDI, (I8, I8), (I8,), Exact())


@pytest.mark.parametrize(
    ("operation", "count", "good", "bad"),
    [
        (O.LLVM_CTLZ, 1, ZeroPoison(True), ZeroPoison(False)),
        (O.LLVM_OR_DISJOINT, 2, Disjoint(True), Disjoint(False)),
    ],
)
def test_an_unflagged_form_is_another_schema(operation, count, good, bad):
    OperationActor(operation, (I8,) * count, (I8,), good)
    with pytest.raises(Invalid, match=r"^payload: .* \[actor-payload-flag\]$"):
        OperationActor(operation, (I8,) * count, (I8,), bad)


def test_a_rounding_mode_stands_where_something_is_rounded():
    mode = FloatingPoint(rounding=RoundingMode.UPWARD)
    OperationActor(O.ARITH_ADDF, (F32, F32), (F32,), mode)
    with pytest.raises(Invalid, match=r"^payload\.rounding: .* not upward \[actor-rounding\]$"):
        OperationActor(O.ARITH_NEGF, (F32,), (F32,), mode)


def test_a_memory_actor_has_another_projection():
    with pytest.raises(TypeError, match=r"^Actor must not be a memory actor"):
        OperationActor(O.DATAFLOW_LOAD, (I32,), (I8,), NONE)
