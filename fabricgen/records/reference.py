"""Resolution of typed references: of the right kind, of their own owner, of one entry."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from fabricgen.errors import Diagnostic, Invalid

__all__ = ["Owned", "refused", "resolved", "typed"]

_T = TypeVar("_T")
_R = TypeVar("_R")


class Owned(Protocol):
    """A reference to one entry of an inventory that its owner has."""

    @property
    def owner(self) -> object:
        """Whose inventory it is."""
        ...

    @property
    def ordinal(self) -> int:
        """Position in the inventory."""
        ...


def typed(kind: type[_R], reference: object) -> _R:
    """Return ``reference``, which must be of ``kind``; ``Invalid`` for anything else."""
    if not isinstance(reference, kind):
        raise refused("reference-kind", f"a {kind.__name__}", reference)
    return reference


def resolved(kind: type[Owned], owner: object, reference: object, inventory: Sequence[_T]) -> _T:
    """Return the entry of its owner's inventory that a reference names.

    Parameters
    ----------
    kind
        Class that the reference must have.
    owner
        Owner that it must name.
    reference
        What the caller gave; ``Invalid`` where it is no reference to an entry.
    inventory
        The owner's entries of this kind.
    """
    checked = typed(kind, reference)
    if checked.owner != owner:
        raise refused("reference-owner", f"owned by {owner!r}", reference)
    if not 0 <= checked.ordinal < len(inventory):
        raise refused("reference-ordinal", f"one of its owner's {len(inventory)}", reference)
    return inventory[checked.ordinal]


def refused(code: str, needed: str, reference: object) -> Invalid:
    """Build the refusal of a reference."""
    message = f"The reference must be {needed}, not {reference!r}"
    return Invalid(Diagnostic(code, "reference", message))
