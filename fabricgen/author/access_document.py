"""The access and contract parts of a fabric document, alike for ports and services."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import Positive, UnsignedItem, by_type

__all__ = [
    "AddressDocument",
    "ContractDocument",
    "LoadAccessDocument",
    "PlainDocument",
    "StoreAccessDocument",
]


class PlainDocument(Document):
    """Plain accesses: no ordering beyond the program's tokens."""

    volatile: list[bool] = Field(
        min_length=1, description="Admitted volatility: false, true, or both."
    )


class ContractDocument(Document):
    """One clause of the admitted actor contracts."""

    plain: PlainDocument = Field(description="Plain loads or stores.")


class AddressDocument(Document):
    """What one address lane carries."""

    root_relative: list[UnsignedItem] = Field(
        min_length=1, description="Element indices of these widths, in bits."
    )


_Alignment = Annotated[
    Annotated[Literal["any"], Tag("~any")]
    | Annotated[list[Positive], Field(min_length=1), Tag("~bytes")],
    by_type("'any' or a list of byte alignments", any=str, bytes=list),
]


class _AccessDocument(Document):
    form: Literal["element", "contiguous", "indexed"] = Field(
        description="One element; consecutive elements from one address; one address per lane."
    )
    address: AddressDocument = Field(description="Form and widths of one address lane.")
    element_bits: list[UnsignedItem] = Field(
        min_length=1, description="Widths of one memory element, in bits."
    )
    lanes: list[UnsignedItem] = Field(
        min_length=1, description="Flattened lane counts; [1] for element accesses."
    )
    mask: list[Literal["absent", "dynamic"]] = Field(
        min_length=1, description="Without a mask, with a mask token per firing, or both."
    )
    alignment: _Alignment = Field(
        description="Source alignments admitted, in bytes (powers of two), or 'any'."
    )


class LoadAccessDocument(_AccessDocument):
    """One class of admitted load geometries: the product of its lists."""

    read_subword: list[Literal["exact", "zero_extend"]] = Field(
        min_length=1,
        description="Guarantee where the payload is narrower than the data endpoint: none is "
        "(exact), or the high bits are zero (zero_extend).",
    )


class StoreAccessDocument(_AccessDocument):
    """One class of admitted store geometries: the product of its lists."""

    write_subword: list[Literal["exact", "byte_enable"]] = Field(
        min_length=1,
        description="Guarantee where the payload is narrower than the data endpoint: none is "
        "(exact), or the other bytes stay unchanged (byte_enable).",
    )
