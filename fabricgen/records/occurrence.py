"""The complete ``fabric.mem`` occurrence (spec: Legal Occurrence Forms)."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.strict import StrictRecord
from fabricgen.records.connectivity import MemoryConnectivityContract
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.service import LocalMemoryService

__all__ = [
    "EngineContract",
    "MemoryOccurrence",
    "OperationEngine",
    "Spatial",
    "Temporal",
    "port_count_findings",
]


@dataclass(frozen=True, slots=True)
class Spatial:
    """Engine contract of a Spatial schedule: one row per port, no resident contexts."""


@dataclass(frozen=True, slots=True)
class Temporal:
    """Engine contract of a Temporal schedule: rows that every port may serve.

    Parameters
    ----------
    resident_context_count
        Rows of the one operation table (K); positive.
    """

    resident_context_count: int

    def __post_init__(self) -> None:
        if not 1 <= self.resident_context_count <= U64_MAX:
            raise Invalid(
                Diagnostic(
                    "engine-context-count",
                    "contract.resident_context_count",
                    f"The contexts must be from 1 to 2**64 - 1, not {self.resident_context_count}",
                )
            )


EngineContract = Spatial | Temporal


@dataclass(frozen=True, slots=True)
class OperationEngine(StrictRecord):
    """Engine contract and the canonical ordered inventory of operation ports; at least one."""

    contract: EngineContract
    ports: tuple[MemoryOperationPort, ...]

    def _findings(self) -> Iterator[Diagnostic]:
        yield from port_count_findings(self.ports)


def port_count_findings(ports: tuple[MemoryOperationPort, ...]) -> Iterator[Diagnostic]:
    """Say whether an engine has no port."""
    if not ports:
        yield Diagnostic(
            "engine-ports-empty", "ports", "An engine must have at least one port, not 0"
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

    @property
    def operation_ports(self) -> tuple[MemoryOperationPort, ...]:
        """Ports of the engine; none without one."""
        return () if self.engine is None else self.engine.ports
