"""Byte networks of the aligners: logarithmic, with every stage that cannot matter left out.

A place in a list may be None: nobody looks at it. Such a place costs no multiplexer.
"""

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value

__all__ = ["rotate_down", "rotate_up", "shift_up"]

Places = list[Value | None]


def rotate_down(
    m: Module, ring: Sequence[Value], amount: Sequence[Value | None], count: int, *, name: str
) -> list[Value]:
    """Places ``amount .. amount + count - 1`` of a ring.

    ``amount`` holds bits, lowest first, None where the bit is always zero. High bits go first:
    that keeps the wide stages few.
    """
    size = len(ring)
    window = list(ring)
    wanted = min(count, size)
    for bit in reversed(range(len(amount))):
        if (chosen := amount[bit]) is None:
            continue
        below = sum(1 << b for b in range(bit) if amount[b] is not None)
        need = min(wanted + below, size)
        moved = [window[(q + (1 << bit)) % len(window)] for q in range(need)]
        window = _stage(m, chosen, moved, window[:need], f"{name}_{bit}")
    return [window[q % size] for q in range(count)]


def shift_up(
    m: Module,
    window: Sequence[Value | None],
    amount: Sequence[Value | None],
    *,
    fill: Value | None,
    name: str,
) -> Places:
    """The window moved up by ``amount``, with ``fill`` in the places it leaves."""
    places: Places = list(window)
    for bit, chosen in enumerate(amount):
        if chosen is not None:
            gap = [fill] * (1 << bit)
            places = _merge(m, chosen, gap + places, places + gap, f"{name}_{bit}")
    return places


def rotate_up(
    m: Module, ring: Sequence[Value | None], amount: Sequence[Value | None], *, name: str
) -> Places:
    """The ring turned up by ``amount``: place ``q`` goes to ``q + amount``."""
    places: Places = list(ring)
    size = len(places)
    for bit, chosen in enumerate(amount):
        if chosen is not None:
            moved = [places[(q - (1 << bit)) % size] for q in range(size)]
            places = _merge(m, chosen, moved, places, f"{name}_{bit}")
    return places


def _merge(m: Module, chosen: Value, moved: Places, still: Places, name: str) -> Places:
    """One stage, with multiplexers only where both sides are looked at."""
    both = [
        at
        for at, (one, other) in enumerate(zip(moved, still, strict=True))
        if one is not None and other is not None and one is not other
    ]
    places = [other if one is None else one for one, other in zip(moved, still, strict=True)]
    if both:
        ones = [v for at in both if (v := moved[at]) is not None]
        others = [v for at in both if (v := still[at]) is not None]
        for at, value in zip(both, _stage(m, chosen, ones, others, name), strict=True):
            places[at] = value
    return places


def _stage(
    m: Module, chosen: Value, moved: Sequence[Value], still: Sequence[Value], name: str
) -> list[Value]:
    """One multiplexer over all places of a stage."""
    width = len(still[0])
    stage = Signal(width * len(still), name=name)
    m.d.comb += stage.eq(Mux(chosen, Cat(*moved), Cat(*still)))
    return [stage[width * q : width * (q + 1)] for q in range(len(still))]
