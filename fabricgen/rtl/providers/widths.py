"""Which widths the integers of a resource have, and operands cut at them."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Value

from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.providers.frame import ProviderFrame

__all__ = ["active_widths", "choose", "segments", "widest", "with_guards", "within"]


def widest(op: FabricOp) -> int:
    """Bits of the widest scalar that any admitted actor takes or gives."""
    return max(kind.bits for actor in op.reachable() for kind in (*actor.operands, *actor.results))


def active_widths(frame: ProviderFrame) -> list[int]:
    """Widths between which the configured behaviours choose, ascending; none if they have none."""
    return sorted({key.active_bits for key in frame.behaviors if key.active_bits is not None})


def within(frame: ProviderFrame, bit: int) -> Value:
    """One bit: an integer of the active width has this bit."""
    return frame.is_configured(lambda key: key.active_bits is not None and bit < key.active_bits)


def segments(widths: Sequence[int], total: int) -> list[tuple[int, int]]:
    """Start and end of the pieces of ``total`` bits that no width divides."""
    ends = sorted({each for each in widths if each < total} | {total})
    return list(zip([0, *ends[:-1]], ends, strict=True))


def with_guards(value: Value, widths: Sequence[int], guards: Sequence[Value]) -> Value:
    """Put one guard bit above each of the ascending widths.

    In a sum, the bit of a guard tells the carry out of the bits below it, or extends them by one
    bit; a guard of a zero beside a one hands the carry on.
    """
    parts: list[Value] = []
    start = 0
    for width, guard in zip(widths, guards, strict=True):
        parts += [value[start:width], guard]
        start = width
    return Cat(*parts, value[start:])


def choose(frame: ProviderFrame, widths: Sequence[int], values: Sequence[Value]) -> Value:
    """The value of the active width; the widths are those of the configured behaviours."""
    if len(widths) == 1:
        return values[0]
    return any_bit(
        frame.is_configured(lambda key, width=width: key.active_bits == width) & value
        for width, value in zip(widths, values, strict=True)
    )
