"""The local memory service of a fabric document: regions, capacities, capabilities."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, Tag

from fabricgen.author.access_document import (
    LoadAccessDocument,
    StoreAccessDocument,
    UpdateAccessDocument,
)
from fabricgen.author.contract_document import (
    CompareExchangeClauseDocument,
    FenceClauseDocument,
    LoadStoreContractDocument,
    RmwClauseDocument,
)
from fabricgen.author.document import Document
from fabricgen.author.fields import Name, Positive, U32Count, Unsigned, by_key, by_type
from fabricgen.author.grant_document import GrantDocument
from fabricgen.author.named_contract_document import (
    RESOURCES_OR_CONTRACT,
    NamedContractDocument,
)

__all__ = [
    "BoundedCompletionDocument",
    "CapabilityDocument",
    "CompareExchangeCapabilityDocument",
    "CompareExchangeChoice",
    "ConsistencyDocument",
    "FenceCapabilityDocument",
    "FenceChoice",
    "LoadCapabilityDocument",
    "LoadChoice",
    "LocalProviderChoice",
    "LocalProviderDocument",
    "LocalServiceDocument",
    "MmioDocument",
    "MmioRegionDocument",
    "RegionDocument",
    "RmwCapabilityDocument",
    "RmwChoice",
    "ServedDocument",
    "ServiceResourcesDocument",
    "StorageDocument",
    "StorageRegionDocument",
    "StoreCapabilityDocument",
    "StoreChoice",
    "SystemDomainChoice",
]


class StorageDocument(Document):
    """Ordinary storage; the table is empty."""


class MmioDocument(Document):
    """Accesses that device registers accept, by the actor that makes them; one at least."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": [key]} for key in ("load", "store", "rmw", "cmpxchg")]
        }
    )

    load: list[LoadAccessDocument] = Field(default=[], description="Classes of loads.")
    store: list[StoreAccessDocument] = Field(default=[], description="Classes of stores.")
    rmw: list[UpdateAccessDocument] = Field(
        default=[], description="Classes of read-modify-writes."
    )
    cmpxchg: list[UpdateAccessDocument] = Field(
        default=[], description="Classes of compare-exchanges."
    )


class _RegionDocument(Document):
    base: Unsigned = Field(description="First byte, as an offset into the capacity.")
    size: Positive = Field(description="Bytes.")


class StorageRegionDocument(_RegionDocument):
    """Consecutive bytes of the local service that are storage."""

    storage: StorageDocument = Field(description="The region behaves as ordinary storage.")


class MmioRegionDocument(_RegionDocument):
    """Consecutive bytes of the local service that are device registers."""

    mmio: MmioDocument = Field(description="The region accepts exactly these accesses.")


RegionDocument = Annotated[
    Annotated[StorageRegionDocument, Tag("~storage")] | Annotated[MmioRegionDocument, Tag("~mmio")],
    by_key("storage", "mmio"),
]


class ServiceResourcesDocument(Document):
    """Capacities of the local service."""

    banks: Annotated[int, Field(ge=1, le=2**16)] = Field(
        description="Banks, each with one read and one write port."
    )
    outstanding: U32Count = Field(description="Requests between admission and response.")
    queue: U32Count = Field(
        description="Requests that each port or subordinate may have in the service."
    )
    grant: GrantDocument | None = Field(
        default=None, description="Who wins; exactly where several ports or subordinates contend."
    )


class BoundedCompletionDocument(Document):
    """Every access retires within a bound."""

    bounded_completion_cycles: Positive = Field(
        description="Cycles from the issue of an access to its retirement, at most."
    )


class LocalProviderDocument(Document):
    """How the service orders what it serves; it is the only participant."""

    release_visibility: Literal["at_linearization", "by_retirement"] = Field(
        description="When effects before a release are visible to others: where the release is "
        "linearized, or when it retires."
    )
    progress: Annotated[
        Annotated[Literal["fair_eventual"], Tag("~fair")]
        | Annotated[BoundedCompletionDocument, Tag("~bounded")],
        by_type(
            "'fair_eventual' or a table with bounded_completion_cycles", fair=str, bounded=dict
        ),
    ] = Field(description="Each access retires: some time (fair_eventual), or within a bound.")


class LocalProviderChoice(Document):
    """The service orders its accesses itself."""

    local_provider: LocalProviderDocument = Field(description="What the service guarantees.")


class SystemDomainChoice(Document):
    """A domain of the system orders the accesses; no local service may name one."""

    system_domain: str = Field(
        pattern="^([0-9a-f]{2})+$", description="Bytes of the domain's reference, as hex digits."
    )


