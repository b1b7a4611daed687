"""What of a legal fabric this generator cannot realise (``Unsupported``, never approximated)."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.plan.capacity import port_capacities, service_capacities
from fabricgen.plan.geometry import bank_geometry, requester_shape
from fabricgen.plan.lanes import element_bytes
from fabricgen.plan.rows import Active, Disabled, MemoryConfiguration
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryOperationPort
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = ["unsupported", "unsupported_rows"]

#: Bits of the widest token; each is a wire of a port, and of several registers behind it.
_ENDPOINT_LIMIT = 16384

#: Entries of the deepest queue or result store of one port.
_DEPTH_LIMIT = 4096

#: Bits of the widest index; bytes are addressed by 64 bits.
_INDEX_LIMIT = 64


def unsupported(fabric: Fabric) -> tuple[Diagnostic, ...]:
    """Report every reason why a legal fabric cannot be generated; empty when it can."""
    found: list[Diagnostic] = []
    if len(fabric.memories) != 1:
        found.append(
            Diagnostic(
                "multiple-memories",
                "memories",
                f"A fabric must have exactly 1 memory, not {len(fabric.memories)}",
            )
        )
    for ordinal, named in enumerate(fabric.memories):
        found += _under(f"memory[{ordinal}]", _memory_findings(named))
    return tuple(found)


def unsupported_rows(
    named: NamedMemory, configuration: MemoryConfiguration
) -> tuple[Diagnostic, ...]:
    """Report every legal row that an implementation option of the memory gives up."""
    match configuration:
        case Disabled():
            return ()
        case Active(rows):
            return tuple(
                Diagnostic(
                    "row-base-unaligned",
                    f"operation_rows[{ordinal}].base_addr",
                    f"With aligned_bases the base must be a multiple of {size} bytes, "
                    f"not {row.base_addr}",
                )
                for ordinal, row in enumerate(rows)
                if row is not None
                and named.implementation.aligned_bases
                and row.base_addr % (size := element_bytes(row.access))
            )


def _memory_findings(named: NamedMemory) -> Iterator[Diagnostic]:
    occurrence = named.occurrence
    yield from _absent_parts(occurrence)
    for ordinal, endpoint in enumerate(occurrence.endpoints):
        if endpoint.payload_width > _ENDPOINT_LIMIT:
            yield Diagnostic(
                "endpoint-width-limit",
                f"endpoint[{ordinal}].payload_width",
                f"A token must have at most {_ENDPOINT_LIMIT} bits, not {endpoint.payload_width}",
            )
    if occurrence.engine is None or occurrence.local_service is None:
        return
    for ordinal, port in enumerate(occurrence.engine.ports):
        where = f"port[{ordinal}]"
        yield from _under(where, _port_findings(occurrence, ordinal, port))
        yield from _refused(partial(requester_shape, named, ordinal))
    yield from _service_findings(named, occurrence)


def _absent_parts(occurrence: MemoryOccurrence) -> Iterator[Diagnostic]:
    if occurrence.engine is None:
        yield Diagnostic(
            "storage-only", "engine", "The memory must have an engine, not storage only"
        )
    if occurrence.local_service is None:
        yield Diagnostic(
            "local-service-absent",
            "local_service",
            "The memory must have a local service, not none",
        )
    for code, name, parts in (
        ("manager-endpoints", "manager_endpoints", occurrence.manager_endpoints),
        ("subordinate-endpoints", "subordinate_endpoints", occurrence.subordinate_endpoints),
        (
            "internal-connections",
            "connectivity.internal_connections",
            occurrence.connectivity.internal_connections,
        ),
    ):
        if parts:
            yield Diagnostic(code, name, f"The memory must have none of these, not {len(parts)}")


def _port_findings(
    occurrence: MemoryOccurrence, ordinal: int, port: MemoryOperationPort
) -> Iterator[Diagnostic]:
    for key, projection in enumerate(port.operation_pattern_semantics):
        if projection is not MemoryPortTransactionProjection.DIRECT:
            yield Diagnostic(
                "projection-active-lanes",
                f"operation_pattern_semantics[{key}]",
                f"The transaction projection must be DIRECT, not {projection.name}",
            )
    domains = occurrence.connectivity.operation_ports[ordinal].capability_target_domains
    for alternative, targets in enumerate(domains):
        if targets != (LocalMemoryServiceTarget(),):
            yield Diagnostic(
                "target-not-local",
                f"alternative[{alternative}]",
                f"The one target must be the local service, not {list(targets)!r}",
            )
    yield from _index_findings(port)
    yield from _depth_findings(port)


def _index_findings(port: MemoryOperationPort) -> Iterator[Diagnostic]:
    for ordinal, alternative in enumerate(port.capability_alternatives):
        domain = alternative.parameterized_access_domain
        for position, access_class in enumerate(domain.access_classes if domain else ()):
            widest = access_class.address_domain.accepted_index_width_bits.intervals[-1].upper
            if widest > _INDEX_LIMIT:
                yield Diagnostic(
                    "index-width-limit",
                    f"alternative[{ordinal}].access[{position}].address_domain",
                    f"An index must have at most {_INDEX_LIMIT} bits, not {widest}",
                )


def _depth_findings(port: MemoryOperationPort) -> Iterator[Diagnostic]:
    try:
        capacities = port_capacities(port)
    except Unsupported as error:
        yield from error.diagnostics
        return
    depths = {
        "result holding": capacities.result_holding,
        **{f"{role.name} operand queue": depth for role, depth in capacities.operand_depth},
    }
    for name, depth in depths.items():
        if not 1 <= depth <= _DEPTH_LIMIT:
            yield Diagnostic(
                "port-depth-limit",
                "resource_contract.states",
                f"The {name} must have from 1 to {_DEPTH_LIMIT} entries, not {depth}",
            )


def _service_findings(named: NamedMemory, occurrence: MemoryOccurrence) -> Iterator[Diagnostic]:
    service, engine = occurrence.local_service, occurrence.engine
    if service is None or engine is None:
        return
    where = "local_service.memory_service_contract"
    refused = tuple(_under(where, _refused(partial(service_capacities, service))))
    yield from refused
    if refused:
        return
    requesters = service.memory_service_contract.resource_contract.requester_count
    if requesters != len(engine.ports):
        yield Diagnostic(
            "service-requester-count",
            f"{where}.resource_contract.requester_count",
            f"The requesters must be the {len(engine.ports)} operation ports, not {requesters}",
        )
    yield from _refused(partial(bank_geometry, named))


def _refused(derive: Callable[[], object]) -> Iterator[Diagnostic]:
    """Findings of a derivation that has no result."""
    try:
        derive()
    except Unsupported as error:
        yield from error.diagnostics


def _under(prefix: str, findings: Iterator[Diagnostic]) -> Iterator[Diagnostic]:
    return (replace(d, where=f"{prefix}.{d.where}") for d in findings)
