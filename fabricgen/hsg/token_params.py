"""Parameter records of the loop-control and token families."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.hsg.scalar_params import ordinary_findings
from fabricgen.hsg.sets import set_findings
from fabricgen.hsg.vector_params import capacity_findings
from fabricgen.vocab.hardware import IntegerWidth
from fabricgen.vocab.operations import IntegerPredicate, StreamStepKind

__all__ = ["LoopStreamParams", "PayloadCapacityParams", "RoutedTokenParams", "TokenPlaneParams"]


@dataclass(frozen=True, slots=True)
class LoopStreamParams(StrictRecord):
    """Stream of integers: widths, the one step of this resource, and continuation predicates."""

    integer_widths: tuple[IntegerWidth, ...]
    fixed_step_kind: StreamStepKind
    continuation_predicates: tuple[IntegerPredicate, ...]

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("integer_widths", self.integer_widths)
        yield from ordinary_findings("integer_widths", self.integer_widths)
        yield from set_findings("continuation_predicates", self.continuation_predicates)


@dataclass(frozen=True, slots=True)
class TokenPlaneParams:
    """Token control whose payload is bounded by its ports alone."""


@dataclass(frozen=True, slots=True)
class PayloadCapacityParams(StrictRecord):
    """Widest payload in bits."""

    max_payload_bits: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from capacity_findings("max_payload_bits", self.max_payload_bits)


@dataclass(frozen=True, slots=True)
class RoutedTokenParams(StrictRecord):
    """Widest payload in bits and the largest number of lanes."""

    max_payload_bits: int
    max_fan: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from capacity_findings("max_payload_bits", self.max_payload_bits)
        yield from capacity_findings("max_fan", self.max_fan)
