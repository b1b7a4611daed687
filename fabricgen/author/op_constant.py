"""The value of a constant actor as the bits of its lanes."""

import math
from fractions import Fraction

from fabricgen.author.document import shown
from fabricgen.author.findings import Findings
from fabricgen.schema.payload import TypedConstant
from fabricgen.schema.types import (
    FloatType,
    IndexType,
    IntegerType,
    ValueType,
    VectorType,
)
from fabricgen.vocab.hardware import FloatFormat

__all__ = ["float_bits", "typed_constant"]

#: Bits of the widest constant that is read; each bit is one of the configuration.
_MOST_BITS = 16384

#: Bits of the stored fraction.
_FRACTION_BITS = {
    FloatFormat.F16: 10,
    FloatFormat.BF16: 7,
    FloatFormat.F32: 23,
    FloatFormat.F64: 52,
}


def typed_constant(
    kind: ValueType,
    value: float | list[float] | None,
    bits: int | list[int] | None,
    where: str,
    findings: Findings,
) -> TypedConstant | None:
    """Build a constant of a type out of numbers, or of the exact bits of each lane.

    ``None`` where a finding keeps it from existing; ``where`` is the actor's table.
    """
    if (value is None) == (bits is None):
        findings.add(
            "constant-value",
            where,
            f"A constant must have value or bits, not {'neither' if bits is None else 'both'}",
        )
        return None
    is_constant = isinstance(kind, IntegerType | FloatType | IndexType | VectorType)
    if not is_constant or kind.bits > _MOST_BITS:
        findings.add(
            "constant-type",
            f"{where}.results[0]",
            f"A constant must be an integer, float, index or vector of at most {_MOST_BITS} bits, "
            f"not {kind}",
        )
        return None
    key, given = ("bits", bits) if value is None else ("value", value)
    items = given if isinstance(given, list) else [given]
    count = kind.lanes if isinstance(kind, VectorType) else 1
    if len(items) != count or isinstance(given, list) != isinstance(kind, VectorType):
        found = f"a list of {len(items)}" if isinstance(given, list) else shown(given)
        form = f"a list of {count}" if isinstance(kind, VectorType) else "one number"
        findings.add(
            "constant-lanes", f"{where}.{key}", f"The value of {kind} must be {form}, not {found}"
        )
        return None
    element = kind.element if isinstance(kind, VectorType) else kind
    lanes: list[int] = []
    for ordinal, item in enumerate(items):
        place = f"{where}.{key}[{ordinal}]" if isinstance(given, list) else f"{where}.{key}"
        lane = _exact(element, item) if key == "bits" else _lane(element, item)
        if lane is None:
            requirement = f"{element.bits} bits" if key == "bits" else _range(element)
            findings.add(
                "constant-range", place, f"The number must be {requirement}, not {shown(item)}"
            )
        else:
            lanes.append(lane)
    return TypedConstant(kind, tuple(lanes)) if len(lanes) == count else None


def float_bits(value: float, kind: FloatFormat) -> int | None:
    """Encode a number, rounded to nearest even; ``None`` for a finite one that overflows.

    A NaN becomes the quiet one without a payload.
    """
    fraction = _FRACTION_BITS[kind]
    exponent_bits = kind.bits - 1 - fraction
    infinity = ((1 << exponent_bits) - 1) << fraction
    if isinstance(value, float) and math.isnan(value):
        return infinity | 1 << (fraction - 1)
    is_negative = value < 0 or (isinstance(value, float) and math.copysign(1, value) < 0)
    sign = (1 << (kind.bits - 1)) if is_negative else 0
    if isinstance(value, float) and math.isinf(value):
        return sign | infinity
    exact = abs(Fraction(value))
    if not exact:
        return sign
    least = 2 - (1 << (exponent_bits - 1))
    # The denominator is a power of two, so that this is the floor of the logarithm.
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent = max(exponent, least)
    # A carry out of the fraction counts the exponent up, which is what the encoding is made for.
    rounded = round(exact / Fraction(2) ** (exponent - fraction))
    code = ((exponent - least) << fraction) + rounded
    return None if code >= infinity else sign | code


def _lane(element: IntegerType | FloatType | IndexType, item: float | None) -> int | None:
    if isinstance(element, FloatType):
        return None if item is None else float_bits(item, element.format)
    if not isinstance(item, int) or item >> element.bits > 0 or item >> (element.bits - 1) < -1:
        return None
    return item & ((1 << element.bits) - 1)


def _exact(element: IntegerType | FloatType | IndexType, item: float | None) -> int | None:
    return item if isinstance(item, int) and item >> element.bits == 0 else None


def _range(element: IntegerType | FloatType | IndexType) -> str:
    if isinstance(element, FloatType):
        return f"in the range of {element}"
    return f"an integer of {element.bits} bits, signed or not"
