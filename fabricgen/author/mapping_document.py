"""The mapping document: which software access each port of a memory carries out."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import Name, Positive, Unsigned, by_key

__all__ = [
    "LoadRowDocument",
    "MappingDocument",
    "MemoryMappingDocument",
    "RowAccessDocument",
    "RowDocument",
    "StoreRowDocument",
]


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


class _RowDocument(Document):
    name: Name = Field(description="Name of the row, for people.")
    port: Name = Field(description="Port that carries the row out; its position is the row's.")
    base: Unsigned = Field(description="Byte address of element 0.")
    target: Name = Field(description="Service that is accessed: local.")


class LoadRowDocument(_RowDocument):
    """A row that loads."""

    load: RowAccessDocument = Field(description="The access.")


class StoreRowDocument(_RowDocument):
    """A row that stores."""

    store: RowAccessDocument = Field(description="The access.")


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
