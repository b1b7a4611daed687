"""Rows of an ordered relation: one product of domains, one domain per field.

A row admits the points of its product. Fields are finite (atom bytes) or unsigned (uint64).
"""

from bisect import bisect_right
from itertools import chain

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain, UnsignedInterval
from fabricgen.wire.frame import u32be, u64be

__all__ = [
    "Domain",
    "Point",
    "Row",
    "contains",
    "domain_size",
    "encode_domain",
    "encode_row",
    "overlaps",
    "part_count",
    "row_size",
    "subsumes",
]

Domain = FiniteDomain | UnsignedDomain
Row = tuple[Domain, ...]
Point = tuple[bytes | int, ...]
_Spans = tuple[UnsignedInterval, ...]

_FINITE, _UNSIGNED = 0, 1


def encode_domain(domain: Domain) -> bytes:
    """Encode one domain: its kind, then framed atoms or interval bounds."""
    match domain:
        case FiniteDomain(atoms):
            framed = chain.from_iterable((u64be(len(atom)), atom) for atom in atoms)
            return u32be(_FINITE) + u64be(len(atoms)) + b"".join(framed)
        case UnsignedDomain(intervals):  # exhaustive
            bounds = (u64be(i.lower) + u64be(i.upper) for i in intervals)
            return u32be(_UNSIGNED) + u64be(len(intervals)) + b"".join(bounds)


def encode_row(row: Row) -> bytes:
    """Encode one row: the field count, then framed domains. Canonical order compares these."""
    domains = [encode_domain(domain) for domain in row]
    return u64be(len(row)) + b"".join(u64be(len(data)) + data for data in domains)


def domain_size(domain: Domain) -> int:
    """Count the values of a domain; exact, however wide the intervals are."""
    match domain:
        case FiniteDomain(atoms):
            return len(atoms)
        case UnsignedDomain(intervals):  # exhaustive
            return sum(i.upper - i.lower + 1 for i in intervals)


def part_count(domain: Domain) -> int:
    """Count the atoms or intervals that spell a domain: what it costs to look at it."""
    match domain:
        case FiniteDomain(atoms):
            return len(atoms)
        case UnsignedDomain(intervals):  # exhaustive
            return len(intervals)


def row_size(row: Row) -> int:
    """Count the points of a row."""
    size = 1
    for domain in row:
        size *= domain_size(domain)
    return size


def contains(row: Row, point: Point) -> bool:
    """Tell whether ``row`` admits ``point``; a point of another length or kind is not admitted."""
    return len(row) == len(point) and all(map(_holds, row, point))


def overlaps(left: Row, right: Row) -> bool:
    """Tell whether two rows admit a common point."""
    return len(left) == len(right) and all(map(_domains_meet, left, right))


def subsumes(outer: Row, inner: Row) -> bool:
    """Tell whether ``outer`` admits every point of ``inner``."""
    return len(outer) == len(inner) and all(map(_domain_covers, outer, inner))


def _holds(domain: Domain, value: bytes | int) -> bool:
    match domain, value:
        case FiniteDomain(), bytes():
            return value in domain
        case UnsignedDomain(), int():
            return value in domain
        case _:
            return False


def _domains_meet(left: Domain, right: Domain) -> bool:
    match left, right:
        case FiniteDomain(a), FiniteDomain(b):
            return not set(a).isdisjoint(b)
        case UnsignedDomain(a), UnsignedDomain(b):
            return _spans_meet(a, b)
        case _:
            return False


def _domain_covers(outer: Domain, inner: Domain) -> bool:
    match outer, inner:
        case FiniteDomain(a), FiniteDomain(b):
            return set(a).issuperset(b)
        case UnsignedDomain(a), UnsignedDomain(b):
            # Intervals of `a` neither touch nor overlap, so one of them covers each of `b`.
            return all(_span_covers(a, each) for each in b)
        case _:
            return False


def _spans_meet(left: _Spans, right: _Spans) -> bool:
    """Look at the intervals of both sides from below, each once."""
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i].upper < right[j].lower:
            i += 1
        elif right[j].upper < left[i].lower:
            j += 1
        else:
            return True
    return False


def _span_covers(outer: _Spans, inner: UnsignedInterval) -> bool:
    """Look at the last interval that starts at or below ``inner``."""
    at = bisect_right(outer, inner.lower, key=_lower) - 1
    return at >= 0 and inner.upper <= outer[at].upper


def _lower(interval: UnsignedInterval) -> int:
    return interval.lower
