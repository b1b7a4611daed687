"""Hypothesis strategies for every parameter record, and for concrete resources."""

from hypothesis import strategies as st

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.errors import Invalid
from fabricgen.hsg.params import PARAMS as CLASSES
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import FloatBehaviorProfile, IntegerCastRelation
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.sets import sorted_pairs, sorted_set
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import CapabilityParamsSchemaId as P
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import (
    FloatNaNBehavior,
    FloatSignedZeroBehavior,
    FloatSubnormalBehavior,
)
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerPredicate,
    RoundingMode,
    SpecialMathAccuracyTier,
    StreamStepKind,
)
from tests.support.hsg import FF, ORDINARY, PARAMS, W, X, resource, shape

U32 = st.integers(0, 2**32 - 1)
POSITIVE = st.integers(1, 2**32 - 1)
FLAGS = st.integers(0, 127).map(FastMath)


def sets(values, least=1):
    return st.sets(st.sampled_from(list(values)), min_size=least).map(sorted_set)


def pairs(left, right, keep=lambda pair: True):
    every = [pair for pair in ((a, b) for a in left for b in right) if keep(pair)]
    return st.sets(st.sampled_from(every), min_size=1).map(sorted_pairs)


def behaviors(roundings=None):
    return st.builds(
        FloatBehaviorProfile,
        sets(RoundingMode) if roundings is None else st.just(roundings),
        sets(FloatNaNBehavior),
        sets(FloatSubnormalBehavior),
        sets(FloatSignedZeroBehavior),
        FLAGS,
    )


@st.composite
def pointers(draw):
    bits = draw(POSITIVE)
    return PointerFormat(draw(U32), bits, draw(st.integers(1, bits)))


def elements(widths=W):
    """Two sets, not both empty."""
    return st.tuples(sets(widths, 0), sets(FF, 0)).filter(any)


def with_elements(cls, *rest, widths=W):
    return st.tuples(elements(widths), *rest).map(lambda drawn: cls(*drawn[0], *drawn[1:]))


@st.composite
def slices(draw):
    container = draw(POSITIVE)
    rank = draw(st.integers(0, 3))
    widths = draw(sets(X)) if rank else ()
    part = draw(st.integers(1, container))
    return CLASSES[P.FIXED_VECTOR_SLICE_ALIGN_MERGE](
        *draw(elements()), container, part, rank, widths
    )


@st.composite
def shuffles(draw):
    operand, result = draw(POSITIVE), draw(POSITIVE)
    block = draw(st.integers(1, min(operand, result)))
    blocks = draw(st.integers(2, 2**32 - 1)), draw(POSITIVE)
    return CLASSES[P.FIXED_VECTOR_SHUFFLE](*draw(elements()), operand, result, block, *blocks)


@st.composite
def special_maths(draw):
    behavior = draw(behaviors())
    is_free = FastMath.AFN in behavior.required_fast_math
    tiers = (
        list(SpecialMathAccuracyTier) if is_free else [SpecialMathAccuracyTier.CORRECTLY_ROUNDED]
    )
    return CLASSES[P.SCALAR_SPECIAL_MATH](draw(sets(FF)), behavior, draw(st.sampled_from(tiers)))


