"""Wire form of the parameter records: the u32be schema id, then the fields in their order.

A set is a u64be count and that many framed atoms of the owner of its values, in their order; a
capacity is a u32be, a closed choice its u32be tag, permissions a u32be mask; a record inside a
record is framed and has the same form.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fabricgen.atoms.data_format import POINTER_FORMATS
from fabricgen.atoms.dataflow import FLOAT_PREDICATES, INTEGER_PREDICATES, ROUNDING_MODES
from fabricgen.atoms.hardware import (
    FLOAT_FORMATS,
    FORMAT_PAIRS,
    INDEX_WIDTHS,
    INTEGER_FLOAT_PAIRS,
    INTEGER_WIDTHS,
    NAN_BEHAVIORS,
    SIGNED_ZERO_BEHAVIORS,
    SUBNORMAL_BEHAVIORS,
    WIDTH_PAIRS,
)
from fabricgen.atoms.table import AtomCodec
from fabricgen.errors.place import placed
from fabricgen.hsg.params import PARAMS, CapabilityParams
from fabricgen.hsg.profile import FloatBehaviorProfile, IntegerCastRelation
from fabricgen.schema.payload_codec import read_flags
from fabricgen.vocab.families import CapabilityParamsSchemaId
from fabricgen.vocab.operations import FastMath, SpecialMathAccuracyTier, StreamStepKind
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode", "encode_set", "field_names", "read_set"]


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a record: its name, and both directions of its bytes."""

    name: str
    encode: Callable[[Any], bytes]
    read: Callable[[Reader], Any]


def encode_set(codec: AtomCodec[Any], values: tuple[Any, ...]) -> bytes:
    """Encode values in their order: a count, and framed atoms."""
    return u64be(len(values)) + b"".join(frame(codec.atom(value)) for value in values)


def read_set(codec: AtomCodec[Any], reader: Reader, where: str) -> tuple[Any, ...]:
    """Read what :func:`encode_set` wrote; the record that holds the values checks their order."""
    return tuple(codec.read(reader.frame(), where) for _ in range(reader.count(8)))


def _set(name: str, codec: AtomCodec[Any]) -> _Field:
    return _Field(
        name, lambda values: encode_set(codec, values), lambda reader: read_set(codec, reader, name)
    )


def _number(name: str) -> _Field:
    return _Field(name, u32be, Reader.u32)


def _choice(name: str, kind: type[enum.Enum]) -> _Field:
    return _Field(name, lambda value: u32be(value.value), lambda reader: reader.tag(kind))


def _record(name: str, kind: Callable[..., Any], *inner: _Field) -> _Field:
    def read(reader: Reader) -> Any:
        nested = Reader(reader.frame())
        with placed(name):
            values = [field.read(nested) for field in inner]
            nested.end()
            return kind(*values)

    return _Field(name, lambda record: frame(_encode_fields(inner, record)), read)


_BEHAVIOR = _record(
    "behavior",
    FloatBehaviorProfile,
    _set("rounding_modes", ROUNDING_MODES),
    _set("nan_behaviors", NAN_BEHAVIORS),
    _set("subnormal_behaviors", SUBNORMAL_BEHAVIORS),
    _set("signed_zero_behaviors", SIGNED_ZERO_BEHAVIORS),
    _Field(
        "required_fast_math",
        lambda flags: u32be(flags.value),
        lambda reader: read_flags(reader, FastMath),
    ),
)
_CASTS = _record(
    "relation",
    IntegerCastRelation,
    _set("width_pairs", WIDTH_PAIRS),
    _set("resolved_index_widths", INDEX_WIDTHS),
)
_FORMATS = _set("formats", FLOAT_FORMATS)
_ELEMENT_FORMATS = _set("element_formats", FLOAT_FORMATS)
_ELEMENT_WIDTHS = _set("element_widths", INTEGER_WIDTHS)
_INTEGER_TESTS = _set("predicates", INTEGER_PREDICATES)
_FLOAT_TESTS = _set("predicates", FLOAT_PREDICATES)
_PAYLOAD = _number("max_payload_bits")
_SCALARS = (_set("integer_widths", INTEGER_WIDTHS), _set("float_formats", FLOAT_FORMATS))
_ELEMENTS = (
    _set("integer_element_widths", INTEGER_WIDTHS),
    _set("float_element_formats", FLOAT_FORMATS),
)

