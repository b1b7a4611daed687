import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.errors import Invalid
from fabricgen.schema.payload import (
    AggregatePosition,
    Disjoint,
    Exact,
    FloatCompare,
    FloatingPoint,
    GetElementPtr,
    IntegerCompare,
    IntegerMinPoison,
    IntegerOverflowFlags,
    NonNegative,
    NoPayload,
    ShuffleMask,
    SpecialMathAccuracy,
    StaticPosition,
    StreamRecurrence,
    TypedConstant,
    ZeroPoison,
)
from fabricgen.schema.payload_codec import ENCODED_CASES, decode_payload, encode_payload
from fabricgen.schema.types import FloatType, IntegerType, PointerType, VectorType
from fabricgen.vocab.hardware import FloatFormat
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

C = SemanticPayloadCase
FLAGS = st.integers(0, 127).map(FastMath)


def accuracies():
    tiers = st.sampled_from(SpecialMathAccuracyTier)
    exact = FLAGS.map(SpecialMathAccuracy)
    return exact | st.builds(
        lambda flags, tier: SpecialMathAccuracy(flags | FastMath.AFN, tier), FLAGS, tiers
    )


PAYLOADS = {
    C.NONE: st.just(NoPayload()),
    C.ARITH_FLOATING_POINT: st.builds(
        FloatingPoint, FLAGS, st.none() | st.sampled_from(RoundingMode)
    ),
    C.SPECIAL_MATH_ACCURACY: accuracies(),
    C.ARITH_INTEGER_OVERFLOW: st.integers(0, 3).map(IntegerOverflow).map(IntegerOverflowFlags),
    C.ARITH_INTEGER_COMPARE: st.sampled_from(IntegerPredicate).map(IntegerCompare),
    C.ARITH_FLOAT_COMPARE: st.builds(FloatCompare, st.sampled_from(FloatPredicate), FLAGS),
    C.STREAM_RECURRENCE: st.builds(
        StreamRecurrence, st.sampled_from(StreamStepKind), st.sampled_from(IntegerPredicate)
    ),
    C.LLVM_ZERO_POISON: st.booleans().map(ZeroPoison),
    C.LLVM_INTEGER_MIN_POISON: st.booleans().map(IntegerMinPoison),
    C.LLVM_DISJOINT: st.booleans().map(Disjoint),
    C.ARITH_EXACT: st.booleans().map(Exact),
    C.ARITH_NON_NEGATIVE: st.booleans().map(NonNegative),
}
CASES = st.sampled_from(sorted(PAYLOADS, key=lambda case: case.value))


def test_each_encoded_case_is_drawn():
    assert set(PAYLOADS) == ENCODED_CASES


def test_case_tags_are_dense():
    assert [case.value for case in C] == [0x4C530101 + n for n in range(19)]


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (NoPayload(), []),
        (FloatingPoint(FastMath.NNAN | FastMath.AFN), [0x42, 0]),
        (FloatingPoint(FastMath.NONE, RoundingMode.TOWARD_ZERO), [0, 1, 4]),
        (SpecialMathAccuracy(FastMath.AFN, SpecialMathAccuracyTier.MAX_2_ULP), [0x40, 0x4C534103]),
        (IntegerOverflowFlags(IntegerOverflow.NUW), [2]),
        (IntegerCompare(IntegerPredicate.UGE), [10]),
        (FloatCompare(FloatPredicate.UNE, FastMath.NSZ), [14, 8]),
        (StreamRecurrence(StreamStepKind.LSHR, IntegerPredicate.SLT), [8, 3]),
        (ZeroPoison(True), [1]),
        (Exact(False), [0]),
    ],
)
def test_bytes_of_a_payload(payload, words):
    assert encode_payload(payload) == b"".join(word.to_bytes(4, "big") for word in words)


@given(CASES.flatmap(lambda case: st.tuples(st.just(case), PAYLOADS[case])))
def test_a_payload_comes_back(drawn):
    case, payload = drawn
    assert decode_payload(case, encode_payload(payload)) == payload


