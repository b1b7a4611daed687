"""The fabric document: what a person writes to describe memory occurrences.

Nothing that the specification calls a fact has a default here. Only implementation options, which
change no observable order or value, may be left out.
"""

from typing import Annotated, Literal

from pydantic import Field, Tag

from fabricgen.author.access_document import (
    ContractDocument,
    LoadAccessDocument,
    StoreAccessDocument,
)
from fabricgen.author.document import Document
from fabricgen.author.fields import (
    Identifier,
    Name,
    Positive,
    U32Count,
    Unsigned,
    by_key,
    by_type,
)

__all__ = [
    "CapabilityDocument",
    "EndpointDocument",
    "FabricDocument",
    "FabricHeader",
    "FixedPriorityChoice",
    "FixedPriorityDocument",
    "GrantDocument",
    "ImplementationDocument",
    "LoadCapabilityDocument",
    "LoadChoice",
    "LoadDocument",
    "LoadRolesDocument",
    "LocalServiceDocument",
    "MemoryDocument",
    "OperandDepthDocument",
    "PatternDocument",
    "PortDocument",
    "PortResourcesDocument",
    "RegionDocument",
    "RoundRobinChoice",
    "RoundRobinDocument",
    "ServiceResourcesDocument",
    "StorageDocument",
    "StoreCapabilityDocument",
    "StoreChoice",
    "StoreDocument",
    "StoreRolesDocument",
]


class EndpointDocument(Document):
    """One token channel of the memory."""

    name: Identifier = Field(description="Prefix of the emitted ports.")
    dir: Literal["in", "out"] = Field(description="Direction, seen from the memory.")
    bits: Annotated[int, Field(ge=0, le=2**32 - 1)] = Field(
        description="Payload width in bits; 0 for control and completion tokens."
    )


class OperandDepthDocument(Document):
    """Depth of each operand queue of a port, in tokens; exactly the roles that the port has."""

    address: U32Count | None = Field(default=None, description="Tokens of the address queue.")
    data: U32Count | None = Field(default=None, description="Tokens of the store data queue.")
    mask: U32Count | None = Field(default=None, description="Tokens of the mask queue.")
    control: U32Count | None = Field(default=None, description="Tokens of the control queue.")


_OperandDepth = Annotated[
    Annotated[U32Count, Tag("~all")] | Annotated[OperandDepthDocument, Tag("~each")],
    by_type("an integer or a table with a depth per role", all=int, each=dict),
]


class PortResourcesDocument(Document):
    """Capacities of one Spatial port."""

    in_flight: U32Count = Field(description="Firings between issue and retirement.")
    result_holding: U32Count = Field(description="Firings whose results can be held.")
    operand_depth: _OperandDepth = Field(
        description="Tokens that each operand queue holds, or a table with one depth per role."
    )


class PatternDocument(Document):
    """One way in which a firing uses the port."""

    name: Name = Field(description="Name by which alternatives and mappings select it.")
    projection: Literal["direct"] = Field(
        description="How a firing becomes transactions: direct is exactly one."
    )


class _AlternativeDocument(Document):
    contract: list[ContractDocument] = Field(
        min_length=1, description="Actor contracts that are admitted."
    )
    patterns: list[Name] = Field(
        min_length=1, description="Patterns of the port that realise these accesses."
    )
    targets: list[Name] = Field(
        min_length=1, description="Services that the accesses may reach: local."
    )


class LoadRolesDocument(Document):
    """Endpoint of each role of a load."""

    address: Identifier = Field(description="Element index, or all lanes' indices.")
    mask: Identifier | None = Field(
        default=None, description="Lane mask; exactly where an access admits a dynamic mask."
    )
    control: Identifier = Field(description="One token per firing.")
    data: Identifier = Field(description="The loaded payload.")
    completion: Identifier = Field(description="One token per retirement.")


class StoreRolesDocument(Document):
    """Endpoint of each role of a store."""

    address: Identifier = Field(description="Element index, or all lanes' indices.")
    data: Identifier = Field(description="The payload to store.")
    mask: Identifier | None = Field(
        default=None, description="Lane mask; exactly where an access admits a dynamic mask."
    )
    control: Identifier = Field(description="One token per firing.")
    completion: Identifier = Field(description="One token per retirement.")


class LoadDocument(_AlternativeDocument):
    """One alternative of loads: the product of contracts and accesses on one set of roles."""

    roles: LoadRolesDocument = Field(description="Endpoint of each role.")
    access: list[LoadAccessDocument] = Field(
        min_length=1, description="Classes of admitted geometries."
    )


class StoreDocument(_AlternativeDocument):
    """One alternative of stores: the product of contracts and accesses on one set of roles."""

    roles: StoreRolesDocument = Field(description="Endpoint of each role.")
    access: list[StoreAccessDocument] = Field(
        min_length=1, description="Classes of admitted geometries."
    )


