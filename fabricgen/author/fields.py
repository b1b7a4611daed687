"""Field types that several documents share."""

from collections.abc import Callable
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
    "by_key",
    "by_type",
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


def by_key(*keys: str) -> Discriminator:
    """Choose the union member tagged ``~key`` by the first of ``keys`` that the table has."""

    def choose(value: object) -> str | None:
        if not isinstance(value, dict):
            return None
        return next((f"~{key}" for key in keys if key in value), None)

    words = f"{', '.join(keys[:-1])} or {keys[-1]}"
    return _discriminator(choose, f"a table with {words}")


def by_type(words: str, **tags: type) -> Discriminator:
    """Choose the union member tagged ``~tag`` by the value's exact type; ``words`` name them."""
    names = {kind: f"~{tag}" for tag, kind in tags.items()}
    return _discriminator(lambda value: names.get(type(value)), words)


def _discriminator(choose: Callable[[object], str | None], words: str) -> Discriminator:
    return Discriminator(
        choose,
        custom_error_type="value_choice",
        custom_error_message=f"The value must be {words}",
    )


#: One member of a set of positive integers: a value, or an interval.
UnsignedItem = Annotated[
    Annotated[Positive, Tag("~value")] | Annotated[Interval, Tag("~interval")],
    by_type("an integer or a table with from and to", value=int, interval=dict),
]
