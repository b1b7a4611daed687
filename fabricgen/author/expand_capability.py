"""Capabilities of a local service out of a document, and back (spec: Local Memory Service)."""

from collections.abc import Sequence
from dataclasses import dataclass

from fabricgen.author.expand_access import access_domains, classes_place, union
from fabricgen.author.expand_contract import actor_domain
from fabricgen.author.findings import Findings, lookup, renamed
from fabricgen.author.service_document import (
    CapabilityDocument,
    CompareExchangeChoice,
    ConsistencyDocument,
    FenceCapabilityDocument,
    LoadChoice,
    RmwChoice,
    ServedDocument,
    StoreChoice,
    SystemDomainChoice,
)
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.consistency import (
    NO_CONSISTENCY,
    BoundedCompletionCycles,
    ConsistencyBinding,
    FairEventual,
    LocalProvider,
    SystemDomain,
)
from fabricgen.records.overlap import accesses_meet, actors_meet
from fabricgen.records.service import MemoryServiceCapability
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.fabric import ReleaseVisibilityPoint

__all__ = ["CAPABILITY_KEYS", "WrittenCapability", "capability_place", "expand_capability"]

#: Document key of each field of a capability.
CAPABILITY_KEYS = {
    "actor_contract_domain": "contract",
    "access_domain": "access",
    "service_region_ordinals": "regions",
    "service_beat_width_bits": "beat_bits",
    "admissible_use_patterns": "patterns",
    "consistency_binding": "consistency",
}


@dataclass(frozen=True, slots=True)
class WrittenCapability:
    """One capability before the service's relation is normalised, and where it was written.

    ``accesses[i]`` is what its access class ``i`` admits, none in a fence.
    """

    where: str
    record: MemoryServiceCapability
    accesses: tuple[ParameterizedMemoryAccessDomain, ...]


def expand_capability(
    document: CapabilityDocument,
    region_count: int,
    patterns: Sequence[str],
    where: str,
    findings: Findings,
) -> WrittenCapability | None:
    """Build one capability; ``patterns`` names the service's use patterns in key order."""
    key, schema, body = _body(document)
    where = f"{where}.{key}"
    actors = actor_domain(schema, body.contract, f"{where}.contract", findings)
    if isinstance(body, FenceCapabilityDocument):
        classes, regions, beat_bits = (), [], 0
    else:
        classes = access_domains(body.access, f"{where}.access", findings)
        regions, beat_bits = body.regions, body.beat_bits
    unknown = [position for position in regions if position >= region_count]
    for position in unknown:
        findings.add(
            "service-region-unknown",
            f"{where}.regions",
            f"A position must name one of {region_count} regions, not {position}",
        )
    keys = (
        tuple(range(len(patterns)))
        if body.patterns is None
        else lookup(body.patterns, patterns, f"{where}.patterns", findings)
    )
    if actors is None or classes is None or unknown or keys is None:
        return None
    record = findings.attempt(
        classes_place(classes, "access_domain", f"{where}.access", renamed(where, CAPABILITY_KEYS)),
        lambda: MemoryServiceCapability.of(
            actors,
            union(classes) if classes else None,
            service_region_ordinals=regions,
            service_beat_width_bits=beat_bits,
            admissible_use_patterns=keys,
            consistency_binding=_consistency(body.consistency),
        ),
    )
    return None if record is None else WrittenCapability(where, record, classes)


def capability_place(
    capability: MemoryServiceCapability,
    field: str,
    written: Sequence[WrittenCapability],
    otherwise: str,
) -> str:
    """Where a field of a capability of the normal form was written.

    Several capabilities may have become one; ``otherwise`` is the place of their list.
    """
    sources = [
        each
        for each in written
        if actors_meet(each.record.actor_contract_domain, capability.actor_contract_domain)
        and accesses_meet(each.record.access_domain, capability.access_domain)
    ]
    if len(sources) != 1:
        return otherwise
    return renamed(sources[0].where, CAPABILITY_KEYS)(field)


def _body(
    document: CapabilityDocument,
) -> tuple[str, OperationSchemaId, ServedDocument]:
    match document:
        case LoadChoice():
            return "load", OperationSchemaId.DATAFLOW_LOAD, document.load
        case StoreChoice():
            return "store", OperationSchemaId.DATAFLOW_STORE, document.store
        case RmwChoice():
            return "rmw", OperationSchemaId.DATAFLOW_ATOMIC_RMW, document.rmw
        case CompareExchangeChoice():
            return "cmpxchg", OperationSchemaId.DATAFLOW_CMPXCHG, document.cmpxchg
        case _:
            return "fence", OperationSchemaId.DATAFLOW_FENCE, document.fence


def _consistency(document: ConsistencyDocument | None) -> ConsistencyBinding:
    if document is None:
        return NO_CONSISTENCY
    if isinstance(document, SystemDomainChoice):
        return SystemDomain(bytes.fromhex(document.system_domain))
    provider = document.local_provider
    progress = provider.progress
    return LocalProvider(
        ReleaseVisibilityPoint[provider.release_visibility.upper()],
        FairEventual()
        if isinstance(progress, str)
        else BoundedCompletionCycles(progress.bounded_completion_cycles),
    )
