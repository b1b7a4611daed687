"""The exact actor of a datapath resource out of a mapping, and what it is configured to."""

import enum
import re
from collections.abc import Sequence
from typing import TypeVar, cast

from fabricgen.author.findings import Findings, lookup
from fabricgen.author.op_actor_document import (
    ACTOR_OPERATIONS,
    CompareActorDocument,
    ConstantActorDocument,
    ExactActorDocument,
    FloatActorDocument,
    FloatCompareActorDocument,
    MathActorDocument,
    NonNegativeActorDocument,
    OpActorDocument,
    OverflowActorDocument,
    PlainActorDocument,
    PositionActorDocument,
    RoutedActorDocument,
    ShuffleActorDocument,
    StreamActorDocument,
    UnknownActorDocument,
)
from fabricgen.author.op_constant import typed_constant
from fabricgen.errors import Invalid
from fabricgen.hsg.setting import OpValue, configured_value
from fabricgen.records.fabric import NamedOp
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.operations import OPERATION_SCHEMAS
from fabricgen.schema.payload import (
    Disjoint,
    Exact,
    FloatCompare,
    FloatingPoint,
    IntegerCompare,
    IntegerMinPoison,
    IntegerOverflowFlags,
    NonNegative,
    NoPayload,
    Payload,
    RegisteredIntrinsic,
    ShuffleMask,
    SpecialMathAccuracy,
    StaticPosition,
    StreamRecurrence,
    ZeroPoison,
)
from fabricgen.schema.type_text import parse_type
from fabricgen.schema.types import ValueType
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerOverflow,
    IntegerPredicate,
    RoundingMode,
    SemanticPayloadCase,
    SpecialMathAccuracyTier,
    StreamStepKind,
)
from fabricgen.vocab.words import word

__all__ = ["op_value"]

_F = TypeVar("_F", bound=enum.Flag)
_C = SemanticPayloadCase

#: Payload of the cases whose flag is always set, and of those without any.
_PLAIN: dict[SemanticPayloadCase, Payload] = {
    _C.NONE: NoPayload(),
    _C.LLVM_ZERO_POISON: ZeroPoison(is_zero_poison=True),
    _C.LLVM_INTEGER_MIN_POISON: IntegerMinPoison(is_int_min_poison=True),
    _C.LLVM_DISJOINT: Disjoint(is_disjoint=True),
    _C.LLVM_REGISTERED_INTRINSIC: RegisteredIntrinsic(),
}

#: Keys under which parts of an actor and its payload are written.
_KEYS = {
    "schema_id": "operation",
    "payload.components": "positions",
    "payload.selectors": "mask",
    "components": "positions",
    "selectors": "mask",
    "payload.tier": "accuracy",
    "tier": "accuracy",
}


def op_value(named: NamedOp, document: OpActorDocument, where: str, findings: Findings) -> OpValue:
    """Value of a resource that carries out the actor of a table; ``None`` beside a finding."""
    operation = _operation(named, document, f"{where}.operation", findings)
    _require_sets(document, where, findings)
    operands = _types(document.operands, f"{where}.operands", findings)
    results = _types(document.results, f"{where}.results", findings)
    if operation is None or operands is None or results is None:
        return None
    payload = _payload(document, operation, results, where, findings)
    if payload is None:
        return None

    def place(inner: str) -> str:
        return _place(inner, where, document)

    actor = findings.attempt(place, lambda: OperationActor(operation, operands, results, payload))
    if actor is None:
        return None
    lanes = tuple(document.lanes) if isinstance(document, RoutedActorDocument) else None
    return findings.attempt(place, lambda: configured_value(named.op, actor, lanes))


def _operation(
    named: NamedOp, document: OpActorDocument, where: str, findings: Findings
) -> OperationSchemaId | None:
    enabled = tuple(map(word, named.op.op_list))
    if isinstance(document, UnknownActorDocument):
        lookup([document.operation], enabled, where, findings, "operation-unknown")
        return None
    operation = ACTOR_OPERATIONS[document.operation]
    if operation not in named.op.op_list:
        lookup([document.operation], enabled, where, findings, "op-not-enabled")
        return None
    return operation


def _types(texts: Sequence[str], where: str, findings: Findings) -> tuple[ValueType, ...] | None:
    kinds: list[ValueType] = []
    for ordinal, text in enumerate(texts):
        try:
            kinds.append(parse_type(text, f"{where}[{ordinal}]"))
        except Invalid as error:
            findings.diagnostics += error.diagnostics
    return tuple(kinds) if len(kinds) == len(texts) else None


def _payload(
    document: OpActorDocument,
    operation: OperationSchemaId,
    results: Sequence[ValueType],
    where: str,
    findings: Findings,
) -> Payload | None:
    """Build the payload of the operation's case, or note what is wrong with it."""
    match document:
        case ConstantActorDocument():
            if len(results) != 1:
                findings.add(
                    "actor-shape",
                    f"{where}.results",
                    f"A constant must have 1 result, not {len(results)}",
                )
                return None
            return typed_constant(results[0], document.value, document.bits, where, findings)
        case MathActorDocument():
            flags = _flags(FastMath, document.fast_math)
            tier = SpecialMathAccuracyTier[document.accuracy.upper()]
            return findings.attempt(f"{where}.accuracy", lambda: SpecialMathAccuracy(flags, tier))
        case ShuffleActorDocument():
            return findings.attempt(f"{where}.mask", lambda: ShuffleMask(tuple(document.mask)))
        case PositionActorDocument():
            components = (None if each == "dynamic" else each for each in document.positions)
            return StaticPosition(tuple(components))
        case OverflowActorDocument():
            return IntegerOverflowFlags(_flags(IntegerOverflow, document.overflow))
        case ExactActorDocument():
            return Exact(document.exact)
        case NonNegativeActorDocument():
            return NonNegative(document.non_negative)
        case CompareActorDocument():
            return IntegerCompare(IntegerPredicate[document.predicate.upper()])
        case FloatCompareActorDocument():
            predicate = FloatPredicate[document.predicate.upper()]
            return FloatCompare(predicate, _flags(FastMath, document.fast_math))
        case FloatActorDocument():
            rounding = document.rounding
            mode = None if rounding is None else RoundingMode[rounding.upper()]
            return FloatingPoint(_flags(FastMath, document.fast_math), mode)
        case StreamActorDocument():
            return StreamRecurrence(
                StreamStepKind[document.step.upper()],
                IntegerPredicate[document.predicate.upper()],
            )
        case PlainActorDocument() | RoutedActorDocument() | UnknownActorDocument():  # exhaustive
            return _PLAIN[OPERATION_SCHEMAS[operation].payload_case]


def _flags(kind: type[_F], names: Sequence[str]) -> _F:
    flags = kind(0)
    for name in names:
        flags |= kind[name.upper()]
    return flags


def _require_sets(document: OpActorDocument, where: str, findings: Findings) -> None:
    """Note each flag that is written again."""
    for key in ("fast_math", "overflow"):
        names = cast("list[str]", getattr(document, key, []))
        places = [(name, f"{where}.{key}[{i}]") for i, name in enumerate(names)]
        findings.require_unique(places, "duplicate-value")


def _place(inner: str, where: str, document: OpActorDocument) -> str:
    """Place of a part of an actor in the document."""
    key = _KEYS.get(inner, inner.removeprefix("payload."))
    name = re.split(r"[.\[]", key)[0]
    # A finding about what may be absent, or about the actor as a whole, is one of the table.
    return f"{where}.{key}" if name in document.model_fields_set else where
