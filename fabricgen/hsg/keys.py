"""Keys of a finite semantic field and their canonical bytes."""

from dataclasses import dataclass

from fabricgen.atoms.dataflow import FLOAT_PREDICATES, INTEGER_PREDICATES, ROUNDING_MODES
from fabricgen.hsg.registry import family_keyword
from fabricgen.vocab.families import ImplementationFamilyId
from fabricgen.vocab.hardware import FloatFormat
from fabricgen.vocab.operations import FloatPredicate, IntegerPredicate, RoundingMode
from fabricgen.wire.frame import u32be, u64be

__all__ = ["BehaviorKey", "ExactFormat", "RepresentationWidth", "encode_key"]


@dataclass(frozen=True, slots=True)
class ExactFormat:
    """A comparison that must know the format, since it meets NaNs."""

    format: FloatFormat


@dataclass(frozen=True, slots=True)
class RepresentationWidth:
    """A comparison without NaNs: formats of one width compare alike."""

    bits: int


@dataclass(frozen=True, slots=True)
class BehaviorKey:
    """One behaviour that a resource can be configured for.

    A component that does not tell behaviours apart is ``None``; the fields stand in the order of
    their slots. Widths are in bits.

    Parameters
    ----------
    family, role
        Family, and what it does; a family of one operation may have an empty role.
    source_bits, result_bits, active_bits, element_bits, lane_count
        Widths of a cast's ends, of a scalar operand, of a vector element; lanes of a group.
    predicate
        Of a comparison or continuation.
    source_format, result_format, format, comparison_format
        Formats of a cast's ends, of uniform arithmetic, of a comparison.
    rounding
        Where the resource offers more than one mode.
    lanes
        Physical lanes of a routed token.
    """

    family: ImplementationFamilyId
    role: str = ""
    source_bits: int | None = None
    result_bits: int | None = None
    active_bits: int | None = None
    element_bits: int | None = None
    lane_count: int | None = None
    predicate: IntegerPredicate | FloatPredicate | None = None
    source_format: FloatFormat | None = None
    result_format: FloatFormat | None = None
    format: FloatFormat | None = None
    comparison_format: ExactFormat | RepresentationWidth | None = None
    rounding: RoundingMode | None = None
    lanes: tuple[int, ...] | None = None


def encode_key(key: BehaviorKey) -> bytes:
    """Encode a key: domain, version 1.0, framed family and role, then the present components.

    Frames have a u32be length here. A width is a u32be, an atom a frame of its owner's bytes, a
    lane image a u32be count and u64be ordinals.
    """
    parts = [
        b"loom.fabric.operation-behavior-key\0" + u32be(1) + u32be(0),
        _frame(family_keyword(key.family).encode()),
        _frame(key.role.encode()),
    ]
    widths = (
        key.source_bits,
        key.result_bits,
        key.active_bits,
        key.element_bits,
        key.lane_count,
    )
    parts.extend(u32be(width) for width in widths if width is not None)
    if isinstance(key.predicate, IntegerPredicate):
        parts.append(_frame(INTEGER_PREDICATES.atom(key.predicate)))
    elif key.predicate is not None:
        parts.append(_frame(FLOAT_PREDICATES.atom(key.predicate)))
    formats = (key.source_format, key.result_format, key.format)
    parts.extend(_frame(u32be(each.value)) for each in formats if each is not None)
    comparison = key.comparison_format
    if isinstance(comparison, ExactFormat):
        parts.append(_frame(u32be(1) + u32be(comparison.format.value)))
    elif comparison is not None:
        parts.append(_frame(u32be(2) + u32be(comparison.bits)))
    if key.rounding is not None:
        parts.append(_frame(ROUNDING_MODES.atom(key.rounding)))
    if key.lanes is not None:
        parts.append(u32be(len(key.lanes)) + b"".join(map(u64be, key.lanes)))
    return b"".join(parts)


def _frame(data: bytes) -> bytes:
    return u32be(len(data)) + data