NEAREST = behaviors((RoundingMode.TO_NEAREST_EVEN,))
#: Any legal record of each parameter schema.
RECORDS = {
    P.SCALAR_INTEGER: st.builds(
        CLASSES[P.SCALAR_INTEGER],
        sets(W),
        st.sets(pointers(), max_size=3).map(sorted).map(tuple),
    ),
    P.SCALAR_INTEGER_COMPARE_MIN_MAX: st.builds(
        CLASSES[P.SCALAR_INTEGER_COMPARE_MIN_MAX], sets(ORDINARY), sets(IntegerPredicate, 0)
    ),
    P.SCALAR_VALUE_SELECT: with_elements(CLASSES[P.SCALAR_VALUE_SELECT]),
    P.SCALAR_INTEGER_CAST: st.builds(
        CLASSES[P.SCALAR_INTEGER_CAST],
        st.builds(IntegerCastRelation, pairs(W, W), sets(X, 0)),
    ),
    P.SCALAR_BIT_REINTERPRET: with_elements(CLASSES[P.SCALAR_BIT_REINTERPRET], widths=ORDINARY),
    P.SCALAR_FLOAT: st.builds(CLASSES[P.SCALAR_FLOAT], sets(FF), behaviors()),
    P.SCALAR_FLOAT_COMPARE_MIN_MAX: st.builds(
        CLASSES[P.SCALAR_FLOAT_COMPARE_MIN_MAX], sets(FF), NEAREST, sets(FloatPredicate)
    ),
    P.SCALAR_FLOAT_WIDTH_CAST: st.builds(
        CLASSES[P.SCALAR_FLOAT_WIDTH_CAST],
        pairs(FF, FF, lambda pair: pair[0].bits != pair[1].bits),
        behaviors(),
    ),
    P.SCALAR_INTEGER_FLOAT_CONVERSION: st.builds(
        CLASSES[P.SCALAR_INTEGER_FLOAT_CONVERSION], pairs(ORDINARY, FF)
    ),
    P.LOOP_STREAM: st.builds(
        CLASSES[P.LOOP_STREAM],
        sets(ORDINARY),
        st.sampled_from(StreamStepKind),
        sets(IntegerPredicate),
    ),
    P.TOKEN_PLANE: st.builds(CLASSES[P.TOKEN_PLANE]),
    P.FIXED_VECTOR_INTEGER: st.builds(CLASSES[P.FIXED_VECTOR_INTEGER], sets(W), POSITIVE),
    P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX: st.builds(
        CLASSES[P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX],
        sets(ORDINARY),
        sets(IntegerPredicate, 0),
        POSITIVE,
    ),
    P.FIXED_VECTOR_VALUE_SELECT: with_elements(CLASSES[P.FIXED_VECTOR_VALUE_SELECT], POSITIVE),
    P.FIXED_VECTOR_FLOAT: st.builds(CLASSES[P.FIXED_VECTOR_FLOAT], sets(FF), behaviors(), POSITIVE),
    P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX: st.builds(
        CLASSES[P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX],
        sets(FF),
        NEAREST,
        sets(FloatPredicate),
        POSITIVE,
    ),
    P.FIXED_VECTOR_ADAPTER: with_elements(CLASSES[P.FIXED_VECTOR_ADAPTER], POSITIVE),
    P.PAYLOAD_CAPACITY: st.builds(CLASSES[P.PAYLOAD_CAPACITY], POSITIVE),
    P.ROUTED_TOKEN: st.builds(CLASSES[P.ROUTED_TOKEN], POSITIVE, POSITIVE),
    P.FIXED_VECTOR_SLICE_ALIGN_MERGE: slices(),
    P.FIXED_VECTOR_SHUFFLE: shuffles(),
    P.SCALAR_SPECIAL_MATH: special_maths(),
}


@st.composite
def concrete(draw):
    """A resource of any family: drawn members, parameters and widths where they are legal."""
    family = draw(st.sampled_from(F))
    row, usual = FAMILIES[family], shape(family)
    members = [
        each for each in row.admitted_operation_schema_ids if each is not O.LLVM_GET_ELEMENT_PTR
    ]
    chosen = draw(st.sets(st.sampled_from(members), min_size=1))
    schema = row.capability_params_schema_id
    params = draw(st.just(PARAMS[schema]) | RECORDS[schema])
    width = st.sampled_from([1, 8, 32, 64, 128, 200])
    inputs, outputs = (
        draw(st.lists(width, min_size=len(each), max_size=len(each)).map(tuple))
        for each in (usual.inputs, usual.outputs)
    )
    timing = ResourceTiming(draw(U32), draw(POSITIVE))
    try:
        return FabricOp.of(family, chosen, params, PhysicalPorts(inputs, outputs), timing)
    except Invalid:
        return resource(family, timing=timing)
