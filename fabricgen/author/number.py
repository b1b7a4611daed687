"""Numbers of a document that may have more than 63 bits."""

from typing import Annotated

from pydantic import Field, Tag

from fabricgen.author.fields import by_type

__all__ = ["Hex", "Number", "number"]

Hex = Annotated[str, Field(pattern=r"^0[xX][0-9a-fA-F](_?[0-9a-fA-F])*$")]

#: One number: TOML integers end at 63 bits, hexadecimal strings do not.
Number = Annotated[
    Annotated[int, Tag("~value")] | Annotated[Hex, Tag("~hex")],
    by_type("an integer or a hexadecimal string", value=int, hex=str),
]


def number(value: Number) -> int:
    """Integer behind a TOML integer or a hexadecimal string."""
    return value if isinstance(value, int) else int(value, 16)
