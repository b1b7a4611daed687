"""Datapath resources out of a document (spec: Concrete Capability Rules)."""

import enum
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from fabricgen.author.access_document import PointerFormatDocument
from fabricgen.author.document import Document, shown
from fabricgen.author.expand_access import pointer_format
from fabricgen.author.findings import Findings, lookup
from fabricgen.author.op_document import OpDocument, UnknownOpDocument
from fabricgen.author.op_params_document import (
    ChoiceOf,
    FlagsOf,
    FloatBehaviorDocument,
    IntegerCastRelationDocument,
    PairsOf,
    SetOf,
)
from fabricgen.errors.listing import listed_names
from fabricgen.hsg.params import PARAMS
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import FloatBehaviorProfile, IntegerCastRelation
from fabricgen.hsg.registry import FAMILIES, family_keyword, family_named
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.records.access import PointerFormat
from fabricgen.records.fabric import NamedOp
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.families import ImplementationFamilyId
from fabricgen.vocab.hardware import IntegerWidth, ResolvedIndexWidth
from fabricgen.vocab.words import word

__all__ = ["expand_op"]

_V = TypeVar("_V")

_KEYWORDS = tuple(map(family_keyword, ImplementationFamilyId))
#: Operations that some family has, by their words.
_OPERATIONS = {
    word(each): each for row in FAMILIES.values() for each in row.admitted_operation_schema_ids
}
_RECORDS: dict[type[Document], Callable[..., Any]] = {
    FloatBehaviorDocument: FloatBehaviorProfile,
    IntegerCastRelationDocument: IntegerCastRelation,
}


def expand_op(document: OpDocument, where: str, findings: Findings) -> NamedOp | None:
    """Build one resource; ``None`` where a finding keeps it from existing."""
    return _Expansion(where, findings).op(document)


