"""Enumerations inside the semantic payload of an operation. Values are the owner's wire tags."""

import enum

__all__ = [
    "SIGNED_PREDICATES",
    "ActorKind",
    "FastMath",
    "FloatPredicate",
    "GepNoWrap",
    "IntegerOverflow",
    "IntegerPredicate",
    "RoundingMode",
    "SemanticPayloadCase",
    "SpecialMathAccuracyTier",
    "StreamStepKind",
]

_CASE = 0x4C530101


class SemanticPayloadCase(enum.Enum):
    """Variant of the semantic payload of one schema; the tag is ``0x4c530101`` plus the id."""

    NONE = _CASE + 0
    ARITH_FLOATING_POINT = _CASE + 1
    ARITH_INTEGER_OVERFLOW = _CASE + 2
    ARITH_INTEGER_COMPARE = _CASE + 3
    ARITH_FLOAT_COMPARE = _CASE + 4
    TYPED_CONSTANT_VALUE = _CASE + 5
    STREAM_RECURRENCE = _CASE + 6
    MEMORY_CONTRACT = _CASE + 7
    LLVM_ZERO_POISON = _CASE + 8
    LLVM_INTEGER_MIN_POISON = _CASE + 9
    LLVM_AGGREGATE_POSITION = _CASE + 10
    ARITH_EXACT = _CASE + 11
    ARITH_NON_NEGATIVE = _CASE + 12
    VECTOR_STATIC_POSITION = _CASE + 13
    VECTOR_SHUFFLE_MASK = _CASE + 14
    LLVM_DISJOINT = _CASE + 15
    LLVM_REGISTERED_INTRINSIC = _CASE + 16
    LLVM_GET_ELEMENT_PTR_SEMANTICS = _CASE + 17
    SPECIAL_MATH_ACCURACY = _CASE + 18


class ActorKind(enum.Enum):
    """What realises an actor: a datapath, token control, or a memory occurrence. No wire tags."""

    COMPUTE = "compute"
    CONTROL = "control"
    MEMORY = "memory"


class FastMath(enum.Flag):
    """Permissions of one floating-point operation; the wire is the mask."""

    NONE = 0
    REASSOC = 1 << 0
    NNAN = 1 << 1
    NINF = 1 << 2
    NSZ = 1 << 3
    ARCP = 1 << 4
    CONTRACT = 1 << 5
    AFN = 1 << 6


class IntegerOverflow(enum.Flag):
    """Overflow promises of one integer operation; the wire is the mask."""

    NONE = 0
    NSW = 1 << 0
    NUW = 1 << 1


class GepNoWrap(enum.Flag):
    """No-wrap promises of one address computation; the wire is the mask."""

    NONE = 0
    INBOUNDS = 1 << 0
    NUSW = 1 << 1
    NUW = 1 << 2


class RoundingMode(enum.Enum):
    """How an inexact floating-point result is rounded."""

    TO_NEAREST_EVEN = 1
    DOWNWARD = 2
    UPWARD = 3
    TOWARD_ZERO = 4
    TO_NEAREST_AWAY = 5


class IntegerPredicate(enum.Enum):
    """Relation of two integers."""

    EQ = 1
    NE = 2
    SLT = 3
    SLE = 4
    SGT = 5
    SGE = 6
    ULT = 7
    ULE = 8
    UGT = 9
    UGE = 10


#: Relations of numbers in two's complement.
SIGNED_PREDICATES = frozenset(
    {IntegerPredicate.SLT, IntegerPredicate.SLE, IntegerPredicate.SGT, IntegerPredicate.SGE}
)


class FloatPredicate(enum.Enum):
    """Relation of two floating-point numbers; ``O`` is false and ``U`` is true on a NaN."""

    ALWAYS_FALSE = 1
    OEQ = 2
    OGT = 3
    OGE = 4
    OLT = 5
    OLE = 6
    ONE = 7
    ORD = 8
    UEQ = 9
    UGT = 10
    UGE = 11
    ULT = 12
    ULE = 13
    UNE = 14
    UNO = 15
    ALWAYS_TRUE = 16


class StreamStepKind(enum.Enum):
    """Integer operation that takes a stream from one value to the next."""

    ADD = 1
    SUB = 2
    MUL = 3
    SDIV = 4
    UDIV = 5
    SHL = 6
    ASHR = 7
    LSHR = 8


class SpecialMathAccuracyTier(enum.Enum):
    """Largest error of a special function, from strong to weak."""

    CORRECTLY_ROUNDED = 0x4C534101
    MAX_1_ULP = 0x4C534102
    MAX_2_ULP = 0x4C534103
    MAX_4_ULP = 0x4C534104