@given(CASES.flatmap(lambda case: st.tuples(st.just(case), PAYLOADS[case])), st.data())
def test_changed_bytes_are_refused_or_another_payload(drawn, data):
    case, payload = drawn
    wire = bytearray(encode_payload(payload))
    if not wire:
        wire = bytearray(b"\0")
    wire[data.draw(st.integers(0, len(wire) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        other = decode_payload(case, bytes(wire))
    except Invalid:
        return
    assert other != payload
    assert encode_payload(other) == bytes(wire)


@pytest.mark.parametrize(
    ("case", "words", "code"),
    [
        (C.ARITH_FLOATING_POINT, [128, 0], "payload-range"),
        (C.ARITH_FLOATING_POINT, [0, 2], "wire-unknown-tag"),
        (C.ARITH_FLOATING_POINT, [0, 1], "wire-truncated"),
        (C.ARITH_FLOATING_POINT, [0, 1, 6], "wire-unknown-tag"),
        (C.ARITH_FLOATING_POINT, [0, 0, 1], "wire-trailing"),
        (C.SPECIAL_MATH_ACCURACY, [0, 0x4C534102], "payload-accuracy-needs-afn"),
        (C.ARITH_INTEGER_OVERFLOW, [4], "payload-range"),
        (C.ARITH_INTEGER_COMPARE, [0], "wire-unknown-tag"),
        (C.ARITH_FLOAT_COMPARE, [17, 0], "wire-unknown-tag"),
        (C.STREAM_RECURRENCE, [9, 1], "wire-unknown-tag"),
        (C.ARITH_EXACT, [2], "wire-unknown-tag"),
    ],
)
def test_bad_bytes_have_a_code(case, words, code):
    with pytest.raises(Invalid) as caught:
        decode_payload(case, b"".join(word.to_bytes(4, "big") for word in words))
    assert [each.code for each in caught.value.diagnostics] == [code]


def test_a_payload_without_an_encoding_is_a_bug():
    with pytest.raises(TypeError, match=r"^A payload must have an encoding"):
        encode_payload(ShuffleMask((0,)))
    with pytest.raises(TypeError, match=r"^A payload case must have an encoding"):
        decode_payload(C.VECTOR_SHUFFLE_MASK, b"")


@pytest.mark.parametrize(
    "build",
    [
        lambda: TypedConstant(IntegerType(8), (256,)),
        lambda: TypedConstant(IntegerType(8), ()),
        lambda: TypedConstant(VectorType((2,), IntegerType(8)), (1,)),
        lambda: StaticPosition((-2,)),
        lambda: ShuffleMask(()),
        lambda: ShuffleMask((-2,)),
        lambda: AggregatePosition(()),
        lambda: AggregatePosition((-1,)),
        lambda: GetElementPtr(IntegerType(8), (2**31,)),
    ],
)
def test_a_payload_out_of_range_is_refused(build):
    with pytest.raises(Invalid, match=r"\[payload-range\]$"):
        build()


def test_accuracy_needs_afn():
    with pytest.raises(Invalid, match=r"^tier: .* not max_1_ulp \[payload-accuracy-needs-afn\]$"):
        SpecialMathAccuracy(FastMath.NNAN, SpecialMathAccuracyTier.MAX_1_ULP)
    SpecialMathAccuracy(FastMath.AFN, SpecialMathAccuracyTier.MAX_1_ULP)
    SpecialMathAccuracy(FastMath.NNAN)


def test_a_constant_has_lane_0_lowest():
    kind = VectorType((3,), IntegerType(8))
    assert TypedConstant(kind, (0x11, 0x22, 0x33)).bits == 0x332211
    assert TypedConstant(FloatType(FloatFormat.F16), (0x3C00,)).bits == 0x3C00


@pytest.mark.parametrize(
    "build",
    [
        lambda: IntegerType(0),
        lambda: VectorType((), IntegerType(8)),
        lambda: VectorType((2, 0), IntegerType(8)),
        lambda: VectorType((2**31, 2), IntegerType(1)),
    ],
)
def test_a_type_out_of_range_is_refused(build):
    with pytest.raises(Invalid, match=r"\[value-type-range\]$"):
        build()


def test_an_address_computation_has_signed_indices():
    indices = (-(2**31), 2**31 - 1)
    assert GetElementPtr(IntegerType(8), indices).indices == indices


def test_widths_of_types():
    pointer = PointerType(PointerFormat(1, 64, 48))
    assert (pointer.bits, str(pointer)) == (64, "ptr64<1,48>")
    assert VectorType((2, 3), FloatType(FloatFormat.BF16)).bits == 96
    assert VectorType((2, 3), FloatType(FloatFormat.BF16)).blocks(1) == 3
    assert str(VectorType((2, 3), FloatType(FloatFormat.BF16))) == "vector<2x3xbf16>"
