"""Parameter records of the fixed-vector families; the actor's type owns shape and lane count.

``max_*_bits`` are widths of flattened values in bits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.hsg.profile import FloatBehaviorProfile
from fabricgen.hsg.scalar_params import (
    compare_rounding_findings,
    either_findings,
    ordinary_findings,
)
from fabricgen.hsg.sets import set_findings
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth, ResolvedIndexWidth
from fabricgen.vocab.operations import FloatPredicate, IntegerPredicate

__all__ = [
    "MAX_CAPACITY_BITS",
    "FixedVectorAdapterParams",
    "FixedVectorFloatCompareMinMaxParams",
    "FixedVectorFloatParams",
    "FixedVectorIntegerCompareMinMaxParams",
    "FixedVectorIntegerParams",
    "FixedVectorShuffleParams",
    "FixedVectorSliceAlignMergeParams",
    "FixedVectorValueSelectParams",
    "capacity_findings",
    "element_bits",
]

#: Largest capacity, count or rank of a parameter record: they are 32-bit numbers.
MAX_CAPACITY_BITS = 2**32 - 1


def capacity_findings(where: str, value: int, *, least: int = 1) -> Iterator[Diagnostic]:
    """Refuse a capacity outside ``least`` .. 2**32 - 1."""
    if not least <= value <= MAX_CAPACITY_BITS:
        yield Diagnostic(
            "params-capacity", where, f"The capacity must be from {least} to 2**32 - 1, not {value}"
        )


def _within_findings(where: str, value: int, limit_name: str, limit: int) -> Iterator[Diagnostic]:
    if value > limit:
        yield Diagnostic(
            "params-capacity-order",
            where,
            f"The capacity must be at most {limit_name}, which is {limit}, not {value}",
        )


@dataclass(frozen=True, slots=True)
class FixedVectorIntegerParams(StrictRecord):
    """Integer lanes: element widths and the widest payload."""

    element_widths: tuple[IntegerWidth, ...]
    max_payload_bits: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("element_widths", self.element_widths)
        yield from capacity_findings("max_payload_bits", self.max_payload_bits)


@dataclass(frozen=True, slots=True)
class FixedVectorIntegerCompareMinMaxParams(StrictRecord):
    """Integer comparator lanes: element widths, predicates of compare, the widest payload."""

    element_widths: tuple[IntegerWidth, ...]
    predicates: tuple[IntegerPredicate, ...]
    max_payload_bits: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("element_widths", self.element_widths)
        yield from ordinary_findings("element_widths", self.element_widths)
        yield from set_findings("predicates", self.predicates, may_be_empty=True)
        yield from capacity_findings("max_payload_bits", self.max_payload_bits)


@dataclass(frozen=True, slots=True)
class FixedVectorValueSelectParams(StrictRecord):
    """Selector lanes: integer and float elements, not both empty, and the widest payload."""

    integer_element_widths: tuple[IntegerWidth, ...]
    float_element_formats: tuple[FloatFormat, ...]
    max_payload_bits: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from _element_payload_findings(self)


@dataclass(frozen=True, slots=True)
class FixedVectorAdapterParams(StrictRecord):
    """Pack, unpack, parallelize or serialize: elements as above, and the widest payload."""

    integer_element_widths: tuple[IntegerWidth, ...]
    float_element_formats: tuple[FloatFormat, ...]
    max_payload_bits: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from _element_payload_findings(self)


def _element_payload_findings(
    params: FixedVectorValueSelectParams | FixedVectorAdapterParams,
) -> Iterator[Diagnostic]:
    yield from either_findings(
        ("integer_element_widths", params.integer_element_widths),
        ("float_element_formats", params.float_element_formats),
    )
    yield from capacity_findings("max_payload_bits", params.max_payload_bits)


@dataclass(frozen=True, slots=True)
class FixedVectorFloatParams(StrictRecord):
    """Floating-point lanes: formats, behaviour and the widest payload."""

    element_formats: tuple[FloatFormat, ...]
    behavior: FloatBehaviorProfile
    max_payload_bits: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("element_formats", self.element_formats)
        yield from capacity_findings("max_payload_bits", self.max_payload_bits)


@dataclass(frozen=True, slots=True)
class FixedVectorFloatCompareMinMaxParams(StrictRecord):
    """Floating-point comparator lanes: as the scalar record, and the widest payload."""

    element_formats: tuple[FloatFormat, ...]
    behavior: FloatBehaviorProfile
    predicates: tuple[FloatPredicate, ...]
    max_payload_bits: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from set_findings("element_formats", self.element_formats)
        yield from set_findings("predicates", self.predicates)
        yield from compare_rounding_findings(self.behavior)
        yield from capacity_findings("max_payload_bits", self.max_payload_bits)


@dataclass(frozen=True, slots=True)
class FixedVectorSliceAlignMergeParams(StrictRecord):
    """Slice and merge at a position.

    Parameters
    ----------
    integer_element_widths, float_element_formats
        Elements, not both sets empty.
    max_container_payload_bits, max_slice_payload_bits
        Widest vector and widest slice; the slice is not wider than the vector.
    max_dynamic_position_rank
        Dynamic indices at most; 0 without index ports.
    resolved_index_widths
        Widths of those indices; empty exactly without them.
    """

    integer_element_widths: tuple[IntegerWidth, ...]
    float_element_formats: tuple[FloatFormat, ...]
    max_container_payload_bits: int
    max_slice_payload_bits: int
    max_dynamic_position_rank: int = 0
    resolved_index_widths: tuple[ResolvedIndexWidth, ...] = ()

    def _findings(self) -> Iterator[Diagnostic]:
        yield from either_findings(
            ("integer_element_widths", self.integer_element_widths),
            ("float_element_formats", self.float_element_formats),
        )
        yield from capacity_findings("max_container_payload_bits", self.max_container_payload_bits)
        yield from capacity_findings("max_slice_payload_bits", self.max_slice_payload_bits)
        yield from _within_findings(
            "max_slice_payload_bits",
            self.max_slice_payload_bits,
            "max_container_payload_bits",
            self.max_container_payload_bits,
        )
        yield from capacity_findings(
            "max_dynamic_position_rank", self.max_dynamic_position_rank, least=0
        )
        yield from set_findings(
            "resolved_index_widths", self.resolved_index_widths, may_be_empty=True
        )
        if (self.max_dynamic_position_rank == 0) != (not self.resolved_index_widths):
            yield Diagnostic(
                "params-index-widths",
                "resolved_index_widths",
                "Index widths must stand exactly where dynamic positions do, not "
                f"{len(self.resolved_index_widths)} for rank {self.max_dynamic_position_rank}",
            )


@dataclass(frozen=True, slots=True)
class FixedVectorShuffleParams(StrictRecord):
    """Static shuffle of blocks.

    Parameters
    ----------
    integer_element_widths, float_element_formats
        Elements, not both sets empty.
    max_operand_payload_bits, max_result_payload_bits, max_block_payload_bits
        Widest operand, result and block; a block is not wider than either.
    max_source_blocks, max_result_blocks
        Blocks of both operands together (two or more) and of the result.
    """

    integer_element_widths: tuple[IntegerWidth, ...]
    float_element_formats: tuple[FloatFormat, ...]
    max_operand_payload_bits: int
    max_result_payload_bits: int
    max_block_payload_bits: int
    max_source_blocks: int
    max_result_blocks: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from either_findings(
            ("integer_element_widths", self.integer_element_widths),
            ("float_element_formats", self.float_element_formats),
        )
        operand, result = self.max_operand_payload_bits, self.max_result_payload_bits
        yield from capacity_findings("max_operand_payload_bits", operand)
        yield from capacity_findings("max_result_payload_bits", result)
        block = self.max_block_payload_bits
        yield from capacity_findings("max_block_payload_bits", block)
        where = "max_block_payload_bits"
        yield from _within_findings(where, block, "max_operand_payload_bits", operand)
        yield from _within_findings(where, block, "max_result_payload_bits", result)
        yield from capacity_findings("max_source_blocks", self.max_source_blocks, least=2)
        yield from capacity_findings("max_result_blocks", self.max_result_blocks)


def element_bits(
    params: FixedVectorSliceAlignMergeParams | FixedVectorShuffleParams,
) -> tuple[int, ...]:
    """Admitted element widths in bits, integers before floats."""
    return (
        *(width.bits for width in params.integer_element_widths),
        *(kind.bits for kind in params.float_element_formats),
    )
