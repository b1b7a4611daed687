"""One field of many rows, split into disjoint values by the rows that admit them.

The values of a field are ascending atoms, or ascending spans ``(lower, upper)`` of integers of
which no two touch; spans are never split into single integers. Plain tuples of them stand for
domains here, since they are hashed and compared often.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TypeGuard, cast

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain, UnsignedInterval
from fabricgen.relation.row import Domain

__all__ = [
    "Atoms",
    "Span",
    "Spans",
    "Values",
    "are_spans",
    "domain_of",
    "joined_atoms",
    "joined_spans",
    "size_of",
    "split_atoms",
    "split_spans",
    "values_of",
]

Span = tuple[int, int]
Spans = tuple[Span, ...]
Atoms = tuple[bytes, ...]
Values = Spans | Atoms
#: What is left of a row behind the field.
_Tail = int

#: Steps of one interval, and of one region beside one for each of its rows: about what they cost
#: in time.
_INTERVAL_STEPS, _REGION_STEPS = 4, 16


def split_atoms(
    heads: Iterable[tuple[Atoms, _Tail]], visit: Callable[[int], None]
) -> dict[frozenset[_Tail], list[bytes]]:
    """Group atoms by the tails of the rows that hold them; ``visit`` is told of the steps."""
    tails_of: dict[bytes, list[_Tail]] = {}
    for atoms, tail in heads:
        visit(len(atoms))
        for atom in atoms:
            tails_of.setdefault(atom, []).append(tail)
    groups: dict[frozenset[_Tail], list[bytes]] = {}
    for atom, tails in tails_of.items():
        visit(_REGION_STEPS + len(tails))
        groups.setdefault(frozenset(tails), []).append(atom)
    return groups


def split_spans(
    heads: Iterable[tuple[Spans, _Tail]], visit: Callable[[int], None]
) -> dict[frozenset[_Tail], list[Span]]:
    """Group spans by the tails of the rows that hold them; ``visit`` is told of the steps.

    The spans of one group rise, and no two of them touch.
    """
    spans_of: dict[_Tail, list[Span]] = {}
    repeated: set[_Tail] = set()
    for spans, tail in heads:
        visit(_INTERVAL_STEPS * len(spans))
        if tail in spans_of:
            repeated.add(tail)
        spans_of.setdefault(tail, []).extend(spans)
    for tail in repeated:
        spans_of[tail] = _merged(spans_of[tail])
    return _sweep(spans_of, visit)


def _sweep(
    spans_of: dict[_Tail, list[Span]], visit: Callable[[int], None]
) -> dict[frozenset[_Tail], list[Span]]:
    """Pass over the bounds; the spans of one tail neither overlap nor touch."""
    tails, count = list(spans_of), len(spans_of)
    # A bound and the ordinal of its tail as one integer, which sorts faster than a pair.
    bounds = [
        bound * count + ordinal
        for ordinal, tail in enumerate(tails)
        for lower, upper in spans_of[tail]
        for bound in (lower, upper + 1)
    ]
    bounds.sort()
    groups: dict[frozenset[_Tail], list[Span]] = {}
    covering: set[_Tail] = set()
    last = 0
    for each in bounds:
        position, ordinal = divmod(each, count)
        if position > last:
            if covering:
                visit(_REGION_STEPS + len(covering))
                groups.setdefault(frozenset(covering), []).append((last, position - 1))
            last = position
        # The first bound of a span opens it, the second one closes it.
        covering ^= {tails[ordinal]}
    return groups


def joined_atoms(lists: Sequence[Iterable[bytes]]) -> Atoms:
    """Join disjoint lists of atoms."""
    return tuple(sorted(chain.from_iterable(lists)))


def joined_spans(lists: Sequence[Iterable[Span]]) -> Spans:
    """Join disjoint lists of spans, each as :func:`split_spans` gives it."""
    return tuple(lists[0] if len(lists) == 1 else _merged(chain.from_iterable(lists)))


def values_of(domain: Domain) -> Values:
    """The values of a domain."""
    if isinstance(domain, FiniteDomain):
        return domain.atoms
    return tuple((each.lower, each.upper) for each in domain.intervals)


def are_spans(values: Values) -> TypeGuard[Spans]:
    """Tell spans from atoms; there is at least one of either."""
    return isinstance(values[0], tuple)


def domain_of(values: Values) -> Domain:
    """The domain of values."""
    if are_spans(values):
        return UnsignedDomain(tuple(UnsignedInterval(*span) for span in values))
    return FiniteDomain(cast("Atoms", values))


def size_of(values: Values) -> int:
    """How many single values there are."""
    if are_spans(values):
        return sum(upper - lower + 1 for lower, upper in values)
    return len(values)


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for lower, upper in sorted(spans):
        if merged and lower <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], upper))
        else:
            merged.append((lower, upper))
    return merged
