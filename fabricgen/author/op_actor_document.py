"""What one datapath resource does: the exact actor, one class for each case of its payload.

The operation chooses the case; one that there is not is read with what every actor has.
"""

from collections.abc import Collection, Mapping
from typing import Annotated, Literal

from pydantic import Field, JsonValue, Tag, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from fabricgen.author.document import Document
from fabricgen.author.fields import Unsigned, by_table, by_type
from fabricgen.author.op_words import (
    Accuracy,
    FastMathFlag,
    FloatPredicateWord,
    IntegerPredicateWord,
    OverflowFlag,
    Rounding,
    StepWord,
)
from fabricgen.schema.operations import OPERATION_SCHEMAS
from fabricgen.schema.type_text import TYPE_PATTERN
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.operations import ActorKind, SemanticPayloadCase
from fabricgen.vocab.words import word

__all__ = [
    "ACTOR_OPERATIONS",
    "CompareActorDocument",
    "ConstantActorDocument",
    "ExactActorDocument",
    "FloatActorDocument",
    "FloatCompareActorDocument",
    "MathActorDocument",
    "NonNegativeActorDocument",
    "OpActorDocument",
    "OverflowActorDocument",
    "PlainActorDocument",
    "PositionActorDocument",
    "RoutedActorDocument",
    "ShuffleActorDocument",
    "StreamActorDocument",
    "UnknownActorDocument",
]

_C = SemanticPayloadCase
#: Cases with nothing to say: there is no payload, or its one flag is always set.
_PLAIN = (
    _C.NONE,
    _C.LLVM_ZERO_POISON,
    _C.LLVM_INTEGER_MIN_POISON,
    _C.LLVM_DISJOINT,
    _C.LLVM_REGISTERED_INTRINSIC,
)

#: Operations whose lanes have to be placed.
_ROUTED = (
    OperationSchemaId.DATAFLOW_SYNC,
    OperationSchemaId.DATAFLOW_MUX,
    OperationSchemaId.DATAFLOW_DEMUX,
)

#: Operations of actors by their words; no datapath resource computes addresses or has aggregates.
ACTOR_OPERATIONS = {
    word(each): each
    for each, schema in OPERATION_SCHEMAS.items()
    if schema.actor_kind is not ActorKind.MEMORY
    and schema.payload_case not in (_C.LLVM_AGGREGATE_POSITION, _C.LLVM_GET_ELEMENT_PTR_SEMANTICS)
}


def _case(operation: OperationSchemaId) -> SemanticPayloadCase:
    return OPERATION_SCHEMAS[operation].payload_case


def _named(*operations: OperationSchemaId) -> WithJsonSchema:
    """Words of some operations."""
    names: list[JsonValue] = list(map(word, operations))
    return WithJsonSchema({"type": "string", "enum": names})


def _operations(
    *cases: SemanticPayloadCase, without: Collection[OperationSchemaId] = ()
) -> WithJsonSchema:
    """Words of the operations of some cases."""
    known = ACTOR_OPERATIONS.values()
    return _named(*(each for each in known if _case(each) in cases and each not in without))


_TypeText = Annotated[str, WithJsonSchema({"type": "string", "pattern": TYPE_PATTERN})]
_OPERATION = Field(description="Operation, as `fabricgen operations` prints it.")
_FAST_MATH = Field(default=[], description="Permissions of the program.")
_OVERFLOW = Field(default=[], description="Promises of the program that nothing overflows.")


class _ActorDocument(Document):
    operands: list[_TypeText] = Field(
        description="Types of the operands in order, such as i32, bf16, index64, none, "
        "vector<4xi8> or ptr64."
    )
    results: list[_TypeText] = Field(description="Types of the results in order.")


class UnknownActorDocument(_ActorDocument):
    """An operation that there is not."""

    operation: str = _OPERATION


class PlainActorDocument(_ActorDocument):
    """An actor of which operation and types say everything."""

    operation: Annotated[str, _operations(*_PLAIN, without=_ROUTED)] = _OPERATION


class RoutedActorDocument(_ActorDocument):
    """A sync, mux or demux."""

    operation: Annotated[str, _named(*_ROUTED)] = _OPERATION
    lanes: list[Unsigned] = Field(
        description="Physical lane of each lane of the program: an input and the output beside it "
        "of a sync, an input from 1 on of a mux, an output of a demux."
    )


class OverflowActorDocument(_ActorDocument):
    """Integer arithmetic that may overflow."""

    operation: Annotated[str, _operations(_C.ARITH_INTEGER_OVERFLOW)] = _OPERATION
    overflow: list[OverflowFlag] = _OVERFLOW


class ExactActorDocument(_ActorDocument):
    """A division or right shift."""

    operation: Annotated[str, _operations(_C.ARITH_EXACT)] = _OPERATION
    exact: bool = Field(
        default=False, description="Promise of the program that no set bit is lost."
    )


class NonNegativeActorDocument(_ActorDocument):
    """A conversion of an unsigned integer."""

    operation: Annotated[str, _operations(_C.ARITH_NON_NEGATIVE)] = _OPERATION
    non_negative: bool = Field(
        default=False, description="Promise of the program that the operand is not negative."
    )


class CompareActorDocument(_ActorDocument):
    """A comparison of integers."""

    operation: Annotated[str, _operations(_C.ARITH_INTEGER_COMPARE)] = _OPERATION
    predicate: IntegerPredicateWord = Field(description="Relation that is asked for.")


class FloatCompareActorDocument(_ActorDocument):
    """A comparison of floats."""

    operation: Annotated[str, _operations(_C.ARITH_FLOAT_COMPARE)] = _OPERATION
    predicate: FloatPredicateWord = Field(
        description="Relation that is asked for; o is false and u is true on a NaN."
    )
    fast_math: list[FastMathFlag] = _FAST_MATH


