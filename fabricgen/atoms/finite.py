"""Sets of canonical atoms."""

from dataclasses import dataclass
from itertools import pairwise

from fabricgen.errors import Diagnostic, Invalid

__all__ = ["FiniteDomain"]


@dataclass(frozen=True, slots=True)
class FiniteDomain:
    """Non-empty set of atoms, held as its owners' canonical bytes in strictly rising order.

    The constructor is the *strict* door; :meth:`of` sorts and drops repeats.
    """

    atoms: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if not self.atoms:
            raise Invalid(
                Diagnostic("domain-empty", "domain", "A domain must hold at least one value, not 0")
            )
        for left, right in pairwise(self.atoms):
            if left >= right:
                raise Invalid(
                    Diagnostic(
                        "domain-not-canonical",
                        "domain",
                        f"Atoms must be sorted and unique, but {left[:64].hex() or 'none'} is "
                        f"followed by {right[:64].hex() or 'none'}",
                    )
                )

    @classmethod
    def of(cls, *atoms: bytes) -> "FiniteDomain":
        """Build the canonical domain of the given atoms."""
        return cls(tuple(sorted(set(atoms))))

    def __contains__(self, atom: bytes) -> bool:
        return atom in self.atoms
