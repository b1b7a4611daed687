"""What an integer operation does to one element, on arrays of elements (reference 1.3).

Elements are unsigned numbers of up to 64 bits in arrays of 64-bit words. Division is that of
RISC-V: by zero the quotient is all ones and the remainder the dividend.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fabricgen.schema.payload import IntegerCompare, Payload
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.operations import IntegerPredicate as P
from sim.native.jobs import Words

__all__ = ["Mask", "element_result", "ones"]

Mask = NDArray[np.bool_]
_ONE, _ZERO = np.uint64(1), np.uint64(0)


def ones(bits: int) -> np.uint64:
    """A word of so many ones."""
    return np.uint64((1 << bits) - 1)


def _negative(value: Words, bits: int) -> Mask:
    return value >> np.uint64(bits - 1) != 0


def _extended(value: Words, bits: int) -> NDArray[np.int64]:
    """Two's complement of the low bits."""
    top = np.uint64(1 << bits - 1)
    return ((value ^ top) - top).view(np.int64)


def _magnitude(value: Words, bits: int) -> Words:
    return np.where(_negative(value, bits), _ZERO - value, value) & ones(bits)


def _shift(amount: Words, bits: int) -> tuple[Words, Mask]:
    """Amount of a shift, and whether it is one."""
    fits = amount < np.uint64(bits)
    return np.where(fits, amount, _ZERO), fits


def _count(value: Words) -> Words:
    """Ones of a word."""
    total = np.zeros_like(value)
    for at in range(64):
        total += value >> np.uint64(at) & _ONE
    return total


def _bit_length(value: Words) -> Words:
    smeared = value.copy()
    for distance in (1, 2, 4, 8, 16, 32):
        smeared |= smeared >> np.uint64(distance)
    return _count(smeared)


def _quotient(a: Words, b: Words) -> Words:
    return np.where(b == 0, ~_ZERO, a // np.where(b == 0, _ONE, b))


def _remainder(a: Words, b: Words) -> Words:
    return np.where(b == 0, a, a % np.where(b == 0, _ONE, b))


def _signed_quotient(a: Words, b: Words, bits: int) -> Words:
    size = _quotient(_magnitude(a, bits), _magnitude(b, bits))
    turned = _negative(a, bits) != _negative(b, bits)
    return np.where(turned & (b != 0), _ZERO - size, size)


def _signed_remainder(a: Words, b: Words, bits: int) -> Words:
    size = _remainder(_magnitude(a, bits), _magnitude(b, bits))
    return np.where(_negative(a, bits), _ZERO - size, size)


def _saturated(a: Words, b: Words, bits: int, *, signed: bool, adds: bool) -> Words:
    total = (a + b if adds else a - b) & ones(bits)
    if not signed:
        beyond = total < a if adds else a < b
        return np.where(beyond, ones(bits) if adds else _ZERO, total)
    same = _negative(a, bits) == _negative(b, bits)
    turned = _negative(total, bits) != _negative(a, bits)
    least = np.uint64(1 << bits - 1)
    end = np.where(_negative(a, bits), least, least - _ONE)
    return np.where((same == adds) & turned, end, total)


def _compared(predicate: P, a: Words, b: Words, bits: int) -> Mask:
    name = predicate.name
    x, y = (_extended(a, bits), _extended(b, bits)) if name.startswith("S") else (a, b)
    relations = {"EQ": x == y, "NE": x != y, "LT": x < y, "LE": x <= y, "GT": x > y, "GE": x >= y}
    return relations[name[-2:]]


#: Of two elements and their width.
_BINARY: dict[O, Callable[[Words, Words, int], Words]] = {
    O.ARITH_ADDI: lambda a, b, n: a + b,
    O.ARITH_SUBI: lambda a, b, n: a - b,
    O.ARITH_MULI: lambda a, b, n: a * b,
    O.ARITH_ANDI: lambda a, b, n: a & b,
    O.ARITH_ORI: lambda a, b, n: a | b,
    O.LLVM_OR_DISJOINT: lambda a, b, n: a | b,
    O.ARITH_XORI: lambda a, b, n: a ^ b,
    O.ARITH_SHLI: lambda a, b, n: a << _shift(b, n)[0],
    O.ARITH_SHRUI: lambda a, b, n: a >> _shift(b, n)[0],
    O.ARITH_SHRSI: lambda a, b, n: (_extended(a, n) >> _shift(b, n)[0].view(np.int64)).view(
        np.uint64
    ),
    O.ARITH_MINSI: lambda a, b, n: np.where(_extended(a, n) < _extended(b, n), a, b),
    O.ARITH_MAXSI: lambda a, b, n: np.where(_extended(a, n) > _extended(b, n), a, b),
    O.ARITH_MINUI: lambda a, b, n: np.minimum(a, b),
    O.ARITH_MAXUI: lambda a, b, n: np.maximum(a, b),
    O.ARITH_DIVUI: lambda a, b, n: _quotient(a, b),
    O.ARITH_REMUI: lambda a, b, n: _remainder(a, b),
    O.ARITH_DIVSI: _signed_quotient,
    O.ARITH_REMSI: _signed_remainder,
    O.LLVM_SADD_SAT: lambda a, b, n: _saturated(a, b, n, signed=True, adds=True),
    O.LLVM_SSUB_SAT: lambda a, b, n: _saturated(a, b, n, signed=True, adds=False),
    O.LLVM_UADD_SAT: lambda a, b, n: _saturated(a, b, n, signed=False, adds=True),
    O.LLVM_USUB_SAT: lambda a, b, n: _saturated(a, b, n, signed=False, adds=False),
}
_SHIFTS = (O.ARITH_SHLI, O.ARITH_SHRUI, O.ARITH_SHRSI)
_LEADING = (O.MATH_CTLZ, O.LLVM_CTLZ)
_TRAILING = (O.MATH_CTTZ, O.LLVM_CTTZ)


def element_result(
    operation: O, payload: Payload, source_bits: int, result_bits: int, operands: Sequence[Words]
) -> tuple[Words, Mask]:
    """Results of elements, and which of them are defined; the operands have no bits above.

    ``source_bits`` is the width of the last operand.
    """
    last = operands[-1]
    defined = np.ones(last.shape, np.bool_)
    match operands:
        case (a,) if operation in _LEADING:
            value = np.uint64(source_bits) - _bit_length(a)
        case (a,) if operation in _TRAILING:
            value = np.where(a == 0, np.uint64(source_bits), _count((a & (_ZERO - a)) - _ONE))
        case (a,) if operation in (O.ARITH_EXTSI, O.ARITH_INDEX_CAST):
            value = _extended(a, source_bits).view(np.uint64)
        case (a,):
            value = a
        case (a, b) if isinstance(payload, IntegerCompare):
            value = _compared(payload.predicate, a, b, source_bits).astype(np.uint64)
        case (a, b):
            value = _BINARY[operation](a, b, source_bits)
        case _:
            condition, a, b = operands
            value = np.where(condition != 0, a, b)
    if operation in (O.LLVM_CTLZ, O.LLVM_CTTZ):
        defined = last != 0
    elif operation in _SHIFTS:
        defined = _shift(last, source_bits)[1]
    elif operation is O.LLVM_OR_DISJOINT:
        defined = operands[0] & last == 0
    return value & ones(result_bits), defined
