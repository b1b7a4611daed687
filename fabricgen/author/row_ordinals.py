"""Which row of the operation table each row of a mapping takes.

A Spatial port has its own row; those of a Temporal memory are given out by ``plan``.
"""

from collections.abc import Sequence

from fabricgen.author.findings import Findings, lookup
from fabricgen.author.mapping_document import RowDocument
from fabricgen.plan.demand import assign_row_ordinals, is_temporal, row_capacity
from fabricgen.records.fabric import NamedMemory

__all__ = ["row_ordinals"]


def row_ordinals(
    memory: NamedMemory, documents: Sequence[RowDocument], where: str, findings: Findings
) -> dict[int, int]:
    """Row of the table by position in the document; a row that gets none is a finding."""
    if not is_temporal(memory.occurrence):
        return _spatial(memory, documents, where, findings)
    capacity = row_capacity(memory.occurrence)
    ordinals = findings.attempt(
        lambda path: _place(path, where, capacity),
        lambda: assign_row_ordinals([document.row for document in documents], capacity),
    )
    # Any order will do to read what else there is to say about the rows.
    return dict(enumerate(ordinals or range(min(len(documents), capacity))))


def _place(path: str, where: str, capacity: int) -> str:
    """Place of what ``plan`` says about the row that a document names, or about their number."""
    row = path.removeprefix("operation_rows")
    return f"{where}.row{row}.row" if row else f"{where}.row[{capacity}]"


def _spatial(
    memory: NamedMemory, documents: Sequence[RowDocument], where: str, findings: Findings
) -> dict[int, int]:
    found: dict[int, int] = {}
    for position, document in enumerate(documents):
        place = f"{where}.row[{position}]"
        ports = lookup([document.port], memory.names.ports, f"{place}.port", findings)
        if ports is None:
            continue
        (port,) = ports
        if other := [each for each, taken in found.items() if taken == port]:
            findings.add(
                "port-mapped-twice",
                f"{place}.port",
                f"A Spatial port must have one row, not {document.port} in row {other[0]} as well",
            )
            continue
        if document.row not in (None, port):
            findings.add(
                "row-port",
                f"{place}.row",
                f"The row of a Spatial port must be the port's own, {port}, not {document.row}",
            )
        found[position] = port
    return found