class _Expansion:
    """One resource being built; sets are sorted, and where their values were written is kept."""

    def __init__(self, where: str, findings: Findings) -> None:
        self._where = where
        self._findings = findings
        #: Written position of each value of a sorted list, by the list's path below the op.
        self._positions: dict[str, tuple[int, ...]] = {}

    def op(self, document: OpDocument) -> NamedOp | None:
        operations = self._operations(document)
        ports = self._attempt(
            "ports",
            lambda: PhysicalPorts(tuple(document.ports.inputs), tuple(document.ports.outputs)),
        )
        timing = self._attempt("timing", lambda: ResourceTiming(**dict(document.timing)))
        if isinstance(document, UnknownOpDocument):
            where = f"{self._where}.family"
            lookup([document.family], _KEYWORDS, where, self._findings, "family-unknown")
            return None
        family = family_named(document.family, "family")
        kind = PARAMS[FAMILIES[family].capability_params_schema_id]
        hw_params = self._record(document.hw_params, kind, "hw_params")
        if operations is None or ports is None or timing is None or hw_params is None:
            return None
        op = self._findings.attempt(
            self._place, lambda: FabricOp(family, operations, hw_params, ports, timing)
        )
        return None if op is None else NamedOp(document.name, op)

    def _operations(self, document: OpDocument) -> tuple[OperationSchemaId, ...] | None:
        """Enabled operations in registry order; messages name those of the family."""
        known: Sequence[str] = tuple(_OPERATIONS)
        if not isinstance(document, UnknownOpDocument):
            row = FAMILIES[family_named(document.family, "family")]
            known = tuple(map(word, row.admitted_operation_schema_ids))
        unknown = [i for i, name in enumerate(document.op_list) if name not in _OPERATIONS]
        for ordinal in unknown:
            where = f"{self._where}.op_list[{ordinal}]"
            name = document.op_list[ordinal]
            lookup([name], known, where, self._findings, "operation-unknown")
        if unknown:
            return None
        named = [_OPERATIONS[name] for name in document.op_list]
        return self._sorted("op_list", named, document.op_list, lambda each: each.value)

    def _record(self, document: Document, kind: Callable[..., _V], path: str) -> _V | None:
        """A record whose fields are the keys of a table."""
        values = {
            name: self._value(getattr(document, name), info.metadata, f"{path}.{name}")
            for name, info in type(document).model_fields.items()
        }
        if any(value is None for value in values.values()):
            return None
        return self._attempt(path, lambda: kind(**values))

    def _value(self, value: Any, metadata: Sequence[object], path: str) -> Any:
        if isinstance(value, Document):
            return self._record(value, _RECORDS[type(value)], path)
        for meaning in metadata:
            match meaning:
                case SetOf(kind):
                    known = [_values(kind)[each] for each in cast("list[object]", value)]
                    return self._sorted(path, known, value, _ordinal)
                case FlagsOf(kind):
                    flags = [kind[each.upper()] for each in cast("list[str]", value)]
                    unique = self._sorted(path, flags, value, _ordinal)
                    return kind(sum(each.value for each in unique))
                case ChoiceOf(kind):
                    return _values(kind)[value]
                case PairsOf():
                    return self._pairs(meaning, value, path)
                case _:
                    pass
        if isinstance(value, list):
            return self._pointers(cast("list[PointerFormatDocument]", value), path)
        return value

    def _pairs(
        self, meaning: PairsOf, written: list[list[object]], path: str
    ) -> tuple[tuple[enum.Enum, enum.Enum], ...] | None:
        ends = (_values(meaning.first), _values(meaning.second))
        is_known = True
        for ordinal, pair in enumerate(written):
            for end, (known, value) in enumerate(zip(ends, pair, strict=True)):
                if value not in known:
                    is_known = False
                    self._findings.add(
                        "unknown-value",
                        f"{self._where}.{path}[{ordinal}][{end}]",
                        f"The value must be one of {listed_names(map(shown, known))}, "
                        f"not {shown(value)}",
                    )
        if not is_known:
            return None
        pairs = [(ends[0][left], ends[1][right]) for left, right in written]
        return self._sorted(path, pairs, written, lambda pair: (pair[0].value, pair[1].value))

    def _pointers(
        self, written: list[PointerFormatDocument], path: str
    ) -> tuple[PointerFormat, ...] | None:
        attempts = [
            pointer_format(each, f"{self._where}.{path}[{ordinal}]", self._findings)
            for ordinal, each in enumerate(written)
        ]
        formats = [each for each in attempts if each is not None]
        if len(formats) < len(attempts):
            return None
        return self._sorted(path, formats, [dict(each) for each in written], lambda each: each)

    def _sorted(
        self, path: str, values: Sequence[_V], written: Sequence[object], key: Callable[[_V], Any]
    ) -> tuple[_V, ...]:
        """A set in canonical order; a value that stands in it again is noted."""
        first: dict[_V, int] = {}
        for ordinal, value in enumerate(values):
            if value in first:
                self._findings.add(
                    "duplicate-value",
                    f"{self._where}.{path}[{ordinal}]",
                    f"The value must stand once in its set, not {_text(written[ordinal])} "
                    f"as {self._where}.{path}[{first[value]}]",
                )
            first.setdefault(value, ordinal)
        ordered = tuple(sorted(first, key=key))
        self._positions[path] = tuple(first[value] for value in ordered)
        return ordered

    def _attempt(self, path: str, build: Callable[[], _V]) -> _V | None:
        return self._findings.attempt(lambda inner: self._place(f"{path}.{inner}"), build)

    def _place(self, path: str) -> str:
        """Place of a path below the record in the document, where lists have another order."""
        item = re.fullmatch(r"([\w.]+)\[(\d+)\]", path)
        if item is not None and (positions := self._positions.get(item[1])):
            path = f"{item[1]}[{positions[int(item[2])]}]"
        return f"{self._where}.{path}"


def _ordinal(value: enum.Enum) -> int:
    return value.value


@cache
def _values(kind: type[enum.Enum]) -> dict[object, enum.Enum]:
    """Values of a closed set by what documents call them: widths by their bits."""
    if kind is IntegerWidth:
        return {each.bits: each for each in IntegerWidth}
    if kind is ResolvedIndexWidth:
        return {each.bits: each for each in ResolvedIndexWidth}
    return {word(each): each for each in kind}


def _text(value: object) -> str:
    """A value of a set in a message, pairs written out."""
    if isinstance(value, list):
        return f"[{', '.join(map(shown, cast('list[object]', value)))}]"
    return shown(value)
