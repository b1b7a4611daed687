"""Reusable facts of a floating-point datapath: its behaviour and its conversions."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.hsg.sets import pair_findings, set_findings
from fabricgen.vocab.hardware import (
    FloatFormat,
    FloatNaNBehavior,
    FloatSignedZeroBehavior,
    FloatSubnormalBehavior,
    IntegerWidth,
    ResolvedIndexWidth,
)
from fabricgen.vocab.operations import FastMath, RoundingMode

__all__ = [
    "STRICT_IEEE",
    "FloatBehaviorProfile",
    "FloatFormatPair",
    "IntegerCastRelation",
    "IntegerFloatPair",
]


@dataclass(frozen=True, slots=True)
class FloatBehaviorProfile(StrictRecord):
    """What a datapath can do with roundings, NaNs, subnormals and signed zeros.

    Parameters
    ----------
    rounding_modes, nan_behaviors, subnormal_behaviors, signed_zero_behaviors
        Offered behaviours; each set is sorted, unique and not empty.
    required_fast_math
        Permissions that the datapath *needs* from each actor.
    """

    rounding_modes: tuple[RoundingMode, ...]
    nan_behaviors: tuple[FloatNaNBehavior, ...]
    subnormal_behaviors: tuple[FloatSubnormalBehavior, ...]
    signed_zero_behaviors: tuple[FloatSignedZeroBehavior, ...]
    required_fast_math: FastMath = FastMath.NONE

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("rounding_modes", self.rounding_modes)
        yield from set_findings("nan_behaviors", self.nan_behaviors)
        yield from set_findings("subnormal_behaviors", self.subnormal_behaviors)
        yield from set_findings("signed_zero_behaviors", self.signed_zero_behaviors)

    def minimal_flags(self, nan: FloatNaNBehavior = FloatNaNBehavior.IEEE) -> FastMath:
        """Permissions without which no actor that wants ``nan`` is admitted."""
        flags = self.required_fast_math
        if nan not in self.nan_behaviors:
            flags |= FastMath.NNAN
        if FloatSignedZeroBehavior.PRESERVE not in self.signed_zero_behaviors:
            flags |= FastMath.NSZ
        return flags


#: Nearest even, IEEE NaNs, subnormals and signed zeros kept, no permission needed.
STRICT_IEEE = FloatBehaviorProfile(
    (RoundingMode.TO_NEAREST_EVEN,),
    (FloatNaNBehavior.IEEE,),
    (FloatSubnormalBehavior.PRESERVE,),
    (FloatSignedZeroBehavior.PRESERVE,),
)


@dataclass(frozen=True, slots=True)
class IntegerCastRelation(StrictRecord):
    """Directed width pairs ``(source, destination)`` and the index widths that casts resolve.

    For an index cast, one width of its pair is the resolved index width.
    """

    width_pairs: tuple[tuple[IntegerWidth, IntegerWidth], ...]
    resolved_index_widths: tuple[ResolvedIndexWidth, ...] = ()

    def _findings(self) -> Iterator[Diagnostic]:
        yield from pair_findings("width_pairs", self.width_pairs)
        yield from set_findings(
            "resolved_index_widths", self.resolved_index_widths, may_be_empty=True
        )


FloatFormatPair = tuple[FloatFormat, FloatFormat]
IntegerFloatPair = tuple[IntegerWidth, FloatFormat]
