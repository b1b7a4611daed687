"""Collecting findings while records are built from a document."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from fabricgen.author.guess import guess
from fabricgen.errors import Diagnostic, FabricError, Invalid
from fabricgen.errors.listing import listed_names
from fabricgen.records.fabric import NamedMemory
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.words import word

__all__ = [
    "Findings",
    "Place",
    "lookup",
    "relocated",
    "renamed",
    "with_endpoint_names",
    "with_record_names",
]

_T = TypeVar("_T")

#: Inventories of names whose places are kept.
_MOST_PLACES = 64

#: Known words that the wrong names of one document are compared with; comparing costs time.
_MOST_COMPARED = 16_384

#: Any role as messages name it.
_ROLES = "|".join(map(word, ServiceValueRole))

#: Turns a path inside a record into a path inside the document.
Place = Callable[[str], str]


class Findings:
    """Everything that is wrong so far; builders go on where they can."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._places: dict[int, tuple[Sequence[str], dict[str, int]]] = {}
        self._compared = 0

    def add(self, code: str, where: str, message: str) -> None:
        """Note one finding."""
        self.diagnostics.append(Diagnostic(code, where, message))

    def attempt(self, place: str | Place, build: Callable[[], _T]) -> _T | None:
        """Build a record, or note what it refuses and return ``None``."""
        try:
            return build()
        except Invalid as error:
            self.diagnostics += relocated(error, place).diagnostics
            return None

    def require_unique(self, names: list[tuple[str, str]], code: str = "duplicate-name") -> None:
        """Note each ``(name, where)`` whose name has been used before it."""
        first: dict[str, str] = {}
        for name, where in names:
            if name in first:
                self.add(
                    code,
                    where,
                    f'The name must be unique, not "{name}" as {first[name]}',
                )
            first.setdefault(name, where)

    def places(self, names: Sequence[str]) -> Mapping[str, int]:
        """First position of each name; found once for a tuple, however often it is asked for."""
        known = self._places.get(id(names))
        if known is None or known[0] is not names:
            known = (names, {name: i for i, name in reversed(list(enumerate(names)))})
            if isinstance(names, tuple):
                if len(self._places) >= _MOST_PLACES:
                    self._places.clear()
                self._places[id(names)] = known
        return known[1]

    def guess(self, name: str, known: Sequence[str]) -> str:
        """Ask whether a close name was meant, as long as not too many have been compared."""
        self._compared += len(known)
        return guess(name, known) if self._compared <= _MOST_COMPARED else ""

    def raise_any(self) -> None:
        """Raise all findings together, each once, if there are any."""
        if self.diagnostics:
            raise Invalid(*dict.fromkeys(self.diagnostics))

    def result(self, value: _T | None) -> _T:
        """What was read, where there is no finding; raises all of them together otherwise.

        Whoever reads nothing reports why, so nothing is never the result.
        """
        self.raise_any()
        return cast("_T", value)


def relocated(error: FabricError, place: str | Place) -> FabricError:
    """Give each finding its place in the document; a plain string is the place of them all."""
    moved = (
        replace(d, where=place if isinstance(place, str) else place(d.where))
        for d in error.diagnostics
    )
    return type(error)(*moved)


def renamed(prefix: str, fields: Mapping[str, str]) -> Place:
    """Place record fields by name under ``prefix``; other paths lead to ``prefix`` itself."""

    def place(where: str) -> str:
        for field, name in fields.items():
            if where == field or where.startswith((f"{field}.", f"{field}[")):
                return f"{prefix}.{name}"
        return prefix

    return place


def with_endpoint_names(diagnostic: Diagnostic, names: Sequence[str]) -> Diagnostic:
    """Call the endpoints in a finding's message by their names; a record has only ordinals."""
    message = re.sub(
        r"\b([Ee]ndpoint) (\d+)\b",
        lambda m: f"{m[1]} {names[int(m[2])]}" if int(m[2]) < len(names) else m[0],
        diagnostic.message,
    )
    return replace(diagnostic, message=message)


def with_record_names(
    diagnostic: Diagnostic, memory: NamedMemory, row_role: Callable[[int, str], str]
) -> Diagnostic:
    """Call endpoints, connections, ports and the roles of rows in a message by their names."""
    names = memory.names
    connections = [
        f"{names.endpoints[each.source_endpoint_ordinal]} -> "
        f"{names.endpoints[each.sink_endpoint_ordinal]}"
        for each in memory.occurrence.connectivity.internal_connections
    ]
    message = with_endpoint_names(diagnostic, names.endpoints).message
    for thing, known in (("[Cc]onnection", connections), ("port", names.ports)):
        message = re.sub(
            rf"\b({thing}) (\d+)\b",
            lambda m, known=known: f"{m[1]} {known[int(m[2])]}" if int(m[2]) < len(known) else m[0],
            message,
        )
    message = re.sub(rf"\brow (\d+) ({_ROLES})\b", lambda m: row_role(int(m[1]), m[2]), message)
    return replace(diagnostic, message=message)


def lookup(
    names: Sequence[str],
    known: Sequence[str],
    where: str,
    findings: Findings,
    code: str = "unknown-name",
) -> tuple[int, ...] | None:
    """Positions of names in an inventory, in the order written; ``None`` if one is unknown."""
    places = findings.places(known)
    unknown = [name for name in dict.fromkeys(names) if name not in places]
    for name in unknown:
        guessed = findings.guess(name, known)
        findings.add(
            code,
            where,
            f'The name must be one of {listed_names(known)}, not "{name}"{guessed}'
            if known
            else f'There must be no name, as there is nothing to choose from, not "{name}"',
        )
    return None if unknown else tuple(places[name] for name in names)
