"""The authoring door of a fabric: TOML text to checked records."""

import re
from collections.abc import Mapping

from fabricgen.author.document import validated
from fabricgen.author.document_kind import require_kind
from fabricgen.author.expand import expand_fabric
from fabricgen.author.fabric_document import FabricDocument
from fabricgen.author.findings import Findings, Place, with_endpoint_names
from fabricgen.author.provenance import document_place, in_document
from fabricgen.author.shorthand import missing_fact, read_shorthand, shorthand_place
from fabricgen.author.toml import read_toml
from fabricgen.check import fabric as check_fabric
from fabricgen.errors import Diagnostic
from fabricgen.records.fabric import Fabric

__all__ = ["author_fabric", "author_tables", "parse_fabric"]


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
        ``op-count-limit``, ``resident-context-limit``, ``active-lanes-limit``: legal, and too
        large to be built.
    """
    return author_tables(read_toml(text))


def author_tables(data: Mapping[str, object]) -> tuple[Fabric, Place]:
    """Read a fabric document that is tables and lists already, as :func:`author_fabric` does."""
    require_kind("fabric", data)
    findings = Findings()
    data, shorthand = read_shorthand(data, findings)
    document, found = validated(FabricDocument, data)
    findings.diagnostics += (missing_fact(each, shorthand) for each in found)
    inside = Findings()
    expanded = expand_fabric(document, inside) if document is not None else None
    if expanded is not None:
        place = document_place(expanded)
        # Repeated names have been found in the document already.
        inside.diagnostics += [
            in_document(_with_names(diagnostic, expanded.record), place)
            for diagnostic in check_fabric.findings(expanded.record)
            if diagnostic.code != "name-duplicate"
        ]
    in_shorthand = shorthand_place(shorthand)
    findings.diagnostics += (in_document(each, in_shorthand) for each in inside.diagnostics)
    expanded = findings.result(expanded)
    place = document_place(expanded)
    return expanded.record, lambda where: in_shorthand(place(where))


def _with_names(diagnostic: Diagnostic, fabric: Fabric) -> Diagnostic:
    memory = re.match(r"memory\[(\d+)\]", diagnostic.where)
    if memory is None:
        return diagnostic
    return with_endpoint_names(diagnostic, fabric.memories[int(memory[1])].names.endpoints)
