"""Field types that several documents share."""

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.author.document import Document

__all__ = [
    "U32_MAX",
    "EndpointName",
    "Interval",
    "Name",
    "Positive",
    "U32Count",
    "Unsigned",
    "UnsignedItem",
]

U32_MAX = 2**32 - 1

#: Becomes part of module, file and document key names.
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*$")]

#: Becomes a Verilog port prefix, so it has neither hyphens nor doubled underscores.
EndpointName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$")]

Unsigned = Annotated[int, Field(ge=0, le=U64_MAX)]
Positive = Annotated[int, Field(ge=1, le=U64_MAX)]

#: Units of one capacity dimension; the resource contract's wire has 32 bits for it.
U32Count = Annotated[int, Field(ge=1, le=U32_MAX)]


class Interval(Document):
    """All integers from one bound to the other, both included."""

    lower: Positive = Field(alias="from", description="Smallest value.")
    upper: Positive = Field(alias="to", description="Largest value.")


def _item_kind(value: object) -> str | None:
    match value:
        case bool():
            return None
        case int():
            return "~value"
        case dict() | Interval():
            return "~interval"
        case _:
            return None


#: One member of a set of positive integers: a value, or an interval.
UnsignedItem = Annotated[
    Annotated[Positive, Tag("~value")] | Annotated[Interval, Tag("~interval")],
    Discriminator(
        _item_kind,
        custom_error_type="value_choice",
        custom_error_message="The value must be an integer or a table with from and to",
    ),
]
