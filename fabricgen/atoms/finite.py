"""Sets of canonical atoms."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from fabricgen.errors import Diagnostic, Invalid

__all__ = ["FiniteDomain", "closed_set_findings"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class FiniteDomain:
    """Non-empty set of atoms, held as its owners' canonical bytes in strictly rising order.

    The constructor is the *strict* door; :meth:`of` sorts and drops repeats.
    """

    atoms: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if found := tuple(closed_set_findings("domain", self.atoms, bytes, bytes.hex)):
            raise Invalid(*found)

    @classmethod
    def of(cls, *atoms: bytes) -> "FiniteDomain":
        """Build the canonical domain of the given atoms."""
        return cls(tuple(sorted(set(atoms))))

    def __contains__(self, atom: bytes) -> bool:
        return atom in self.atoms


def closed_set_findings(
    where: str, values: tuple[_T, ...], key: Callable[[_T], bytes], name: Callable[[_T], str]
) -> Iterator[Diagnostic]:
    """Say whether ``values`` is empty, out of canonical byte order, or repeats a value."""
    if not values:
        yield Diagnostic("domain-empty", where, "A domain must hold at least one value, not 0")
    keys = [key(value) for value in values]
    if any(left >= right for left, right in pairwise(keys)):
        names = ", ".join(map(name, values))
        yield Diagnostic(
            "domain-not-canonical", where, f"Values must be sorted and unique, not {names}"
        )
