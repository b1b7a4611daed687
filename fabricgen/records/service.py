"""Memory service contract and the Local Memory Service (spec: Local Memory Service)."""

from dataclasses import dataclass

from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.resource import ResourceContract

__all__ = [
    "LocalMemoryService",
    "MemoryServiceCapability",
    "MemoryServiceContract",
    "MemoryServiceRegion",
    "NoConsistency",
    "Storage",
]


@dataclass(frozen=True, slots=True)
class Storage:
    """Region behaviour: ordinary storage."""


@dataclass(frozen=True, slots=True)
class MemoryServiceRegion:
    """``size_bytes`` bytes from ``address_base_bytes``, with one behaviour."""

    address_base_bytes: int
    size_bytes: int
    behavior: Storage = Storage()


@dataclass(frozen=True, slots=True)
class NoConsistency:
    """Consistency binding of a capability whose clauses are all plain."""


@dataclass(frozen=True, slots=True)
class MemoryServiceCapability:
    """One admitted actor/access relation of a service and what serves it."""

    actor_contract_domain: MemoryActorContractDomain
    access_domain: ParameterizedMemoryAccessDomain | None
    service_region_ordinals: tuple[int, ...]
    service_beat_width_bits: int
    admissible_use_patterns: tuple[int, ...]
    consistency_binding: NoConsistency = NoConsistency()


@dataclass(frozen=True, slots=True)
class MemoryServiceContract:
    """Regions, resource contract and capabilities of one service."""

    regions: tuple[MemoryServiceRegion, ...]
    resource_contract: ResourceContract
    capabilities: tuple[MemoryServiceCapability, ...]


@dataclass(frozen=True, slots=True)
class LocalMemoryService:
    """``capacity_bytes`` of local storage behind one service contract."""

    capacity_bytes: int
    memory_service_contract: MemoryServiceContract
