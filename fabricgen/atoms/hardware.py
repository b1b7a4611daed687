"""Atoms of datapath parameters that Fabric owns: u32be ordinals, of a pair one after the other."""

import enum
from itertools import product
from typing import TypeVar

from fabricgen.atoms.table import AtomTable
from fabricgen.vocab.hardware import (
    FloatFormat,
    FloatNaNBehavior,
    FloatSignedZeroBehavior,
    FloatSubnormalBehavior,
    IntegerWidth,
    ResolvedIndexWidth,
)

__all__ = [
    "FLOAT_FORMATS",
    "FORMAT_PAIRS",
    "INDEX_WIDTHS",
    "INTEGER_FLOAT_PAIRS",
    "INTEGER_WIDTHS",
    "NAN_BEHAVIORS",
    "SIGNED_ZERO_BEHAVIORS",
    "SUBNORMAL_BEHAVIORS",
    "WIDTH_PAIRS",
]

_E = TypeVar("_E", bound=enum.Enum)
_F = TypeVar("_F", bound=enum.Enum)


def _word(member: enum.Enum) -> bytes:
    return int(member.value).to_bytes(4, "big")


def _table(kind: type[_E]) -> AtomTable[_E]:
    return AtomTable(kind.__name__, {member: _word(member) for member in kind})


def _pairs(left: type[_E], right: type[_F]) -> AtomTable[tuple[_E, _F]]:
    return AtomTable(
        f"({left.__name__}, {right.__name__}) pair",
        {(a, b): _word(a) + _word(b) for a, b in product(left, right)},
    )


INTEGER_WIDTHS = _table(IntegerWidth)
FLOAT_FORMATS = _table(FloatFormat)
INDEX_WIDTHS = _table(ResolvedIndexWidth)
NAN_BEHAVIORS = _table(FloatNaNBehavior)
SUBNORMAL_BEHAVIORS = _table(FloatSubnormalBehavior)
SIGNED_ZERO_BEHAVIORS = _table(FloatSignedZeroBehavior)
WIDTH_PAIRS = _pairs(IntegerWidth, IntegerWidth)
FORMAT_PAIRS = _pairs(FloatFormat, FloatFormat)
INTEGER_FLOAT_PAIRS = _pairs(IntegerWidth, FloatFormat)
