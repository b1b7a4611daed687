"""Requesters of the operation ports (spec: Operation Rows And Internal Dependencies)."""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.records.occurrence import MemoryOccurrence

__all__ = ["requester_findings"]


def requester_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    """Say which port counts other requesters than its contexts; a Spatial port has one."""
    if occurrence.engine is None:
        return
    for ordinal, port in enumerate(occurrence.engine.ports):
        found = port.resource_contract.requester_count
        if found != 1:
            yield Diagnostic(
                "port-requester-count",
                f"{where}.port[{ordinal}].resource_contract.requester_count",
                f"The requesters of a Spatial port must be its 1 context, not {found}",
            )
