"""Semantic payload of one compute or control actor: one typed record per case.

The memory contract is no payload of this module: memory actors have their own projection
(:mod:`fabricgen.schema.actor`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.strict import StrictRecord
from fabricgen.schema.types import FloatType, IndexType, IntegerType, VectorType
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    GepNoWrap,
    IntegerOverflow,
    IntegerPredicate,
    RoundingMode,
    SemanticPayloadCase,
    SpecialMathAccuracyTier,
    StreamStepKind,
)
from fabricgen.vocab.words import word

__all__ = [
    "PAYLOAD_CASES",
    "AggregatePosition",
    "Disjoint",
    "Exact",
    "FloatCompare",
    "FloatingPoint",
    "GetElementPtr",
    "IntegerCompare",
    "IntegerMinPoison",
    "IntegerOverflowFlags",
    "NoPayload",
    "NonNegative",
    "Payload",
    "RegisteredIntrinsic",
    "ShuffleMask",
    "SpecialMathAccuracy",
    "StaticPosition",
    "StreamRecurrence",
    "TypedConstant",
    "ZeroPoison",
]


@dataclass(frozen=True, slots=True)
class NoPayload:
    """The operation has no attributes."""


@dataclass(frozen=True, slots=True)
class FloatingPoint:
    """Permissions and rounding of floating-point arithmetic.

    ``rounding`` is ``None`` where the operation names no mode; it then rounds to nearest even.
    """

    fast_math: FastMath = FastMath.NONE
    rounding: RoundingMode | None = None


@dataclass(frozen=True, slots=True)
class SpecialMathAccuracy:
    """Permissions of a special function and the weakest accuracy that the actor accepts.

    A tier other than correctly rounded needs the ``afn`` permission.
    """

    fast_math: FastMath = FastMath.NONE
    tier: SpecialMathAccuracyTier = SpecialMathAccuracyTier.CORRECTLY_ROUNDED

    def __post_init__(self) -> None:
        strict = self.tier is SpecialMathAccuracyTier.CORRECTLY_ROUNDED
        if not strict and FastMath.AFN not in self.fast_math:
            raise Invalid(
                Diagnostic(
                    "payload-accuracy-needs-afn",
                    "tier",
                    f"The tier must be correctly_rounded without afn, not {word(self.tier)}",
                )
            )


@dataclass(frozen=True, slots=True)
class IntegerOverflowFlags:
    """Promises that an integer operation does not overflow."""

    flags: IntegerOverflow = IntegerOverflow.NONE


@dataclass(frozen=True, slots=True)
class IntegerCompare:
    """Predicate of an integer comparison."""

    predicate: IntegerPredicate


@dataclass(frozen=True, slots=True)
class FloatCompare:
    """Predicate and permissions of a floating-point comparison."""

    predicate: FloatPredicate
    fast_math: FastMath = FastMath.NONE


@dataclass(frozen=True, slots=True)
class TypedConstant(StrictRecord):
    """Constant of a type: the bits of each lane, lane 0 first; a scalar has one lane.

    An integer's bits are its two's complement, a float's its IEEE encoding.
    """

    type: IntegerType | FloatType | IndexType | VectorType
    lanes: tuple[int, ...]

    @property
    def bits(self) -> int:
        """The complete value, lane 0 lowest."""
        width = _lane_bits(self.type)
        return sum(lane << (width * ordinal) for ordinal, lane in enumerate(self.lanes))

    def _findings(self) -> Iterator[Diagnostic]:
        count = self.type.lanes if isinstance(self.type, VectorType) else 1
        if len(self.lanes) != count:
            yield _range("lanes", f"{count} lanes for {self.type}", len(self.lanes))
        width = _lane_bits(self.type)
        for ordinal, lane in enumerate(self.lanes):
            if not 0 <= lane < 1 << width:
                yield _range(f"lanes[{ordinal}]", f"the bits of a lane of {width} bits", lane)


@dataclass(frozen=True, slots=True)
class StreamRecurrence:
    """Step of a stream and the predicate ``(current, limit)`` under which it goes on."""

    step: StreamStepKind
    predicate: IntegerPredicate


@dataclass(frozen=True, slots=True)
class ZeroPoison:
    """Whether counting the zeros of 0 is poison."""

    is_zero_poison: bool


@dataclass(frozen=True, slots=True)
class IntegerMinPoison:
    """Whether the absolute value of the least integer is poison."""

    is_int_min_poison: bool


@dataclass(frozen=True, slots=True)
class AggregatePosition:
    """Path into an aggregate: an ordinal for each level, at least one."""

    position: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.position or any(each < 0 for each in self.position):
            raise Invalid(_range("position", "one ordinal or more", self.position))


@dataclass(frozen=True, slots=True)
class Exact:
    """Whether a division or right shift promises to lose no set bit."""

    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class NonNegative:
    """Whether the operand is promised to be non-negative."""

    is_non_negative: bool = False


@dataclass(frozen=True, slots=True)
class StaticPosition:
    """Indices of leading vector dimensions; ``None`` is a dynamic one, -1 a poisonous one."""

    components: tuple[int | None, ...]

    def __post_init__(self) -> None:
        if any(each is not None and each < -1 for each in self.components):
            raise Invalid(_range("components", "indices from -1 on, or dynamic", self.components))

    @property
    def dynamic_count(self) -> int:
        """Components that come as operands."""
        return self.components.count(None)


@dataclass(frozen=True, slots=True)
class ShuffleMask:
    """Source block of each result block, counted across both operands; -1 is poison."""

    selectors: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.selectors or any(each < -1 for each in self.selectors):
            raise Invalid(
                _range("selectors", "one block ordinal or more, each from -1 on", self.selectors)
            )


@dataclass(frozen=True, slots=True)
class Disjoint:
    """Whether the operands of an OR promise to share no set bit."""

    is_disjoint: bool


@dataclass(frozen=True, slots=True)
class RegisteredIntrinsic:
    """The schema names the intrinsic; there is nothing else to say."""


@dataclass(frozen=True, slots=True)
class GetElementPtr:
    """Element type, signed 32-bit index list and promises of an address computation."""

    element: IntegerType | FloatType | VectorType
    indices: tuple[int, ...]
    no_wrap: GepNoWrap = GepNoWrap.NONE

    def __post_init__(self) -> None:
        if not self.indices or any(not -(2**31) <= each < 2**31 for each in self.indices):
            raise Invalid(_range("indices", "one signed 32-bit number or more", self.indices))


Payload = (
    NoPayload
    | FloatingPoint
    | SpecialMathAccuracy
    | IntegerOverflowFlags
    | IntegerCompare
    | FloatCompare
    | TypedConstant
    | StreamRecurrence
    | ZeroPoison
    | IntegerMinPoison
    | AggregatePosition
    | Exact
    | NonNegative
    | StaticPosition
    | ShuffleMask
    | Disjoint
    | RegisteredIntrinsic
    | GetElementPtr
)

_C = SemanticPayloadCase
#: Record of each case; the memory contract has another projection.
PAYLOAD_CASES: dict[SemanticPayloadCase, type[Payload]] = {
    _C.NONE: NoPayload,
    _C.ARITH_FLOATING_POINT: FloatingPoint,
    _C.ARITH_INTEGER_OVERFLOW: IntegerOverflowFlags,
    _C.ARITH_INTEGER_COMPARE: IntegerCompare,
    _C.ARITH_FLOAT_COMPARE: FloatCompare,
    _C.TYPED_CONSTANT_VALUE: TypedConstant,
    _C.STREAM_RECURRENCE: StreamRecurrence,
    _C.LLVM_ZERO_POISON: ZeroPoison,
    _C.LLVM_INTEGER_MIN_POISON: IntegerMinPoison,
    _C.LLVM_AGGREGATE_POSITION: AggregatePosition,
    _C.ARITH_EXACT: Exact,
    _C.ARITH_NON_NEGATIVE: NonNegative,
    _C.VECTOR_STATIC_POSITION: StaticPosition,
    _C.VECTOR_SHUFFLE_MASK: ShuffleMask,
    _C.LLVM_DISJOINT: Disjoint,
    _C.LLVM_REGISTERED_INTRINSIC: RegisteredIntrinsic,
    _C.LLVM_GET_ELEMENT_PTR_SEMANTICS: GetElementPtr,
    _C.SPECIAL_MATH_ACCURACY: SpecialMathAccuracy,
}


def _lane_bits(kind: IntegerType | FloatType | IndexType | VectorType) -> int:
    return kind.element.bits if isinstance(kind, VectorType) else kind.bits


def _range(where: str, requirement: str, value: object) -> Diagnostic:
    return Diagnostic("payload-range", where, f"The value must be {requirement}, not {value}")
