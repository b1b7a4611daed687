"""The local memory service out of a document: resource contract and capabilities."""

import re
from collections.abc import Sequence
from functools import partial

from fabricgen.author.expand_access import access_domains, actor_domain, union
from fabricgen.author.fabric_document import (
    CapabilityDocument,
    GrantDocument,
    LoadChoice,
    LocalServiceDocument,
    RoundRobinChoice,
    ServiceResourcesDocument,
)
from fabricgen.author.findings import Findings, Place, lookup, renamed
from fabricgen.plan.contract import service_contract
from fabricgen.records.resource import (
    FixedPriority,
    GrantPolicy,
    ResourceContract,
    RoundRobin,
)
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
)
from fabricgen.vocab.dataflow import OperationSchemaId

__all__ = ["expand_service"]


def expand_service(
    document: LocalServiceDocument, ports: Sequence[str], where: str, findings: Findings
) -> LocalMemoryService | None:
    """Build the service; its requesters are the named ports, in order."""
    regions = [
        findings.attempt(f"{where}.regions[{index}]", partial(MemoryServiceRegion, r.base, r.size))
        for index, r in enumerate(document.regions)
    ]
    contract = _resource_contract(document.resources, ports, f"{where}.resources", findings)
    capabilities = [
        _capability(each, len(regions), len(ports), f"{where}.capabilities[{index}]", findings)
        for index, each in enumerate(document.capabilities)
    ]
    whole = [region for region in regions if region is not None]
    complete = [each for each in capabilities if each is not None]
    if contract is None or len(whole) < len(regions) or len(complete) < len(capabilities):
        return None
    return findings.attempt(
        _place(where, document.capabilities),
        lambda: LocalMemoryService(
            document.capacity_bytes, MemoryServiceContract.of(whole, contract, complete)
        ),
    )


def _place(where: str, capabilities: Sequence[CapabilityDocument]) -> Place:
    """Place what the complete service reports about its capacity and its capabilities."""

    def place(record_path: str) -> str:
        # Only the merging of regions counts capabilities in the order written.
        if widened := re.match(r"capabilities\[(\d+)\]\.service_region_ordinals", record_path):
            index = int(widened[1])
            key = "load" if isinstance(capabilities[index], LoadChoice) else "store"
            return f"{where}.capabilities[{index}].{key}.regions"
        for key in ("regions", "capabilities", "capacity_bytes"):
            if record_path.startswith(key):
                return f"{where}.{key}"
        return where

    return place


def _capability(
    document: CapabilityDocument,
    region_count: int,
    requester_count: int,
    where: str,
    findings: Findings,
) -> MemoryServiceCapability | None:
    if isinstance(document, LoadChoice):
        schema, body, place = OperationSchemaId.DATAFLOW_LOAD, document.load, f"{where}.load"
    else:
        schema, body, place = OperationSchemaId.DATAFLOW_STORE, document.store, f"{where}.store"
    actors = actor_domain(schema, body.contract, f"{place}.contract", findings)
    classes = access_domains(body.access, f"{place}.access", findings)
    unknown = [position for position in body.regions if position >= region_count]
    for position in unknown:
        findings.add(
            "service-region-unknown",
            f"{place}.regions",
            f"A position must name one of {region_count} regions, not {position}",
        )
    if actors is None or classes is None or unknown:
        return None
    return findings.attempt(
        renamed(
            place, {"service_region_ordinals": "regions", "service_beat_width_bits": "beat_bits"}
        ),
        lambda: MemoryServiceCapability.of(
            actors,
            union(classes),
            service_region_ordinals=body.regions,
            service_beat_width_bits=body.beat_bits,
            admissible_use_patterns=range(requester_count),
        ),
    )


def _resource_contract(
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
