"""H_dispatch and internal connections against what the occurrence has.

Spec: Configurable Service Dispatch.
"""

from collections.abc import Iterable, Iterator

from fabricgen.errors import Diagnostic
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["connection_findings", "dispatch_findings"]


def dispatch_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    """Say where the connectivity differs in shape, or names what is not there."""
    where = f"{where}.connectivity"
    yield from _shape_findings(occurrence, where)
    for ordinal, port in enumerate(occurrence.connectivity.operation_ports):
        for alternative, targets in enumerate(port.capability_target_domains):
            place = f"{where}.operation_ports[{ordinal}].capability_target_domains[{alternative}]"
            yield from _target_findings(occurrence, targets, place)
    for ordinal, dispatch in enumerate(occurrence.connectivity.subordinate_endpoints):
        place = f"{where}.subordinate_endpoints[{ordinal}].targets"
        yield from _target_findings(occurrence, dispatch.targets, place)
    connections = occurrence.connectivity.internal_connections
    yield from connection_findings(occurrence.endpoints, connections, where)


def _shape_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    connectivity = occurrence.connectivity
    ports = occurrence.operation_ports
    counts = [
        ("operation_ports", len(ports), len(connectivity.operation_ports)),
        (
            "subordinate_endpoints",
            len(occurrence.subordinate_endpoints),
            len(connectivity.subordinate_endpoints),
        ),
    ]
    counts += [
        (
            f"operation_ports[{ordinal}].capability_target_domains",
            len(port.capability_alternatives),
            len(dispatch.capability_target_domains),
        )
        for ordinal, (port, dispatch) in enumerate(
            zip(ports, connectivity.operation_ports, strict=False)
        )
    ]
    for field, required, found in counts:
        if required != found:
            yield Diagnostic(
                "dispatch-shape",
                f"{where}.{field}",
                f"One entry is required for each of {required} sources, not {found} entries",
            )


def _target_findings(
    occurrence: MemoryOccurrence, targets: Iterable[MemoryDispatchTarget], where: str
) -> Iterator[Diagnostic]:
    managers = len(occurrence.manager_endpoints)
    for index, target in enumerate(targets):
        match target:
            case LocalMemoryServiceTarget() if occurrence.local_service is None:
                yield Diagnostic(
                    "dispatch-target-missing",
                    f"{where}[{index}]",
                    "A target must be present, not a local service that the occurrence lacks",
                )
            case ManagerEndpointTarget(ordinal) if ordinal >= managers:
                yield Diagnostic(
                    "dispatch-target-missing",
                    f"{where}[{index}]",
                    f"A target must be one of {managers} manager endpoints, not {ordinal}",
                )
            case _:
                pass


def connection_findings(
    endpoints: tuple[TransportEndpoint, ...],
    connections: tuple[InternalConnection, ...],
    where: str,
) -> Iterator[Diagnostic]:
    """Say which connections do not lead from an output to an input that is no wider."""
    for ordinal, connection in enumerate(connections):
        place = f"{where}.internal_connections[{ordinal}]"
        yield from _connection_findings(endpoints, connection, place)


def _connection_findings(
    endpoints: tuple[TransportEndpoint, ...], connection: InternalConnection, where: str
) -> Iterator[Diagnostic]:
    ends = (
        ("source", connection.source_endpoint_ordinal, EndpointDirection.OUT),
        ("sink", connection.sink_endpoint_ordinal, EndpointDirection.IN),
    )
    found = False
    for end, ordinal, direction in ends:
        place = f"{where}.{end}_endpoint_ordinal"
        if ordinal >= len(endpoints):
            found = True
            yield Diagnostic(
                "connection-endpoint-missing",
                place,
                f"The {end} must be one of {len(endpoints)} endpoints, not {ordinal}",
            )
        elif endpoints[ordinal].direction is not direction:
            found = True
            yield Diagnostic(
                "connection-direction",
                place,
                f"The {end} must be an {direction.name} endpoint, not endpoint {ordinal}, which is "
                f"{endpoints[ordinal].direction.name}",
            )
    if found:
        return
    source, sink = (endpoints[ordinal].payload_width for _, ordinal, _ in ends)
    if source < sink:
        yield Diagnostic(
            "connection-narrows",
            where,
            f"The source must be at least as wide as the sink of {sink} bits, not {source} bits",
        )
