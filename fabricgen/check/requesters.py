"""Requesters of the operation ports (spec: Operation Rows And Internal Dependencies)."""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.records.occurrence import MemoryOccurrence, Spatial, Temporal

__all__ = ["requester_findings"]


def requester_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    """Say which port counts other requesters than its contexts: 1 if Spatial, K if Temporal."""
    if occurrence.engine is None:
        return
    match occurrence.engine.contract:
        case Spatial():
            schedule, contexts = "Spatial", 1
        case Temporal(resident_context_count):  # exhaustive
            schedule, contexts = "Temporal", resident_context_count
    for ordinal, port in enumerate(occurrence.engine.ports):
        found = port.resource_contract.requester_count
        if found != contexts:
            noun = "context" if contexts == 1 else "contexts"
            yield Diagnostic(
                "port-requester-count",
                f"{where}.port[{ordinal}].resource_contract.requester_count",
                f"The requesters of a {schedule} port must be its {contexts} {noun}, not {found}",
            )
