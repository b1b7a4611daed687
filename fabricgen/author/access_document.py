"""The access classes of a fabric document, alike for ports, services and regions."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import U32_MAX, Positive, U32Count, UnsignedItem, by_key, by_type

__all__ = [
    "AccessDocument",
    "AddressDocument",
    "Alignment",
    "DataFormatDocument",
    "LoadAccessDocument",
    "PointerChoice",
    "PointerFormatDocument",
    "ReadSubwords",
    "RootRelativeChoice",
    "StoreAccessDocument",
    "UpdateAccessDocument",
    "WriteSubwords",
]


class PointerFormatDocument(Document):
    """Layout of a pointer whose bits are an integer."""

    address_space: Annotated[int, Field(ge=0, le=U32_MAX)] = Field(
        description="Number of the address space that the pointer points into."
    )
    representation_bits: U32Count = Field(description="Bits of the complete pointer.")
    address_bits: U32Count = Field(
        description="Bits of it that are the address; at most representation_bits."
    )


class RootRelativeChoice(Document):
    """Address lanes are element indices, counted from the base of a row."""

    root_relative: list[UnsignedItem] = Field(
        min_length=1, description="Element indices of these widths, in bits."
    )


class PointerChoice(Document):
    """Address lanes are complete pointers."""

    pointer: list[PointerFormatDocument] = Field(
        min_length=1, description="Complete pointers of these formats."
    )


AddressDocument = Annotated[
    Annotated[RootRelativeChoice, Tag("~root_relative")]
    | Annotated[PointerChoice, Tag("~pointer")],
    by_key("root_relative", "pointer"),
]

DataFormatDocument = Annotated[
    Annotated[Literal["ordinary"], Tag("~ordinary")]
    | Annotated[PointerFormatDocument, Tag("~pointer")],
    by_type("'ordinary' or a table with a pointer format", ordinary=str, pointer=dict),
]

Alignment = Annotated[
    Annotated[Literal["any"], Tag("~any")]
    | Annotated[list[Positive], Field(min_length=1), Tag("~bytes")],
    by_type("'any' or a list of byte alignments", any=str, bytes=list),
]


class _AccessDocument(Document):
    form: Literal["element", "contiguous", "indexed"] = Field(
        description="One element; consecutive elements from one address; one address per lane."
    )
    address: AddressDocument = Field(description="What one address lane carries.")
    data: list[DataFormatDocument] = Field(
        default=["ordinary"],
        min_length=1,
        description="Data that is no pointer (ordinary), and pointers of these formats, whose "
        "representation_bits are then the one element width.",
    )
    element_bits: list[UnsignedItem] = Field(
        min_length=1, description="Widths of one memory element, in bits."
    )
    lanes: list[UnsignedItem] = Field(
        min_length=1, description="Flattened lane counts; [1] for element accesses."
    )
    mask: list[Literal["absent", "dynamic"]] = Field(
        min_length=1, description="Without a mask, with a mask token per firing, or both."
    )
    alignment: Alignment = Field(
        description="Source alignments admitted, in bytes (powers of two), or 'any'."
    )


ReadSubwords = Annotated[list[Literal["exact", "zero_extend"]], Field(min_length=1)]
WriteSubwords = Annotated[list[Literal["exact", "byte_enable"]], Field(min_length=1)]


class _ReadingDocument(Document):
    read_subword: ReadSubwords = Field(
        description="Guarantee where what is read is narrower than its endpoint: none is "
        "(exact), or the high bits are zero (zero_extend).",
    )


class _WritingDocument(Document):
    write_subword: WriteSubwords = Field(
        description="Guarantee where what is written is narrower than its endpoint: none is "
        "(exact), or the other bytes stay unchanged (byte_enable).",
    )


class LoadAccessDocument(_ReadingDocument, _AccessDocument):
    """One class of admitted load geometries: the product of its lists."""


class StoreAccessDocument(_WritingDocument, _AccessDocument):
    """One class of admitted store geometries: the product of its lists."""


class UpdateAccessDocument(_WritingDocument, _ReadingDocument, _AccessDocument):
    """One class of geometries of an actor that reads and writes: the product of its lists."""


AccessDocument = LoadAccessDocument | StoreAccessDocument | UpdateAccessDocument
