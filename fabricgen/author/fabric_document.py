"""The fabric document: what a person writes to describe memory occurrences.

Nothing that the specification calls a fact has a default here. Only implementation options, which
change no observable order or value, may be left out.
"""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, Tag, WithJsonSchema

from fabricgen.author.access_document import (
    ContractDocument,
    LoadAccessDocument,
    StoreAccessDocument,
)
from fabricgen.author.document import Document
from fabricgen.author.fields import (
    U32_MAX,
    Identifier,
    Name,
    Positive,
    U32Count,
    Unsigned,
    by_key,
    by_type,
    by_value,
)

__all__ = [
    "CapabilityDocument",
    "ConnectionDocument",
    "ContextGrantDocument",
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
    "ManagerDocument",
    "MemoryDocument",
    "OperandDepthDocument",
    "PatternDocument",
    "PortDocument",
    "RegionDocument",
    "RoundRobinChoice",
    "RoundRobinDocument",
    "ServiceResourcesDocument",
    "SpatialMemoryDocument",
    "SpatialPortDocument",
    "StorageDocument",
    "StoreCapabilityDocument",
    "StoreChoice",
    "StoreDocument",
    "StoreRolesDocument",
    "TemporalMemoryDocument",
    "TemporalPortDocument",
    "TemporalResourcesDocument",
]


class EndpointDocument(Document):
    """One token channel of the memory."""

    name: Identifier = Field(description="Prefix of the emitted ports.")
    dir: Literal["in", "out"] = Field(description="Direction, seen from the memory.")
    bits: Annotated[int, Field(ge=0, le=U32_MAX)] = Field(
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


class RoundRobinDocument(Document):
    """Scan from a cursor that moves behind each successful grant."""

    reset_cursor: Annotated[int, Field(ge=0, le=U32_MAX)] = Field(
        description="Requester at which the first scan starts."
    )


class RoundRobinChoice(Document):
    """Round robin among the requesters."""

    round_robin: RoundRobinDocument = Field(description="Round robin in requester order.")


class ContextPriorityDocument(Document):
    """The first eligible context wins, always."""

    order: list[Annotated[int, Field(ge=0, le=U32_MAX)]] = Field(
        min_length=1, description="All contexts, the most important first."
    )


class ContextPriorityChoice(Document):
    """Fixed priority among the contexts."""

    fixed_priority: ContextPriorityDocument = Field(description="Fixed priority.")


ContextGrantDocument = Annotated[
    Annotated[RoundRobinChoice, Tag("~round_robin")]
    | Annotated[ContextPriorityChoice, Tag("~fixed_priority")],
    by_key("round_robin", "fixed_priority"),
]


class SpatialResourcesDocument(Document):
    """Capacities of one Spatial port."""

    in_flight: U32Count = Field(description="Firings between issue and retirement.")
    result_holding: U32Count = Field(description="Firings whose results can be held.")
    operand_depth: _OperandDepth = Field(
        description="Tokens that each operand queue holds, or a table with one depth per role."
    )


_ContextAndTotal = Annotated[list[U32Count], Field(min_length=2, max_length=2)]


class TemporalResourcesDocument(Document):
    """Capacities of one Temporal port."""

    context: U32Count = Field(description="Resident contexts; those of the memory.")
    in_flight: _ContextAndTotal = Field(
        description="Firings between issue and retirement: of one context, and of all together."
    )
    result_holding: _ContextAndTotal = Field(
        description="Firings whose results can be held: of one context, and of all together."
    )
    operand_depth: _OperandDepth = Field(
        description="Tokens that a context holds per role: 1; or a table with one depth per role."
    )
    grant: ContextGrantDocument | None = Field(
        default=None, description="Which context wins; exactly where there are several."
    )


class PatternDocument(Document):
    """One way in which a firing uses the port."""

    name: Name = Field(description="Name by which alternatives and mappings select it.")
    projection: Literal["direct", "active_lanes"] = Field(
        description="How a firing becomes transactions: direct is exactly one, active_lanes one "
        "per active lane, in row-major order."
    )


class _AlternativeDocument(Document):
    contract: list[ContractDocument] = Field(
        min_length=1, description="Actor contracts that are admitted."
    )
    patterns: list[Name] = Field(
        min_length=1, description="Patterns of the port that realise these accesses."
    )
    targets: list[Name] = Field(
        min_length=1,
        description="Services that the accesses may reach: local, and managers by name.",
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


class _PortDocument(Document):
    name: Name = Field(description="Name by which mappings select it.")
    patterns: list[PatternDocument] = Field(min_length=1, description="Use patterns.")
    load: list[LoadDocument] = Field(default=[], description="Alternatives that admit loads.")
    store: list[StoreDocument] = Field(default=[], description="Alternatives that admit stores.")


class SpatialPortDocument(_PortDocument):
    """One physical memory operation port with one row of its own."""

    resources: SpatialResourcesDocument = Field(description="Capacities of the port.")


class TemporalPortDocument(_PortDocument):
    """One physical memory operation port that all resident contexts share."""

    resources: TemporalResourcesDocument = Field(description="Capacities of the port.")


PortDocument = SpatialPortDocument | TemporalPortDocument


class StorageDocument(Document):
    """Ordinary storage; the table is empty."""


class RegionDocument(Document):
    """Consecutive bytes of the local service with one behaviour."""

    base: Unsigned = Field(description="First byte, as an offset into the capacity.")
    size: Positive = Field(description="Bytes.")
    storage: StorageDocument = Field(description="The region behaves as ordinary storage.")


class FixedPriorityDocument(Document):
    """The first eligible requester wins, always."""

    order: list[Name] = Field(
        min_length=1, description="Names of all ports, the most important first."
    )


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
    beat_bits: Annotated[int, Field(ge=1, le=U32_MAX)] = Field(
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
    issue_lanes: U32Count = Field(
        default=1,
        description="Lanes of one active_lanes firing that reach the local service per cycle.",
    )
    counters: bool = Field(
        default=False,
        description="Make what each row waits for readable over the programming port.",
    )


class ManagerDocument(Document):
    """A path to memory outside; the emitted ports start with its name."""

    name: Identifier = Field(description="Name by which targets and workloads select it.")
    beat_bits: Annotated[int, Field(ge=1, le=U32_MAX)] = Field(
        description="Width of one request or response beat, in bits."
    )


class ConnectionDocument(Document):
    """A result endpoint whose tokens a mapping may lead to an operand inside the memory."""

    source: Identifier = Field(alias="from", description="Output endpoint.")
    sink: Identifier = Field(alias="to", description="Input endpoint, no wider than the source.")


class _MemoryDocument(Document):
    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["local"]}, {"required": ["manager"]}]}
    )

    name: Identifier = Field(description="Name by which mappings and workloads select it.")
    endpoints: list[EndpointDocument] = Field(min_length=1, description="Token channels.")
    connections: list[ConnectionDocument] = Field(
        default=[], description="Internal connections that mappings may select."
    )
    local: LocalServiceDocument | None = Field(
        default=None, description="The local memory service; needed where there is no manager."
    )
    manager: list[ManagerDocument] = Field(default=[], description="Paths to memory outside.")
    implementation: ImplementationDocument = Field(
        default=ImplementationDocument(), description="Implementation options."
    )


