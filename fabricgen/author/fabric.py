"""The authoring door of a fabric: TOML text to checked records."""

import re
from collections.abc import Mapping
from typing import cast

from fabricgen.author.document import validated
from fabricgen.author.expand import expand_fabric
from fabricgen.author.fabric_document import FabricDocument
from fabricgen.author.findings import Findings, Place, with_endpoint_names
from fabricgen.author.provenance import document_place, in_document
from fabricgen.author.toml import read_toml
from fabricgen.check import fabric as check_fabric
from fabricgen.errors import Diagnostic
from fabricgen.records.fabric import Fabric

__all__ = ["author_fabric", "parse_fabric"]

#: Homogeneous parameters of older documents; none of them determines a complete port record.
_SHORTHAND = ("load_group_size", "store_group_size", "data_width")


def parse_fabric(text: str) -> Fabric:
    """Read a fabric document; raises like :func:`author_fabric`."""
    return author_fabric(text)[0]


def author_fabric(text: str) -> tuple[Fabric, Place]:
    """Read a fabric document; also tell where in it each path of its record lies.

    Raises
    ------
    Invalid
        All findings together, with paths inside the document.
    Unsupported
        ``resident-context-limit``, ``active-lanes-limit``: legal, and too large to be built.
    """
    data = read_toml(text)
    memories = _tables(data.get("memory"))
    findings = Findings()
    shorthand = _shorthand(memories, findings)
    document, found = validated(FabricDocument, data)
    findings.diagnostics += [d for d in found if not _is_implied(d, shorthand)]
    expanded = expand_fabric(document, findings) if document is not None else None
    if expanded is not None:
        place = document_place(expanded)
        # Repeated names have been found in the document already.
        findings.diagnostics += [
            in_document(_with_names(diagnostic, expanded.record), place)
            for diagnostic in check_fabric.findings(expanded.record)
            if diagnostic.code != "name-duplicate"
        ]
    findings.raise_any()
    if expanded is None:
        raise ValueError("Expansion must report why there is no fabric, not stay silent")
    return expanded.record, document_place(expanded)


def _with_names(diagnostic: Diagnostic, fabric: Fabric) -> Diagnostic:
    memory = re.match(r"memory\[(\d+)\]", diagnostic.where)
    if memory is None:
        return diagnostic
    return with_endpoint_names(diagnostic, fabric.memories[int(memory[1])].names.endpoints)


def _tables(value: object) -> dict[str, dict[str, object]]:
    """Tables of an array, by their path."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return {
        f"memory[{index}]": cast("dict[str, object]", item)
        for index, item in enumerate(items)
        if isinstance(item, dict)
    }


def _shorthand(memories: Mapping[str, dict[str, object]], findings: Findings) -> tuple[str, ...]:
    """Note and drop shorthand keys; returns the paths of the memories that had some."""
    places: list[str] = []
    for where, memory in memories.items():
        if used := [key for key in _SHORTHAND if key in memory]:
            places.append(where)
            findings.add(
                "missing-memory-capability-contract",
                where,
                f"Ports and service must be written out, not left to {', '.join(used)}",
            )
            for key in used:
                del memory[key]
    return tuple(places)


def _is_implied(diagnostic: Diagnostic, shorthand: tuple[str, ...]) -> bool:
    """Tell whether a missing key is what its memory's shorthand has left out."""
    return diagnostic.code == "missing-key" and diagnostic.where.startswith(
        tuple(f"{where}." for where in shorthand)
    )
