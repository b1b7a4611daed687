"""Exposures of a mapping as decode rows of subordinate endpoints.

An exposure says which binding is reached, and by which requests; the row follows from both.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fabricgen.author.binding_document import ExposureDocument, MatchDocument
from fabricgen.author.findings import Findings, lookup
from fabricgen.author.mapping_bindings import Bindings, MemoryBinding, target_name
from fabricgen.errors import Diagnostic
from fabricgen.plan.provider_decode import decode_capacities, decode_order, match_window
from fabricgen.plan.rows import (
    AddressSpaceMatch,
    ContextMatch,
    MatchValue,
    PrefixMatch,
    ProviderDecode,
    ProviderDecodeRow,
    RangeMatch,
)
from fabricgen.records.connectivity import SubordinateDispatch
from fabricgen.records.fabric import NamedMemory
from fabricgen.vocab.dispatch import AddressTransform, MatchField

__all__ = ["Exposures"]

_ADDRESS_MODULUS = 2**64


@dataclass(frozen=True, slots=True)
class _Exposure:
    """One exposure that is understood, with its position in the document."""

    position: int
    subordinate: int
    row: ProviderDecodeRow


class Exposures:
    """The exposures of one memory.

    Parameters
    ----------
    memory
        The memory, which declares what its subordinates match and reach.
    documents
        Exposures in the order of the document.
    bindings
        What may be exposed.
    """

    def __init__(
        self,
        memory: NamedMemory,
        documents: Sequence[ExposureDocument],
        bindings: Bindings,
        findings: Findings,
    ) -> None:
        self._memory = memory
        self._documents = documents
        self._bindings = bindings
        self._findings = findings
        self._where = f"memory.{memory.name}.exposure"
        found = [self._exposure(position) for position in range(len(documents))]
        self._found = sorted(
            (each for each in found if each is not None), key=lambda each: decode_order(each.row)
        )

    def __bool__(self) -> bool:
        return bool(self._found)

    def decode(self) -> ProviderDecode:
        """Rows of every subordinate, in canonical order, filled up with unused ones.

        Raises
        ------
        Unsupported
            For a memory with more decode rows than a carrier holds.
        """
        rows = [self._of(ordinal) for ordinal in range(len(self._memory.names.subordinates))]
        bounds = decode_capacities(self._memory.occurrence)
        return tuple(
            (*(each.row for each in found[:bound]), *(None,) * (bound - len(found)))
            for found, bound in zip(rows, bounds, strict=True)
        )

    def require_room(self) -> None:
        """Note each subordinate that is to expose more than it can."""
        dispatches = self._memory.occurrence.connectivity.subordinate_endpoints
        for ordinal, dispatch in enumerate(dispatches):
            positions = sorted(each.position for each in self._of(ordinal))
            for position in positions[dispatch.max_exposed_bindings :]:
                self._findings.add(
                    "exposure-count",
                    f"{self._where}[{position}].subordinate",
                    f"Subordinate {self._memory.names.subordinates[ordinal]} must expose at most "
                    f"{dispatch.max_exposed_bindings} bindings, not {len(positions)}",
                )

    def placed(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """Give a finding about a decode row its place in the document; ``None`` for another."""
        row = re.match(r"provider_decode\[(\d+)\]\[(\d+)\]\.(?:match\.)?", diagnostic.where)
        if row is None:
            return None
        found = self._of(int(row[1]))
        names = [self._documents[each.position].binding for each in found]
        message = re.sub(
            r"\brows (\d+) and (\d+)\b",
            lambda m: f"those of {names[int(m[1])]} and {names[int(m[2])]}",
            diagnostic.message,
        )
        field = diagnostic.where[row.end() :]
        key = f".match.{field}" if field in MatchDocument.model_fields else ".match"
        place = f"{self._where}[{found[int(row[2])].position}]{key}"
        return Diagnostic(diagnostic.code, place, message)

    def _of(self, subordinate: int) -> list[_Exposure]:
        """Exposures of one subordinate, in canonical order."""
        return [each for each in self._found if each.subordinate == subordinate]

    def _exposure(self, position: int) -> _Exposure | None:
        document, where = self._documents[position], f"{self._where}[{position}]"
        names = self._memory.names.subordinates
        found = lookup([document.subordinate], names, f"{where}.subordinate", self._findings)
        binding = self._bindings.find(document.binding, f"{where}.binding")
        if found is None:
            return None
        (ordinal,) = found
        dispatch = self._memory.occurrence.connectivity.subordinate_endpoints[ordinal]
        self._require_declared(dispatch, document, where)
        if binding is None:
            return None
        if binding.target not in dispatch.targets:
            self._note_target(dispatch, binding, f"{where}.binding")
            return None
        match = self._match(dispatch, document.match, binding, where)
        if match is None:
            return None
        row = self._row(dispatch, binding, match, where)
        return _Exposure(position, ordinal, row)

    def _require_declared(
        self, dispatch: SubordinateDispatch, document: ExposureDocument, where: str
    ) -> None:
        declared = [field.name.lower() for field in dispatch.match_fields]
        for key, value in document.match:
            if value is not None and key not in declared:
                self._findings.add(
                    "decode-match-fields",
                    f"{where}.match.{key}",
                    f"Subordinate {document.subordinate} must match {' and '.join(declared)} "
                    f"alone, not {key}"
                    if declared
                    else f"Subordinate {document.subordinate} must match nothing, not {key}",
                )

    def _note_target(
        self, dispatch: SubordinateDispatch, binding: MemoryBinding, where: str
    ) -> None:
        known = ", ".join(target_name(self._memory, each) for each in dispatch.targets)
        self._findings.add(
            "decode-target",
            where,
            f"The target of {binding.name} must be a target of the subordinate, {known}, "
            f"not {target_name(self._memory, binding.target)}",
        )

    def _match(
        self,
        dispatch: SubordinateDispatch,
        document: MatchDocument,
        binding: MemoryBinding,
        where: str,
    ) -> tuple[MatchValue, ...] | None:
        found: list[MatchValue] = []
        for field in dispatch.match_fields:
            value = _value(field, document)
            if value is None and field is MatchField.RANGE and binding.is_local:
                value = RangeMatch(binding.start, binding.size)
            if value is None:
                proxy = " for a proxy" if field is MatchField.RANGE else ""
                self._findings.add(
                    "missing-key",
                    f"{where}.match.{field.name.lower()}",
                    f"The key must be present where the subordinate matches it{proxy}, not absent",
                )
                continue
            found.append(value)
        return tuple(found) if len(found) == len(dispatch.match_fields) else None

    def _row(
        self,
        dispatch: SubordinateDispatch,
        binding: MemoryBinding,
        match: tuple[MatchValue, ...],
        where: str,
    ) -> ProviderDecodeRow:
        """Derive what is added to addresses, so that the first one reaches the first byte."""
        first = _first_address(match)
        lower, end = match_window(match)
        # A match of no address is reported with the configuration.
        if _names_addresses(match) and lower < end and end - first > binding.size:
            self._findings.add(
                "exposure-outside-binding",
                f"{where}.match",
                f"The addresses must reach at most the {binding.size} bytes of {binding.name}, "
                f"not {end - first}",
            )
        offset = (binding.start - first) % _ADDRESS_MODULUS
        if offset and dispatch.address_transform is AddressTransform.NONE:
            self._findings.add(
                "exposure-address",
                f"{where}.match",
                f"Without a transform the first address must be that of {binding.name} in its "
                f"service, {binding.start}, not {first}",
            )
            offset = 0
        return ProviderDecodeRow(match, binding.target, offset)


def _value(field: MatchField, document: MatchDocument) -> MatchValue | None:
    """What is written about one field."""
    match field:
        case MatchField.RANGE:
            written = document.range
            return None if written is None else RangeMatch(written.base, written.size)
        case MatchField.PREFIX:
            prefix = document.prefix
            return None if prefix is None else PrefixMatch(prefix.value, prefix.length)
        case MatchField.ADDRESS_SPACE:
            space = document.address_space
            return None if space is None else AddressSpaceMatch(space)
        case MatchField.CONTEXT:  # exhaustive
            return None if document.context is None else ContextMatch(document.context)


def _addresses(match: Sequence[MatchValue]) -> Iterator[int]:
    """First address of each value that names addresses, a range before a prefix."""
    for value in match:
        match value:
            case RangeMatch(base, _):
                yield base
            case PrefixMatch(top, _):
                yield top
            case AddressSpaceMatch() | ContextMatch():  # exhaustive
                pass


def _names_addresses(match: Sequence[MatchValue]) -> bool:
    return any(isinstance(value, RangeMatch | PrefixMatch) for value in match)


def _first_address(match: Sequence[MatchValue]) -> int:
    """The address that reaches the first byte: of the range, else of the prefix, else 0."""
    return next(_addresses(match), 0)
