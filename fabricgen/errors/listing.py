"""Long lists in messages: their beginning, and how long they are."""

from collections.abc import Iterable, Sequence

__all__ = ["MOST_LISTED", "listed", "listed_names"]

#: Items that one message shows; a hostile list must not be repeated in each of many findings.
MOST_LISTED = 32


def listed(values: Sequence[object]) -> str:
    """Show values as Python lists them; of a long list its beginning and its length."""
    if len(values) <= MOST_LISTED:
        return repr(list(values))
    return f"[{', '.join(map(repr, values[:MOST_LISTED]))}, ...] of {len(values)}"


def listed_names(names: Iterable[str], separator: str = ", ") -> str:
    """Show names one behind the other, ``none`` for none; of many the first ones."""
    known = tuple(names)
    shown = separator.join(known[:MOST_LISTED]) or "none"
    left = len(known) - MOST_LISTED
    return f"{shown} and {left} more" if left > 0 else shown
