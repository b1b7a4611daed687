"""What of a legal fabric this generator cannot realise (``Unsupported``, never approximated)."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.plan.admission import admissions
from fabricgen.plan.atomic_use import FLOAT_RMW_KINDS
from fabricgen.plan.capacity import port_capacities, service_capacities
from fabricgen.plan.completion import progress_findings
from fabricgen.plan.geometry import bank_geometry, requester_shape, service_beat_bytes
from fabricgen.plan.lanes import element_bytes
from fabricgen.plan.limits import ENDPOINT_LIMIT
from fabricgen.plan.manager_protocol import operation_findings, protocol_findings
from fabricgen.plan.op_realisation import op_findings
from fabricgen.plan.rows import Active, Disabled, MemoryConfiguration, OperationRow
from fabricgen.plan.subordinate_protocol import subordinate_protocol_findings
from fabricgen.plan.subordinate_realisation import (
    beat_width_findings,
    decode_row_findings,
    exposure_findings,
    subordinate_findings,
)
from fabricgen.records.actor import AtomicRmw
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.records.occurrence import EngineContract, MemoryOccurrence, Temporal
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.region import Mmio
from fabricgen.vocab.dataflow import AtomicRmwKind
from fabricgen.vocab.fabric import ContractClauseTag, EndpointDirection
from fabricgen.vocab.words import word

__all__ = [
    "context_findings",
    "lies_in_one_beat",
    "unsupported",
    "unsupported_rows",
]

#: Entries of the deepest queue or result store of one port.
_DEPTH_LIMIT = 4096

#: Rows of the largest Temporal table; every row has comparators at every ingress that it may use.
_CONTEXT_LIMIT = 64

#: Bits of the widest Physical Tag.
_TAG_LIMIT = 64

#: Wires into the channels of the largest fabric: those into one module have numbers of 16 bits.
_WIRE_LIMIT = 65000

#: Wires into a manager beside its data: an acceptance, an offer, an answer.
_MANAGER_WIRES = 8

#: The same of a subordinate, whose requests have addresses and whatever is matched; a bus has two
#: channels of them, with fields of their own.
_SUBORDINATE_WIRES = {"stream": 256, "axi4": 512, "axi4_lite": 256}

#: Bits of the widest index; bytes are addressed by 64 bits.
_INDEX_LIMIT = 64


def context_findings(count: int, where: str) -> tuple[Diagnostic, ...]:
    """Say whether a Temporal engine has more contexts than are built."""
    if count <= _CONTEXT_LIMIT:
        return ()
    message = f"An engine must have at most {_CONTEXT_LIMIT} contexts, not {count}"
    return (Diagnostic("resident-context-limit", where, message),)


def unsupported(fabric: Fabric) -> tuple[Diagnostic, ...]:
    """Report every reason why a legal fabric cannot be generated; empty when it can."""
    found: list[Diagnostic] = []
    if len(fabric.memories) > 1:
        found.append(
            Diagnostic(
                "multiple-memories",
                "memories",
                f"A fabric must have at most 1 memory, not {len(fabric.memories)}",
            )
        )
    for ordinal, named in enumerate(fabric.memories):
        found += _under(f"memory[{ordinal}]", _memory_findings(named))
    if not (too_large := tuple(op_findings(fabric.ops))) and not found:
        too_large = tuple(_wire_findings(fabric))
    return (*found, *too_large)


def _wire_findings(fabric: Fabric) -> Iterator[Diagnostic]:
    """Say whether more wires lead into a fabric than are built."""
    widths: list[int | None] = []
    count = 0
    for named in fabric.memories:
        occurrence, protocol = named.occurrence, named.implementation.subordinate_protocol
        for endpoint in occurrence.endpoints:
            is_input = endpoint.direction is EndpointDirection.IN
            widths.append(endpoint.payload_width + (endpoint.tag_width or 0) if is_input else None)
        count += sum(each.beat_width_bits + _MANAGER_WIRES for each in occurrence.manager_endpoints)
        count += sum(
            each.beat_width_bits * 9 // 8 + _SUBORDINATE_WIRES[protocol]
            for each in occurrence.subordinate_endpoints
        )
    for named in fabric.ops:
        widths += [*named.op.ports.inputs, *(None for _ in named.op.ports.outputs)]
    count += sum(1 if width is None else 1 + width for width in widths)
    if count > _WIRE_LIMIT:
        message = f"The channels of a fabric must have at most {_WIRE_LIMIT} wires into it"
        yield Diagnostic("fabric-wire-limit", "fabric", f"{message}, not {count}")


def unsupported_rows(
    named: NamedMemory, configuration: MemoryConfiguration
) -> tuple[Diagnostic, ...]:
    """Report every legal row that the hardware of the memory gives up."""
    match configuration:
        case Disabled():
            return ()
        case Active(rows, decode):  # exhaustive
            found = (
                finding
                for ordinal, row in enumerate(rows)
                if row is not None
                for finding in _under(f"operation_rows[{ordinal}]", _row_findings(named, row))
            )
            return (*found, *decode_row_findings(named, decode))


def _row_findings(named: NamedMemory, row: OperationRow) -> Iterator[Diagnostic]:
    access = row.access
    if access is None or access.element_bits % 8:
        return  # A fence has no access; for the others there is no hardware at all.
    size = element_bytes(access)
    if named.implementation.aligned_bases and row.base_addr % size:
        yield Diagnostic(
            "row-base-unaligned",
            "base_addr",
            f"With aligned_bases the base must be a multiple of {size} bytes, not {row.base_addr}",
        )
    target, contract = row.service_target, row.actor.contract
    is_far = isinstance(target, ManagerEndpointTarget)
    is_plain = contract.variant is ContractClauseTag.LOAD_STORE_PLAIN
    if not is_far and is_plain:
        return
    beat = _beat_bytes(named, target)
    indexed = access.address_pointer_format is None
    anywhere = not indexed and access.source_alignment_bytes < size
    one_beat = lies_in_one_beat(size, beat, anywhere=anywhere) and not row.base_addr % size
    every, start = ("index", row.base_addr) if indexed else ("pointer", "any byte")
    if not indexed and access.source_alignment_bytes > 1:
        start = f"any multiple of {access.source_alignment_bytes}"
    if is_far and contract.volatile and (access.lane_count > 1 or not one_beat):
        yield Diagnostic(
            "row-volatile-beats",
            "access",
            f"A volatile access of a manager must be one lane inside one beat of {beat} bytes "
            f"at every {every}, not {access.lane_count} of {size} bytes from {start}",
        )
    elif not is_plain and not one_beat:
        yield Diagnostic(
            "row-atomic-beats",
            "access",
            f"An atomic object must lie inside one beat of {beat} bytes at every {every}, "
            f"not be of {size} bytes from {start}",
        )


def _beat_bytes(named: NamedMemory, target: MemoryDispatchTarget) -> int:
    """Bytes of a beat of a target."""
    match target:
        case LocalMemoryServiceTarget():
            return service_beat_bytes(named)
        case ManagerEndpointTarget(ordinal):  # exhaustive
            return named.occurrence.manager_endpoints[ordinal].beat_width_bits // 8


def lies_in_one_beat(element_bytes: int, beat_bytes: int, *, anywhere: bool) -> bool:
    """Tell whether every element, at a multiple of its size or ``anywhere``, lies inside one beat.

    A plain access is aligned to a byte, so its pointers may point anywhere; so may those of an
    atomic one that promises less than its size.
    """
    return element_bytes == 1 if anywhere else beat_bytes % element_bytes == 0


def _memory_findings(named: NamedMemory) -> Iterator[Diagnostic]:
    occurrence = named.occurrence
    for ordinal, endpoint in enumerate(occurrence.endpoints):
        yield from _under(f"endpoint[{ordinal}]", _endpoint_findings(endpoint))
    yield from protocol_findings(named)
    for ordinal, manager in enumerate(occurrence.manager_endpoints):
        found = beat_width_findings(manager.beat_width_bits, "manager-beat-width")
        yield from _under(f"manager_endpoints[{ordinal}]", found)
    if named.implementation.issue_lanes < 1:
        yield Diagnostic(
            "issue-lanes",
            "implementation.issue_lanes",
            f"A port must issue at least 1 lane a cycle, not {named.implementation.issue_lanes}",
        )
    yield from _service_kind_findings(occurrence)
    yield from subordinate_protocol_findings(named)
    yield from subordinate_findings(named)
    if occurrence.engine is None:
        yield from _service_findings(named, occurrence)
        return
    contract = occurrence.engine.contract
    if isinstance(contract, Temporal) and (
        found := context_findings(
            contract.resident_context_count, "engine.contract.resident_context_count"
        )
    ):
        yield from found
        return
    for ordinal, port in enumerate(occurrence.engine.ports):
        where = f"port[{ordinal}]"
        yield from _under(where, _port_findings(contract, port))
        yield from _under(where, _float_findings(occurrence, ordinal))
        yield from _refused(partial(requester_shape, named, ordinal))
    yield from operation_findings(named)
    yield from _service_findings(named, occurrence)


def _endpoint_findings(endpoint: TransportEndpoint) -> Iterator[Diagnostic]:
    if endpoint.payload_width > ENDPOINT_LIMIT:
        yield Diagnostic(
            "endpoint-width-limit",
            "payload_width",
            f"A token must have at most {ENDPOINT_LIMIT} bits, not {endpoint.payload_width}",
        )
    if endpoint.tag_width is not None and endpoint.tag_width > _TAG_LIMIT:
        yield Diagnostic(
            "tag-width-limit",
            "tag_width",
            f"A tag must have at most {_TAG_LIMIT} bits, not {endpoint.tag_width}",
        )


def _port_findings(contract: EngineContract, port: MemoryOperationPort) -> Iterator[Diagnostic]:
    yield from _index_findings(port)
    yield from _depth_findings(contract, port)


def _float_findings(occurrence: MemoryOccurrence, port: int) -> Iterator[Diagnostic]:
    """Kinds of floats that the local service, one of their targets, would have to compute."""
    found: dict[tuple[int, int], set[AtomicRmwKind]] = {}
    for each in admissions(occurrence, port):
        if each.capability is not None and isinstance(each.contract, AtomicRmw):
            floats = FLOAT_RMW_KINDS.intersection(each.contract.rmw_kinds)
            found.setdefault((each.alternative, each.clause), set()).update(floats)
    for (alternative, clause), kinds in found.items():
        if kinds:
            listed = sorted(kinds, key=lambda kind: kind.value)
            yield Diagnostic(
                "atomic-rmw",
                f"alternative[{alternative}].contract[{clause}]",
                "The read-modify-writes of the local service must be those of integers, "
                f"not {', '.join(map(word, listed))}",
            )


def _index_findings(port: MemoryOperationPort) -> Iterator[Diagnostic]:
    for ordinal, alternative in enumerate(port.capability_alternatives):
        domain = alternative.parameterized_access_domain
        for position, access_class in enumerate(domain.access_classes if domain else ()):
            widths = access_class.root_relative_index_widths
            if widths is not None and (widest := widths.intervals[-1].upper) > _INDEX_LIMIT:
                yield Diagnostic(
                    "index-width-limit",
                    f"alternative[{ordinal}].access[{position}].address_domain",
                    f"An index must have at most {_INDEX_LIMIT} bits, not {widest}",
                )


def _depth_findings(contract: EngineContract, port: MemoryOperationPort) -> Iterator[Diagnostic]:
    try:
        capacities = port_capacities(port)
    except Unsupported as error:
        yield from error.diagnostics
        return
    is_temporal = isinstance(contract, Temporal)
    ring = 1 << max(0, capacities.row_slots - 1).bit_length()
    result_slots = capacities.contexts * ring if is_temporal else capacities.result_holding[0]
    # A Temporal operand queue takes a token only while it is empty, so one place is all there is.
    queue_limit = None if is_temporal else _DEPTH_LIMIT
    depths: list[tuple[str, int, int | None]] = [("result holding", result_slots, _DEPTH_LIMIT)]
    depths += [
        (f"{word(role)} operand queue", depth, queue_limit)
        for role, depth in capacities.operand_depth
    ]
    for name, depth, limit in depths:
        if depth < 1 or (limit is not None and depth > limit):
            entries = "at least 1 entry" if limit is None else f"from 1 to {limit} entries"
            yield Diagnostic(
                "port-depth-limit",
                "resource_contract.states",
                f"The {name} must have {entries}, not {depth}",
            )


def _service_kind_findings(occurrence: MemoryOccurrence) -> Iterator[Diagnostic]:
    """Regions and consistency for which there is no hardware."""
    service = occurrence.local_service
    if service is None:
        return
    where = "local_service.memory_service_contract"
    for ordinal, region in enumerate(service.memory_service_contract.regions):
        if isinstance(region.behavior, Mmio):
            yield Diagnostic(
                "region-mmio",
                f"{where}.regions[{ordinal}].behavior",
                "A region must be storage, not device registers (mmio)",
            )


def _service_findings(named: NamedMemory, occurrence: MemoryOccurrence) -> Iterator[Diagnostic]:
    service = occurrence.local_service
    if service is None:
        return
    where = "local_service.memory_service_contract"
    refused = tuple(_under(where, _refused(partial(service_capacities, service))))
    yield from refused
    if refused:
        return
    requesters = service.memory_service_contract.resource_contract.requester_count
    ports, subordinates = len(occurrence.operation_ports), len(occurrence.subordinate_endpoints)
    if requesters != ports + subordinates:
        yield Diagnostic(
            "service-requester-count",
            f"{where}.resource_contract.requester_count",
            f"The requesters must be the {ports} operation ports and {subordinates} subordinate "
            f"endpoints, not {requesters}",
        )
        return
    refused = tuple(_refused(partial(bank_geometry, named)))
    yield from refused
    if refused:
        return
    yield from exposure_findings(named)
    if not any(_shapes_refused(named)):
        yield from _under(where, progress_findings(named, service))


def _shapes_refused(named: NamedMemory) -> Iterator[Diagnostic]:
    """What keeps a port from having a shape; it is reported with the port."""
    engine = named.occurrence.engine
    for ordinal, port in enumerate(engine.ports if engine else ()):
        yield from _refused(partial(requester_shape, named, ordinal))
        yield from _refused(partial(port_capacities, port))


def _refused(derive: Callable[[], object]) -> Iterator[Diagnostic]:
    """Findings of a derivation that has no result."""
    try:
        derive()
    except Unsupported as error:
        yield from error.diagnostics


def _under(prefix: str, findings: Iterator[Diagnostic]) -> Iterator[Diagnostic]:
    return (replace(d, where=f"{prefix}.{d.where}") for d in findings)
