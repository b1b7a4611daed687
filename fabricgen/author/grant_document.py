"""Grant policies of a fabric document, which order requesters that contend."""

from typing import Annotated

from pydantic import Field, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import U32_MAX, Name, by_key

__all__ = [
    "FixedPriorityChoice",
    "FixedPriorityDocument",
    "GrantDocument",
    "RoundRobinChoice",
    "RoundRobinDocument",
]


class RoundRobinDocument(Document):
    """Scan from a cursor that moves behind each successful grant."""

    reset_cursor: Annotated[int, Field(ge=0, le=U32_MAX)] = Field(
        description="Requester at which the first scan starts."
    )


class RoundRobinChoice(Document):
    """Round robin among the requesters."""

    round_robin: RoundRobinDocument = Field(description="Round robin in requester order.")


class FixedPriorityDocument(Document):
    """The first eligible requester wins, always."""

    order: list[Name] = Field(
        min_length=1,
        description="Names of all ports and subordinates, the most important first.",
    )


class FixedPriorityChoice(Document):
    """Fixed priority among the ports and subordinates."""

    fixed_priority: FixedPriorityDocument = Field(description="Fixed priority.")


GrantDocument = Annotated[
    Annotated[RoundRobinChoice, Tag("~round_robin")]
    | Annotated[FixedPriorityChoice, Tag("~fixed_priority")],
    by_key("round_robin", "fixed_priority"),
]
