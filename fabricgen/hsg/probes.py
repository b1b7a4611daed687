"""Actors that stand for all that a resource may admit of one enabled operation.

The behaviours of a resource are those of the probes that its admission accepts: one owner decides
what is reachable. Vectors have one lane, since lane counts configure nothing, but for groups,
whose lane count does.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from fabricgen.hsg.lanes import MAX_KEYS
from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
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
from fabricgen.schema.operation_actor import ROUNDED_OPERATIONS, OperationActor
from fabricgen.schema.operations import OPERATION_SCHEMAS
from fabricgen.schema.payload import (
    Disjoint,
    Exact,
    FloatCompare,
    FloatingPoint,
    IntegerCompare,
    IntegerOverflowFlags,
    NonNegative,
    NoPayload,
    Payload,
    RegisteredIntrinsic,
    ShuffleMask,
    SpecialMathAccuracy,
    StaticPosition,
    StreamRecurrence,
    TypedConstant,
    ZeroPoison,
)
from fabricgen.schema.types import (
    FloatType,
    IndexType,
    IntegerType,
    NoneType,
    ValueType,
    VectorType,
)
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth, ResolvedIndexWidth
from fabricgen.vocab.operations import (
    FastMath,
    RoundingMode,
    SemanticPayloadCase,
    SpecialMathAccuracyTier,
)

__all__ = ["probes"]

_O = OperationSchemaId
_C = SemanticPayloadCase
_I1 = IntegerType(1)
_EVERY_FLAG = ~FastMath.NONE
_WEAKEST = SpecialMathAccuracyTier.MAX_4_ULP
_Element = IntegerType | FloatType

#: Payloads that no configuration depends on.
_PLAIN: dict[SemanticPayloadCase, Payload] = {
    _C.NONE: NoPayload(),
    _C.ARITH_INTEGER_OVERFLOW: IntegerOverflowFlags(),
    _C.ARITH_EXACT: Exact(),
    _C.ARITH_NON_NEGATIVE: NonNegative(),
    _C.LLVM_ZERO_POISON: ZeroPoison(True),
    _C.LLVM_DISJOINT: Disjoint(True),
    _C.LLVM_REGISTERED_INTRINSIC: RegisteredIntrinsic(),
    _C.SPECIAL_MATH_ACCURACY: SpecialMathAccuracy(_EVERY_FLAG, _WEAKEST),
    _C.ARITH_FLOATING_POINT: FloatingPoint(_EVERY_FLAG),
}


def probes(
    operation: OperationSchemaId, params: CapabilityParams, ports: PhysicalPorts
) -> Iterator[OperationActor]:
    """Candidate actors of an enabled operation; admission says which are reachable."""
    match params:
        case ScalarIntegerParams(widths):
            yield from _uniform(operation, [_plain(operation)], _integers(widths), lifted=False)
        case ScalarIntegerCompareMinMaxParams(widths, predicates):
            payloads = _comparisons(operation, [IntegerCompare(each) for each in predicates])
            yield from _uniform(operation, payloads, _integers(widths), lifted=False)
        case ScalarValueSelectParams(widths, formats) | FixedVectorValueSelectParams(
            widths, formats
        ):
            lifted = isinstance(params, FixedVectorValueSelectParams)
            for element in _elements(widths, formats):
                kind = _lift(element, lifted)
                condition = _lift(_I1, lifted)
                yield _actor(operation, (condition, kind, kind), (kind,), NoPayload())
        case ScalarIntegerCastParams(relation):
            yield from _casts(operation, relation.width_pairs, relation.resolved_index_widths)
        case ScalarBitReinterpretParams(widths, formats):
            elements = _elements(widths, formats)
            for source, result in product(elements, elements):
                if source.bits == result.bits:
                    yield _actor(operation, (source,), (result,), NoPayload())
        case ScalarFloatParams(formats, behavior):
            payloads = _floating(operation, behavior.rounding_modes)
            yield from _uniform(operation, payloads, _floats(formats), lifted=False)
        case ScalarSpecialMathParams(formats):
            yield from _uniform(operation, [_plain(operation)], _floats(formats), lifted=False)
        case ScalarFloatCompareMinMaxParams(formats, _, predicates):
            compares = [FloatCompare(each, _EVERY_FLAG) for each in predicates]
            payloads = _comparisons(operation, compares)
            yield from _uniform(operation, payloads, _floats(formats), lifted=False)
        case ScalarFloatWidthCastParams(pairs, behavior):
            widens = operation is _O.ARITH_EXTF
            for (source, result), rounding in product(pairs, behavior.rounding_modes):
                if widens == (source.bits < result.bits):
                    mode = None if widens else rounding
                    payload = FloatingPoint(_EVERY_FLAG, mode)
                    yield _actor(operation, (FloatType(source),), (FloatType(result),), payload)
        case ScalarIntegerFloatConversionParams(pairs):
            into_float = operation in (_O.ARITH_SITOFP, _O.ARITH_UITOFP)
            for width, kind in pairs:
                ends: tuple[_Element, _Element] = IntegerType(width.bits), FloatType(kind)
                source, result = ends if into_float else ends[::-1]
                yield _actor(operation, (source,), (result,), _plain(operation))
        case LoopStreamParams(widths, step, predicates):
            for width, predicate in product(_integers(widths), predicates):
                payload = StreamRecurrence(step, predicate)
                yield _actor(operation, (width,) * 3, (width, _I1), payload)
        case TokenPlaneParams():
            yield _token_plane(operation)
        case FixedVectorIntegerParams(widths):
            yield from _uniform(operation, [_plain(operation)], _integers(widths), lifted=True)
        case FixedVectorIntegerCompareMinMaxParams(widths, predicates):
            payloads = _comparisons(operation, [IntegerCompare(each) for each in predicates])
            yield from _uniform(operation, payloads, _integers(widths), lifted=True)
        case FixedVectorFloatParams(formats, behavior):
            payloads = _floating(operation, behavior.rounding_modes)
            yield from _uniform(operation, payloads, _floats(formats), lifted=True)
        case FixedVectorFloatCompareMinMaxParams(formats, _, predicates):
            compares = [FloatCompare(each, _EVERY_FLAG) for each in predicates]
            payloads = _comparisons(operation, compares)
            yield from _uniform(operation, payloads, _floats(formats), lifted=True)
        case FixedVectorAdapterParams(widths, formats, payload_bits):
            yield from _adapters(operation, _elements(widths, formats), payload_bits, ports)
        case PayloadCapacityParams():
            yield _actor(operation, (NoneType(),), (_I1,), TypedConstant(_I1, (0,)))
        case RoutedTokenParams():
            yield _routed(operation)
        case FixedVectorSliceAlignMergeParams(widths, formats):
            for element in _elements(widths, formats):
                yield _slice(operation, element)
        case FixedVectorShuffleParams(widths, formats):  # exhaustive
            for element in _elements(widths, formats):
                kind = _lift(element, True)
                yield _actor(operation, (kind, kind), (kind,), ShuffleMask((0,)))


def _actor(
    operation: OperationSchemaId,
    operands: tuple[ValueType, ...],
    results: tuple[ValueType, ...],
    payload: Payload,
) -> OperationActor:
    return OperationActor(operation, operands, results, payload)


def _integers(widths: Sequence[IntegerWidth]) -> list[IntegerType]:
    return [IntegerType(width.bits) for width in widths]


def _floats(formats: Sequence[FloatFormat]) -> list[FloatType]:
    return [FloatType(each) for each in formats]


def _elements(widths: Sequence[IntegerWidth], formats: Sequence[FloatFormat]) -> list[_Element]:
    return [*_integers(widths), *_floats(formats)]


def _lift(element: _Element, lifted: bool) -> ValueType:
    return VectorType((1,), element) if lifted else element


def _plain(operation: OperationSchemaId) -> Payload:
    return _PLAIN[OPERATION_SCHEMAS[operation].payload_case]


def _comparisons(operation: OperationSchemaId, compares: Sequence[Payload]) -> list[Payload]:
    if operation in (_O.ARITH_CMPI, _O.ARITH_CMPF):
        return list(compares)
    return [_plain(operation)]


def _floating(operation: OperationSchemaId, modes: Sequence[RoundingMode]) -> list[Payload]:
    if operation in ROUNDED_OPERATIONS:
        return [FloatingPoint(_EVERY_FLAG, mode) for mode in modes]
    return [_plain(operation)]


def _uniform(
    operation: OperationSchemaId,
    payloads: Sequence[Payload],
    elements: Sequence[_Element],
    *,
    lifted: bool,
) -> Iterator[OperationActor]:
    """Operands and result of one type; the result of a comparison is a bit."""
    count = 3 if operation is _O.MATH_FMA else 1 if operation in _UNARY else 2
    for element, payload in product(elements, payloads):
        kind = _lift(element, lifted)
        compares = isinstance(payload, IntegerCompare | FloatCompare)
        result = _lift(_I1, lifted) if compares else kind
        yield _actor(operation, (kind,) * count, (result,), payload)


_UNARY = frozenset(
    schema.schema_id
    for schema in OPERATION_SCHEMAS.values()
    if schema.payload_case is _C.SPECIAL_MATH_ACCURACY and schema.schema_id is not _O.MATH_POWF
) | {
    _O.ARITH_NEGF,
    _O.MATH_ABSF,
    _O.MATH_CTLZ,
    _O.MATH_CTTZ,
    _O.LLVM_CTLZ,
    _O.LLVM_CTTZ,
}


def _casts(
    operation: OperationSchemaId,
    pairs: Sequence[tuple[IntegerWidth, IntegerWidth]],
    index_widths: Sequence[ResolvedIndexWidth],
) -> Iterator[OperationActor]:
    payload = _plain(operation)
    for source, result in pairs:
        left, right = IntegerType(source.bits), IntegerType(result.bits)
        if operation in (_O.ARITH_INDEX_CAST, _O.ARITH_INDEX_CASTUI):
            for index in index_widths:
                if index.bits == left.bits:
                    yield _actor(operation, (IndexType(index),), (right,), payload)
                if index.bits == right.bits:
                    yield _actor(operation, (left,), (IndexType(index),), payload)
        elif (operation is _O.ARITH_TRUNCI) == (left.bits > right.bits) and left != right:
            yield _actor(operation, (left,), (right,), payload)


def _token_plane(operation: OperationSchemaId) -> OperationActor:
    bare = NoneType()
    match operation:
        case _O.DATAFLOW_CARRY:
            return _actor(operation, (_I1, bare, bare), (bare,), NoPayload())
        case _O.DATAFLOW_GATE:
            return _actor(operation, (_I1, bare), (_I1, bare), NoPayload())
        case _:
            return _actor(operation, (_I1, bare), (bare,), NoPayload())


def _adapters(
    operation: OperationSchemaId,
    elements: Sequence[_Element],
    payload_bits: int,
    ports: PhysicalPorts,
) -> Iterator[OperationActor]:
    for element in elements:
        vector = VectorType((1,), element)
        integer = IntegerType(vector.bits)
        match operation:
            case _O.DATAFLOW_PACK:
                yield _actor(operation, (vector,), (integer,), NoPayload())
            case _O.DATAFLOW_UNPACK:
                yield _actor(operation, (integer,), (vector,), NoPayload())
            case _:
                yield from _groups(operation, element, payload_bits, ports)


def _groups(
    operation: OperationSchemaId, element: _Element, payload_bits: int, ports: PhysicalPorts
) -> Iterator[OperationActor]:
    gathers = operation is _O.DATAFLOW_PARALLELIZE
    grouped, alone = (ports.outputs, ports.inputs)[:: 1 if gathers else -1]
    (wide, mask, more), (narrow, valid) = grouped, alone
    if narrow < element.bits or min(more, valid) < 1:
        return  # No group is admitted, however short.
    most = min(min(payload_bits, wide) // element.bits, mask)
    # One more than a field may have, so that the derivation meets it.
    for lanes in range(1, min(most, MAX_KEYS + 1) + 1):
        group = (VectorType((lanes,), element), VectorType((lanes,), _I1), _I1)
        single = (element, _I1)
        ends = (single, group) if gathers else (group, single)
        yield _actor(operation, *ends, NoPayload())


def _routed(operation: OperationSchemaId) -> OperationActor:
    bare = NoneType()
    match operation:
        case _O.DATAFLOW_MUX:
            return _actor(operation, (_I1, bare, bare), (bare,), NoPayload())
        case _O.DATAFLOW_DEMUX:
            return _actor(operation, (_I1, bare), (bare, bare), NoPayload())
        case _:
            return _actor(operation, (bare,), (bare,), NoPayload())


def _slice(operation: OperationSchemaId, element: _Element) -> OperationActor:
    vector = VectorType((1,), element)
    first = StaticPosition((0,))
    if operation is _O.VECTOR_EXTRACT:
        return _actor(operation, (vector,), (element,), first)
    return _actor(operation, (element, vector), (vector,), first)