class PortDocument(Document):
    """One physical memory operation port."""

    name: Name = Field(description="Name by which mappings select it.")
    resources: PortResourcesDocument = Field(description="Capacities of the port.")
    patterns: list[PatternDocument] = Field(min_length=1, description="Use patterns.")
    load: list[LoadDocument] = Field(default=[], description="Alternatives that admit loads.")
    store: list[StoreDocument] = Field(default=[], description="Alternatives that admit stores.")


class StorageDocument(Document):
    """Ordinary storage; the table is empty."""


class RegionDocument(Document):
    """Consecutive bytes of the local service with one behaviour."""

    base: Unsigned = Field(description="First byte, as an offset into the capacity.")
    size: Positive = Field(description="Bytes.")
    storage: StorageDocument = Field(description="The region behaves as ordinary storage.")


class RoundRobinDocument(Document):
    """Scan from a cursor that moves behind each successful grant."""

    reset_cursor: Annotated[int, Field(ge=0, le=2**32 - 1)] = Field(
        description="Requester at which the first scan starts."
    )


class FixedPriorityDocument(Document):
    """The first eligible requester wins, always."""

    order: list[Name] = Field(
        min_length=1, description="Names of all ports, the most important first."
    )


class RoundRobinChoice(Document):
    """Round robin among the ports."""

    round_robin: RoundRobinDocument = Field(description="Round robin in port order.")


class FixedPriorityChoice(Document):
    """Fixed priority among the ports."""

    fixed_priority: FixedPriorityDocument = Field(description="Fixed priority.")


GrantDocument = Annotated[
    Annotated[RoundRobinChoice, Tag("~round_robin")]
    | Annotated[FixedPriorityChoice, Tag("~fixed_priority")],
    by_key("round_robin", "fixed_priority"),
]


class ServiceResourcesDocument(Document):
    """Capacities of the local service."""

    banks: Annotated[int, Field(ge=1, le=2**16)] = Field(
        description="Banks, each with one read and one write port."
    )
    outstanding: U32Count = Field(description="Requests between admission and response.")
    queue: U32Count = Field(description="Requests that each port may have in the service.")
    grant: GrantDocument | None = Field(
        default=None, description="Who wins; exactly where several ports contend."
    )


class _ServedDocument(Document):
    contract: list[ContractDocument] = Field(
        min_length=1, description="Actor contracts that are served."
    )
    beat_bits: Annotated[int, Field(ge=1, le=2**32 - 1)] = Field(
        description="Width of one bank access, in bits."
    )
    regions: list[Unsigned] = Field(
        min_length=1, description="Positions in the list of regions that are reached."
    )


class LoadCapabilityDocument(_ServedDocument):
    """Loads that the service serves."""

    access: list[LoadAccessDocument] = Field(
        min_length=1, description="Classes of served geometries."
    )


class StoreCapabilityDocument(_ServedDocument):
    """Stores that the service serves."""

    access: list[StoreAccessDocument] = Field(
        min_length=1, description="Classes of served geometries."
    )


class LoadChoice(Document):
    """A capability for loads."""

    load: LoadCapabilityDocument = Field(description="Served loads.")


class StoreChoice(Document):
    """A capability for stores."""

    store: StoreCapabilityDocument = Field(description="Served stores.")


CapabilityDocument = Annotated[
    Annotated[LoadChoice, Tag("~load")] | Annotated[StoreChoice, Tag("~store")],
    by_key("load", "store"),
]


class LocalServiceDocument(Document):
    """The memory's own storage and what it serves."""

    capacity_bytes: Positive = Field(description="Bytes of storage.")
    regions: list[RegionDocument] = Field(min_length=1, description="Regions of the storage.")
    resources: ServiceResourcesDocument = Field(description="Capacities of the service.")
    capabilities: list[CapabilityDocument] = Field(
        min_length=1, description="Accesses that the service serves."
    )


class ImplementationDocument(Document):
    """Implementation options; none changes an observable order or value."""

    bank_function: Literal["interleaved"] = Field(
        default="interleaved", description="interleaved: consecutive beats in consecutive banks."
    )
    aligned_bases: bool = Field(
        default=False,
        description="Serve only bases at multiples of the element size; saves the second beat "
        "of each element.",
    )


class MemoryDocument(Document):
    """One memory occurrence."""

    name: Identifier = Field(description="Name by which mappings and workloads select it.")
    schedule: Literal["spatial"] = Field(description="Schedule of the operation engine.")
    endpoints: list[EndpointDocument] = Field(min_length=1, description="Token channels.")
    port: list[PortDocument] = Field(min_length=1, description="Operation ports.")
    local: LocalServiceDocument = Field(description="The local memory service.")
    implementation: ImplementationDocument = Field(
        default=ImplementationDocument(), description="Implementation options."
    )


class FabricHeader(Document):
    """What concerns the whole fabric."""

    name: Name = Field(description="Name of the fabric; mappings repeat it.")


class FabricDocument(Document):
    """A fabric: memories with their ports, services and capacities."""

    fabric: FabricHeader = Field(description="The fabric itself.")
    memory: list[MemoryDocument] = Field(min_length=1, description="Memory occurrences.")
