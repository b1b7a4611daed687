"""The local memory service out of a document: regions, resource contract, capabilities."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from fabricgen.author.access_document import AccessDocument
from fabricgen.author.expand_access import access_domains, union
from fabricgen.author.expand_capability import (
    CAPABILITY_KEYS,
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
from fabricgen.author.service_document import (
    LocalServiceDocument,
    MmioRegionDocument,
    RegionDocument,
    ServiceResourcesDocument,
)
from fabricgen.plan.contract import service_contract
from fabricgen.records.region import merge_regions
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
    Mmio,
    Storage,
)

__all__ = ["ExpandedService", "expand_service", "service_place"]


@dataclass(frozen=True, slots=True)
class ExpandedService:
    """The service's record, with its capabilities as they were written.

    ``region_positions`` are, per region of the record, the position of the first one written that
    has become a part of it; ``contract_place`` places paths
    inside its resource contract.
    """

    record: LocalMemoryService
    written: tuple[WrittenCapability, ...]
    region_positions: tuple[int, ...]
    contract_place: Place


def expand_service(
    document: LocalServiceDocument, requesters: Sequence[str], where: str, findings: Findings
) -> ExpandedService | None:
    """Build the service; its requesters are the named ports and subordinates, in order."""
    regions = [
        _region(each, f"{where}.regions[{index}]", findings)
        for index, each in enumerate(document.regions)
    ]
    require_one_contract(document.resources, document.contract, where, findings)
    contract = _resource_contract(document, requesters, where, findings)
    # The realised contract has one use pattern for each requester.
    written_contract = document.contract
    patterns = (
        requesters
        if written_contract is None
        else [pattern.name for pattern in written_contract.patterns]
    )
    capabilities = [
        expand_capability(each, len(regions), patterns, f"{where}.capabilities[{index}]", findings)
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
        lambda path: (
            _capability_place(path, service_contract, written, where)
            or renamed(where, {"capacity_bytes": "capacity_bytes"})(path)
        ),
        lambda: LocalMemoryService(document.capacity_bytes, service_contract),
    )
    if record is None:
        return None
    return ExpandedService(
        record, written, _region_positions(whole), contract_place(document.contract, where)
    )


def _region_positions(written: Sequence[MemoryServiceRegion]) -> tuple[int, ...]:
    """Position of the first written part of each region, in address order."""
    merged, place_of = merge_regions(written)
    first = {place: position for position, place in sorted(place_of.items(), reverse=True)}
    return tuple(first[place] for place in range(len(merged)))


def service_place(record_path: str, service: ExpandedService, where: str) -> str:
    """Where in a document's service at ``where`` a path of its complete record lies.

    Of several regions that have become one, it is the first as written.
    """
    contract = service.record.memory_service_contract
    path = record_path.removeprefix("memory_service_contract").removeprefix(".")
    if ordinal := re.match(r"regions?\[(\d+)\]", path):
        return f"{where}.regions[{service.region_positions[int(ordinal[1])]}]"
    if place := _capability_place(path, contract, service.written, where):
        return place
    if path.startswith("resource_contract."):
        return service.contract_place(path.removeprefix("resource_contract."))
    return renamed(where, {"capabilities": "capabilities", "capacity_bytes": "capacity_bytes"})(
        path
    )


def _capability_place(
    record_path: str,
    contract: MemoryServiceContract,
    written: Sequence[WrittenCapability],
    where: str,
) -> str | None:
    """Place a path inside one of the service's capabilities; ``None`` for any other path."""
    found = re.fullmatch(r"(?:memory_service_contract\.)?capabilities\[(\d+)\]\.?(.*)", record_path)
    if found is None:
        return None
    record = contract.capabilities[int(found[1])]
    return capability_place(record, found[2], written, f"{where}.capabilities")


def _place(where: str, written: Sequence[WrittenCapability]) -> Place:
    """Place what the complete contract reports about its regions and its capabilities."""

    def place(record_path: str) -> str:
        # Regions, and the accesses and regions of a capability, are counted in the order written.
        if region := re.fullmatch(r"regions\[\d+\]", record_path):
            return f"{where}.{region[0]}"
        if named := re.fullmatch(
            r"capabilities\[(\d+)\]\.(access_domain|service_region_ordinals)", record_path
        ):
            return f"{written[int(named[1])].where}.{CAPABILITY_KEYS[named[2]]}"
        return f"{where}.capabilities" if record_path.startswith("capabilities") else where

    return place


def _region(document: RegionDocument, where: str, findings: Findings) -> MemoryServiceRegion | None:
    """One region, with what it accepts where it is MMIO."""
    base, size = document.base, document.size
    if not isinstance(document, MmioRegionDocument):
        return findings.attempt(where, lambda: MemoryServiceRegion(base, size, Storage()))
    mmio, place = document.mmio, f"{where}.mmio"
    listed: tuple[tuple[str, Sequence[AccessDocument]], ...] = (
        ("load", mmio.load),
        ("store", mmio.store),
        ("rmw", mmio.rmw),
        ("cmpxchg", mmio.cmpxchg),
    )
    attempts = [access_domains(each, f"{place}.{key}", findings) for key, each in listed]
    whole = [domains for domains in attempts if domains is not None]
    if len(whole) < len(attempts):
        return None
    classes = [domain for domains in whole for domain in domains]
    if not classes:
        findings.add(
            "missing-key", place, "A load, store, rmw or cmpxchg must be present, not absent"
        )
        return None
    return findings.attempt(where, lambda: MemoryServiceRegion(base, size, Mmio(union(classes))))


def _resource_contract(
    document: LocalServiceDocument, requesters: Sequence[str], where: str, findings: Findings
) -> ResourceContract | None:
    if document.contract is not None:
        return expand_contract(document.contract, 1, where, findings)
    if document.resources is None:
        return None
    return _realised_contract(document.resources, requesters, f"{where}.resources", findings)


def _realised_contract(
    document: ServiceResourcesDocument, requesters: Sequence[str], where: str, findings: Findings
) -> ResourceContract | None:
    """The contract of the service; each bank serves one read and one write a cycle."""
    known, grant = _grant(document.grant, requesters, where, findings)
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
            queues=(document.queue,) * len(requesters),
            banks=((1, 1),) * document.banks,
            outstanding=document.outstanding,
            grant=grant,
        ),
    )


def _grant(
    document: GrantDocument | None, requesters: Sequence[str], where: str, findings: Findings
) -> tuple[bool, GrantPolicy | None]:
    """Whether every name is known, and the policy."""
    if document is None:
        return True, None
    if isinstance(document, RoundRobinChoice):
        return True, RoundRobin(tuple(range(len(requesters))), document.round_robin.reset_cursor)
    order = lookup(
        document.fixed_priority.order, requesters, f"{where}.grant.fixed_priority.order", findings
    )
    return order is not None, None if order is None else FixedPriority(order)
