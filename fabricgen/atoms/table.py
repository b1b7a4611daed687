"""Values with the canonical bytes that their owner gives them, in closed and open sets."""

import enum
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Generic, TypeVar, cast

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.vocab.words import word

__all__ = ["AtomCodec", "AtomTable"]

_T = TypeVar("_T", bound=Hashable)


class AtomCodec(ABC, Generic[_T]):
    """Two-way map between the values of one kind and their atoms.

    Parameters
    ----------
    kind
        What one value is called in a diagnostic.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    @abstractmethod
    def atom(self, value: _T) -> bytes:
        """Encode a value."""

    @abstractmethod
    def read(self, atom: bytes, where: str) -> _T:
        """Decode an atom; any other bytes are ``Invalid``."""

    def unknown(self, atom: bytes, where: str) -> Invalid:
        """Build the refusal of bytes that are no atom of the kind."""
        return Invalid(
            Diagnostic(
                "atom-unknown",
                where,
                f"The atom of a {self.kind} is required, not {atom[:64].hex() or 'none'}",
            )
        )

    def domain(self, values: Iterable[_T]) -> FiniteDomain:
        """Encode values that are already in canonical order."""
        return FiniteDomain(tuple(map(self.atom, values)))

    def read_domain(self, domain: FiniteDomain, where: str) -> tuple[_T, ...]:
        """Decode the values of a domain, in canonical order."""
        return tuple(self.read(atom, where) for atom in domain.atoms)

    def sorted(self, values: Iterable[_T]) -> tuple[_T, ...]:
        """Put values into canonical byte order, each once."""
        return tuple(sorted(set(values), key=self.atom))

    def findings(self, where: str, values: tuple[_T, ...]) -> Iterator[Diagnostic]:
        """Say whether ``values`` is empty, out of canonical order, or repeats a value."""
        if not values:
            yield Diagnostic("domain-empty", where, "A domain must hold at least one value, not 0")
        atoms = map(self.atom, values)
        if any(left >= right for left, right in pairwise(atoms)):
            names = ", ".join(map(_name, values))
            yield Diagnostic(
                "domain-not-canonical", where, f"Values must be sorted and unique, not {names}"
            )


class AtomTable(AtomCodec[_T]):
    """Codec of a closed set.

    Parameters
    ----------
    kind
        What one value is called in a diagnostic.
    atoms
        Every known value with its canonical bytes; both sides unique.
    """

    def __init__(self, kind: str, atoms: Mapping[_T, bytes]) -> None:
        super().__init__(kind)
        self._atoms = dict(atoms)
        self._values = {atom: value for value, atom in self._atoms.items()}

    def atom(self, value: _T) -> bytes:
        """Encode a value."""
        return self._atoms[value]

    def read(self, atom: bytes, where: str) -> _T:
        """Decode an atom; any other bytes are ``Invalid``."""
        if atom not in self._values:
            raise self.unknown(atom, where)
        return self._values[atom]


def _name(value: object) -> str:
    if isinstance(value, tuple):
        parts = cast("tuple[object, ...]", value)
        return f"({', '.join(map(_name, parts))})"
    return word(value) if isinstance(value, enum.Enum) else str(value)
