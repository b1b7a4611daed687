"""Internal edges of a mapping: which result feeds which operand, and over which connection.

An edge is written at its consumer (``from``), or at both ends (``to`` at the producer).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.author.findings import Findings, lookup
from fabricgen.author.mapping_document import InputDocument, OutputDocument, RowDocument
from fabricgen.errors import Diagnostic
from fabricgen.plan.roles import RoleBindings
from fabricgen.plan.rows import ResultDestination, RoleSource
from fabricgen.records.connectivity import InternalConnection
from fabricgen.records.fabric import NamedMemory
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["BoundRow", "Edges", "edge_place"]

#: Codes of findings about the tag of a source or destination.
_ABOUT_TAGS = ("row-tag-presence", "row-tag-range", "row-ingress-conflict")


#: Codes of what a missing edge makes of its two ends.
_IMPLIED = ("row-tag-presence", "row-destination-missing")


@dataclass(frozen=True, slots=True)
class BoundRow:
    """One row of the document with the endpoints of its active roles.

    Parameters
    ----------
    where
        Place of the row in the document.
    document
        The row.
    inputs, results
        Active roles with their endpoints, in role order.
    """

    where: str
    document: RowDocument
    inputs: RoleBindings
    results: RoleBindings

    def input(self, role: ServiceValueRole) -> InputDocument:
        """What is written about one operand."""
        return getattr(self.document.inputs, _key(role), None) or InputDocument()

    def output(self, role: ServiceValueRole) -> OutputDocument:
        """What is written about one result."""
        return getattr(self.document.outputs, _key(role), None) or OutputDocument()


@dataclass(frozen=True, slots=True)
class _End:
    """One role of one row: its endpoint, and where the document writes about it."""

    name: str
    endpoint: int
    where: str


class Edges:
    """The internal edges among the rows of one memory.

    Parameters
    ----------
    memory
        The memory, which declares the connections that there may be.
    rows
        The rows that are understood.
    all_names
        Names of all rows of the document; what refers to one that is not understood is left to
        the findings about that.
    """

    def __init__(
        self,
        memory: NamedMemory,
        rows: Sequence[BoundRow],
        all_names: Sequence[str],
        findings: Findings,
    ) -> None:
        self._memory = memory
        self._findings = findings
        self._unknown = set(all_names) - {row.document.name for row in rows}
        self._is_tagged = any(e.tag_width is not None for e in memory.occurrence.endpoints)
        self._results = _ends((row, role, at) for row in rows for role, at in row.results)
        self._operands = _ends((row, role, at) for row in rows for role, at in row.inputs)
        #: What each operand names in its from.
        self._named = {
            _name(row, role): row.input(role).source for row in rows for role, _ in row.inputs
        }
        #: Connection of each operand that has one, and connections of each result.
        self._taken: dict[str, int] = {}
        self._given: defaultdict[str, set[int]] = defaultdict(set)
        #: Places whose edge is reported already.
        self._broken: set[str] = set()
        for row in rows:
            self._require_active(row)
            for role, _ in row.inputs:
                self._join(row, role)
        for row in rows:
            for role, _ in row.results:
                self._require_closed(row, role)

    def sources(self, row: BoundRow) -> tuple[tuple[ServiceValueRole, RoleSource], ...]:
        """Where each active operand of a row comes from."""
        return tuple(
            (role, RoleSource(self._taken.get(_name(row, role)), row.input(role).tag))
            for role, _ in row.inputs
        )

    def destinations(self, row: BoundRow) -> tuple[tuple[ServiceValueRole, ResultDestination], ...]:
        """Where each active result of a row goes."""
        found: list[tuple[ServiceValueRole, ResultDestination]] = []
        for role, _ in row.results:
            written = row.output(role)
            implied = written.tag is not None if self._is_tagged else written.to is None
            found.append(
                (
                    role,
                    ResultDestination(
                        expose=implied if written.expose is None else written.expose,
                        connections=tuple(sorted(self._given[_name(row, role)])),
                        tag=written.tag,
                    ),
                )
            )
        return tuple(found)

    def is_implied(self, diagnostic: Diagnostic) -> bool:
        """Tell whether a finding, placed, only follows from an edge that is reported already."""
        place = diagnostic.where.removesuffix(".tag")
        return diagnostic.code in _IMPLIED and place in self._broken

    def _require_active(self, row: BoundRow) -> None:
        """Note what is written about roles that the row's access does not have."""
        for key, table, bindings in (
            ("inputs", row.document.inputs, row.inputs),
            ("outputs", row.document.outputs, row.results),
        ):
            active = [_key(role) for role, _ in bindings]
            for name, written in table:
                if written is not None and name not in active:
                    self._findings.add(
                        "role-inactive",
                        f"{row.where}.{key}.{name}",
                        f"The role must be an active one of the row, {' or '.join(active)}, "
                        f"not {name}",
                    )

    def _join(self, row: BoundRow, role: ServiceValueRole) -> None:
        """Find the connection of an operand that names the result which feeds it."""
        operand = self._operands[_name(row, role)]
        name, where = self._named[operand.name], f"{operand.where}.from"
        if name is None:
            return
        self._broken.add(operand.where)
        if name.rpartition(".")[0] in self._unknown:
            return
        if lookup([name], list(self._results), where, self._findings) is None:
            return
        result = self._results[name]
        self._broken.add(result.where)
        connections = self._memory.occurrence.connectivity.internal_connections
        wanted = InternalConnection(result.endpoint, operand.endpoint)
        if wanted not in connections:
            names = self._memory.names.endpoints
            self._findings.add(
                "connection-not-eligible",
                where,
                f"The memory must declare a connection from {names[result.endpoint]} to "
                f"{names[operand.endpoint]} for this edge, not {self._declared(operand.endpoint)}",
            )
            return
        self._broken -= {operand.where, result.where}
        ordinal = connections.index(wanted)
        self._taken[operand.name] = ordinal
        self._given[name].add(ordinal)

    def _declared(self, sink: int) -> str:
        names = self._memory.names.endpoints
        sources = [
            names[each.source_endpoint_ordinal]
            for each in self._memory.occurrence.connectivity.internal_connections
            if each.sink_endpoint_ordinal == sink
        ]
        return f"only from {', '.join(sources)}" if sources else "none to it"

    def _require_closed(self, row: BoundRow, role: ServiceValueRole) -> None:
        """Note each operand that a result names and that does not name it back."""
        result = self._results[_name(row, role)]
        seen: set[str] = set()
        for position, name in enumerate(row.output(role).to or ()):
            where = f"{result.where}.to[{position}]"
            if name.rpartition(".")[0] in self._unknown:
                self._broken.add(result.where)
                continue
            if lookup([name], list(self._operands), where, self._findings) is None:
                continue
            if name in seen:
                self._findings.add(
                    "edge-repeated", where, f"An operand must be named once, not {name} again"
                )
            elif (named := self._named[name]) != result.name:
                self._broken.add(result.where)
                # A name that there is not is reported where it stands.
                if named is None or named in self._results:
                    self._findings.add(
                        "row-connection-open",
                        where,
                        f"Operand {name} must name {result.name} in its from, "
                        f"not {named or 'nothing'}",
                    )
            seen.add(name)


def edge_place(field: str, code: str) -> str | None:
    """Place in a row's document of a source or destination, as ``plan`` names it."""
    end = re.match(r"(sources|destinations)\.(\w+)", field)
    if end is None:
        return None
    place = f"{'inputs' if end[1] == 'sources' else 'outputs'}.{end[2]}"
    return f"{place}.tag" if code in _ABOUT_TAGS else place


def _ends(roles: Iterator[tuple[BoundRow, ServiceValueRole, int]]) -> Mapping[str, _End]:
    """Ends by name, such as writer.data."""
    found: dict[str, _End] = {}
    for row, role, endpoint in roles:
        table = "inputs" if (role, endpoint) in row.inputs else "outputs"
        name = _name(row, role)
        found[name] = _End(name, endpoint, f"{row.where}.{table}.{_key(role)}")
    return found


def _name(row: BoundRow, role: ServiceValueRole) -> str:
    return f"{row.document.name}.{_key(role)}"


def _key(role: ServiceValueRole) -> str:
    return role.name.lower()
