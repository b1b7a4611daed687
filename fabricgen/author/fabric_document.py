"""The fabric document: what a person writes to describe memory occurrences.

Nothing that the specification calls a fact has a default here. Only implementation options, which
change no observable order or value, may be left out.
"""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, Tag, WithJsonSchema

from fabricgen.author.document import Document
from fabricgen.author.fields import U32_MAX, Identifier, Name, U32Count, by_value
from fabricgen.author.port_document import SpatialPortDocument, TemporalPortDocument
from fabricgen.author.service_document import LocalServiceDocument

__all__ = [
    "ConnectionDocument",
    "EndpointDocument",
    "FabricDocument",
    "FabricHeader",
    "ImplementationDocument",
    "ManagerDocument",
    "MemoryDocument",
    "SpatialMemoryDocument",
    "TemporalMemoryDocument",
]


class EndpointDocument(Document):
    """One token channel of the memory."""

    name: Identifier = Field(description="Prefix of the emitted ports.")
    dir: Literal["in", "out"] = Field(description="Direction, seen from the memory.")
    bits: Annotated[int, Field(ge=0, le=U32_MAX)] = Field(
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
