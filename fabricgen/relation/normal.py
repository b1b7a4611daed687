"""The unique normal form of an ordered relation, and what a strict door says of another one."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, pairwise, takewhile

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.relation.diagram import MAX_ROWS, Diagram
from fabricgen.relation.row import Row, encode_row, overlaps, part_count, row_size

__all__ = ["canonical_findings", "normalise"]

#: Intervals and atoms that a diagnostic compares to name a pair of overlapping rows.
_PAIR_STEPS = 1_000_000


def normalise(rows: Sequence[Row], structural: Sequence[bool]) -> tuple[Row, ...]:
    """Return the reduced ordered products of the union of ``rows``, in canonical order.

    ``structural[f]`` marks the fields whose values partition the relation one by one. Raises
    ``Invalid`` with ``relation-too-large`` where the form or the work exceeds its bound.
    """
    diagram = Diagram(structural)
    return diagram.rows(diagram.build(rows))


def canonical_findings(
    rows: Sequence[Row], structural: Sequence[bool], where: str
) -> Iterator[Diagnostic]:
    """Say why ``rows`` are not the normal form of what they admit; nothing where they are."""
    if not rows:
        yield Diagnostic("relation-empty", where, "A relation must have at least one row, not 0")
        return
    diagram = Diagram(structural)
    try:
        node = diagram.build(rows)
        count = diagram.path_count(node)
        # Rows of another number are not the normal form, which is then never listed.
        canonical = diagram.rows(node) if count == len(rows) or count > MAX_ROWS else ()
    except Invalid as error:
        yield from error.under(where).diagnostics
        return
    if canonical == tuple(rows):
        return
    if sum(map(row_size, rows)) > diagram.point_count(node):
        yield Diagnostic("relation-overlap", where, f"Rows must be disjoint, {_pair(rows)}")
    elif sorted(rows, key=encode_row) == list(canonical):
        yield Diagnostic(
            "relation-order",
            where,
            f"Rows must be in the order of their bytes, but row {_disorder(rows)} is not",
        )
    else:
        yield Diagnostic(
            "relation-not-canonical",
            where,
            f"Rows must be the {count} products of the normal form, not {len(rows)} "
            f"other products of the same relation",
        )


def _pair(rows: Sequence[Row]) -> str:
    sizes = [sum(map(part_count, row)) for row in rows]
    pairs = combinations(range(len(rows)), 2)
    steps = accumulate(left + right for left, right in combinations(sizes, 2))
    compared = takewhile(lambda each: each[1] <= _PAIR_STEPS, zip(pairs, steps, strict=True))
    met = (pair for pair, _ in compared if overlaps(*(rows[ordinal] for ordinal in pair)))
    named = next((f"rows {left} and {right}" for left, right in met), "two of them")
    return f"but {named} admit a common point"


def _disorder(rows: Sequence[Row]) -> int:
    keys = [encode_row(row) for row in rows]
    return next(i + 1 for i, (left, right) in enumerate(pairwise(keys)) if left >= right)
