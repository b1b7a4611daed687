"""What a scalar integer actor computes, in Python integers: reference section 1.3."""

from collections.abc import Callable

from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import IntegerCompare
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.operations import IntegerPredicate as P


def signed(value: int, bits: int) -> int:
    """Two's complement value of the low bits."""
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


def clamp(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def _saturated(operation: O, a: int, b: int, bits: int) -> int:
    is_signed = operation in (O.LLVM_SADD_SAT, O.LLVM_SSUB_SAT)
    if is_signed:
        a, b = signed(a, bits), signed(b, bits)
    total = a + b if operation in (O.LLVM_SADD_SAT, O.LLVM_UADD_SAT) else a - b
    if is_signed:
        return clamp(total, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    return clamp(total, 0, (1 << bits) - 1)


def _divided(a: int, b: int) -> tuple[int, int]:
    """Quotient toward zero and the remainder with the dividend's sign; by zero as RISC-V."""
    if b == 0:
        return -1, a
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient, a - quotient * b


def _zeros(text: str) -> int:
    """Zeros before the first one."""
    return len(text) - len(text.lstrip("0"))


def compare(predicate: P, a: int, b: int, bits: int) -> bool:
    """Relation of two integers of ``bits`` bits."""
    if predicate.name.startswith("S"):
        a, b = signed(a, bits), signed(b, bits)
    relations = {"EQ": a == b, "NE": a != b, "LT": a < b, "LE": a <= b, "GT": a > b, "GE": a >= b}
    return relations[predicate.name[-2:]]


_PLAIN: dict[O, Callable[[int, int, int], int | None]] = {
    O.ARITH_ADDI: lambda a, b, n: a + b,
    O.ARITH_SUBI: lambda a, b, n: a - b,
    O.ARITH_MULI: lambda a, b, n: a * b,
    O.ARITH_ANDI: lambda a, b, n: a & b,
    O.ARITH_ORI: lambda a, b, n: a | b,
    O.ARITH_XORI: lambda a, b, n: a ^ b,
    O.LLVM_OR_DISJOINT: lambda a, b, n: None if a & b else a | b,
    O.ARITH_SHLI: lambda a, b, n: a << b if b < n else None,
    O.ARITH_SHRUI: lambda a, b, n: a >> b if b < n else None,
    O.ARITH_SHRSI: lambda a, b, n: signed(a, n) >> b if b < n else None,
    O.ARITH_MINSI: lambda a, b, n: min(signed(a, n), signed(b, n)),
    O.ARITH_MAXSI: lambda a, b, n: max(signed(a, n), signed(b, n)),
    O.ARITH_MINUI: lambda a, b, n: min(a, b),
    O.ARITH_MAXUI: lambda a, b, n: max(a, b),
    O.ARITH_DIVUI: lambda a, b, n: _divided(a, b)[0],
    O.ARITH_REMUI: lambda a, b, n: _divided(a, b)[1],
    O.ARITH_DIVSI: lambda a, b, n: _divided(signed(a, n), signed(b, n))[0],
    O.ARITH_REMSI: lambda a, b, n: _divided(signed(a, n), signed(b, n))[1],
    **{
        each: lambda a, b, n, each=each: _saturated(each, a, b, n)
        for each in (O.LLVM_SADD_SAT, O.LLVM_UADD_SAT, O.LLVM_SSUB_SAT, O.LLVM_USUB_SAT)
    },
}
_LEADING = (O.MATH_CTLZ, O.LLVM_CTLZ)
_TRAILING = (O.MATH_CTTZ, O.LLVM_CTTZ)


def integer_result(actor: OperationActor, operands: tuple[int, ...]) -> int | None:
    """Result bits of an actor of a scalar integer family; ``None`` where they may be any.

    Division by zero is defined as in RISC-V: quotient all ones, remainder the dividend; the
    quotient of the least number by -1 is that number again.
    """
    operation, bits = actor.schema_id, actor.results[0].bits
    wide = actor.operands[0].bits
    match operands:
        case (a,) if operation in _LEADING + _TRAILING:
            if a == 0 and operation in (O.LLVM_CTLZ, O.LLVM_CTTZ):
                return None
            text = f"{a:0{bits}b}"
            value = _zeros(text if operation in _LEADING else text[::-1])
        case (a,) if operation in (O.ARITH_EXTSI, O.ARITH_INDEX_CAST):
            value = signed(a, wide)
        case (a,):
            value = a
        case (a, b) if isinstance(actor.payload, IntegerCompare):
            value = int(compare(actor.payload.predicate, a, b, wide))
        case (condition, a, b):
            value = a if condition else b
        case (a, b):
            value = _PLAIN[operation](a, b, bits)
    return None if value is None else value % (1 << bits)