class FloatActorDocument(_ActorDocument):
    """Floating-point arithmetic."""

    operation: Annotated[str, _operations(_C.ARITH_FLOATING_POINT)] = _OPERATION
    fast_math: list[FastMathFlag] = _FAST_MATH
    rounding: Rounding | None = Field(
        default=None, description="How an inexact result is rounded; to nearest even if absent."
    )


class MathActorDocument(_ActorDocument):
    """A special function."""

    operation: Annotated[str, _operations(_C.SPECIAL_MATH_ACCURACY)] = _OPERATION
    fast_math: list[FastMathFlag] = _FAST_MATH
    accuracy: Accuracy = Field(
        default="correctly_rounded",
        description="Weakest accuracy that the program accepts; another than correctly_rounded "
        "needs afn.",
    )


_Number = Annotated[
    Annotated[int, Tag("~integer")] | Annotated[float, Tag("~float")],
    by_type("an integer or a float", integer=int, float=float),
    WithJsonSchema({"type": "number"}),
]
_Bits = Annotated[int, Field(ge=0)]


class ConstantActorDocument(_ActorDocument):
    """A constant, of the type of its result."""

    operation: Annotated[str, _operations(_C.TYPED_CONSTANT_VALUE)] = _OPERATION
    value: (
        Annotated[
            Annotated[int, Tag("~integer")]
            | Annotated[float, Tag("~float")]
            | Annotated[list[_Number], Tag("~lanes")],
            by_type("an integer, a float or a list", integer=int, float=float, lanes=list),
            WithJsonSchema(
                {
                    "oneOf": [
                        {"type": "number"},
                        {"type": "array", "items": {"type": "number"}},
                    ]
                }
            ),
        ]
        | None
    ) = Field(
        default=None,
        description="The number, for a vector one of each lane, row-major; floats are rounded to "
        "nearest even.",
    )
    bits: (
        Annotated[
            Annotated[_Bits, Tag("~scalar")] | Annotated[list[_Bits], Tag("~lanes")],
            by_type("an integer or a list", scalar=int, lanes=list),
        ]
        | None
    ) = Field(default=None, description="The exact bits, for a vector of each lane; not value.")


class StreamActorDocument(_ActorDocument):
    """A recurrence."""

    operation: Annotated[str, _operations(_C.STREAM_RECURRENCE)] = _OPERATION
    step: StepWord = Field(description="From one value to the next.")
    predicate: IntegerPredicateWord = Field(
        description="Relation of value and limit under which it goes on."
    )


class PositionActorDocument(_ActorDocument):
    """An extract from a vector, or an insert into one."""

    operation: Annotated[str, _operations(_C.VECTOR_STATIC_POSITION)] = _OPERATION
    positions: list[
        Annotated[
            Annotated[Annotated[int, Field(ge=-1)], Tag("~index")]
            | Annotated[Literal["dynamic"], Tag("~dynamic")],
            by_type('an integer or "dynamic"', index=int, dynamic=str),
        ]
    ] = Field(
        description="Index of each leading dimension: -1 is poison, dynamic comes as an operand."
    )


class ShuffleActorDocument(_ActorDocument):
    """A shuffle of two vectors."""

    operation: Annotated[str, _operations(_C.VECTOR_SHUFFLE_MASK)] = _OPERATION
    mask: list[Annotated[int, Field(ge=-1)]] = Field(
        description="Source block of each result block, counted across both operands; -1 is poison."
    )


_TAGS = {
    **dict.fromkeys(_PLAIN, "plain"),
    _C.ARITH_INTEGER_OVERFLOW: "overflow",
    _C.ARITH_EXACT: "exact",
    _C.ARITH_NON_NEGATIVE: "non_negative",
    _C.ARITH_INTEGER_COMPARE: "compare",
    _C.ARITH_FLOAT_COMPARE: "float_compare",
    _C.ARITH_FLOATING_POINT: "float",
    _C.SPECIAL_MATH_ACCURACY: "math",
    _C.TYPED_CONSTANT_VALUE: "constant",
    _C.STREAM_RECURRENCE: "stream",
    _C.VECTOR_STATIC_POSITION: "position",
    _C.VECTOR_SHUFFLE_MASK: "shuffle",
}


def _kind(table: Mapping[str, object]) -> str:
    name = table.get("operation")
    known = ACTOR_OPERATIONS.get(name) if isinstance(name, str) else None
    if known is None:
        return "unknown"
    return "routed" if known in _ROUTED else _TAGS[_case(known)]


OpActorDocument = Annotated[
    Annotated[PlainActorDocument, Tag("~plain")]
    | Annotated[RoutedActorDocument, Tag("~routed")]
    | Annotated[OverflowActorDocument, Tag("~overflow")]
    | Annotated[ExactActorDocument, Tag("~exact")]
    | Annotated[NonNegativeActorDocument, Tag("~non_negative")]
    | Annotated[CompareActorDocument, Tag("~compare")]
    | Annotated[FloatCompareActorDocument, Tag("~float_compare")]
    | Annotated[FloatActorDocument, Tag("~float")]
    | Annotated[MathActorDocument, Tag("~math")]
    | Annotated[ConstantActorDocument, Tag("~constant")]
    | Annotated[StreamActorDocument, Tag("~stream")]
    | Annotated[PositionActorDocument, Tag("~position")]
    | Annotated[ShuffleActorDocument, Tag("~shuffle")]
    | Annotated[SkipJsonSchema[UnknownActorDocument], Tag("~unknown")],
    by_table(_kind),
]
