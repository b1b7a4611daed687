"""The fabric document: what a person writes to describe memories and datapath resources.

Nothing that the specification calls a fact has a default here. Only implementation options, which
change no observable order or value, may be left out.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, Tag, WithJsonSchema

from fabricgen.author.document import Document
from fabricgen.author.fields import Identifier, Name, Positive, U32Count, Unsigned, by_table
from fabricgen.author.group_document import (
    GROUP_KEYS,
    GroupSizesDocument,
    SpatialGroupDocument,
    TemporalGroupDocument,
)
from fabricgen.author.op_document import OpDocument
from fabricgen.author.port_document import SpatialPortDocument, TemporalPortDocument
from fabricgen.author.service_document import LocalServiceDocument

__all__ = [
    "ConnectionDocument",
    "EndpointDocument",
    "EngineMemoryDocument",
    "FabricDocument",
    "FabricHeader",
    "GroupMemoryDocument",
    "ImplementationDocument",
    "ManagerDocument",
    "MemoryDocument",
    "SpatialGroupMemoryDocument",
    "SpatialMemoryDocument",
    "StorageMemoryDocument",
    "SubordinateDocument",
    "TemporalGroupMemoryDocument",
    "TemporalMemoryDocument",
    "WrittenMemoryDocument",
]


class EndpointDocument(Document):
    """One token channel of the memory."""

    name: Identifier = Field(description="Prefix of the emitted ports.")
    dir: Literal["in", "out"] = Field(description="Direction, seen from the memory.")
    bits: Unsigned = Field(
        description="Payload width in bits; 0 for control and completion tokens."
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
    manager_protocol: Literal["stream", "axi4"] = Field(
        default="stream",
        description="stream: managers are beats, <name>_req and <name>_rsp; axi4: a bus each, "
        "<name>_axi.",
    )
    subordinate_protocol: Literal["stream", "axi4", "axi4_lite"] = Field(
        default="stream",
        description="stream: subordinates take beats, <name>_req and <name>_rsp; axi4, axi4_lite: "
        "a bus each, <name>_axi.",
    )
    memory_wrapper: bool = Field(
        default=False,
        description="Put the storage of each bank into a module of its own, in <top>_storage.v.",
    )


class ManagerDocument(Document):
    """A path to memory outside; the emitted ports start with its name."""

    name: Identifier = Field(description="Name by which targets and workloads select it.")
    beat_bits: Positive = Field(description="Width of one request or response beat, in bits.")


class ConnectionDocument(Document):
    """A result endpoint whose tokens a mapping may lead to an operand inside the memory."""

    source: Identifier = Field(alias="from", description="Output endpoint.")
    sink: Identifier = Field(alias="to", description="Input endpoint, no wider than the source.")


class SubordinateDocument(Document):
    """An endpoint through which others reach services of the memory."""

    name: Identifier = Field(description="Name by which exposures and grants select it.")
    beat_bits: Positive = Field(description="Width of one request or response beat, in bits.")
    max_exposed_bindings: Positive = Field(
        description="Bindings that a mapping may expose here, at most."
    )
    match: list[Literal["range", "prefix", "address_space", "context"]] = Field(
        description="Fields of a request that tell bindings apart; none where there is one at most."
    )
    transform: Literal["none", "constant_base_offset"] = Field(
        description="What happens to the address of a request: nothing, or an offset is added."
    )
    targets: list[Name] = Field(
        min_length=1,
        description="Services that requests may reach: local, and managers by name.",
    )


class _MemoryDocument(Document):
    name: Identifier = Field(description="Name by which mappings and workloads select it.")
    manager: list[ManagerDocument] = Field(default=[], description="Paths to memory outside.")
    implementation: ImplementationDocument = Field(
        default=ImplementationDocument(), description="Implementation options."
    )


class _EngineDocument(_MemoryDocument):
    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["local"]}, {"required": ["manager"]}]}
    )

    connections: list[ConnectionDocument] = Field(
        default=[], description="Internal connections that mappings may select."
    )
    local: LocalServiceDocument | None = Field(
        default=None, description="The local memory service; needed where there is no manager."
    )
    subordinate: list[SubordinateDocument] = Field(
        default=[], description="Endpoints through which others reach services of the memory."
    )


_Schedule = Literal["spatial", "temporal"]
_Endpoints = Annotated[list[EndpointDocument], Field(min_length=1, description="Token channels.")]


class _SpatialDocument(_EngineDocument):
    schedule: Annotated[_Schedule, WithJsonSchema({"const": "spatial"})] = Field(
        description="Schedule of the operation engine."
    )


class _TemporalDocument(_EngineDocument):
    schedule: Annotated[_Schedule, WithJsonSchema({"const": "temporal"})] = Field(
        description="Schedule of the operation engine."
    )
    resident_contexts: Positive = Field(description="Rows of the operation table.")
    tag_width: Positive = Field(description="Bits of the tag that every token carries.")


class SpatialMemoryDocument(_SpatialDocument):
    """One memory occurrence with one operation row per port."""

    endpoints: _Endpoints
    port: list[SpatialPortDocument] = Field(min_length=1, description="Operation ports.")


class TemporalMemoryDocument(_TemporalDocument):
    """One memory occurrence whose resident operation rows share its ports."""

    endpoints: _Endpoints
    port: list[TemporalPortDocument] = Field(min_length=1, description="Operation ports.")


class SpatialGroupMemoryDocument(GroupSizesDocument, _SpatialDocument):
    """Shorthand for a Spatial memory of equal element ports."""

    group: SpatialGroupDocument = Field(description="What every port has.")


class TemporalGroupMemoryDocument(GroupSizesDocument, _TemporalDocument):
    """Shorthand for a Temporal memory of equal element ports."""

    group: TemporalGroupDocument = Field(description="What every port has.")


class StorageMemoryDocument(_MemoryDocument):
    """One memory occurrence without an engine: a service that others reach."""

    local: LocalServiceDocument = Field(description="The local memory service.")
    subordinate: list[SubordinateDocument] = Field(
        min_length=1, description="Endpoints through which others reach services of the memory."
    )


def _memory_kind(table: Mapping[str, object]) -> str:
    """Read whatever has a part of an engine and is not temporal as spatial.

    So a wrong or missing schedule is told together with everything else.
    """
    is_group = bool(GROUP_KEYS.intersection(table))
    if table.get("schedule") == "temporal":
        return "temporal_group" if is_group else "temporal"
    if is_group:
        return "spatial_group"
    return "spatial" if _ENGINE_KEYS.intersection(table) else "storage"


_ENGINE_KEYS = frozenset({"schedule", "endpoints", "port", "connections"})

EngineMemoryDocument = SpatialMemoryDocument | TemporalMemoryDocument
GroupMemoryDocument = SpatialGroupMemoryDocument | TemporalGroupMemoryDocument
WrittenMemoryDocument = EngineMemoryDocument | StorageMemoryDocument
MemoryDocument = Annotated[
    Annotated[SpatialMemoryDocument, Tag("~spatial")]
    | Annotated[TemporalMemoryDocument, Tag("~temporal")]
    | Annotated[SpatialGroupMemoryDocument, Tag("~spatial_group")]
    | Annotated[TemporalGroupMemoryDocument, Tag("~temporal_group")]
    | Annotated[StorageMemoryDocument, Tag("~storage")],
    by_table(_memory_kind),
]


class FabricHeader(Document):
    """What concerns the whole fabric."""

    name: Name = Field(description="Name of the fabric; mappings repeat it.")


class FabricDocument(Document):
    """A fabric: memories with their ports, services and capacities, and datapath resources."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": [key], "properties": {key: {"minItems": 1}}}
                for key in ("memory", "op")
            ]
        }
    )

    fabric: FabricHeader = Field(description="The fabric itself.")
    memory: list[MemoryDocument] = Field(default=[], description="Memory occurrences.")
    op: list[OpDocument] = Field(default=[], description="Datapath resources.")