ConsistencyDocument = Annotated[
    Annotated[LocalProviderChoice, Tag("~local_provider")]
    | Annotated[SystemDomainChoice, Tag("~system_domain")],
    by_key("local_provider", "system_domain"),
]
_Consistency = Annotated[
    ConsistencyDocument | None,
    Field(description="Who orders the accesses; needed unless every contract is plain."),
]


class _ServedDocument(Document):
    consistency: _Consistency = None
    patterns: list[Name] | None = Field(
        default=None,
        min_length=1,
        description="Use patterns that serve this: those of the contract or, with resources, the "
        "ports and subordinates that are served; all of them if absent.",
    )


class _AddressedDocument(_ServedDocument):
    beat_bits: Positive = Field(description="Width of one bank access, in bits.")
    regions: list[Unsigned] = Field(
        min_length=1, description="Positions in the list of regions that are reached."
    )


class LoadCapabilityDocument(_AddressedDocument):
    """Loads that the service serves."""

    contract: list[LoadStoreContractDocument] = Field(
        min_length=1, description="Actor contracts that are served."
    )
    access: list[LoadAccessDocument] = Field(
        min_length=1, description="Classes of served geometries."
    )


class StoreCapabilityDocument(_AddressedDocument):
    """Stores that the service serves."""

    contract: list[LoadStoreContractDocument] = Field(
        min_length=1, description="Actor contracts that are served."
    )
    access: list[StoreAccessDocument] = Field(
        min_length=1, description="Classes of served geometries."
    )


class RmwCapabilityDocument(_AddressedDocument):
    """Read-modify-writes that the service serves."""

    contract: list[RmwClauseDocument] = Field(
        min_length=1, description="Actor contracts that are served."
    )
    access: list[UpdateAccessDocument] = Field(
        min_length=1, description="Classes of served geometries."
    )


class CompareExchangeCapabilityDocument(_AddressedDocument):
    """Compare-exchanges that the service serves."""

    contract: list[CompareExchangeClauseDocument] = Field(
        min_length=1, description="Actor contracts that are served."
    )
    access: list[UpdateAccessDocument] = Field(
        min_length=1, description="Classes of served geometries."
    )


class FenceCapabilityDocument(_ServedDocument):
    """Fences that the service serves; they access nothing."""

    contract: list[FenceClauseDocument] = Field(
        min_length=1, description="Actor contracts that are served."
    )


ServedDocument = (
    LoadCapabilityDocument
    | StoreCapabilityDocument
    | RmwCapabilityDocument
    | CompareExchangeCapabilityDocument
    | FenceCapabilityDocument
)


class LoadChoice(Document):
    """A capability for loads."""

    load: LoadCapabilityDocument = Field(description="Served loads.")


class StoreChoice(Document):
    """A capability for stores."""

    store: StoreCapabilityDocument = Field(description="Served stores.")


class RmwChoice(Document):
    """A capability for read-modify-writes."""

    rmw: RmwCapabilityDocument = Field(description="Served read-modify-writes.")


class CompareExchangeChoice(Document):
    """A capability for compare-exchanges."""

    cmpxchg: CompareExchangeCapabilityDocument = Field(description="Served compare-exchanges.")


class FenceChoice(Document):
    """A capability for fences."""

    fence: FenceCapabilityDocument = Field(description="Served fences.")


CapabilityDocument = Annotated[
    Annotated[LoadChoice, Tag("~load")]
    | Annotated[StoreChoice, Tag("~store")]
    | Annotated[RmwChoice, Tag("~rmw")]
    | Annotated[CompareExchangeChoice, Tag("~cmpxchg")]
    | Annotated[FenceChoice, Tag("~fence")],
    by_key("load", "store", "rmw", "cmpxchg", "fence"),
]


class LocalServiceDocument(Document):
    """The memory's own storage and what it serves."""

    model_config = RESOURCES_OR_CONTRACT

    capacity_bytes: Positive = Field(description="Bytes of storage.")
    regions: list[RegionDocument] = Field(min_length=1, description="Regions of the service.")
    resources: ServiceResourcesDocument | None = Field(
        default=None, description="Capacities of the service; needed where there is no contract."
    )
    contract: NamedContractDocument | None = Field(
        default=None, description="The complete resource contract, in the place of resources."
    )
    capabilities: list[CapabilityDocument] = Field(
        min_length=1, description="Accesses that the service serves."
    )
