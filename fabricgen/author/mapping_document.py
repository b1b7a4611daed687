"""The mapping document: what each port of a memory and each datapath resource carries out."""

from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue, Tag

from fabricgen.author.binding_document import BindingDocument, ExposureDocument, ProxyDocument
from fabricgen.author.document import Document
from fabricgen.author.fields import Name, Unsigned, by_key
from fabricgen.author.op_actor_document import OpActorDocument
from fabricgen.author.row_document import (
    CmpxchgDocument,
    FenceDocument,
    LoadStoreDocument,
    RmwDocument,
)
from fabricgen.check.names import LABEL

__all__ = [
    "CmpxchgRowDocument",
    "FenceRowDocument",
    "InputDocument",
    "LoadRowDocument",
    "MappingDocument",
    "MemoryMappingDocument",
    "OutputDocument",
    "RmwRowDocument",
    "RowDocument",
    "StoreRowDocument",
]

#: A row and one of its results or operands.
_RowRole = Annotated[str, Field(pattern=rf"^{LABEL.pattern}\.[a-z]+$")]


class InputDocument(Document):
    """Where one operand comes from: its endpoint, unless a result of a row is named."""

    tag: Unsigned | None = Field(
        default=None,
        description="Tag of its tokens; exactly for an operand of a temporal memory that comes "
        "from the endpoint.",
    )
    source: _RowRole | None = Field(
        default=None,
        alias="from",
        description="Row and result that feed it inside the memory, such as reader.data.",
    )


class OutputDocument(Document):
    """Where one result goes: to its endpoint, to operands of rows, or both."""

    tag: Unsigned | None = Field(
        default=None,
        description="Tag of its tokens; exactly for a result of a temporal memory that goes to "
        "the endpoint.",
    )
    to: list[_RowRole] | None = Field(
        default=None,
        min_length=1,
        description="Rows and operands that name it in their from, such as writer.data; may be "
        "left out.",
    )
    expose: bool | None = Field(
        default=None,
        description="Whether it goes to the endpoint; if absent, in a temporal memory where a tag "
        "is given, in a spatial one where there is no to.",
    )


_ADDRESS = "Index or pointer, or those of all lanes."
_MASK = "Lane mask."
_CONTROL = "Go-ahead of a firing."
_COMPLETION = "End of a firing."


class LoadInputsDocument(Document):
    """Operands of a load."""

    address: InputDocument | None = Field(default=None, description=_ADDRESS)
    mask: InputDocument | None = Field(default=None, description=_MASK)
    control: InputDocument | None = Field(default=None, description=_CONTROL)


class StoreInputsDocument(Document):
    """Operands of a store."""

    address: InputDocument | None = Field(default=None, description=_ADDRESS)
    data: InputDocument | None = Field(default=None, description="The payload to store.")
    mask: InputDocument | None = Field(default=None, description=_MASK)
    control: InputDocument | None = Field(default=None, description=_CONTROL)


class RmwInputsDocument(Document):
    """Operands of a read-modify-write."""

    address: InputDocument | None = Field(default=None, description=_ADDRESS)
    update: InputDocument | None = Field(
        default=None, description="What is combined with the memory contents."
    )
    mask: InputDocument | None = Field(default=None, description=_MASK)
    control: InputDocument | None = Field(default=None, description=_CONTROL)


class CmpxchgInputsDocument(Document):
    """Operands of a compare-exchange."""

    address: InputDocument | None = Field(default=None, description=_ADDRESS)
    expected: InputDocument | None = Field(
        default=None, description="What the memory contents are compared to."
    )
    desired: InputDocument | None = Field(
        default=None, description="What is stored where they are equal."
    )
    mask: InputDocument | None = Field(default=None, description=_MASK)
    control: InputDocument | None = Field(default=None, description=_CONTROL)


class FenceInputsDocument(Document):
    """Operands of a fence."""

    control: InputDocument | None = Field(default=None, description=_CONTROL)


class LoadOutputsDocument(Document):
    """Results of a load."""

    data: OutputDocument | None = Field(default=None, description="The loaded payload.")
    completion: OutputDocument | None = Field(default=None, description=_COMPLETION)


class StoreOutputsDocument(Document):
    """Results of a store."""

    completion: OutputDocument | None = Field(default=None, description=_COMPLETION)


class RmwOutputsDocument(Document):
    """Results of a read-modify-write."""

    old: OutputDocument | None = Field(
        default=None, description="The memory contents before the firing."
    )
    completion: OutputDocument | None = Field(default=None, description=_COMPLETION)


class CmpxchgOutputsDocument(Document):
    """Results of a compare-exchange."""

    old: OutputDocument | None = Field(
        default=None, description="The memory contents before the firing."
    )
    success: OutputDocument | None = Field(
        default=None, description="One bit per lane: whether it was stored."
    )
    completion: OutputDocument | None = Field(default=None, description=_COMPLETION)


class FenceOutputsDocument(Document):
    """Results of a fence."""

    completion: OutputDocument | None = Field(default=None, description=_COMPLETION)


