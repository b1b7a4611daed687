"""Which row of the operation table each row of a mapping takes.

A Spatial port has its own row. The rows of a Temporal memory take the rows that they name, and
then, in the order of the document, those that are left.
"""

from collections.abc import Sequence

from fabricgen.author.findings import Findings, lookup
from fabricgen.author.mapping_document import RowDocument
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import Temporal

__all__ = ["context_count", "row_count", "row_ordinals"]


def context_count(memory: NamedMemory) -> int:
    """Use patterns per pattern of the document: K in a Temporal memory, 1 in a Spatial one."""
    engine = memory.occurrence.engine
    if engine is None or not isinstance(engine.contract, Temporal):
        return 1
    return engine.contract.resident_context_count


def row_count(memory: NamedMemory) -> int:
    """Rows of the operation table: K in a Temporal memory, one per port in a Spatial one."""
    engine = memory.occurrence.engine
    if engine is None:
        return 0
    return context_count(memory) if isinstance(engine.contract, Temporal) else len(engine.ports)


def row_ordinals(
    memory: NamedMemory, documents: Sequence[RowDocument], where: str, findings: Findings
) -> dict[int, int]:
    """Row of the table by position in the document; a row that gets none is a finding."""
    engine = memory.occurrence.engine
    if engine is not None and isinstance(engine.contract, Temporal):
        return _temporal(context_count(memory), documents, where, findings)
    return _spatial(memory, documents, where, findings)


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


def _temporal(
    count: int, documents: Sequence[RowDocument], where: str, findings: Findings
) -> dict[int, int]:
    found: dict[int, int] = {}
    for position, document in enumerate(documents):
        row, place = document.row, f"{where}.row[{position}].row"
        if row is None:
            continue
        if row >= count:
            findings.add(
                "row-capacity",
                place,
                f"The row must be one of the {count} resident contexts, from 0 on, not {row}",
            )
        elif other := [each for each, taken in found.items() if taken == row]:
            findings.add(
                "row-taken-twice",
                place,
                f"A row of the table must be taken once, not {row} in row[{other[0]}] as well",
            )
        else:
            found[position] = row
    taken = set(found.values())
    free = (row for row in range(count) if row not in taken)
    for position, document in enumerate(documents):
        if document.row is not None:
            continue
        row = next(free, None)
        if row is None:
            findings.add(
                "row-capacity",
                f"{where}.row[{position}]",
                f"The rows must be at most the {count} resident contexts, not {len(documents)}",
            )
        else:
            found[position] = row
    return found
