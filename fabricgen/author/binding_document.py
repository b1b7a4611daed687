"""What a mapping document says about logical memories: where they lie, and who may reach them."""

from typing import Annotated

from pydantic import Field

from fabricgen.author.document import Document
from fabricgen.author.fields import U32_MAX, Name, Positive, Unsigned

__all__ = [
    "BindingDocument",
    "ExposureDocument",
    "MatchDocument",
    "PrefixDocument",
    "ProxyDocument",
    "RangeDocument",
]


class BindingDocument(Document):
    """A logical memory in the local service."""

    name: Name = Field(description="Name, by which rows and exposures refer to it.")
    region: Unsigned = Field(
        description="Region of the local service that it lies in, counted from 0 by address."
    )
    offset: Unsigned = Field(description="Its first byte, counted from the first of the region.")
    size: Positive = Field(description="Its bytes.")


class ProxyDocument(Document):
    """A logical memory outside, behind a manager."""

    name: Name = Field(description="Name, by which rows and exposures refer to it.")
    manager: Name = Field(description="Manager that reaches it.")
    base: Unsigned = Field(description="Byte address of its first byte at the manager.")


class RangeDocument(Document):
    """Consecutive addresses."""

    base: Unsigned = Field(description="First address.")
    size: Positive = Field(description="Number of addresses.")


class PrefixDocument(Document):
    """Addresses that begin alike."""

    value: Unsigned = Field(description="First address; zero in all bits behind the prefix.")
    length: Annotated[int, Field(ge=0, le=64)] = Field(
        description="Top bits of the 64-bit address that are alike."
    )


class MatchDocument(Document):
    """What requests for one exposed memory have in common."""

    range: RangeDocument | None = Field(
        default=None,
        description="Addresses; if absent, those of the binding itself in the local service.",
    )
    prefix: PrefixDocument | None = Field(default=None, description="Addresses by their top bits.")
    address_space: Annotated[int, Field(ge=0, le=U32_MAX)] | None = Field(
        default=None, description="Number of the address space."
    )
    context: Unsigned | None = Field(default=None, description="Context code of the request.")


class ExposureDocument(Document):
    """A logical memory that requests of a subordinate endpoint may reach."""

    subordinate: Name = Field(description="Subordinate endpoint.")
    binding: Name = Field(description="Binding or proxy that is exposed.")
    match: MatchDocument = Field(
        default=MatchDocument(),
        description="One value for each field that the endpoint matches; a range may be left out.",
    )
