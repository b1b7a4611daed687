"""Which memories of a document are shorthand, and what is said about those that are.

Shorthand stands for endpoints and ports, so it never stands beside them; and every fact that
it leaves open is written in its ``group``, or is missing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from fabricgen.author.expand_group import group_place
from fabricgen.author.findings import Findings, Place
from fabricgen.author.group_document import GROUP_KEYS
from fabricgen.errors import Diagnostic

__all__ = ["missing_fact", "read_shorthand", "shorthand_place"]

_INVENTORY = ("endpoints", "port")


def read_shorthand(
    data: Mapping[str, object], findings: Findings
) -> tuple[Mapping[str, object], frozenset[str]]:
    """Paths of the memories that are shorthand, and the document without what cannot be read.

    Shorthand beside written-out endpoints or ports is noted and dropped, so that these are read.
    """
    memories = data.get("memory")
    if not isinstance(memories, list):
        return data, frozenset()
    places: set[str] = set()
    read: list[object] = []
    for index, memory in enumerate(cast("list[object]", memories)):
        where = f"memory[{index}]"
        if not isinstance(memory, dict):
            read.append(memory)
            continue
        table = cast("dict[str, object]", memory)
        used = [key for key in table if key in GROUP_KEYS]
        written = [key for key in _INVENTORY if key in table]
        if used and not written:
            places.add(where)
            # Each missing fact is told, not the table as a whole.
            group = table.get("group", dict[str, object]())
            read.append(table | {"group": group})
            continue
        for key in used:
            findings.add(
                "shorthand-and-inventory",
                f"{where}.{key}",
                f"The key must be absent where {' and '.join(written)} are written out, "
                "not present",
            )
        read.append({key: value for key, value in table.items() if key not in used})
    return dict(data) | {"memory": read}, frozenset(places)


def missing_fact(diagnostic: Diagnostic, shorthand: frozenset[str]) -> Diagnostic:
    """A missing key of a shorthand or its group, as what it is: the record is not complete."""
    memory, _, rest = diagnostic.where.partition(".")
    is_fact = rest in GROUP_KEYS or rest.startswith("group.")
    if diagnostic.code != "missing-key" or memory not in shorthand or not is_fact:
        return diagnostic
    return replace(diagnostic, code="missing-memory-capability-contract")


def shorthand_place(shorthand: frozenset[str]) -> Place:
    """Return the translation of paths of written-out documents into those that are shorthand."""

    def place(where: str) -> str:
        return group_place(where) if where.partition(".")[0] in shorthand else where

    return place
