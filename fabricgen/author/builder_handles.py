"""What one part of a fabric is to the others while it is built: objects in the place of names.

Two handles are the same only where they are one object. A handle of another memory or port is a
mistake of the caller, so it is refused at once, with ``ValueError``.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

__all__ = [
    "Endpoint",
    "Handle",
    "Input",
    "Manager",
    "Op",
    "Output",
    "Pattern",
    "Region",
    "Requester",
    "Subordinate",
    "Target",
    "listed",
    "plain",
    "require_own",
]


class Handle:
    """One part, named among those of its kind.

    Parameters
    ----------
    owner
        The builder that gives it out.
    name
        Its name in the document.
    """

    def __init__(self, owner: object, name: str) -> None:
        self.owner = owner
        self.name = name

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name}"


class Endpoint(Handle):
    """One token channel of a memory."""


class Input(Endpoint):
    """A channel into the memory."""


class Output(Endpoint):
    """A channel out of the memory."""


class Pattern(Handle):
    """A use pattern of a port; in a Temporal one, that of every context."""


class Target(Handle):
    """A service that accesses may reach: the local one, or a manager."""


class Manager(Target):
    """A path from a memory to memory outside."""


class Op(Handle):
    """A datapath resource."""


class Requester(Handle):
    """Who uses a local service: an operation port, or a subordinate."""


class Subordinate(Requester):
    """An endpoint through which others reach services of a memory."""


class Region(Handle):
    """Consecutive bytes of a local service.

    Parameters
    ----------
    position
        Its place in the list of regions, for it has no name.
    """

    def __init__(self, owner: object, position: int) -> None:
        super().__init__(owner, f"{position}")
        self.position = position


def require_own(owner: object, *handles: Handle) -> None:
    """Refuse handles that another builder has given out, with ``ValueError``."""
    for handle in handles:
        if handle.owner is not owner:
            raise ValueError(f"{handle!r} must be of {owner!r}, not of {handle.owner!r}")


def plain(value: object) -> object:
    """Copy a table or sequence into dictionaries and lists, which is what a document is made of."""
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        return {key: plain(item) for key, item in table.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(item) for item in cast("Sequence[object]", value)]
    return value


def listed(handles: Iterable[Handle]) -> list[str]:
    """Names of handles, in order."""
    return [handle.name for handle in handles]
