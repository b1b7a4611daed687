"""The workload document: token streams, memory contents, and what must come out."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import LONGEST_STREAM, Unsigned, by_key, by_type
from fabricgen.author.number import Hex, Number
from fabricgen.author.request_document import RequestDocument

__all__ = [
    "ContentsDocument",
    "CountSource",
    "FillSource",
    "HexImage",
    "ImageDocument",
    "InlineItem",
    "MtxSource",
    "NpyImage",
    "NpySource",
    "RawImage",
    "RawSource",
    "StreamDocument",
    "TokenSource",
    "WordsImage",
    "WorkloadDocument",
]

InlineItem = Annotated[
    Annotated[int, Tag("~value")]
    | Annotated[Hex, Tag("~hex")]
    | Annotated[list[Number], Tag("~lanes")],
    by_type("an integer, a hexadecimal string or a list of lanes", value=int, hex=str, lanes=list),
]

_ByteMultiple = Annotated[int, Field(ge=8, le=2**16, multiple_of=8)]


class NpySource(Document):
    """Elements of a NumPy file: flat, or one token per row of a matrix; floats as their bits."""

    npy: str = Field(description="Path, relative to the workload document.")


class RawSource(Document):
    """Elements of a binary file, little-endian."""

    raw: str = Field(description="Path, relative to the workload document.")
    bits: _ByteMultiple = Field(description="Width of one stored element, in bits.")


class MtxSource(Document):
    """Column indices of a Matrix Market file, from 0, row by row, symmetric entries expanded."""

    mtx: str = Field(description="Path, relative to the workload document.")


class CountSource(Document):
    """Equal tokens, such as those of a control endpoint."""

    count: Annotated[int, Field(ge=0, le=LONGEST_STREAM)] = Field(description="Number of tokens.")
    value: Number = Field(default=0, description="The complete token.")


class FillSource(Document):
    """As many equal tokens as the other operands of the row make firings."""

    fill: Literal[True] = Field(description="Always true.")
    value: Number = Field(default=0, description="The complete token.")


TokenSource = Annotated[
    Annotated[list[InlineItem], Tag("~inline")]
    | Annotated[NpySource, Tag("~npy")]
    | Annotated[RawSource, Tag("~raw")]
    | Annotated[MtxSource, Tag("~mtx")]
    | Annotated[CountSource, Tag("~count")]
    | Annotated[FillSource, Tag("~fill")],
    by_key("npy", "raw", "mtx", "count", "fill", or_list="inline"),
]


class StreamDocument(Document):
    """Tokens of one endpoint, in order.

    Where the row's role has several lanes, a flat list holds elements, lane 0 of the first token
    first; a list of lists, or a two-dimensional file, holds one token per row.
    """

    endpoint: str = Field(description="Memory and endpoint, such as mem0.rd_addr.")
    tag: Unsigned | None = Field(
        default=None, description="Tag of the tokens; exactly for endpoints of a temporal memory."
    )
    tokens: TokenSource = Field(description="The tokens, or the elements that are packed.")
    pad: Number | None = Field(
        default=None, description="Element that completes the last token, if it is incomplete."
    )
    packed: bool = Field(
        default=False, description="Numbers are complete tokens already, not elements."
    )


class NpyImage(Document):
    """Bytes of a NumPy file's elements, little-endian."""

    npy: str = Field(description="Path, relative to the workload document.")
    at: Unsigned = Field(description="Byte offset of the first byte.")


class RawImage(Document):
    """Bytes of a file."""

    raw: str = Field(description="Path, relative to the workload document.")
    at: Unsigned = Field(description="Byte offset of the first byte.")


class HexImage(Document):
    """Bytes as hexadecimal digits, lowest address first."""

    hex: Annotated[str, Field(pattern=r"^([0-9a-fA-F]{2}\s*)*$")] = Field(
        description="Two digits per byte; white space between bytes is ignored."
    )
    at: Unsigned = Field(description="Byte offset of the first byte.")


class WordsImage(Document):
    """Little-endian words."""

    words: list[Number] = Field(description="The words, lowest address first.")
    bits: _ByteMultiple = Field(description="Width of one word, in bits.")
    at: Unsigned = Field(description="Byte offset of the first byte.")


_IMAGES = ("npy", "raw", "hex", "words")

ImageDocument = Annotated[
    Annotated[NpyImage, Tag("~npy")]
    | Annotated[RawImage, Tag("~raw")]
    | Annotated[HexImage, Tag("~hex")]
    | Annotated[WordsImage, Tag("~words")],
    by_key(*_IMAGES),
]

_Images = Annotated[
    Annotated[NpyImage, Tag("~npy")]
    | Annotated[RawImage, Tag("~raw")]
    | Annotated[HexImage, Tag("~hex")]
    | Annotated[WordsImage, Tag("~words")]
    | Annotated[list[ImageDocument], Tag("~images")],
    by_key(*_IMAGES, or_list="images"),
]


class ContentsDocument(Document):
    """Initial contents of a service; bytes without an image hold no defined value."""

    image: _Images = Field(description="One image, or a list of images that do not overlap.")


class WorkloadDocument(Document):
    """A workload: what goes into a mapped fabric, and optionally what must come out."""

    memory: dict[str, dict[str, ContentsDocument]] = Field(
        default={},
        description="Initial contents by memory name, then by service: local, or the name of a "
        "manager, for the memory behind it.",
    )
    stream: list[StreamDocument] = Field(default=[], description="Tokens of input endpoints.")
    request: list[RequestDocument] = Field(
        default=[], description="Beats at subordinate endpoints."
    )
    expect: list[StreamDocument] = Field(
        default=[], description="Tokens that output endpoints must produce."
    )
