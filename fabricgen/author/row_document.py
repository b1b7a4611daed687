"""What one row of a mapping does: the exact actor and access of each of the five operations."""

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from fabricgen.author.access_document import PointerFormatDocument
from fabricgen.author.contract_document import Granularity, Ordering, RmwKind, SyncScopeDocument
from fabricgen.author.document import Document
from fabricgen.author.fields import Name, Positive

__all__ = [
    "AddressedDocument",
    "AtomicAccessDocument",
    "CmpxchgDocument",
    "FenceDocument",
    "LoadStoreDocument",
    "RmwDocument",
]

#: What JSON Schema says of a table whose address is one of two.
_ONE_ADDRESS: dict[str, JsonValue] = {
    "oneOf": [{"required": ["index_bits"]}, {"required": ["pointer"]}]
}


class AtomicAccessDocument(Document):
    """Contract of an atomic load or store."""

    ordering: Ordering = Field(description="Memory ordering of each atomic action.")
    sync_scope: SyncScopeDocument = Field(description="Who takes part in the ordering.")
    granularity: Granularity = Field(
        description="What is one atomic object: a scalar element (absent), an element of a vector "
        "type (whole_payload), or each lane (per_lane)."
    )


class AddressedDocument(Document):
    """Geometry of one access; its address is an index or a pointer."""

    model_config = ConfigDict(json_schema_extra={**_ONE_ADDRESS})

    form: Literal["element", "contiguous", "indexed"] = Field(
        description="One element; consecutive elements from one address; one address per lane."
    )
    element_bits: Positive = Field(description="Width of one memory element, in bits.")
    lanes: Positive = Field(description="Flattened lanes; 1 for an element access.")
    mask: Literal["absent", "dynamic"] = Field(
        description="Without a mask, or with a mask token per firing."
    )
    index_bits: Positive | None = Field(
        default=None, description="Width of one element index, in bits; unless there is a pointer."
    )
    pointer: PointerFormatDocument | None = Field(
        default=None,
        description="Format of the pointers that addresses are, which need no base; instead of "
        "index_bits.",
    )
    pattern: Name = Field(description="Use pattern of the port.")
    volatile: bool | None = Field(
        default=None,
        description="Volatility of the access; needed where the port admits both values.",
    )


class LoadStoreDocument(AddressedDocument):
    """The exact access of one load or store."""

    model_config = ConfigDict(
        json_schema_extra={**_ONE_ADDRESS, "dependentRequired": {"atomic": ["alignment"]}}
    )

    data_pointer: PointerFormatDocument | None = Field(
        default=None,
        description="Format of the pointers that the data are; absent for ordinary data.",
    )
    atomic: AtomicAccessDocument | None = Field(
        default=None, description="Contract of an atomic access; absent for a plain one."
    )
    alignment: Positive | None = Field(
        default=None,
        description="Alignment that the program promises, in bytes, a power of two; exactly for "
        "an atomic access, since a plain one promises 1.",
    )


class _SynchronisedDocument(AddressedDocument):
    sync_scope: SyncScopeDocument = Field(description="Who takes part in the ordering.")
    granularity: Granularity = Field(
        description="What is one atomic object: absent, whole_payload or per_lane."
    )
    alignment: Positive = Field(
        description="Alignment that the program promises, in bytes; a power of two."
    )


class RmwDocument(_SynchronisedDocument):
    """The exact access of one atomic read-modify-write."""

    kind: RmwKind = Field(description="Operation on memory and update, as LLVM defines it.")
    ordering: Ordering = Field(description="Memory ordering of each atomic action.")


class CmpxchgDocument(_SynchronisedDocument):
    """The exact access of one compare-exchange."""

    orderings: list[Ordering] = Field(
        min_length=2, max_length=2, description="Memory ordering of success, then of failure."
    )
    weak: bool | None = Field(
        default=None,
        description="Whether it may fail spuriously; needed where the port admits both values.",
    )


class FenceDocument(Document):
    """One fence, which accesses nothing."""

    ordering: Ordering = Field(description="Memory ordering of the fence.")
    sync_scope: SyncScopeDocument = Field(description="Who takes part in the ordering.")
    pattern: Name = Field(description="Use pattern of the port.")
