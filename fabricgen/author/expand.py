"""A complete fabric out of its document."""

from collections.abc import Sequence

from fabricgen.author.expand_port import expand_port
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

__all__ = ["expand_fabric"]


def expand_fabric(document: FabricDocument, findings: Findings) -> Fabric | None:
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
    return findings.attempt("fabric", lambda: Fabric(document.fabric.name, complete))


def _memory(document: MemoryDocument, where: str, findings: Findings) -> NamedMemory | None:
    findings.require_unique(
        [(e.name, f"{where}.endpoints[{i}].name") for i, e in enumerate(document.endpoints)]
    )
    findings.require_unique(
        [(port.name, f"{where}.port[{i}].name") for i, port in enumerate(document.port)]
    )
    written = _in_order(document.endpoints)
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
    return NamedMemory(
        document.name,
        occurrence,
        MemoryNames(names, port_names, tuple(port.patterns for port in ports)),
        MemoryImplementation(**dict(document.implementation)),
    )


def _in_order(endpoints: Sequence[EndpointDocument]) -> list[EndpointDocument]:
    """Inputs before outputs, each in the order written; positions are the ordinals."""
    return sorted(endpoints, key=lambda endpoint: endpoint.dir == "out")


def _endpoint(document: EndpointDocument) -> TransportEndpoint:
    return TransportEndpoint(EndpointDirection[document.dir.upper()], document.bits)


def _dispatch(port: MemoryOperationPort) -> OperationPortDispatch:
    """Every alternative reaches the local service, the only target there is."""
    local = (LocalMemoryServiceTarget(),)
    return OperationPortDispatch((local,) * len(port.capability_alternatives))
