"""What one row of a mapping does: the exact actor and access of each of the five operations."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import U32_MAX, Name, Positive, by_type

__all__ = [
    "AccessDocument",
    "AddressedDocument",
    "AtomicDocument",
    "CmpxchgDocument",
    "FenceDocument",
    "Granularity",
    "Ordering",
    "PointerDocument",
    "RmwDocument",
    "RmwKind",
    "ScopeDocument",
    "TargetScopeDocument",
]

Ordering = Literal["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"]

#: ``absent`` is the exact scalar case and no wildcard.
Granularity = Literal["absent", "whole_payload", "per_lane"]

RmwKind = Literal[
    "xchg",
    "add",
    "sub",
    "and",
    "nand",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "fadd",
    "fsub",
    "fmax",
    "fmin",
    "uinc_wrap",
    "udec_wrap",
    "usub_cond",
    "usub_sat",
    "fmaximum",
    "fminimum",
    "fmaximum_num",
    "fminimum_num",
]

_U32 = Annotated[int, Field(ge=0, le=U32_MAX)]


#: What JSON Schema says of a table whose address is one of two.
_ONE_ADDRESS: dict[str, JsonValue] = {
    "oneOf": [{"required": ["index_bits"]}, {"required": ["pointer"]}]
}


class PointerDocument(Document):
    """Exact format of a stable integral pointer."""

    address_space: _U32 = Field(description="Number of the address space.")
    representation_bits: Annotated[int, Field(ge=1, le=U32_MAX)] = Field(
        description="Width of the whole pointer, in bits."
    )
    address_bits: Annotated[int, Field(ge=1, le=U32_MAX)] = Field(
        description="Bits of it that are an address."
    )


class TargetScopeDocument(Document):
    """Scope that a target names; nothing resolves it, so no actor can have it."""

    namespace: Annotated[str, Field(min_length=1)] = Field(description="Owner of the name.")
    key: Annotated[str, Field(min_length=1)] = Field(description="Name of the scope.")


class TargetScopeChoice(Document):
    """Scope of a target."""

    target: TargetScopeDocument = Field(description="Namespace and key of the scope.")


ScopeDocument = Annotated[
    Annotated[Literal["system", "single_thread"], Tag("~word")]
    | Annotated[TargetScopeChoice, Tag("~target")],
    by_type("'system', 'single_thread' or a table with target", word=str, target=dict),
]


class AtomicDocument(Document):
    """Contract of an atomic load or store."""

    ordering: Ordering = Field(description="Memory ordering of each atomic action.")
    sync_scope: ScopeDocument = Field(description="Who takes part in the ordering.")
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
    pointer: PointerDocument | None = Field(
        default=None,
        description="Format of the pointers that addresses are, which need no base; instead of "
        "index_bits.",
    )
    pattern: Name = Field(description="Use pattern of the port.")
    volatile: bool | None = Field(
        default=None,
        description="Volatility of the access; needed where the port admits both values.",
    )


class AccessDocument(AddressedDocument):
    """The exact access of one load or store."""

    model_config = ConfigDict(
        json_schema_extra={**_ONE_ADDRESS, "dependentRequired": {"atomic": ["alignment"]}}
    )

    data_pointer: PointerDocument | None = Field(
        default=None,
        description="Format of the pointers that the data are; absent for ordinary data.",
    )
    atomic: AtomicDocument | None = Field(
        default=None, description="Contract of an atomic access; absent for a plain one."
    )
    alignment: Positive | None = Field(
        default=None,
        description="Alignment that the program promises, in bytes, a power of two; exactly for "
        "an atomic access, since a plain one promises 1.",
    )


class _SynchronisedDocument(AddressedDocument):
    sync_scope: ScopeDocument = Field(description="Who takes part in the ordering.")
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
    sync_scope: ScopeDocument = Field(description="Who takes part in the ordering.")
    pattern: Name = Field(description="Use pattern of the port.")
