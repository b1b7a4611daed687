"""Bytes of the semantic payloads whose encoding their owner gives; every scalar is a u32be.

A mask is a u32be, a boolean a u32be 0 or 1, an enumerated value its u32be tag.
"""

import enum
from typing import TypeVar

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.schema.payload import (
    Disjoint,
    Exact,
    FloatCompare,
    FloatingPoint,
    IntegerCompare,
    IntegerMinPoison,
    IntegerOverflowFlags,
    NonNegative,
    NoPayload,
    Payload,
    SpecialMathAccuracy,
    StreamRecurrence,
    ZeroPoison,
)
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerOverflow,
    IntegerPredicate,
    RoundingMode,
    SemanticPayloadCase,
    SpecialMathAccuracyTier,
    StreamStepKind,
)
from fabricgen.wire.frame import Reader, u32be

__all__ = ["ENCODED_CASES", "decode_payload", "encode_payload", "read_flags"]

_C = SemanticPayloadCase
_F = TypeVar("_F", bound=enum.Flag)

#: Cases that have bytes.
ENCODED_CASES = frozenset(
    {
        _C.NONE,
        _C.ARITH_FLOATING_POINT,
        _C.SPECIAL_MATH_ACCURACY,
        _C.ARITH_INTEGER_OVERFLOW,
        _C.ARITH_INTEGER_COMPARE,
        _C.ARITH_FLOAT_COMPARE,
        _C.STREAM_RECURRENCE,
        _C.LLVM_ZERO_POISON,
        _C.LLVM_INTEGER_MIN_POISON,
        _C.LLVM_DISJOINT,
        _C.ARITH_EXACT,
        _C.ARITH_NON_NEGATIVE,
    }
)


def encode_payload(payload: Payload) -> bytes:
    """Encode a payload; one without an owner's encoding is a ``TypeError``."""
    match payload:
        case NoPayload():
            return b""
        case FloatingPoint(fast_math, rounding):
            tail = b"" if rounding is None else u32be(rounding.value)
            return u32be(fast_math.value) + u32be(rounding is not None) + tail
        case SpecialMathAccuracy(fast_math, tier):
            return u32be(fast_math.value) + u32be(tier.value)
        case IntegerOverflowFlags(flags):
            return u32be(flags.value)
        case IntegerCompare(predicate):
            return u32be(predicate.value)
        case FloatCompare(predicate, fast_math):
            return u32be(predicate.value) + u32be(fast_math.value)
        case StreamRecurrence(step, predicate):
            return u32be(step.value) + u32be(predicate.value)
        case (
            ZeroPoison(flag)
            | IntegerMinPoison(flag)
            | Disjoint(flag)
            | Exact(flag)
            | NonNegative(flag)
        ):
            return u32be(flag)
        case _:
            raise TypeError(f"A payload must have an encoding of its owner, not be {payload!r}")


def decode_payload(case: SemanticPayloadCase, data: bytes) -> Payload:
    """Decode the payload of a case in :data:`ENCODED_CASES`, to the last byte."""
    reader = Reader(data)
    payload = _read(case, reader)
    reader.end()
    return payload


def _read(case: SemanticPayloadCase, reader: Reader) -> Payload:
    match case:
        case _C.NONE:
            return NoPayload()
        case _C.ARITH_FLOATING_POINT:
            fast_math = read_flags(reader, FastMath)
            has_rounding = _boolean(reader)
            return FloatingPoint(fast_math, reader.tag(RoundingMode) if has_rounding else None)
        case _C.SPECIAL_MATH_ACCURACY:
            return SpecialMathAccuracy(
                read_flags(reader, FastMath), reader.tag(SpecialMathAccuracyTier)
            )
        case _C.ARITH_INTEGER_OVERFLOW:
            return IntegerOverflowFlags(read_flags(reader, IntegerOverflow))
        case _C.ARITH_INTEGER_COMPARE:
            return IntegerCompare(reader.tag(IntegerPredicate))
        case _C.ARITH_FLOAT_COMPARE:
            return FloatCompare(reader.tag(FloatPredicate), read_flags(reader, FastMath))
        case _C.STREAM_RECURRENCE:
            return StreamRecurrence(reader.tag(StreamStepKind), reader.tag(IntegerPredicate))
        case _C.LLVM_ZERO_POISON:
            return ZeroPoison(_boolean(reader))
        case _C.LLVM_INTEGER_MIN_POISON:
            return IntegerMinPoison(_boolean(reader))
        case _C.LLVM_DISJOINT:
            return Disjoint(_boolean(reader))
        case _C.ARITH_EXACT:
            return Exact(_boolean(reader))
        case _C.ARITH_NON_NEGATIVE:
            return NonNegative(_boolean(reader))
        case _:
            raise TypeError(f"A payload case must have an encoding, not be {case!r}")


def _boolean(reader: Reader) -> bool:
    value = reader.u32()
    if value > 1:
        raise reader.unknown("boolean", value)
    return value == 1


def read_flags(reader: Reader, kind: type[_F]) -> _F:
    """Read a u32be mask; a bit that ``kind`` does not have is ``Invalid``."""
    mask = reader.u32()
    known = 0
    for member in kind:
        known |= member.value
    if mask & ~known:
        raise Invalid(
            Diagnostic(
                "payload-range",
                "bytes",
                f"The mask of {kind.__name__} must be within {known:#x}, not {mask:#x}",
            )
        )
    return kind(mask)
