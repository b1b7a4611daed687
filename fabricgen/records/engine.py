"""The template of an operation engine (spec: Canonical Engine Definition).

A template is what TechMapping selects: everything of an engine that is the same wherever an equal
engine stands. Services, managers, subordinates, dispatch and names are no part of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.records.connectivity import InternalConnection, connection_order_findings
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.occurrence import EngineContract, MemoryOccurrence, port_count_findings
from fabricgen.records.port import MemoryOperationPort

__all__ = ["FabricMemoryEngineTemplate", "memory_engine_template"]


@dataclass(frozen=True, slots=True)
class FabricMemoryEngineTemplate(StrictRecord):
    """One canonical engine definition.

    Rules that need more than one of its records are those of an occurrence
    (:mod:`fabricgen.check.template`).

    Parameters
    ----------
    contract
        Schedule, and the resident capacity of a Temporal one.
    endpoints
        Token endpoint types, inputs first; every endpoint ordinal of the record indexes them.
    ports
        Complete operation ports, in the occurrence's order; at least one.
    internal_connections
        Engine-internal (source, sink) pairs, sorted and unique.
    """

    contract: EngineContract
    endpoints: tuple[TransportEndpoint, ...]
    ports: tuple[MemoryOperationPort, ...]
    internal_connections: tuple[InternalConnection, ...]

    def _findings(self) -> Iterator[Diagnostic]:
        yield from port_count_findings(self.ports)
        yield from connection_order_findings(self.internal_connections)


def memory_engine_template(occurrence: MemoryOccurrence) -> FabricMemoryEngineTemplate | None:
    """Project an occurrence onto its engine's template; ``None`` for storage alone."""
    if (engine := occurrence.engine) is None:
        return None
    connections = occurrence.connectivity.internal_connections
    return FabricMemoryEngineTemplate(
        engine.contract, occurrence.endpoints, engine.ports, connections
    )
