"""Use patterns of a port out of a document: their names, their projections and their places."""

import re
from dataclasses import dataclass

from fabricgen.author.expand_named_contract import contract_place, patterns_per_name
from fabricgen.author.findings import Findings, Place, lookup
from fabricgen.author.port_document import PortDocument
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = ["PatternNames", "pattern_names", "pattern_place", "pattern_semantics"]

_PROJECTIONS = {"direct": "DIRECT", "active_lanes": "ACTIVE_LANES_ROW_MAJOR"}


@dataclass(frozen=True, slots=True)
class PatternNames:
    """Names of a port's use patterns, and where their projections were written.

    Parameters
    ----------
    names
        Names in key order.
    size
        Use patterns that one name stands for: one, or one per context.
    positions
        Per name, the position in the document's list.
    """

    names: tuple[str, ...]
    size: int
    positions: tuple[int, ...]

    def keys(self, name: int) -> range:
        """Use patterns of the record that the name at one position stands for."""
        return range(name * self.size, (name + 1) * self.size)

    def position_of(self, key: int) -> int:
        """Position in the document's list of the projection of one use pattern."""
        return self.positions[key // self.size]


def pattern_names(
    document: PortDocument, contexts: int, where: str, findings: Findings
) -> PatternNames:
    """Names that alternatives may select; positions are incomplete where a finding says so.

    ``where`` is the place of the list; ``contexts`` the rows that may select the port.
    """
    written = [pattern.name for pattern in document.patterns]
    places = [(name, f"{where}[{index}].name") for index, name in enumerate(written)]
    findings.require_unique(places)
    if document.contract is None:
        return PatternNames(tuple(written), contexts, tuple(range(len(written))))
    size = patterns_per_name(document.contract, contexts)
    names = tuple(pattern.name for pattern in document.contract.patterns[::size])
    for name, place in places:
        lookup([name], names, place, findings, code="unknown-use-pattern-key")
    if absent := [name for name in names if name not in written]:
        findings.add(
            "port-pattern-count",
            where,
            "There must be a projection for each use pattern of the contract, not none for "
            f"{', '.join(absent)}",
        )
    return PatternNames(
        names, size, tuple(written.index(name) for name in names if name in written)
    )


def pattern_semantics(
    document: PortDocument, patterns: PatternNames
) -> tuple[MemoryPortTransactionProjection, ...] | None:
    """Projection of each use pattern; ``None`` where one has none."""
    if len(patterns.positions) < len(patterns.names):
        return None
    return tuple(
        MemoryPortTransactionProjection[_PROJECTIONS[document.patterns[position].projection]]
        for position in patterns.positions
        for _ in range(patterns.size)
    )


def pattern_place(document: PortDocument, patterns: PatternNames, where: str) -> Place:
    """Place what the complete port at ``where`` reports about its patterns."""

    def place(record_path: str) -> str:
        inside = record_path.removeprefix("resource_contract.")
        if document.contract is not None and inside != record_path:
            return contract_place(document.contract, where)(inside)
        pattern = re.match(
            r"(resource_contract\.use_patterns|operation_pattern_semantics)\[(\d+)\]", record_path
        )
        if pattern is None:
            return where
        return f"{where}.patterns[{patterns.position_of(int(pattern[2]))}]"

    return place
