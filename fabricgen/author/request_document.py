"""Beats at a subordinate endpoint in a workload document."""

from typing import Annotated

from pydantic import Field, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import Unsigned, by_key
from fabricgen.author.number import Number

__all__ = ["BeatDocument", "ReadBeat", "RequestDocument", "WriteBeat"]


class _Beat(Document):
    """What all beats have."""

    strobe: Number | None = Field(
        default=None, description="One bit per byte, lowest address lowest; all if absent."
    )
    address_space: Unsigned = Field(default=0, description="Where the endpoint matches it.")
    context: Number = Field(default=0, description="Where the endpoint matches it.")
    error: bool | None = Field(
        default=None, description="Whether the answer must be an error; not compared if absent."
    )


class ReadBeat(_Beat):
    """A read."""

    read: Number = Field(description="Byte address.")
    data: Number | None = Field(
        default=None,
        description="Bytes that must be answered, zero outside the strobe; not compared if absent.",
    )


class WriteBeat(_Beat):
    """A write."""

    write: Number = Field(description="Byte address.")
    data: Number = Field(description="Bytes to write, the one of the lowest address lowest.")


BeatDocument = Annotated[
    Annotated[ReadBeat, Tag("~read")] | Annotated[WriteBeat, Tag("~write")],
    by_key("read", "write"),
]


class RequestDocument(Document):
    """Beats of one subordinate endpoint, in order."""

    subordinate: str = Field(description="Memory and subordinate, such as mem0.host.")
    beats: list[BeatDocument] = Field(description="Reads and writes.")
