"""The local memory service out of a document: regions, resource contract, capabilities."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from fabricgen.author.expand_capability import (
    WrittenCapability,
    capability_place,
    expand_capability,
)
from fabricgen.author.expand_named_contract import (
    contract_place,
    expand_contract,
    require_one_contract,
)
from fabricgen.author.findings import Findings, Place, lookup, renamed
from fabricgen.author.grant_document import GrantDocument, RoundRobinChoice
from fabricgen.author.service_document import LocalServiceDocument, ServiceResourcesDocument
from fabricgen.plan.contract import service_contract
from fabricgen.records.resource import (
    FixedPriority,
    GrantPolicy,
    ResourceContract,
    RoundRobin,
)
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceContract,
    MemoryServiceRegion,
)

__all__ = ["ExpandedService", "expand_service", "service_place"]


@dataclass(frozen=True, slots=True)
class ExpandedService:
    """The service's record, with its capabilities as they were written.

    ``contract_place`` places paths inside its resource contract.
    """

    record: LocalMemoryService
    written: tuple[WrittenCapability, ...]
    contract_place: Place


def expand_service(
    document: LocalServiceDocument, ports: Sequence[str], where: str, findings: Findings
) -> ExpandedService | None:
    """Build the service; its requesters are the named ports, in order."""
    regions = [
        findings.attempt(f"{where}.regions[{index}]", partial(MemoryServiceRegion, r.base, r.size))
        for index, r in enumerate(document.regions)
    ]
    require_one_contract(document.resources, document.contract, where, findings)
    contract = _resource_contract(document, ports, where, findings)
    use_patterns = len(ports) if contract is None else len(contract.use_patterns)
    capabilities = [
        expand_capability(
            each, len(regions), use_patterns, f"{where}.capabilities[{index}]", findings
        )
        for index, each in enumerate(document.capabilities)
    ]
    whole = [region for region in regions if region is not None]
    written = tuple(each for each in capabilities if each is not None)
    if contract is None or len(whole) < len(regions) or len(written) < len(capabilities):
        return None
    listed = [each.record for each in written]
    service_contract = findings.attempt(
        _place(where, written), lambda: MemoryServiceContract.of(whole, contract, listed)
    )
    if service_contract is None:
        return None
    record = findings.attempt(
        renamed(where, {"capacity_bytes": "capacity_bytes"}),
        lambda: LocalMemoryService(document.capacity_bytes, service_contract),
    )
    if record is None:
        return None
    return ExpandedService(record, written, contract_place(document.contract, where))


def service_place(record_path: str, service: ExpandedService, where: str) -> str:
    """Where in a document's service at ``where`` a path of its complete record lies."""
    path = record_path.removeprefix("memory_service_contract").removeprefix(".")
    if capability := re.match(r"capabilities\[(\d+)\]\.?", path):
        record = service.record.memory_service_contract.capabilities[int(capability[1])]
        field = path[capability.end() :]
        return capability_place(record, field, service.written, f"{where}.capabilities")
    if path.startswith("resource_contract."):
        return service.contract_place(path.removeprefix("resource_contract."))
    return renamed(where, {"capabilities": "capabilities", "capacity_bytes": "capacity_bytes"})(
        path
    )


def _place(where: str, written: Sequence[WrittenCapability]) -> Place:
    """Place what the complete contract reports about its regions and its capabilities."""

    def place(record_path: str) -> str:
        # Only the merging of regions counts capabilities in the order written.
        if widened := re.match(r"capabilities\[(\d+)\]\.service_region_ordinals", record_path):
            return f"{written[int(widened[1])].where}.regions"
        for key in ("regions", "capabilities"):
            if record_path.startswith(key):
                return f"{where}.{key}"
        return where

    return place


def _resource_contract(
    document: LocalServiceDocument, ports: Sequence[str], where: str, findings: Findings
) -> ResourceContract | None:
    if document.contract is not None:
        return expand_contract(document.contract, 1, where, findings)
    if document.resources is None:
        return None
    return _realised_contract(document.resources, ports, f"{where}.resources", findings)


def _realised_contract(
    document: ServiceResourcesDocument, ports: Sequence[str], where: str, findings: Findings
) -> ResourceContract | None:
    """The contract of the service; each bank serves one read and one write a cycle."""
    known, grant = _grant(document.grant, ports, where, findings)
    if not known:
        return None
    return findings.attempt(
        renamed(
            where,
            {
                "grant_policy.order": "grant.fixed_priority.order",
                "grant_policy.reset_cursor": "grant.round_robin.reset_cursor",
                "grant_policy": "grant",
            },
        ),
        partial(
            service_contract,
            queues=(document.queue,) * len(ports),
            banks=((1, 1),) * document.banks,
            outstanding=document.outstanding,
            grant=grant,
        ),
    )


def _grant(
    document: GrantDocument | None, ports: Sequence[str], where: str, findings: Findings
) -> tuple[bool, GrantPolicy | None]:
    """Whether every name is known, and the policy."""
    if document is None:
        return True, None
    if isinstance(document, RoundRobinChoice):
        return True, RoundRobin(tuple(range(len(ports))), document.round_robin.reset_cursor)
    order = lookup(
        document.fixed_priority.order, ports, f"{where}.grant.fixed_priority.order", findings
    )
    return order is not None, None if order is None else FixedPriority(order)
