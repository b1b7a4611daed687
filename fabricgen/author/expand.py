"""A complete fabric out of its document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabricgen.author.expand_dispatch import (
    expand_connections,
    expand_subordinates,
    expand_targets,
)
from fabricgen.author.expand_group import written_out
from fabricgen.author.expand_op import expand_op
from fabricgen.author.expand_port import ExpandedPort, PortScope, expand_port
from fabricgen.author.expand_service import ExpandedService, expand_service
from fabricgen.author.fabric_document import (
    EndpointDocument,
    EngineMemoryDocument,
    FabricDocument,
    GroupMemoryDocument,
    MemoryDocument,
    SpatialMemoryDocument,
    StorageMemoryDocument,
    TemporalMemoryDocument,
    WrittenMemoryDocument,
)
from fabricgen.author.findings import Findings
from fabricgen.errors import Unsupported
from fabricgen.plan.op_realisation import op_count_findings
from fabricgen.plan.realisation import context_findings
from fabricgen.records.connectivity import MemoryConnectivityContract, MemoryDispatchTarget
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.fabric import Fabric, MemoryImplementation, MemoryNames, NamedMemory
from fabricgen.records.occurrence import (
    EngineContract,
    MemoryOccurrence,
    OperationEngine,
    Spatial,
    Temporal,
)
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["ExpandedFabric", "ExpandedMemory", "expand_fabric"]


@dataclass(frozen=True, slots=True)
class ExpandedMemory:
    """One memory and where its parts were written.

    Parameters
    ----------
    record
        The named occurrence.
    endpoints
        Per endpoint ordinal, the position in the document's list.
    ports
        Ports with their alternatives as written.
    service
        The local service with its capabilities as written, where there is one.
    connections
        Per internal connection, the position in the document's list.
    """

    record: NamedMemory
    endpoints: tuple[int, ...]
    ports: tuple[ExpandedPort, ...]
    service: ExpandedService | None
    connections: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExpandedFabric:
    """A fabric and where the parts of its memories were written."""

    record: Fabric
    memories: tuple[ExpandedMemory, ...]


def expand_fabric(document: FabricDocument, findings: Findings) -> ExpandedFabric | None:
    """Build the records; ``None`` where a finding keeps one of them from existing.

    Raises
    ------
    Unsupported
        ``op-count-limit``, ``resident-context-limit``, ``active-lanes-limit``: legal, and too
        large to be built, so refused before it costs time.
    """
    if found := op_count_findings(len(document.op), "op"):
        raise Unsupported(*found)
    findings.require_unique(
        [
            *((memory.name, f"memory[{i}].name") for i, memory in enumerate(document.memory)),
            *((op.name, f"op[{i}].name") for i, op in enumerate(document.op)),
        ]
    )
    ops = [expand_op(op, f"op[{i}]", findings) for i, op in enumerate(document.op)]
    memories = [
        _written(memory, f"memory[{i}]", findings) for i, memory in enumerate(document.memory)
    ]
    complete = tuple(memory for memory in memories if memory is not None)
    resources = tuple(op for op in ops if op is not None)
    if len(complete) < len(memories) or len(resources) < len(ops):
        return None
    fabric = Fabric(document.fabric.name, tuple(memory.record for memory in complete), resources)
    return ExpandedFabric(fabric, complete)


def _written(document: MemoryDocument, where: str, findings: Findings) -> ExpandedMemory | None:
    if not isinstance(document, GroupMemoryDocument):
        return _memory(document, where, findings)
    written = written_out(document, where, findings)
    return None if written is None else _memory(written, where, findings)


def _memory(
    document: WrittenMemoryDocument, where: str, findings: Findings
) -> ExpandedMemory | None:
    engine = None if isinstance(document, StorageMemoryDocument) else document
    endpoints = () if engine is None else engine.endpoints
    _require_unique_names(document, endpoints, where, findings)
    order = _order(endpoints)
    names = tuple(endpoints[position].name for position in order)
    targets = expand_targets(document.local is not None, document.manager, where, findings)
    expanded = None if engine is None else _engine(engine, names, targets, where, findings)
    connections = expand_connections(
        () if engine is None else engine.connections, names, where, findings
    )
    subordinates = expand_subordinates(document.subordinate, targets, where, findings)
    requesters = [*_port_names(document), *(each.name for each in document.subordinate)]
    service = (
        None
        if document.local is None
        else expand_service(document.local, requesters, f"{where}.local", findings)
    )
    if (
        (expanded is None) is not (engine is None)
        or (service is None) is not (document.local is None)
        or connections is None
        or subordinates is None
        or not targets
    ):
        return None
    ports = () if expanded is None else expanded.ports
    occurrence = MemoryOccurrence(
        endpoints=()
        if engine is None
        else tuple(_endpoint(engine, position) for position in order),
        engine=None if expanded is None else expanded.record,
        local_service=None if service is None else service.record,
        manager_endpoints=tuple(ServiceEndpoint(each.beat_bits) for each in document.manager),
        subordinate_endpoints=tuple(
            ServiceEndpoint(each.beat_bits) for each in document.subordinate
        ),
        connectivity=MemoryConnectivityContract(
            tuple(port.dispatch for port in ports), subordinates, tuple(connections)
        ),
    )
    record = NamedMemory(
        document.name,
        occurrence,
        MemoryNames(
            endpoints=names,
            ports=_port_names(document),
            patterns=tuple(port.patterns.names for port in ports),
            managers=tuple(manager.name for manager in document.manager),
            subordinates=tuple(subordinate.name for subordinate in document.subordinate),
        ),
        MemoryImplementation(**dict(document.implementation)),
    )
    return ExpandedMemory(record, order, ports, service, tuple(connections.values()))


@dataclass(frozen=True, slots=True)
class _ExpandedEngine:
    record: OperationEngine
    ports: tuple[ExpandedPort, ...]


def _engine(
    document: EngineMemoryDocument,
    endpoints: tuple[str, ...],
    targets: Mapping[str, MemoryDispatchTarget],
    where: str,
    findings: Findings,
) -> _ExpandedEngine | None:
    contract = _contract(document, where)
    contexts = contract.resident_context_count if isinstance(contract, Temporal) else 1
    scope = PortScope(endpoints, targets, contexts)
    attempts = [
        expand_port(port, scope, f"{where}.port[{i}]", findings)
        for i, port in enumerate(document.port)
    ]
    ports = tuple(port for port in attempts if port is not None)
    if len(ports) < len(attempts):
        return None
    return _ExpandedEngine(OperationEngine(contract, tuple(port.record for port in ports)), ports)


def _port_names(document: WrittenMemoryDocument) -> tuple[str, ...]:
    if isinstance(document, StorageMemoryDocument):
        return ()
    return tuple(port.name for port in document.port)


def _require_unique_names(
    document: WrittenMemoryDocument,
    endpoints: Sequence[EndpointDocument],
    where: str,
    findings: Findings,
) -> None:
    """Endpoints have names of their own; ports and subordinates share theirs in grants."""
    findings.require_unique(
        [(each.name, f"{where}.endpoints[{i}].name") for i, each in enumerate(endpoints)]
    )
    ports = [(name, f"{where}.port[{i}].name") for i, name in enumerate(_port_names(document))]
    findings.require_unique(
        [
            *ports,
            *(
                (each.name, f"{where}.subordinate[{i}].name")
                for i, each in enumerate(document.subordinate)
            ),
        ]
    )


def _contract(document: EngineMemoryDocument, where: str) -> EngineContract:
    """The schedule; a table too large to be built is refused before its rows cost memory."""
    if isinstance(document, SpatialMemoryDocument):
        return Spatial()
    if found := context_findings(document.resident_contexts, f"{where}.resident_contexts"):
        raise Unsupported(*found)
    return Temporal(document.resident_contexts)


def _order(endpoints: Sequence[EndpointDocument]) -> tuple[int, ...]:
    """Positions of the inputs, then of the outputs, each in the order written."""
    positions = range(len(endpoints))
    return tuple(sorted(positions, key=lambda position: endpoints[position].dir == "out"))


def _endpoint(document: EngineMemoryDocument, position: int) -> TransportEndpoint:
    """One token endpoint; all of a Temporal memory have its tags."""
    written = document.endpoints[position]
    tag_width = document.tag_width if isinstance(document, TemporalMemoryDocument) else None
    return TransportEndpoint(EndpointDirection[written.dir.upper()], written.bits, tag_width)
