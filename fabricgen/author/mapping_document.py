"""The mapping document: which software access each port of a memory carries out."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import Name, Positive, Unsigned, by_key
from fabricgen.check.names import LABEL

__all__ = [
    "InputDocument",
    "LoadRowDocument",
    "MappingDocument",
    "MemoryMappingDocument",
    "OutputDocument",
    "RowAccessDocument",
    "RowDocument",
    "StoreRowDocument",
]

#: A row and one of its results or operands.
_RowRole = Annotated[str, Field(pattern=rf"^{LABEL.pattern}\.[a-z]+$")]


class RowAccessDocument(Document):
    """The exact access of one row."""

    form: Literal["element", "contiguous", "indexed"] = Field(
        description="One element; consecutive elements from one address; one address per lane."
    )
    element_bits: Positive = Field(description="Width of one memory element, in bits.")
    lanes: Positive = Field(description="Flattened lanes; 1 for an element access.")
    mask: Literal["absent", "dynamic"] = Field(
        description="Without a mask, or with a mask token per firing."
    )
    index_bits: Positive = Field(description="Width of one element index, in bits.")
    pattern: Name = Field(description="Use pattern of the port.")
    volatile: bool | None = Field(
        default=None,
        description="Volatility of the access; needed where the port admits both values.",
    )


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


class LoadInputsDocument(Document):
    """Operands of a load."""

    address: InputDocument | None = Field(default=None, description="Index, or all lanes' indices.")
    mask: InputDocument | None = Field(default=None, description="Lane mask.")
    control: InputDocument | None = Field(default=None, description="Go-ahead of a firing.")


class StoreInputsDocument(Document):
    """Operands of a store."""

    address: InputDocument | None = Field(default=None, description="Index, or all lanes' indices.")
    data: InputDocument | None = Field(default=None, description="The payload to store.")
    mask: InputDocument | None = Field(default=None, description="Lane mask.")
    control: InputDocument | None = Field(default=None, description="Go-ahead of a firing.")


class LoadOutputsDocument(Document):
    """Results of a load."""

    data: OutputDocument | None = Field(default=None, description="The loaded payload.")
    completion: OutputDocument | None = Field(default=None, description="End of a firing.")


class StoreOutputsDocument(Document):
    """Results of a store."""

    completion: OutputDocument | None = Field(default=None, description="End of a firing.")


class _RowDocument(Document):
    name: Name = Field(description="Name of the row, by which other rows refer to it.")
    row: Unsigned | None = Field(
        default=None,
        description="Row of the operation table; if absent, the next free one of a temporal "
        "memory, and the port's own of a spatial one.",
    )
    port: Name = Field(description="Port that carries the row out.")
    base: Unsigned = Field(description="Byte address of element 0.")
    target: Name = Field(description="Service that is accessed: local, or a manager by name.")


class LoadRowDocument(_RowDocument):
    """A row that loads."""

    load: RowAccessDocument = Field(description="The access.")
    inputs: LoadInputsDocument = Field(
        default=LoadInputsDocument(), description="Where the operands come from."
    )
    outputs: LoadOutputsDocument = Field(
        default=LoadOutputsDocument(), description="Where the results go."
    )


class StoreRowDocument(_RowDocument):
    """A row that stores."""

    store: RowAccessDocument = Field(description="The access.")
    inputs: StoreInputsDocument = Field(
        default=StoreInputsDocument(), description="Where the operands come from."
    )
    outputs: StoreOutputsDocument = Field(
        default=StoreOutputsDocument(), description="Where the results go."
    )


RowDocument = Annotated[
    Annotated[LoadRowDocument, Tag("~load")] | Annotated[StoreRowDocument, Tag("~store")],
    by_key("load", "store"),
]


class MemoryMappingDocument(Document):
    """Rows of one memory; a port without a row does nothing."""

    row: list[RowDocument] = Field(default=[], description="Active rows, in any order.")


class MappingDocument(Document):
    """A mapping: the active rows of each memory of one fabric."""

    fabric: Name = Field(description="Name of the fabric that the mapping is for.")
    memory: dict[str, MemoryMappingDocument] = Field(
        default={}, description="Rows by memory name; a memory without any is disabled."
    )
