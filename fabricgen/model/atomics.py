"""What a read-modify-write makes of one object (reference: RMW semantics; LLVM ``atomicrmw``).

Objects are unsigned integers of their width. Floats are IEEE binary16, binary32 and binary64; a
result that is no number is the positive quiet NaN without payload.
"""

import math
import struct
from collections.abc import Callable

from fabricgen.plan.atomic_use import FLOAT_RMW_KINDS
from fabricgen.vocab.dataflow import AtomicRmwKind

__all__ = ["has_format", "updated"]

_K = AtomicRmwKind

#: Format of ``struct`` and bits of a quiet NaN, by width.
_FORMATS = {16: ("<e", 0x7E00), 32: ("<f", 0x7FC0_0000), 64: ("<d", 0x7FF8 << 48)}


def has_format(kind: AtomicRmwKind, bits: int) -> bool:
    """Tell whether objects of this width have a known format for the kind."""
    return kind not in FLOAT_RMW_KINDS or bits in _FORMATS


def updated(kind: AtomicRmwKind, old: int, operand: int, bits: int) -> int:
    """The object after the operation; ``old`` and ``operand`` have ``bits`` bits."""
    if kind in FLOAT_RMW_KINDS:
        return _float(kind, old, operand, bits)
    mask = (1 << bits) - 1
    left, right = _signed(old, bits), _signed(operand, bits)
    match kind:
        case _K.XCHG:
            return operand
        case _K.ADD:
            return (old + operand) & mask
        case _K.SUB:
            return (old - operand) & mask
        case _K.AND:
            return old & operand
        case _K.NAND:
            return ~(old & operand) & mask
        case _K.OR:
            return old | operand
        case _K.XOR:
            return old ^ operand
        case _K.MAX:
            return old if left >= right else operand
        case _K.MIN:
            return old if left <= right else operand
        case _K.UMAX:
            return max(old, operand)
        case _K.UMIN:
            return min(old, operand)
        case _K.UINC_WRAP:
            return 0 if old >= operand else old + 1
        case _K.UDEC_WRAP:
            return operand if old == 0 or old > operand else old - 1
        case _K.USUB_COND:
            return old - operand if old >= operand else old
        case _:  # USUB_SAT
            return max(0, old - operand)


def _signed(value: int, bits: int) -> int:
    return value - (value >> (bits - 1) << bits)


def _float(kind: AtomicRmwKind, old: int, operand: int, bits: int) -> int:
    layout, nan = _FORMATS[bits]
    size = bits // 8
    left, right = (
        float(struct.unpack(layout, value.to_bytes(size, "little"))[0]) for value in (old, operand)
    )
    if kind in (_K.FADD, _K.FSUB):
        # A sum of two numbers in binary64 has more than twice their bits, so rounding it once more
        # gives what one rounding would.
        return _bits(left + right if kind is _K.FADD else left - right, layout, nan)
    is_number = [not math.isnan(each) for each in (left, right)]
    if not all(is_number):
        propagates = kind in (_K.FMAXIMUM, _K.FMINIMUM)
        if propagates or not any(is_number):
            return nan
        return old if is_number[0] else operand
    chosen: Callable[..., tuple[float, float, int]] = (
        max if kind in (_K.FMAX, _K.FMAXIMUM, _K.FMAXIMUM_NUM) else min
    )
    # Minus zero is less than zero.
    *_, found = chosen(
        (left, math.copysign(1.0, left), old), (right, math.copysign(1.0, right), operand)
    )
    return int(found)


def _bits(value: float, layout: str, nan: int) -> int:
    if math.isnan(value):
        return nan
    try:
        packed = struct.pack(layout, value)
    except OverflowError:
        packed = struct.pack(layout, math.copysign(math.inf, value))
    return int.from_bytes(packed, "little")
