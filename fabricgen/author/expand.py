"""A complete fabric out of its document."""

from collections.abc import Sequence
from dataclasses import dataclass

from fabricgen.author.expand_port import ExpandedPort, expand_port
from fabricgen.author.expand_service import expand_service
from fabricgen.author.fabric_document import EndpointDocument, FabricDocument, MemoryDocument
from fabricgen.author.findings import Findings
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    MemoryConnectivityContract,
    OperationPortDispatch,
)
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.fabric import Fabric, MemoryImplementation, MemoryNames, NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence, OperationEngine, Spatial
from fabricgen.records.port import MemoryOperationPort
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
    region_bases
        Addresses of the regions as written.
    """

    record: NamedMemory
    endpoints: tuple[int, ...]
    ports: tuple[ExpandedPort, ...]
    region_bases: tuple[int, ...]


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


def _memory(document: MemoryDocument, where: str, findings: Findings) -> ExpandedMemory | None:
    findings.require_unique(
        [(e.name, f"{where}.endpoints[{i}].name") for i, e in enumerate(document.endpoints)]
    )
    findings.require_unique(
        [(port.name, f"{where}.port[{i}].name") for i, port in enumerate(document.port)]
    )
    order = _order(document.endpoints)
    written = [document.endpoints[position] for position in order]
    names = tuple(endpoint.name for endpoint in written)
    port_names = tuple(port.name for port in document.port)
    expanded = [
        expand_port(port, names, f"{where}.port[{i}]", findings)
        for i, port in enumerate(document.port)
    ]
    service = expand_service(document.local, port_names, f"{where}.local", findings)
    ports = tuple(port for port in expanded if port is not None)
    if service is None or len(ports) < len(expanded):
        return None
    occurrence = findings.attempt(
        where,
        lambda: MemoryOccurrence(
            endpoints=tuple(map(_endpoint, written)),
            engine=OperationEngine(Spatial(), tuple(port.record for port in ports)),
            local_service=service,
            manager_endpoints=(),
            subordinate_endpoints=(),
            connectivity=MemoryConnectivityContract(
                tuple(_dispatch(port.record) for port in ports), (), ()
            ),
        ),
    )
    if occurrence is None:
        return None
    record = NamedMemory(
        document.name,
        occurrence,
        MemoryNames(names, port_names, tuple(port.patterns for port in ports)),
        MemoryImplementation(
            bank_function=document.implementation.bank_function,
            aligned_bases=document.implementation.aligned_bases,
        ),
    )
    bases = tuple(region.base for region in document.local.regions)
    return ExpandedMemory(record, order, ports, bases)


def _order(endpoints: Sequence[EndpointDocument]) -> tuple[int, ...]:
    """Positions of the inputs, then of the outputs, each in the order written."""
    positions = range(len(endpoints))
    return tuple(sorted(positions, key=lambda position: endpoints[position].dir == "out"))


def _endpoint(document: EndpointDocument) -> TransportEndpoint:
    return TransportEndpoint(EndpointDirection[document.dir.upper()], document.bits)


def _dispatch(port: MemoryOperationPort) -> OperationPortDispatch:
    """Every alternative reaches the local service, the only target there is."""
    local = (LocalMemoryServiceTarget(),)
    return OperationPortDispatch((local,) * len(port.capability_alternatives))