_Schedule = Literal["spatial", "temporal"]


class SpatialMemoryDocument(_MemoryDocument):
    """One memory occurrence with one operation row per port."""

    schedule: Annotated[_Schedule, WithJsonSchema({"const": "spatial"})] = Field(
        description="Schedule of the operation engine."
    )
    port: list[SpatialPortDocument] = Field(min_length=1, description="Operation ports.")


class TemporalMemoryDocument(_MemoryDocument):
    """One memory occurrence whose resident operation rows share its ports."""

    schedule: Annotated[_Schedule, WithJsonSchema({"const": "temporal"})] = Field(
        description="Schedule of the operation engine."
    )
    resident_contexts: U32Count = Field(description="Rows of the operation table.")
    tag_width: U32Count = Field(description="Bits of the tag that every token carries.")
    port: list[TemporalPortDocument] = Field(min_length=1, description="Operation ports.")


#: Whatever is not temporal is read as spatial, so that a wrong schedule is told with the rest.
MemoryDocument = Annotated[
    Annotated[SpatialMemoryDocument, Tag("~spatial")]
    | Annotated[TemporalMemoryDocument, Tag("~temporal")],
    by_value("schedule", "temporal", otherwise="spatial"),
]


class FabricHeader(Document):
    """What concerns the whole fabric."""

    name: Name = Field(description="Name of the fabric; mappings repeat it.")


class FabricDocument(Document):
    """A fabric: memories with their ports, services and capacities."""

    fabric: FabricHeader = Field(description="The fabric itself.")
    memory: list[MemoryDocument] = Field(min_length=1, description="Memory occurrences.")
