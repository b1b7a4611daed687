"""How long an access of the Local Memory Service may take (spec: Local Memory Service).

The bound counts cycles from a firing's issue to its retirement, while its results can be taken. It
is what capacities and policies allow in the worst case, not what is usual.
"""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.plan.admission import admissions, fence_admissions
from fabricgen.plan.capacity import port_capacities, service_capacities
from fabricgen.plan.geometry import RequesterShape, local_beats, port_targets, requester_shape
from fabricgen.records.actor import LoadStorePlain
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.consistency import (
    BoundedCompletionCycles,
    LocalProvider,
    LocalProviderProgress,
)
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import Temporal
from fabricgen.records.resource import FixedPriority
from fabricgen.records.service import LocalMemoryService

__all__ = ["completion_cycles", "hold_cycles", "progress_findings"]

#: Firings of one Temporal port that stand in front of its target or are on their way there.
_HOLDING = 3

#: Cycles from the last grant of a firing to its completion: answer, comparison, register.
_ANSWER = 3

#: Cycles in which a Temporal firing is prepared before it stands in front of its target.
_PREPARATION = 2

#: Requests of one requester in the service; with fewer units they wait for one another.
_PIPELINE_REQUESTS = 2


def hold_cycles(rows: int) -> int:
    """Cycles for which a row that was passed over stays the candidate of a Temporal engine, once
    per turn.
    """
    return max(2, rows)


def completion_cycles(named: NamedMemory, port: int) -> int | None:
    """Most cycles from issue to retirement of an access of the port at the local service; ``None``
    where another requester may keep it waiting for ever.

    The memory is one whose ports and service have hardware.
    """
    engine, service = named.occurrence.engine, named.occurrence.local_service
    if engine is None or service is None:
        raise ValueError(f"Memory {named.name} must have an engine and a local service")
    capacities = port_capacities(engine.ports[port])
    if (served := _service_cycles(named, service, port)) is None:
        return None
    if isinstance(engine.contract, Temporal):
        rows = engine.contract.resident_context_count
        turn = 2 + (rows - 1) * hold_cycles(rows)
        waits = _PREPARATION + _HOLDING * served
        return waits + _ANSWER + capacities.row_slots * turn
    # A firing that goes lane by lane is issued before it is served; one result leaves in a cycle.
    return 2 * served + _ANSWER + capacities.row_slots


def progress_findings(named: NamedMemory, service: LocalMemoryService) -> Iterator[Diagnostic]:
    """Report each capability whose promise of progress the hardware does not keep."""
    contract = service.memory_service_contract
    ports = _local_ports(named)
    for ordinal, capability in enumerate(contract.capabilities):
        provider = capability.consistency_binding
        if not isinstance(provider, LocalProvider):
            continue
        patterns = contract.resource_contract.use_patterns
        where = f"capabilities[{ordinal}].consistency_binding"
        clauses = capability.actor_contract_domain.contract_clauses
        # A subordinate that synchronises is refused for that.
        is_plain = all(isinstance(clause, LoadStorePlain) for clause in clauses)
        bounded = is_plain and isinstance(provider.progress, BoundedCompletionCycles)
        for requester in (patterns[key].requester for key in capability.admissible_use_patterns):
            if requester in ports and _meets(named, requester, ordinal):
                yield from _port_findings(named, requester, provider.progress, where)
            elif bounded and requester >= len(named.occurrence.operation_ports):
                yield Diagnostic(
                    "consistency-progress",
                    where,
                    "The progress of accesses of a subordinate must be fair_eventual, not a bound",
                )


def _port_findings(
    named: NamedMemory, port: int, progress: LocalProviderProgress, where: str
) -> Iterator[Diagnostic]:
    needed = completion_cycles(named, port)
    if needed is None:
        yield Diagnostic(
            "consistency-progress",
            where,
            f"Port {port} must not be kept waiting for ever, as fixed_priority allows: it must be "
            "the first in the order, or the grant round_robin",
        )
    elif (
        isinstance(progress, BoundedCompletionCycles)
        and progress.max_issue_to_retire_cycles < needed
    ):
        yield Diagnostic(
            "consistency-progress",
            where,
            f"The bound must be at least the {needed} cycles that an access of port {port} may "
            f"take, not {progress.max_issue_to_retire_cycles}",
        )


def _meets(named: NamedMemory, port: int, capability: int) -> bool:
    """Some access of the port is admitted by the capability."""
    found = (*admissions(named.occurrence, port), *fence_admissions(named.occurrence, port))
    return any(each.capability == capability for each in found)


def _local_ports(named: NamedMemory) -> list[int]:
    """Ports that may reach the local service."""
    return [
        port
        for port in range(len(named.occurrence.operation_ports))
        if LocalMemoryServiceTarget() in port_targets(named.occurrence, port)
    ]


def _service_cycles(named: NamedMemory, service: LocalMemoryService, port: int) -> int | None:
    """Most cycles for which one request of the port stands in front of the service."""
    capacities = service_capacities(service)
    ports = _local_ports(named)
    subordinates = len(named.occurrence.subordinate_endpoints)
    first_subordinate = len(named.occurrence.operation_ports)
    requesters = [*ports, *range(first_subordinate, first_subordinate + subordinates)]
    shapes = {each: requester_shape(named, each) for each in ports}
    # An exchange keeps its bank for two cycles.
    exchangers = {each for each, shape in shapes.items() if shape.local.exchange}
    keeps = {each: 2 if each in exchangers else 1 for each in requesters}
    turn = sum(keeps.values())
    if isinstance(capacities.grant, FixedPriority) and len(requesters) > 1:
        order = [each for each in capacities.grant.order if each in requesters]
        if order[0] != port:
            return None
        # Whoever comes first waits for nobody, but for the end of an exchange that was granted.
        turn = keeps[port] + max(keeps.values()) - 1
    cycles = {each: _alone(named, shape) for each, shape in shapes.items()}
    longest = max([*(beats * turn + lanes for beats, lanes in cycles.values()), turn])
    queues = [min(capacities.queue[each], _PIPELINE_REQUESTS) for each in requesters]
    admission = 1
    if capacities.outstanding < sum(queues) or min(queues) < _PIPELINE_REQUESTS:
        # Each of the others may be admitted first, and keeps its unit until it is answered.
        others = 1 if isinstance(capacities.grant, FixedPriority) else len(requesters)
        admission += others * (longest + _PIPELINE_REQUESTS)
    beats, lanes = cycles[port]
    return admission + beats * turn + lanes


def _alone(named: NamedMemory, shape: RequesterShape) -> tuple[int, int]:
    """Beats of one bank that a request of a port may need, and cycles to let its lanes in."""
    windows = -(-shape.lanes // named.implementation.issue_lanes) if shape.walks else 0
    return local_beats(named, shape), windows
