"""The canonical inventories behind the indices of one row (spec: Operation Rows).

Layout, encoder and decoder read the same lists, so an index means one thing.
"""

from collections.abc import Hashable

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.plan.demand import context_count, is_temporal
from fabricgen.records.actor import ContractClause
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryOperationPort
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = [
    "bound_endpoints",
    "clause_values",
    "document_patterns",
    "highest",
    "row_ports",
    "sink_connections",
    "source_connections",
    "targets",
]


def row_ports(occurrence: MemoryOccurrence, row: int) -> tuple[MemoryOperationPort, ...]:
    """Ports that a row may be of: its own if Spatial, all if Temporal."""
    ports = occurrence.operation_ports
    return ports if is_temporal(occurrence) else (ports[row],)


def document_patterns(occurrence: MemoryOccurrence, port: MemoryOperationPort) -> int:
    """Patterns of a port, counted once for all contexts."""
    return len(port.resource_contract.use_patterns) // context_count(occurrence)


def clause_values(clause: ContractClause) -> tuple[tuple[Hashable, ...], ...]:
    """Value inventories of one clause, in the clause's field order."""
    return clause.inventories


def bound_endpoints(port: MemoryOperationPort, role: ServiceValueRole) -> frozenset[int]:
    """Endpoints to which some alternative binds the role."""
    ends = (alternative.endpoint_of(role) for alternative in port.capability_alternatives)
    return frozenset(end for end in ends if end is not None)


def sink_connections(
    occurrence: MemoryOccurrence, port: MemoryOperationPort, role: ServiceValueRole
) -> tuple[int, ...]:
    """Connections that may sink at an input role, ascending."""
    ends = bound_endpoints(port, role)
    connections = occurrence.connectivity.internal_connections
    return tuple(i for i, c in enumerate(connections) if c.sink_endpoint_ordinal in ends)


def source_connections(
    occurrence: MemoryOccurrence, port: MemoryOperationPort, role: ServiceValueRole
) -> tuple[int, ...]:
    """Connections that may start at a result role, ascending."""
    ends = bound_endpoints(port, role)
    connections = occurrence.connectivity.internal_connections
    return tuple(i for i, c in enumerate(connections) if c.source_endpoint_ordinal in ends)


def targets(occurrence: MemoryOccurrence) -> tuple[MemoryDispatchTarget, ...]:
    """Targets of the whole occurrence: local first, then the managers."""
    local = () if occurrence.local_service is None else (LocalMemoryServiceTarget(),)
    return (*local, *map(ManagerEndpointTarget, range(len(occurrence.manager_endpoints))))


def highest(domain: UnsignedDomain) -> int:
    """Largest member of a domain."""
    return domain.intervals[-1].upper
