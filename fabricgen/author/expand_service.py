"""The local memory service out of a document: resource contract and capabilities."""

import re
from collections.abc import Sequence

from fabricgen.author.expand_access import access_domain, actor_domain
from fabricgen.author.expand_regions import ExpandedRegions, expand_regions
from fabricgen.author.fabric_document import (
    CapabilityDocument,
    GrantDocument,
    LoadChoice,
    LocalServiceDocument,
    RoundRobinChoice,
    ServiceResourcesDocument,
)
from fabricgen.author.findings import Findings, Place, lookup, renamed
from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    FixedPriority,
    GrantPolicy,
    ResourceContract,
    RoundRobin,
    UsePattern,
)
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
)
from fabricgen.vocab.dataflow import OperationSchemaId

__all__ = ["expand_service"]


def expand_service(
    document: LocalServiceDocument, ports: Sequence[str], where: str, findings: Findings
) -> LocalMemoryService | None:
    """Build the service; its requesters are the named ports, in order."""
    regions = expand_regions(document.regions, document.capabilities, where, findings)
    contract = _resource_contract(document.resources, ports, f"{where}.resources", findings)
    # Without regions, capabilities are still read for what is wrong inside them.
    ordinals = regions.ordinals if regions else (0,) * len(document.regions)
    capabilities = [
        _capability(each, ordinals, len(ports), f"{where}.capabilities[{index}]", findings)
        for index, each in enumerate(document.capabilities)
    ]
    complete = tuple(each for each in capabilities if each is not None)
    if regions is None or contract is None or len(complete) < len(capabilities):
        return None
    return findings.attempt(
        _place(where, regions),
        lambda: LocalMemoryService(
            document.capacity_bytes,
            MemoryServiceContract.of(regions.records, contract, complete),
        ),
    )


def _place(where: str, regions: ExpandedRegions) -> Place:
    """Place what the complete service reports about its regions, capacity and capabilities."""

    def place(record_path: str) -> str:
        if region := re.search(r"regions\[(\d+)\]", record_path):
            return f"{where}.regions[{regions.written(int(region[1]))}]"
        for key in ("regions", "capabilities", "capacity_bytes"):
            if key in record_path:
                return f"{where}.{key}"
        return where

    return place


def _capability(
    document: CapabilityDocument,
    region_ordinals: Sequence[int],
    requester_count: int,
    where: str,
    findings: Findings,
) -> MemoryServiceCapability | None:
    if isinstance(document, LoadChoice):
        schema, body, place = OperationSchemaId.DATAFLOW_LOAD, document.load, f"{where}.load"
    else:
        schema, body, place = OperationSchemaId.DATAFLOW_STORE, document.store, f"{where}.store"
    actors = actor_domain(schema, body.contract, f"{place}.contract", findings)
    accesses = access_domain(body.access, f"{place}.access", findings)
    if actors is None or accesses is None:
        return None
    regions = {region_ordinals[i] for i in body.regions if i < len(region_ordinals)}
    return findings.attempt(
        renamed(
            place, {"service_region_ordinals": "regions", "service_beat_width_bits": "beat_bits"}
        ),
        lambda: MemoryServiceCapability(
            actor_contract_domain=actors,
            access_domain=accesses,
            service_region_ordinals=tuple(sorted(regions)),
            service_beat_width_bits=body.beat_bits,
            admissible_use_patterns=tuple(range(requester_count)),
        ),
    )


def _resource_contract(
    document: ServiceResourcesDocument, ports: Sequence[str], where: str, findings: Findings
) -> ResourceContract | None:
    """States in key order: port and queue of each requester, banks, outstanding requests."""
    count = len(ports)
    known, grant = _grant(document.grant, ports, where, findings)
    if not known:
        return None
    outstanding = 2 * count + document.banks
    queue = (CapacityDimension(document.queue),)
    bank = (CapacityDimension(1), CapacityDimension(1))
    patterns = [
        UsePattern(
            requester=requester,
            eligibility=0,
            acquire=0,
            release=1,
            commit=None,
            timing=0,
            claims=(
                Claim(requester, 0, 1),
                Claim(count + requester, 0, 1),
                Claim(outstanding, 0, 1),
            ),
            internal_transactions=((0, 1, 2),),
        )
        for requester in range(count)
    ]
    return findings.attempt(
        renamed(where, {"grant_policy": "grant"}),
        lambda: ResourceContract(
            states=(
                *(queue,) * (2 * count),
                *(bank,) * document.banks,
                (CapacityDimension(document.outstanding),),
            ),
            transition_count=0,
            timing_contracts=((0, 1),),
            use_patterns=tuple(patterns),
            requester_count=count,
            eligibility_count=1,
            event_count=2,
            grant_policy=grant,
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
