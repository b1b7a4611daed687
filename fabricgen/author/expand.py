"""A complete fabric out of its document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabricgen.author.expand_port import ExpandedPort, PortScope, expand_port
from fabricgen.author.expand_service import ExpandedService, expand_service
from fabricgen.author.fabric_document import (
    EndpointDocument,
    FabricDocument,
    SpatialMemoryDocument,
    TemporalMemoryDocument,
)
from fabricgen.author.findings import Findings, lookup
from fabricgen.errors import Unsupported
from fabricgen.plan.realisation import context_findings
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryConnectivityContract,
    MemoryDispatchTarget,
)
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

_MemoryDocument = SpatialMemoryDocument | TemporalMemoryDocument


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
    region_bases
        Addresses of the regions as written.
    connections
        Per internal connection, the position in the document's list.
    """

    record: NamedMemory
    endpoints: tuple[int, ...]
    ports: tuple[ExpandedPort, ...]
    service: ExpandedService | None
    region_bases: tuple[int, ...]
    connections: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExpandedFabric:
    """A fabric and where the parts of its memories were written."""

    record: Fabric
    memories: tuple[ExpandedMemory, ...]


def expand_fabric(document: FabricDocument, findings: Findings) -> ExpandedFabric | None:
    """Build the records; ``None`` where a finding keeps one of them from existing."""
    findings.require_unique(
        [(memory.name, f"memory[{i}].name") for i, memory in enumerate(document.memory)]
    )
    memories = [
        _memory(memory, f"memory[{i}]", findings) for i, memory in enumerate(document.memory)
    ]
    complete = tuple(memory for memory in memories if memory is not None)
    if len(complete) < len(memories):
        return None
    fabric = Fabric(document.fabric.name, tuple(memory.record for memory in complete))
    return ExpandedFabric(fabric, complete)


def _memory(document: _MemoryDocument, where: str, findings: Findings) -> ExpandedMemory | None:
    findings.require_unique(
        [(e.name, f"{where}.endpoints[{i}].name") for i, e in enumerate(document.endpoints)]
    )
    findings.require_unique(
        [(port.name, f"{where}.port[{i}].name") for i, port in enumerate(document.port)]
    )
    order = _order(document.endpoints)
    names = tuple(document.endpoints[position].name for position in order)
    port_names = tuple(port.name for port in document.port)
    contract = _contract(document, where)
    contexts = contract.resident_context_count if isinstance(contract, Temporal) else 1
    scope = PortScope(names, _targets(document, where, findings), contexts)
    expanded = [
        expand_port(port, scope, f"{where}.port[{i}]", findings)
        for i, port in enumerate(document.port)
    ]
    connections = _connections(document, names, where, findings)
    service = _service(document, port_names, where, findings)
    ports = tuple(port for port in expanded if port is not None)
    is_whole = len(ports) == len(expanded) and (service is None) is (document.local is None)
    if connections is None or not scope.targets or not is_whole:
        return None
    occurrence = findings.attempt(
        where,
        lambda: MemoryOccurrence(
            endpoints=tuple(_endpoint(document, position) for position in order),
            engine=OperationEngine(contract, tuple(port.record for port in ports)),
            local_service=None if service is None else service.record,
            manager_endpoints=tuple(ServiceEndpoint(each.beat_bits) for each in document.manager),
            subordinate_endpoints=(),
            connectivity=MemoryConnectivityContract(
                tuple(port.dispatch for port in ports), (), tuple(connections)
            ),
        ),
    )
    if occurrence is None:
        return None
    record = NamedMemory(
        document.name,
        occurrence,
        MemoryNames(
            names,
            port_names,
            tuple(port.patterns.names for port in ports),
            tuple(manager.name for manager in document.manager),
        ),
        MemoryImplementation(**dict(document.implementation)),
    )
    regions = () if document.local is None else document.local.regions
    bases = tuple(region.base for region in regions)
    return ExpandedMemory(record, order, ports, service, bases, tuple(connections.values()))


def _contract(document: _MemoryDocument, where: str) -> EngineContract:
    """The schedule; a table too large to be built is refused before its rows cost memory."""
    if isinstance(document, SpatialMemoryDocument):
        return Spatial()
    if found := context_findings(document.resident_contexts, f"{where}.resident_contexts"):
        raise Unsupported(*found)
    return Temporal(document.resident_contexts)


def _targets(
    document: _MemoryDocument, where: str, findings: Findings
) -> Mapping[str, MemoryDispatchTarget]:
    """Services by the names under which ports reach them."""
    managers = [
        (each.name, f"{where}.manager[{i}].name") for i, each in enumerate(document.manager)
    ]
    findings.require_unique(managers)
    targets: dict[str, MemoryDispatchTarget] = {}
    if document.local is not None:
        targets["local"] = LocalMemoryServiceTarget()
    for ordinal, (name, _) in enumerate(managers):
        targets.setdefault(name, ManagerEndpointTarget(ordinal))
    if not targets:
        findings.add(
            "missing-key",
            f"{where}.local",
            "The key must be present where the memory has no manager, not absent",
        )
    return targets


def _connections(
    document: _MemoryDocument, names: Sequence[str], where: str, findings: Findings
) -> dict[InternalConnection, int] | None:
    """Connections in canonical order, each with its first position in the document."""
    found: dict[InternalConnection, int] = {}
    is_whole = True
    for position, each in enumerate(document.connections):
        place = f"{where}.connections[{position}]"
        source = lookup([each.source], names, f"{place}.from", findings)
        sink = lookup([each.sink], names, f"{place}.to", findings)
        if source is None or sink is None:
            is_whole = False
        else:
            found.setdefault(InternalConnection(source[0], sink[0]), position)
    return dict(sorted(found.items())) if is_whole else None


def _service(
    document: _MemoryDocument, ports: Sequence[str], where: str, findings: Findings
) -> ExpandedService | None:
    if document.local is None:
        return None
    return expand_service(document.local, ports, f"{where}.local", findings)


def _order(endpoints: Sequence[EndpointDocument]) -> tuple[int, ...]:
    """Positions of the inputs, then of the outputs, each in the order written."""
    positions = range(len(endpoints))
    return tuple(sorted(positions, key=lambda position: endpoints[position].dir == "out"))


def _endpoint(document: _MemoryDocument, position: int) -> TransportEndpoint:
    """One token endpoint; all of a Temporal memory have its tags."""
    written = document.endpoints[position]
    tag_width = document.tag_width if isinstance(document, TemporalMemoryDocument) else None
    return TransportEndpoint(EndpointDirection[written.dir.upper()], written.bits, tag_width)
