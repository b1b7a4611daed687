"""Parameter records of the scalar families."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.hsg.profile import (
    FloatBehaviorProfile,
    FloatFormatPair,
    IntegerCastRelation,
    IntegerFloatPair,
)
from fabricgen.hsg.sets import pair_findings, set_findings
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerPredicate,
    RoundingMode,
    SpecialMathAccuracyTier,
)
from fabricgen.vocab.words import word, words

__all__ = [
    "ScalarBitReinterpretParams",
    "ScalarFloatCompareMinMaxParams",
    "ScalarFloatParams",
    "ScalarFloatWidthCastParams",
    "ScalarIntegerCastParams",
    "ScalarIntegerCompareMinMaxParams",
    "ScalarIntegerFloatConversionParams",
    "ScalarIntegerParams",
    "ScalarSpecialMathParams",
    "ScalarValueSelectParams",
    "compare_rounding_findings",
    "either_findings",
    "ordinary_findings",
]


def ordinary_findings(where: str, widths: tuple[IntegerWidth, ...]) -> Iterator[Diagnostic]:
    """Refuse one-bit integers where only the ordinary widths 8, 16, 32 and 64 exist."""
    if IntegerWidth.I1 in widths:
        yield Diagnostic(
            "params-width-class", where, "Widths must be of the ordinary set 8, 16, 32, 64, not 1"
        )


def either_findings(
    integers: tuple[str, tuple[IntegerWidth, ...]], floats: tuple[str, tuple[FloatFormat, ...]]
) -> Iterator[Diagnostic]:
    """Two sets of which one may be empty, not both."""
    for where, values in (integers, floats):
        yield from set_findings(where, values, may_be_empty=True)
    if not integers[1] and not floats[1]:
        yield Diagnostic(
            "params-element-missing",
            integers[0],
            f"{integers[0]} or {floats[0]} must hold a value, not neither",
        )


def compare_rounding_findings(behavior: FloatBehaviorProfile) -> Iterator[Diagnostic]:
    """A comparison rounds nothing: its profile names nearest even and no other mode."""
    if behavior.rounding_modes != (RoundingMode.TO_NEAREST_EVEN,):
        names = words(behavior.rounding_modes)
        yield Diagnostic(
            "params-compare-rounding",
            "behavior.rounding_modes",
            f"The modes of a comparison must be to_nearest_even alone, not {names}",
        )


@dataclass(frozen=True, slots=True)
class ScalarIntegerParams(StrictRecord):
    """Integer datapath: its widths, and the pointers of an address computation (none today)."""

    integer_widths: tuple[IntegerWidth, ...]
    pointer_formats: tuple[PointerFormat, ...] = ()

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("integer_widths", self.integer_widths)
        if any(left >= right for left, right in pairwise(self.pointer_formats)):
            yield Diagnostic(
                "domain-not-canonical",
                "pointer_formats",
                f"Values must be sorted and unique, not {self.pointer_formats}",
            )


@dataclass(frozen=True, slots=True)
class ScalarIntegerCompareMinMaxParams(StrictRecord):
    """Integer comparator: operand widths, and the predicates of the compare operation."""

    operand_widths: tuple[IntegerWidth, ...]
    predicates: tuple[IntegerPredicate, ...] = ()

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("operand_widths", self.operand_widths)
        yield from ordinary_findings("operand_widths", self.operand_widths)
        yield from set_findings("predicates", self.predicates, may_be_empty=True)


@dataclass(frozen=True, slots=True)
class ScalarValueSelectParams(StrictRecord):
    """Selector of scalar values: integer widths and float formats, not both empty."""

    integer_widths: tuple[IntegerWidth, ...] = ()
    float_formats: tuple[FloatFormat, ...] = ()

    def _findings(self) -> Iterator[Diagnostic]:
        yield from either_findings(
            ("integer_widths", self.integer_widths), ("float_formats", self.float_formats)
        )


@dataclass(frozen=True, slots=True)
class ScalarIntegerCastParams:
    """Integer width converter."""

    relation: IntegerCastRelation


@dataclass(frozen=True, slots=True)
class ScalarBitReinterpretParams(StrictRecord):
    """Copy of bits between types of equal width: integers of ordinary widths, and floats."""

    integer_widths: tuple[IntegerWidth, ...] = ()
    float_formats: tuple[FloatFormat, ...] = ()

    def _findings(self) -> Iterator[Diagnostic]:
        yield from either_findings(
            ("integer_widths", self.integer_widths), ("float_formats", self.float_formats)
        )
        yield from ordinary_findings("integer_widths", self.integer_widths)


@dataclass(frozen=True, slots=True)
class ScalarFloatParams(StrictRecord):
    """Floating-point datapath: formats and behaviour."""

    formats: tuple[FloatFormat, ...]
    behavior: FloatBehaviorProfile

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("formats", self.formats)


@dataclass(frozen=True, slots=True)
class ScalarSpecialMathParams(StrictRecord):
    """Special function: formats, behaviour and the accuracy that it guarantees.

    A guarantee other than correctly rounded needs ``afn`` among the required permissions.
    """

    formats: tuple[FloatFormat, ...]
    behavior: FloatBehaviorProfile
    accuracy_guarantee: SpecialMathAccuracyTier

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("formats", self.formats)
        strict = self.accuracy_guarantee is SpecialMathAccuracyTier.CORRECTLY_ROUNDED
        if not strict and FastMath.AFN not in self.behavior.required_fast_math:
            yield Diagnostic(
                "params-accuracy-needs-afn",
                "accuracy_guarantee",
                "The guarantee must be correctly_rounded where afn is not required of the actor, "
                f"not {word(self.accuracy_guarantee)}",
            )


@dataclass(frozen=True, slots=True)
class ScalarFloatCompareMinMaxParams(StrictRecord):
    """Floating-point comparator: formats, behaviour and the predicates of compare and min/max."""

    formats: tuple[FloatFormat, ...]
    behavior: FloatBehaviorProfile
    predicates: tuple[FloatPredicate, ...]

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("formats", self.formats)
        yield from set_findings("predicates", self.predicates)
        yield from compare_rounding_findings(self.behavior)


@dataclass(frozen=True, slots=True)
class ScalarFloatWidthCastParams(StrictRecord):
    """Float format converter: directed format pairs of unequal width, and behaviour."""

    format_pairs: tuple[FloatFormatPair, ...]
    behavior: FloatBehaviorProfile

    def _findings(self) -> Iterator[Diagnostic]:
        yield from pair_findings("format_pairs", self.format_pairs)
        for ordinal, (source, result) in enumerate(self.format_pairs):
            if source.bits == result.bits:
                yield Diagnostic(
                    "params-format-pair",
                    f"format_pairs[{ordinal}]",
                    f"The formats must differ in width, not be {word(source)} and {word(result)}",
                )


@dataclass(frozen=True, slots=True)
class ScalarIntegerFloatConversionParams(StrictRecord):
    """Converter between integers of ordinary widths and floats: the pairs, whatever direction."""

    format_pairs: tuple[IntegerFloatPair, ...]

    def _findings(self) -> Iterator[Diagnostic]:
        yield from pair_findings("format_pairs", self.format_pairs)
        yield from ordinary_findings("format_pairs", tuple(width for width, _ in self.format_pairs))
