"""One small resource of every family that has a provider, and one for each further shape."""

from dataclasses import replace

from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.vector_params import (
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
    FixedVectorShuffleParams,
    FixedVectorSliceAlignMergeParams,
    FixedVectorValueSelectParams,
)
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import IntegerWidth as W
from fabricgen.vocab.hardware import ResolvedIndexWidth as X
from fabricgen.vocab.operations import IntegerPredicate as P
from tests.support import token_ops as token
from tests.support.hsg import resource
from tests.support.integer_ops import cast_op, integer_op

_LANES = (W.I8, W.I16)
_VECTOR = FixedVectorIntegerParams(_LANES, 32)
_COMPARE = FixedVectorIntegerCompareMinMaxParams(_LANES, (P.EQ, P.SLT), 32)
_SLICE = FixedVectorSliceAlignMergeParams((W.I8,), (), 32, 16, 1, (X.I32,))
_SHUFFLE = FixedVectorShuffleParams(_LANES, (), 32, 32, 16, 4, 4)


def _integer(family: F, *operations: O, latency: int = 1, interval: int = 1) -> FabricOp:
    return integer_op(
        family,
        *operations,
        widths=(8, 16),
        predicates=(P.EQ, P.SLT, P.ULT),
        latency=latency,
        interval=interval,
    )


def _vector(family: F, params, inputs=(32, 32), outputs=(32,)) -> FabricOp:
    return resource(family, params=params, inputs=inputs, outputs=outputs)


#: One small resource of each family that has a provider.
SMALL: dict[F, FabricOp] = {
    **{
        family: _integer(family)
        for family in (
            F.SCALAR_INTEGER_ADD_SUB,
            F.SCALAR_INTEGER_SATURATING_ADD_SUB,
            F.SCALAR_INTEGER_LOGIC,
            F.SCALAR_INTEGER_SHIFT,
            F.SCALAR_INTEGER_COMPARE_MIN_MAX,
            F.SCALAR_VALUE_SELECT,
            F.SCALAR_BIT_REINTERPRET,
            F.SCALAR_INTEGER_MULTIPLY,
            F.SCALAR_INTEGER_COUNT_ZEROS,
        )
    },
    F.SCALAR_SIGNED_INTEGER_DIV_REM: _integer(
        F.SCALAR_SIGNED_INTEGER_DIV_REM, latency=18, interval=18
    ),
    F.SCALAR_UNSIGNED_INTEGER_DIV_REM: _integer(
        F.SCALAR_UNSIGNED_INTEGER_DIV_REM, latency=17, interval=17
    ),
    F.SCALAR_INTEGER_CAST: cast_op(
        O.ARITH_EXTSI, O.ARITH_TRUNCI, pairs=[(8, 32), (32, 8)], ports=(32, 32)
    ),
    **{
        family: _vector(family, _VECTOR)
        for family in (
            F.FIXED_VECTOR_INTEGER_ADD_SUB,
            F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB,
            F.FIXED_VECTOR_INTEGER_LOGIC,
            F.FIXED_VECTOR_INTEGER_SHIFT,
            F.FIXED_VECTOR_INTEGER_MULTIPLY,
        )
    },
    F.FIXED_VECTOR_INTEGER_COUNT_ZEROS: _vector(
        F.FIXED_VECTOR_INTEGER_COUNT_ZEROS, _VECTOR, inputs=(32,)
    ),
    F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX: _vector(
        F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX, _COMPARE
    ),
    F.FIXED_VECTOR_VALUE_SELECT: _vector(
        F.FIXED_VECTOR_VALUE_SELECT,
        FixedVectorValueSelectParams(_LANES, (), 32),
        inputs=(4, 32, 32),
    ),
    F.FIXED_VECTOR_SLICE_ALIGN_MERGE: _vector(
        F.FIXED_VECTOR_SLICE_ALIGN_MERGE, _SLICE, inputs=(32, 32, 32)
    ),
    F.FIXED_VECTOR_SHUFFLE: _vector(F.FIXED_VECTOR_SHUFFLE, _SHUFFLE),
    F.FIXED_VECTOR_PACK: token.copy(),
    F.FIXED_VECTOR_UNPACK: token.copy(F.FIXED_VECTOR_UNPACK),
    F.FIXED_VECTOR_PARALLELIZE: token.parallelize(32, (8, 16)),
    F.FIXED_VECTOR_SERIALIZE: token.serialize(32, (8, 16)),
    F.TOKEN_CONSTANT: token.constant(),
    F.TOKEN_SYNC: token.sync((8, 0, 8), (8, 0, 8)),
    F.TOKEN_MUX: token.mux((8, 4, 0), selector=32),
    F.TOKEN_DEMUX: token.demux((8, 4, 0), selector=32),
    F.LOOP_CARRY: token.carry(),
    F.LOOP_INVARIANT: token.invariant(),
    F.LOOP_GATE: token.gate(),
    F.LOOP_STREAM: token.stream(widths=(8, 16), predicates=("SLT", "NE")),
}


def timed(family: F, latency: int, interval: int = 1) -> FabricOp:
    """The small resource of a family with another timing."""
    return replace(SMALL[family], timing=ResourceTiming(latency, interval))
