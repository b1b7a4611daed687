"""Shorthand for a memory of equal element ports, and the facts that it leaves open.

The sizes of the groups and the data width say how many ports there are and how wide their data
is; ``[memory.group]`` says once, for all of them, what a port needs beside it.
"""

from typing import Annotated

from pydantic import Field

from fabricgen.author.access_document import Alignment, ReadSubwords, WriteSubwords
from fabricgen.author.contract_document import LoadStoreContractDocument
from fabricgen.author.document import Document
from fabricgen.author.fields import Name, Positive
from fabricgen.author.port_document import SpatialResourcesDocument, TemporalResourcesDocument

__all__ = [
    "GROUP_KEYS",
    "GroupDocument",
    "GroupSizesDocument",
    "SpatialGroupDocument",
    "TemporalGroupDocument",
]

#: Keys of a memory that make it shorthand.
GROUP_KEYS = frozenset({"load_group_size", "store_group_size", "data_width", "group"})


class _GroupDocument(Document):
    index_bits: Positive = Field(description="Width of the element index at every port.")
    contract: list[LoadStoreContractDocument] = Field(
        min_length=1, description="Actor contracts that every port admits."
    )
    alignment: Alignment = Field(
        description="Source alignments admitted, in bytes (powers of two), or 'any'."
    )
    read_subword: ReadSubwords | None = Field(
        default=None, description="Guarantee of the load ports; exactly where there are some."
    )
    write_subword: WriteSubwords | None = Field(
        default=None, description="Guarantee of the store ports; exactly where there are some."
    )
    targets: list[Name] = Field(
        min_length=1,
        description="Services that every port may reach: local, and managers by name.",
    )


class SpatialGroupDocument(_GroupDocument):
    """What every port of a Spatial memory has."""

    resources: SpatialResourcesDocument = Field(description="Capacities of each port.")


class TemporalGroupDocument(_GroupDocument):
    """What every port of a Temporal memory has."""

    resources: TemporalResourcesDocument = Field(description="Capacities of each port.")


GroupDocument = SpatialGroupDocument | TemporalGroupDocument

#: A shorthand is short whatever it stands for, so its size is bounded.
_Size = Annotated[int, Field(ge=0, le=1024)]


class GroupSizesDocument(Document):
    """How many ports a shorthand stands for, and how wide their data is."""

    load_group_size: _Size = Field(description="Load ports: load0, load1 and so on.")
    store_group_size: _Size = Field(description="Store ports: store0, store1 and so on.")
    data_width: Positive = Field(
        description="Width of one element, which is all that a port's data carries, in bits."
    )
