"""One field of many rows, split into disjoint values by the rows that admit them.

Values are atoms, or spans ``(lower, upper)`` of integers; spans are never split into single
integers.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain, UnsignedInterval
from fabricgen.relation.row import Domain

__all__ = ["Span", "domain_of_atoms", "domain_of_spans", "split_atoms", "split_spans"]

Span = tuple[int, int]
#: What is left of a row behind the field.
_Tail = int

#: Steps of one interval, and of one region beside one for each of its rows: about what they cost
#: in time.
_INTERVAL_STEPS, _REGION_STEPS = 4, 16


def split_atoms(
    heads: Iterable[tuple[FiniteDomain, _Tail]], visit: Callable[[int], None]
) -> dict[frozenset[_Tail], list[bytes]]:
    """Group atoms by the tails of the rows that hold them; ``visit`` is told of the steps."""
    tails_of: dict[bytes, list[_Tail]] = {}
    for domain, tail in heads:
        visit(len(domain.atoms))
        for atom in domain.atoms:
            tails_of.setdefault(atom, []).append(tail)
    groups: dict[frozenset[_Tail], list[bytes]] = {}
    for atom, tails in tails_of.items():
        visit(_REGION_STEPS + len(tails))
        groups.setdefault(frozenset(tails), []).append(atom)
    return groups


def split_spans(
    heads: Iterable[tuple[UnsignedDomain, _Tail]], visit: Callable[[int], None]
) -> dict[frozenset[_Tail], list[Span]]:
    """Group spans by the tails of the rows that hold them; ``visit`` is told of the steps.

    The spans of one group rise, and no two of them touch.
    """
    spans_of: dict[_Tail, list[Span]] = {}
    repeated: set[_Tail] = set()
    for domain, tail in heads:
        visit(_INTERVAL_STEPS * len(domain.intervals))
        if tail in spans_of:
            repeated.add(tail)
        spans_of.setdefault(tail, []).extend((i.lower, i.upper) for i in domain.intervals)
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


def domain_of_atoms(lists: Sequence[list[bytes]]) -> Domain:
    """Build the domain of disjoint lists of atoms."""
    return FiniteDomain(tuple(sorted(chain.from_iterable(lists))))


def domain_of_spans(lists: Sequence[list[Span]]) -> Domain:
    """Build the domain of disjoint lists of spans, each as :func:`split_spans` gives it."""
    spans = lists[0] if len(lists) == 1 else _merged(chain.from_iterable(lists))
    return UnsignedDomain(tuple(UnsignedInterval(*span) for span in spans))


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for lower, upper in sorted(spans):
        if merged and lower <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], upper))
        else:
            merged.append((lower, upper))
    return merged
