"""What a vector integer actor computes, lane by lane, in Python integers (reference 1.3)."""

from collections.abc import Callable

from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import IntegerCompare
from fabricgen.schema.types import ValueType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.operations import IntegerPredicate


def split(value: int, kind: ValueType) -> list[int]:
    """Lanes of a flattened vector, lane 0 lowest."""
    assert isinstance(kind, VectorType)
    bits = kind.element.bits
    return [value >> at & ((1 << bits) - 1) for at in range(0, kind.bits, bits)]


def join(lanes: list[int], bits: int) -> int:
    """Flattened vector of lanes of ``bits`` bits."""
    return sum(lane << at * bits for at, lane in enumerate(lanes))


def vector_result(actor: OperationActor, operands: tuple[int, ...]) -> tuple[int, int]:
    """Flattened result, and a mask of the bits that are defined."""
    source, result = actor.operands[-1].element.bits, actor.results[0].element.bits
    lanes = zip(*map(split, operands, actor.operands), strict=True)
    found = [_lane(actor, source, lane) for lane in lanes]
    whole = (1 << result) - 1
    return (
        join([(lane or 0) & whole for lane in found], result),
        join([0 if lane is None else whole for lane in found], result),
    )


def _negative(value: int, bits: int) -> int:
    """Two's complement."""
    return (value ^ 1 << bits - 1) - (1 << bits - 1)


def _held(exact: int, low: int, high: int) -> int:
    return min(max(exact, low), high)


def _signed_ends(bits: int) -> tuple[int, int]:
    return -(1 << bits - 1), (1 << bits - 1) - 1


#: Of two lanes as unsigned and as signed numbers, and their width; ``None`` is poison.
_BINARY: dict[O, Callable[[int, int, int, int, int], int | None]] = {
    O.ARITH_ADDI: lambda a, b, x, y, n: a + b,
    O.ARITH_SUBI: lambda a, b, x, y, n: a - b,
    O.ARITH_MULI: lambda a, b, x, y, n: a * b,
    O.ARITH_ANDI: lambda a, b, x, y, n: a & b,
    O.ARITH_ORI: lambda a, b, x, y, n: a | b,
    O.ARITH_XORI: lambda a, b, x, y, n: a ^ b,
    O.LLVM_OR_DISJOINT: lambda a, b, x, y, n: None if a & b else a | b,
    O.ARITH_SHLI: lambda a, b, x, y, n: None if b >= n else a << b,
    O.ARITH_SHRUI: lambda a, b, x, y, n: None if b >= n else a >> b,
    O.ARITH_SHRSI: lambda a, b, x, y, n: None if b >= n else x >> b,
    O.ARITH_MINSI: lambda a, b, x, y, n: min(x, y),
    O.ARITH_MAXSI: lambda a, b, x, y, n: max(x, y),
    O.ARITH_MINUI: lambda a, b, x, y, n: min(a, b),
    O.ARITH_MAXUI: lambda a, b, x, y, n: max(a, b),
    O.LLVM_UADD_SAT: lambda a, b, x, y, n: _held(a + b, 0, (1 << n) - 1),
    O.LLVM_USUB_SAT: lambda a, b, x, y, n: _held(a - b, 0, (1 << n) - 1),
    O.LLVM_SADD_SAT: lambda a, b, x, y, n: _held(x + y, *_signed_ends(n)),
    O.LLVM_SSUB_SAT: lambda a, b, x, y, n: _held(x - y, *_signed_ends(n)),
}
_RELATIONS: dict[IntegerPredicate, Callable[[int, int, int, int], bool]] = {
    IntegerPredicate.EQ: lambda a, b, x, y: a == b,
    IntegerPredicate.NE: lambda a, b, x, y: a != b,
    IntegerPredicate.SLT: lambda a, b, x, y: x < y,
    IntegerPredicate.SLE: lambda a, b, x, y: x <= y,
    IntegerPredicate.SGT: lambda a, b, x, y: x > y,
    IntegerPredicate.SGE: lambda a, b, x, y: x >= y,
    IntegerPredicate.ULT: lambda a, b, x, y: a < b,
    IntegerPredicate.ULE: lambda a, b, x, y: a <= b,
    IntegerPredicate.UGT: lambda a, b, x, y: a > b,
    IntegerPredicate.UGE: lambda a, b, x, y: a >= b,
}


def _lane(actor: OperationActor, bits: int, lane: tuple[int, ...]) -> int | None:
    operation = actor.schema_id
    if operation is O.ARITH_SELECT:
        condition, chosen, other = lane
        return chosen if condition else other
    if operation in (O.MATH_CTLZ, O.LLVM_CTLZ, O.MATH_CTTZ, O.LLVM_CTTZ):
        return _zeros(operation, lane[0], bits)
    a, b = lane
    x, y = _negative(a, bits), _negative(b, bits)
    if isinstance(actor.payload, IntegerCompare):
        return int(_RELATIONS[actor.payload.predicate](a, b, x, y))
    return _BINARY[operation](a, b, x, y, bits)


def _zeros(operation: O, value: int, bits: int) -> int | None:
    if value == 0:
        return bits if operation in (O.MATH_CTLZ, O.MATH_CTTZ) else None
    if operation in (O.MATH_CTLZ, O.LLVM_CTLZ):
        return bits - value.bit_length()
    return (value & -value).bit_length() - 1
