"""Sets of closed values inside parameter records: in the order of their ordinals, each once."""

import enum
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TypeVar

from fabricgen.errors import Diagnostic
from fabricgen.vocab.words import word

__all__ = ["pair_findings", "set_findings", "sorted_pairs", "sorted_set"]

_E = TypeVar("_E", bound=enum.Enum)
_F = TypeVar("_F", bound=enum.Enum)


def sorted_set(values: Iterable[_E]) -> tuple[_E, ...]:
    """Put values into canonical order, each once: the authoring door of a set field."""
    return tuple(sorted(set(values), key=lambda each: each.value))


def sorted_pairs(values: Iterable[tuple[_E, _F]]) -> tuple[tuple[_E, _F], ...]:
    """Put pairs into canonical order, each once: the authoring door of a relation field."""
    return tuple(sorted(set(values), key=_pair))


def set_findings(
    where: str, values: tuple[enum.Enum, ...], *, may_be_empty: bool = False
) -> Iterator[Diagnostic]:
    """Say whether ``values`` is empty where it must not be, out of order, or repeats a value."""
    if not values and not may_be_empty:
        yield _empty(where)
    if any(left.value >= right.value for left, right in pairwise(values)):
        yield _disordered(where, ", ".join(each.name for each in values))


def pair_findings(
    where: str, values: tuple[tuple[enum.Enum, enum.Enum], ...], *, may_be_empty: bool = False
) -> Iterator[Diagnostic]:
    """The same for a set of pairs, ordered by the first and then the second value."""
    if not values and not may_be_empty:
        yield _empty(where)
    if any(_pair(left) >= _pair(right) for left, right in pairwise(values)):
        names = ", ".join(f"({word(left)}, {word(right)})" for left, right in values)
        yield _disordered(where, names)


def _pair(pair: tuple[enum.Enum, enum.Enum]) -> tuple[int, int]:
    return pair[0].value, pair[1].value


def _empty(where: str) -> Diagnostic:
    return Diagnostic("domain-empty", where, "A domain must hold at least one value, not 0")


def _disordered(where: str, names: str) -> Diagnostic:
    return Diagnostic(
        "domain-not-canonical", where, f"Values must be sorted and unique, not {names}"
    )
