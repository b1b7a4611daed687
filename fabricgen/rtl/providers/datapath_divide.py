"""Restoring division of integers: its operands, the step for one bit, and its result.

By zero, the quotient is all ones and the remainder the dividend; the least number by -1 gives
itself and 0.
"""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.frame import ProviderFrame
from fabricgen.rtl.providers.widths import active_widths, choose, segments, within

__all__ = ["DivisionLoop", "division_operands", "division_result", "division_step"]


def division_operands(
    m: Module, frame: ProviderFrame, operands: Sequence[Value], *, is_signed: bool
) -> tuple[Value, Value, Value]:
    """Magnitude of the dividend, what a step adds for the divisor, and the signs of both.

    Bits of the operands above the active width are ignored. Unsigned ones have no bits of signs.
    """
    left, right = operands
    width = len(left)
    widths = active_widths(frame)
    insides = [
        named(m, within(frame, start), f"inside_{start}").replicate(stop - start)
        for start, stop in segments(widths, width)
    ]
    inside = Cat(*insides)
    if not is_signed:
        return left & inside, ~right | ~inside, Const(0, 0)
    signs = Cat(*(choose(frame, widths, [each[w - 1] for w in widths]) for each in (left, right)))
    signs = named(m, signs, "signs")
    flipped = (left ^ signs[0].replicate(width)) & inside
    magnitude = named(m, (flipped + signs[0])[:width], "magnitude")
    # A negative divisor is added as it stands, any other inverted and with a carry.
    addend = (right ^ (~signs[1]).replicate(width)) | ~inside
    return magnitude, named(m, addend, "addend"), signs


def division_step(
    m: Module, remainder: Value, bit: Value, addend: Value, signs: Value, name: str
) -> tuple[Value, Value]:
    """Append a bit of the dividend to the remainder, and take the divisor off if it fits.

    Returns
    -------
    The remainder, as wide as the divisor, and whether it fitted: a bit of the quotient.
    """
    width = len(addend)
    carry = ~signs[1] if len(signs) else Const(1, 1)
    longer = Cat(bit, remainder)
    total = (longer + Cat(addend, Const(1, 1)))[: width + 2]
    total = named(m, (total + carry)[: width + 2], f"difference_{name}")
    fits = total[width + 1]
    kept = Cat(longer, Const(0, width))[:width]
    return Mux(fits, total[:width], kept), fits


def division_result(
    m: Module, frame: ProviderFrame, quotient: Value, remainder: Value, signs: Value
) -> Value:
    """The configured one of both, with its sign, and with any bits above the active width."""
    width = len(quotient)
    remains = frame.is_configured(lambda key: key.role == "Remainder")
    result = Mux(remains, remainder, quotient)
    if not len(signs):
        return result
    # Only a division by zero, or one whose negation is itself, reaches the top bit.
    differ = (signs[0] ^ signs[1]) & ~quotient[-1]
    negates = named(m, Mux(remains, signs[0], differ), "negates")
    result = named(m, result ^ negates.replicate(width), "magnitude_out")
    return named(m, (result + negates)[:width], "signed_out")


class DivisionLoop:
    """One step, used once for each bit, from the highest on.

    Parameters
    ----------
    m
        Module of the provider.
    dividend, addend, signs
        What :func:`division_operands` gives; they stay.
    first
        In the first turn, which only takes the dividend where it ``loads``.
    works
        A turn is done in this cycle.
    clears
        The division is over: its result is not needed any more.
    loads
        The first turn is no step. Else there is a multiplexer in front of the step.

    Attributes
    ----------
    quotient, remainder
        Registers; the results, before their signs, after the last turn.
    """

    def __init__(
        self,
        m: Module,
        dividend: Value,
        addend: Value,
        signs: Value,
        *,
        first: Value,
        works: Value,
        clears: Value,
        loads: bool,
    ) -> None:
        width = len(dividend)
        # Between divisions the remainder is zero, so that the first step needs no choice.
        self.remainder = remainder = Signal(width, name="remainder")
        self.quotient = quotient = Signal(width, name="quotient", reset_less=True)
        head = quotient if loads else named(m, Mux(first, dividend, quotient), "head")
        rest, fits = division_step(m, remainder, head[-1], addend, signs, "step")
        shifted = Cat(fits, head[:-1])
        with m.If(works):
            if loads:
                m.d.sync += quotient.eq(Mux(first, dividend, shifted))
                with m.If(~first):
                    m.d.sync += remainder.eq(rest)
            else:
                m.d.sync += [quotient.eq(shifted), remainder.eq(rest)]
        with m.If(clears):
            m.d.sync += remainder.eq(0)