_INPUTS = "Where the operands come from."
_OUTPUTS = "Where the results go."


class _RowDocument(Document):
    name: Name = Field(description="Name of the row, by which other rows refer to it.")
    row: Unsigned | None = Field(
        default=None,
        description="Row of the operation table; if absent, the next free one of a temporal "
        "memory, and the port's own of a spatial one.",
    )
    port: Name = Field(description="Port that carries the row out.")


class _AddressedRowDocument(_RowDocument):
    target: Name | None = Field(
        default=None,
        description="Service that is accessed: local, or a manager by name; may be left out where "
        "there is a binding.",
    )
    binding: Name | None = Field(
        default=None, description="Binding or proxy that the row goes through."
    )
    base: Unsigned | None = Field(
        default=None,
        description="Byte address of element 0, counted from the start of the binding if there is "
        "one, and then 0 if absent; only where addresses are indices.",
    )


def _based(key: str) -> ConfigDict:
    """What JSON Schema says of a row whose operation stands under ``key``.

    There is a base or a pointer, or the one may be left out because there is a binding.
    """
    pointer: JsonValue = {"required": [key], "properties": {key: {"required": ["pointer"]}}}
    based: JsonValue = {"required": ["base"]}
    bound: JsonValue = {"required": ["binding"]}
    return ConfigDict(
        json_schema_extra={
            "anyOf": [bound, {"required": ["target"], "anyOf": [based, pointer]}],
            "not": {"allOf": [based, pointer]},
        }
    )


class LoadRowDocument(_AddressedRowDocument):
    """A row that loads."""

    model_config = _based("load")

    load: LoadStoreDocument = Field(description="The access.")
    inputs: LoadInputsDocument = Field(default=LoadInputsDocument(), description=_INPUTS)
    outputs: LoadOutputsDocument = Field(default=LoadOutputsDocument(), description=_OUTPUTS)


class StoreRowDocument(_AddressedRowDocument):
    """A row that stores."""

    model_config = _based("store")

    store: LoadStoreDocument = Field(description="The access.")
    inputs: StoreInputsDocument = Field(default=StoreInputsDocument(), description=_INPUTS)
    outputs: StoreOutputsDocument = Field(default=StoreOutputsDocument(), description=_OUTPUTS)


class RmwRowDocument(_AddressedRowDocument):
    """A row that reads, modifies and writes in one atomic action."""

    model_config = _based("rmw")

    rmw: RmwDocument = Field(description="The access.")
    inputs: RmwInputsDocument = Field(default=RmwInputsDocument(), description=_INPUTS)
    outputs: RmwOutputsDocument = Field(default=RmwOutputsDocument(), description=_OUTPUTS)


class CmpxchgRowDocument(_AddressedRowDocument):
    """A row that compares and exchanges."""

    model_config = _based("cmpxchg")

    cmpxchg: CmpxchgDocument = Field(description="The access.")
    inputs: CmpxchgInputsDocument = Field(default=CmpxchgInputsDocument(), description=_INPUTS)
    outputs: CmpxchgOutputsDocument = Field(default=CmpxchgOutputsDocument(), description=_OUTPUTS)


class FenceRowDocument(_RowDocument):
    """A row that orders accesses and makes none."""

    target: Name = Field(
        description="Service that orders accesses: local, or a manager by its name."
    )
    fence: FenceDocument = Field(description="The fence.")
    inputs: FenceInputsDocument = Field(default=FenceInputsDocument(), description=_INPUTS)
    outputs: FenceOutputsDocument = Field(default=FenceOutputsDocument(), description=_OUTPUTS)


RowDocument = Annotated[
    Annotated[LoadRowDocument, Tag("~load")]
    | Annotated[StoreRowDocument, Tag("~store")]
    | Annotated[RmwRowDocument, Tag("~rmw")]
    | Annotated[CmpxchgRowDocument, Tag("~cmpxchg")]
    | Annotated[FenceRowDocument, Tag("~fence")],
    by_key("load", "store", "rmw", "cmpxchg", "fence"),
]


class MemoryMappingDocument(Document):
    """What one memory does; a port without a row, and a subordinate without exposure, nothing."""

    binding: list[BindingDocument] = Field(
        default=[], description="Logical memories in the local service."
    )
    proxy: list[ProxyDocument] = Field(default=[], description="Logical memories behind managers.")
    row: list[RowDocument] = Field(default=[], description="Active rows, in any order.")
    exposure: list[ExposureDocument] = Field(
        default=[], description="Logical memories that subordinates expose, in any order."
    )


class MappingDocument(Document):
    """A mapping: what each memory and each datapath resource of one fabric does."""

    fabric: Name = Field(description="Name of the fabric that the mapping is for.")
    memory: dict[str, MemoryMappingDocument] = Field(
        default={},
        description="Rows and exposures by memory name; a memory without any is disabled.",
    )
    op: dict[str, OpActorDocument] = Field(
        default={},
        description="Actors by the name of the datapath resource; one without any is inactive.",
    )
