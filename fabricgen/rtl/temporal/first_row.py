"""What belongs to the first row behind a cursor, through a tree."""

from dataclasses import dataclass

from amaranth.hdl import Mux, Value

__all__ = ["Range", "first"]


@dataclass(frozen=True, slots=True)
class Range:
    """Consecutive rows, a power of two of them: is one asked for, also behind the cursor."""

    asked: Value
    behind: Value
    word: Value  # of the first one: those behind the cursor come first


def first(rows: list[Range]) -> Range:
    """Join halves, each of which has chosen already: the depth is logarithmic."""
    if len(rows) == 1:
        return rows[0]
    half = 1 << (len(rows) - 1).bit_length() - 1
    low, high = first(rows[:half]), first(rows[half:])
    goes_high = ~low.behind & (high.behind | ~low.asked)
    return Range(
        low.asked | high.asked,
        low.behind | high.behind,
        Mux(goes_high, high.word, low.word),
    )
