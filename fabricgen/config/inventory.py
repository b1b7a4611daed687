"""The canonical inventories behind the indices of one row (spec: Operation Rows).

Layout, encoder and decoder read the same lists, so an index means one thing.
"""

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.records.access import MemoryAccessClass
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
    "access_classes",
    "actor_clauses",
    "bound_endpoints",
    "clause_values",
    "highest",
    "sink_connections",
    "source_connections",
    "targets",
]


def actor_clauses(port: MemoryOperationPort) -> tuple[ContractClause, ...]:
    """Every clause of every alternative; an index counts within one alternative only."""
    return tuple(
        clause
        for alternative in port.capability_alternatives
        for clause in alternative.actor_contract_domain.contract_clauses
    )


def access_classes(port: MemoryOperationPort) -> tuple[MemoryAccessClass, ...]:
    """Every class of every alternative; an index counts within one alternative only."""
    return tuple(
        access_class
        for alternative in port.capability_alternatives
        if alternative.parameterized_access_domain is not None
        for access_class in alternative.parameterized_access_domain.access_classes
    )


def clause_values(clause: ContractClause) -> tuple[tuple[bool, ...], ...]:
    """Value inventories of one clause, in the clause's field order."""
    return (clause.volatile_values,)


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