_P = CapabilityParamsSchemaId
_FIELDS: dict[CapabilityParamsSchemaId, tuple[_Field, ...]] = {
    _P.SCALAR_INTEGER: (
        _set("integer_widths", INTEGER_WIDTHS),
        _set("pointer_formats", POINTER_FORMATS),
    ),
    _P.SCALAR_INTEGER_COMPARE_MIN_MAX: (_set("operand_widths", INTEGER_WIDTHS), _INTEGER_TESTS),
    _P.SCALAR_VALUE_SELECT: _SCALARS,
    _P.SCALAR_INTEGER_CAST: (_CASTS,),
    _P.SCALAR_BIT_REINTERPRET: _SCALARS,
    _P.SCALAR_FLOAT: (_FORMATS, _BEHAVIOR),
    _P.SCALAR_FLOAT_COMPARE_MIN_MAX: (_FORMATS, _BEHAVIOR, _FLOAT_TESTS),
    _P.SCALAR_FLOAT_WIDTH_CAST: (_set("format_pairs", FORMAT_PAIRS), _BEHAVIOR),
    _P.SCALAR_INTEGER_FLOAT_CONVERSION: (_set("format_pairs", INTEGER_FLOAT_PAIRS),),
    _P.LOOP_STREAM: (
        _set("integer_widths", INTEGER_WIDTHS),
        _choice("fixed_step_kind", StreamStepKind),
        _set("continuation_predicates", INTEGER_PREDICATES),
    ),
    _P.TOKEN_PLANE: (),
    _P.FIXED_VECTOR_INTEGER: (_ELEMENT_WIDTHS, _PAYLOAD),
    _P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX: (_ELEMENT_WIDTHS, _INTEGER_TESTS, _PAYLOAD),
    _P.FIXED_VECTOR_VALUE_SELECT: (*_ELEMENTS, _PAYLOAD),
    _P.FIXED_VECTOR_FLOAT: (_ELEMENT_FORMATS, _BEHAVIOR, _PAYLOAD),
    _P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX: (_ELEMENT_FORMATS, _BEHAVIOR, _FLOAT_TESTS, _PAYLOAD),
    _P.FIXED_VECTOR_ADAPTER: (*_ELEMENTS, _PAYLOAD),
    _P.PAYLOAD_CAPACITY: (_PAYLOAD,),
    _P.ROUTED_TOKEN: (_PAYLOAD, _number("max_fan")),
    _P.FIXED_VECTOR_SLICE_ALIGN_MERGE: (
        *_ELEMENTS,
        _number("max_container_payload_bits"),
        _number("max_slice_payload_bits"),
        _number("max_dynamic_position_rank"),
        _set("resolved_index_widths", INDEX_WIDTHS),
    ),
    _P.FIXED_VECTOR_SHUFFLE: (
        *_ELEMENTS,
        _number("max_operand_payload_bits"),
        _number("max_result_payload_bits"),
        _number("max_block_payload_bits"),
        _number("max_source_blocks"),
        _number("max_result_blocks"),
    ),
    _P.SCALAR_SPECIAL_MATH: (
        _FORMATS,
        _BEHAVIOR,
        _choice("accuracy_guarantee", SpecialMathAccuracyTier),
    ),
}
_SCHEMAS = {kind: schema for schema, kind in PARAMS.items()}


def encode(record: CapabilityParams) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    schema = _SCHEMAS[type(record)]
    return u32be(schema.value) + _encode_fields(_FIELDS[schema], record)


def decode(data: bytes) -> CapabilityParams:
    """Decode strictly: truncation, unknown tags and atoms, disorder and trailing bytes."""
    reader = Reader(data)
    schema = reader.tag(CapabilityParamsSchemaId)
    values = [field.read(reader) for field in _FIELDS[schema]]
    reader.end()
    return PARAMS[schema](*values)


def field_names(schema: CapabilityParamsSchemaId) -> tuple[str, ...]:
    """Fields of a record in the order of its bytes."""
    return tuple(field.name for field in _FIELDS[schema])


def _encode_fields(fields: tuple[_Field, ...], record: Any) -> bytes:
    return b"".join(field.encode(getattr(record, field.name)) for field in fields)
