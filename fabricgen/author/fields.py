"""Field types that several documents share."""

from collections.abc import Callable, Mapping
from typing import Annotated, cast

from pydantic import Discriminator, Field, Tag

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.author.document import Document
from fabricgen.check.names import IDENTIFIER, LABEL, LONGEST_NAME

__all__ = [
    "LONGEST_STREAM",
    "U32_MAX",
    "Identifier",
    "Interval",
    "Name",
    "Positive",
    "U32Count",
    "Unsigned",
    "UnsignedItem",
    "by_key",
    "by_table",
    "by_type",
]

U32_MAX = 2**32 - 1

#: Numbers of the longest stream: far more than any simulation gets through.
LONGEST_STREAM = 2**24

#: Read by people; a hyphen becomes an underscore where it reaches an identifier.
Name = Annotated[str, Field(pattern=f"^{LABEL.pattern}$", max_length=LONGEST_NAME)]

#: Part of emitted identifiers, so without hyphens.
Identifier = Annotated[str, Field(pattern=f"^{IDENTIFIER.pattern}$", max_length=LONGEST_NAME)]

Unsigned = Annotated[int, Field(ge=0, le=U64_MAX)]
Positive = Annotated[int, Field(ge=1, le=U64_MAX)]

#: Units of one capacity dimension; the resource contract's wire has 32 bits for it.
U32Count = Annotated[int, Field(ge=1, le=U32_MAX)]


class Interval(Document):
    """All integers from one bound to the other, both included."""

    lower: Positive = Field(alias="from", description="Smallest value.")
    upper: Positive = Field(alias="to", description="Largest value.")


def by_key(*keys: str, or_list: str | None = None) -> Discriminator:
    """Choose the union member tagged ``~key`` by the first of ``keys`` that the table has.

    A list is the member tagged ``~or_list``, where there is one.
    """

    def choose(value: object) -> str | None:
        table = _table(value)
        if isinstance(value, list) and or_list is not None:
            return f"~{or_list}"
        return None if table is None else next((f"~{key}" for key in keys if key in table), None)

    words = f"a table with {', '.join(keys[:-1])} or {keys[-1]}"
    return _discriminator(choose, words if or_list is None else f"a list or {words}")


def by_type(words: str, **tags: type) -> Discriminator:
    """Choose the union member tagged ``~tag`` by the value's exact type; ``words`` name them."""
    names = {kind: f"~{tag}" for tag, kind in tags.items()}
    # A document that was built in Python stands where a table would.
    return _discriminator(
        lambda value: names.get(dict if isinstance(value, Document) else type(value)), words
    )


def by_table(choose: Callable[[Mapping[str, object]], str]) -> Discriminator:
    """Choose the union member tagged ``~tag`` by the tag that ``choose`` gives a table."""

    def chosen(value: object) -> str | None:
        table = _table(value)
        return None if table is None else f"~{choose(table)}"

    return _discriminator(chosen, "a table")


def _table(value: object) -> Mapping[str, object] | None:
    """Keys of a table, or of the document that was built in its place."""
    if isinstance(value, Document):
        fields = type(value).model_fields
        return {fields[n].alias or n: getattr(value, n) for n in value.model_fields_set}
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


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
