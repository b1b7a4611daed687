"""The complete ``fabric.mem`` occurrence (spec: Legal Occurrence Forms)."""

from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.records.connectivity import MemoryConnectivityContract
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.service import LocalMemoryService

__all__ = ["MemoryOccurrence", "OperationEngine", "Spatial"]


@dataclass(frozen=True, slots=True)
class Spatial:
    """Engine contract of a Spatial schedule: one row per port, no resident contexts."""


@dataclass(frozen=True, slots=True)
class OperationEngine:
    """Engine contract and the canonical ordered inventory of operation ports; at least one."""

    contract: Spatial
    ports: tuple[MemoryOperationPort, ...]

    def __post_init__(self) -> None:
        if not self.ports:
            raise Invalid(
                Diagnostic(
                    "engine-ports-empty", "ports", "An engine must have at least one port, not 0"
                )
            )


@dataclass(frozen=True, slots=True)
class MemoryOccurrence:
    """One physical memory-capability occurrence.

    ``endpoints`` holds the inputs first, then the outputs; every endpoint ordinal in the record
    indexes it.
    """

    endpoints: tuple[TransportEndpoint, ...]
    engine: OperationEngine | None
    local_service: LocalMemoryService | None
    manager_endpoints: tuple[ServiceEndpoint, ...]
    subordinate_endpoints: tuple[ServiceEndpoint, ...]
    connectivity: MemoryConnectivityContract
