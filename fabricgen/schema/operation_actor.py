"""The exact projection of one compute or control actor: schema, function type, payload.

Nonpersistent. The shape rules are those of the operations' own definitions; hardware does not
enter here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.schema.operations import OPERATION_SCHEMAS
from fabricgen.schema.payload import (
    PAYLOAD_CASES,
    Disjoint,
    FloatingPoint,
    IntegerMinPoison,
    Payload,
    ShuffleMask,
    StaticPosition,
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
from fabricgen.vocab.operations import ActorKind, SemanticPayloadCase
from fabricgen.vocab.words import word

__all__ = ["ROUNDED_OPERATIONS", "OperationActor", "element_of", "shape_of"]

_O = OperationSchemaId
_I1 = IntegerType(1)

#: Operations whose result may need rounding, so that a mode means something.
ROUNDED_OPERATIONS = frozenset(
    {
        _O.ARITH_ADDF,
        _O.ARITH_SUBF,
        _O.ARITH_MULF,
        _O.ARITH_DIVF,
        _O.ARITH_TRUNCF,
        _O.MATH_FMA,
    }
)


@dataclass(frozen=True, slots=True)
class OperationActor(StrictRecord):
    """One actor: its schema, operand and result types in order, and its semantic payload."""

    schema_id: OperationSchemaId
    operands: tuple[ValueType, ...]
    results: tuple[ValueType, ...]
    payload: Payload

    def _findings(self) -> Iterator[Diagnostic]:
        schema = OPERATION_SCHEMAS[self.schema_id]
        if schema.actor_kind is ActorKind.MEMORY:
            raise TypeError(f"Actor must not be a memory actor, not {schema.name}")
        required = PAYLOAD_CASES[schema.payload_case]
        if not isinstance(self.payload, required):
            yield Diagnostic(
                "actor-payload-case",
                "payload",
                f"The payload of {schema.name} must be {required.__name__}, "
                f"not {type(self.payload).__name__}",
            )
            return
        match self.payload:
            case ZeroPoison(flag) | IntegerMinPoison(flag) | Disjoint(flag):
                if not flag:
                    yield Diagnostic(
                        "actor-payload-flag",
                        "payload",
                        f"The flag of {schema.name} must be set, not clear: {schema.restriction}",
                    )
            case FloatingPoint(_, rounding):
                if rounding is not None and self.schema_id not in ROUNDED_OPERATIONS:
                    yield Diagnostic(
                        "actor-rounding",
                        "payload.rounding",
                        f"A rounding mode must be absent from {schema.op}, not {word(rounding)}",
                    )
            case _:
                pass
        text, rule = _shape(self)
        if not rule(self):
            types = f"({_types(self.operands)}) -> ({_types(self.results)})"
            yield Diagnostic(
                "actor-shape", "operands", f"{schema.name} must have the shape {text}, not {types}"
            )


def element_of(kind: ValueType) -> ValueType:
    """Element of a vector; a scalar is its own element."""
    return kind.element if isinstance(kind, VectorType) else kind


def shape_of(kind: ValueType) -> tuple[int, ...]:
    """Shape of a vector; empty for a scalar."""
    return kind.shape if isinstance(kind, VectorType) else ()


def _types(types: tuple[ValueType, ...]) -> str:
    return ", ".join(map(str, types))


def _like(kind: ValueType, element: IntegerType | FloatType) -> ValueType:
    """The type with another element and the same shape."""
    return VectorType(kind.shape, element) if isinstance(kind, VectorType) else element


def _is_integer(kind: ValueType) -> bool:
    return isinstance(element_of(kind), IntegerType | IndexType)


def _is_float(kind: ValueType) -> bool:
    return isinstance(element_of(kind), FloatType)


def _uniform(count: int, accepts: Callable[[ValueType], bool]) -> Callable[[OperationActor], bool]:
    """``count`` operands and one result, all of one type that ``accepts`` takes."""

    def rule(actor: OperationActor) -> bool:
        types = (*actor.operands, *actor.results)
        counts = len(actor.operands) == count and len(actor.results) == 1
        return counts and len(set(types)) == 1 and accepts(types[0])

    return rule


def _compare(accepts: Callable[[ValueType], bool]) -> Callable[[OperationActor], bool]:
    def rule(actor: OperationActor) -> bool:
        match actor.operands, actor.results:
            case (left, right), (result,):
                return left == right and accepts(left) and result == _like(left, _I1)
            case _:
                return False

    return rule


def _select(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (condition, left, right), (result,):
            conditions = (_I1, _like(left, _I1))
            return left == right == result != NoneType() and condition in conditions
        case _:
            return False


def _cast(
    accepts: Callable[[ValueType, ValueType], bool],
) -> Callable[[OperationActor], bool]:
    """One operand and one result of one shape, whose elements ``accepts`` takes."""

    def rule(actor: OperationActor) -> bool:
        match actor.operands, actor.results:
            case (source,), (result,):
                same = shape_of(source) == shape_of(result)
                return same and accepts(element_of(source), element_of(result))
            case _:
                return False

    return rule


def _both(
    source: type[ValueType], result: type[ValueType], order: int
) -> Callable[[ValueType, ValueType], bool]:
    """Two kinds, the result wider (1), narrower (-1), or of any width (0)."""

    def accepts(left: ValueType, right: ValueType) -> bool:
        kinds = isinstance(left, source) and isinstance(right, result)
        return kinds and (order == 0 or (right.bits - left.bits) * order > 0)

    return accepts


def _one_index(left: ValueType, right: ValueType) -> bool:
    kinds = {type(left), type(right)}
    return kinds == {IntegerType, IndexType}


def _bitcast(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (source,), (result,):
            plain = all(
                isinstance(element_of(each), IntegerType | FloatType) for each in (source, result)
            )
            return (
                plain
                and source.bits == result.bits
                and isinstance(source, VectorType) == isinstance(result, VectorType)
            )
        case _:
            return False


def _constant(operands: tuple[ValueType, ...]) -> Callable[[OperationActor], bool]:
    def rule(actor: OperationActor) -> bool:
        payload = actor.payload
        return (
            isinstance(payload, TypedConstant)
            and actor.operands == operands
            and actor.results == (payload.type,)
        )

    return rule


def _stream(actor: OperationActor) -> bool:
    match actor.operands:
        case (IntegerType() as value, limit, step):
            return value == limit == step and actor.results == (value, _I1)
        case _:
            return False


def _carry(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (phase, first, following), (result,):
            return phase == _I1 and first == following == result
        case _:
            return False


def _invariant(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (condition, value), (result,):
            return condition == _I1 and value == result
        case _:
            return False


def _gate(actor: OperationActor) -> bool:
    match actor.operands:
        case (condition, _):
            return condition == _I1 and actor.results == actor.operands
        case _:
            return False


def _sync(actor: OperationActor) -> bool:
    return len(actor.operands) >= 1 and actor.results == actor.operands


def _is_selector(selector: ValueType, lanes: int) -> bool:
    return selector == _I1 if lanes == 2 else isinstance(selector, IndexType)


def _mux(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (selector, *lanes), (result,):
            return (
                len(lanes) >= 2
                and all(lane == result for lane in lanes)
                and _is_selector(selector, len(lanes))
            )
        case _:
            return False


def _demux(actor: OperationActor) -> bool:
    match actor.operands:
        case (selector, value):
            lanes = actor.results
            return (
                len(lanes) >= 2
                and all(lane == value for lane in lanes)
                and _is_selector(selector, len(lanes))
            )
        case _:
            return False


def _is_group(vector: ValueType, mask: ValueType, element: ValueType) -> bool:
    return (
        isinstance(vector, VectorType)
        and len(vector.shape) == 1
        and vector.element == element
        and mask == _like(vector, _I1)
    )


def _parallelize(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (element, phase), (vector, mask, group):
            return phase == _I1 == group and _is_group(vector, mask, element)
        case _:
            return False


def _serialize(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (vector, mask, group), (element, phase):
            return phase == _I1 == group and _is_group(vector, mask, element)
        case _:
            return False


def _pack(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (VectorType() as vector,), (result,):
            return result == IntegerType(vector.bits)
        case _:
            return False


def _unpack(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (source,), (VectorType() as vector,):
            return source == IntegerType(vector.bits)
        case _:
            return False


def _is_slice(container: ValueType, part: ValueType, actor: OperationActor, first: int) -> bool:
    """Tell whether ``part`` is what the position of ``actor`` selects in ``container``."""
    position = actor.payload
    if not isinstance(container, VectorType) or not isinstance(position, StaticPosition):
        return False
    depth = len(position.components)
    if not 1 <= depth <= len(container.shape):
        return False
    inner = container.shape[depth:]
    dynamic = actor.operands[first:]
    return (
        part == (VectorType(inner, container.element) if inner else container.element)
        and len(dynamic) == position.dynamic_count
        and all(isinstance(each, IndexType) for each in dynamic)
        and len(set(dynamic)) <= 1
        and all(
            index is None or index < extent
            for index, extent in zip(position.components, container.shape, strict=False)
        )
    )


def _extract(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (container, *_), (part,):
            return _is_slice(container, part, actor, 1)
        case _:
            return False


def _insert(actor: OperationActor) -> bool:
    match actor.operands, actor.results:
        case (part, container, *_), (result,):
            return result == container and _is_slice(container, part, actor, 2)
        case _:
            return False


def _shuffle(actor: OperationActor) -> bool:
    mask = actor.payload
    match actor.operands, actor.results:
        case (VectorType() as left, VectorType() as right), (VectorType() as result,):
            return (
                isinstance(mask, ShuffleMask)
                and left.element == right.element == result.element
                and left.shape[1:] == right.shape[1:] == result.shape[1:]
                and result.shape[0] == len(mask.selectors)
                and max(mask.selectors) < left.shape[0] + right.shape[0]
            )
        case _:
            return False


def _any(actor: OperationActor) -> bool:
    """Aggregates and pointers: no resource admits them, so their shape is not looked at."""
    return bool(actor.results)


def _poison(actor: OperationActor) -> bool:
    return not actor.operands and len(actor.results) == 1


_Rule = tuple[str, Callable[[OperationActor], bool]]
_INT: dict[int, _Rule] = {
    count: (f"({', '.join('T' * count)}) -> T, T an integer", _uniform(count, _is_integer))
    for count in (1, 2, 3)
}
_FLOAT: dict[int, _Rule] = {
    count: (f"({', '.join('T' * count)}) -> T, T a float", _uniform(count, _is_float))
    for count in (1, 2, 3)
}
_WIDEN = ("(iN) -> iM, M > N", _cast(_both(IntegerType, IntegerType, 1)))
_INDEX = ("(iN) -> index or (index) -> iN", _cast(_one_index))
_TO_FLOAT = ("(iN) -> float", _cast(_both(IntegerType, FloatType, 0)))
_TO_INTEGER = ("(float) -> iN", _cast(_both(FloatType, IntegerType, 0)))
_AGGREGATE = ("(...) -> (...)", _any)

#: Shapes that do not follow from the payload case.
_SHAPES: dict[OperationSchemaId, _Rule] = {
    _O.ARITH_CONSTANT: ("() -> T, T the constant's type", _constant(())),
    _O.ARITH_CMPI: ("(T, T) -> i1 of T's shape, T an integer", _compare(_is_integer)),
    _O.ARITH_CMPF: ("(T, T) -> i1 of T's shape, T a float", _compare(_is_float)),
    _O.ARITH_SELECT: ("(i1, T, T) -> T", _select),
    _O.ARITH_EXTSI: _WIDEN,
    _O.ARITH_EXTUI: _WIDEN,
    _O.ARITH_TRUNCI: ("(iN) -> iM, M < N", _cast(_both(IntegerType, IntegerType, -1))),
    _O.ARITH_INDEX_CAST: _INDEX,
    _O.ARITH_INDEX_CASTUI: _INDEX,
    _O.ARITH_BITCAST: ("(S) -> T of equal width", _bitcast),
    _O.ARITH_EXTF: ("(float) -> wider float", _cast(_both(FloatType, FloatType, 1))),
    _O.ARITH_TRUNCF: ("(float) -> narrower float", _cast(_both(FloatType, FloatType, -1))),
    _O.ARITH_SITOFP: _TO_FLOAT,
    _O.ARITH_UITOFP: _TO_FLOAT,
    _O.ARITH_FPTOSI: _TO_INTEGER,
    _O.ARITH_FPTOUI: _TO_INTEGER,
    _O.LLVM_FPTOSI_SAT: _TO_INTEGER,
    _O.LLVM_FPTOUI_SAT: _TO_INTEGER,
    _O.ARITH_NEGF: _FLOAT[1],
    _O.MATH_ABSF: _FLOAT[1],
    _O.MATH_FMA: _FLOAT[3],
    _O.MATH_POWF: _FLOAT[2],
    _O.MATH_ABSI: _INT[1],
    _O.MATH_CTLZ: _INT[1],
    _O.MATH_CTTZ: _INT[1],
    _O.LLVM_CTLZ: _INT[1],
    _O.LLVM_CTTZ: _INT[1],
    _O.LLVM_ABS: _INT[1],
    _O.LLVM_BYTE_SWAP: _INT[1],
    _O.LLVM_FSHL: _INT[3],
    _O.UB_POISON: ("() -> T", _poison),
    _O.LLVM_FREEZE: ("(T) -> T", _uniform(1, lambda kind: kind != NoneType())),
    _O.LLVM_EXTRACT_VALUE: _AGGREGATE,
    _O.LLVM_INSERT_VALUE: _AGGREGATE,
    _O.LLVM_GET_ELEMENT_PTR: _AGGREGATE,
    _O.DATAFLOW_STREAM: ("(iN, iN, iN) -> (iN, i1)", _stream),
    _O.DATAFLOW_CARRY: ("(i1, T, T) -> T", _carry),
    _O.DATAFLOW_INVARIANT: ("(i1, T) -> T", _invariant),
    _O.DATAFLOW_GATE: ("(i1, T) -> (i1, T)", _gate),
    _O.DATAFLOW_CONSTANT: ("(none) -> T, T the constant's type", _constant((NoneType(),))),
    _O.DATAFLOW_SYNC: ("(T...) -> (T...)", _sync),
    _O.DATAFLOW_MUX: ("(i1, T, T) -> T or (index, T, T, T...) -> T", _mux),
    _O.DATAFLOW_DEMUX: ("(i1, T) -> (T, T) or (index, T) -> (T, T, T...)", _demux),
    _O.DATAFLOW_PARALLELIZE: ("(T, i1) -> (vector<NxT>, vector<Nxi1>, i1)", _parallelize),
    _O.DATAFLOW_SERIALIZE: ("(vector<NxT>, vector<Nxi1>, i1) -> (T, i1)", _serialize),
    _O.DATAFLOW_PACK: ("(vector) -> integer of its width", _pack),
    _O.DATAFLOW_UNPACK: ("(integer) -> vector of its width", _unpack),
    _O.VECTOR_EXTRACT: ("(vector, index...) -> the block at the position", _extract),
    _O.VECTOR_INSERT: ("(block, vector, index...) -> the vector", _insert),
    _O.VECTOR_SHUFFLE: ("(vector, vector) -> one block per selector", _shuffle),
}


def _shape(actor: OperationActor) -> _Rule:
    """Rule of a schema; what is not in the table is unary or binary arithmetic."""
    if actor.schema_id in _SHAPES:
        return _SHAPES[actor.schema_id]
    case = OPERATION_SCHEMAS[actor.schema_id].payload_case
    if case is SemanticPayloadCase.SPECIAL_MATH_ACCURACY:
        return _FLOAT[1]
    return _FLOAT[2] if case is SemanticPayloadCase.ARITH_FLOATING_POINT else _INT[2]
