"""Closed value sets of hardware parameters. Values are the owner's ordinals."""

import enum

__all__ = [
    "FloatFormat",
    "FloatNaNBehavior",
    "FloatSignedZeroBehavior",
    "FloatSubnormalBehavior",
    "IntegerWidth",
    "ResolvedIndexWidth",
]


class IntegerWidth(enum.Enum):
    """Width of a datapath's signless integer."""

    I1 = 0
    I8 = 1
    I16 = 2
    I32 = 3
    I64 = 4

    @property
    def bits(self) -> int:
        """Width in bits."""
        return int(self.name[1:])


class FloatFormat(enum.Enum):
    """Binary floating-point format."""

    F16 = 0
    BF16 = 1
    F32 = 2
    F64 = 3

    @property
    def bits(self) -> int:
        """Width in bits."""
        return int(self.name.lstrip("BF"))


class ResolvedIndexWidth(enum.Enum):
    """Width that a data layout gives to ``index``."""

    I32 = 0
    I64 = 1

    @property
    def bits(self) -> int:
        """Width in bits."""
        return int(self.name[1:])


class FloatNaNBehavior(enum.Enum):
    """What a NaN operand does: it wins (IEEE), or the number beside it does."""

    IEEE = 0
    NUMBER_PREFERRED = 1


class FloatSubnormalBehavior(enum.Enum):
    """What becomes of a subnormal number."""

    PRESERVE = 0
    FLUSH_TO_ZERO = 1


class FloatSignedZeroBehavior(enum.Enum):
    """Whether the sign of a zero counts."""

    PRESERVE = 0
    IGNORE_SIGN = 1
