"""Shifts of scalar integers: one shifter to the right."""

from amaranth.hdl import Cat, Module, Mux, Value

from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.frame import payload
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.rtl.providers.widths import active_widths, choose, segments, widest
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "ScalarIntegerShift"]


class ScalarIntegerShift(StatelessProvider):
    """A shift to the right; one to the left is that of mirrored bits.

    The slot keeps the value as it is shifted, mirrored or extended by its sign, so that this
    costs no time behind it. The amount counts in as many bits as a place in the widest value has;
    one of the active width or more gives any bits. Result bits above the active width are zero
    for an arithmetic right shift, whose key has a width; those of a left shift are shifted out of
    the width, and a logical right shift takes its operand's.
    """

    def held_operands(self, m: Module) -> list[Value] | None:
        """The value as it is shifted to the right, with what fills it in, and the amount."""
        width = widest(self.op)
        value, amount = map(payload, self.inputs)
        value = value[:width]
        widths = active_widths(self)
        arithmetic = self.is_configured(lambda key: key.role == "ArithmeticRight")
        fill = value[0] & 0
        if widths:
            fill = choose(self, widths, [value[w - 1] for w in widths]) & arithmetic
        fill = named(m, fill, "fill")
        straight = Cat(
            Mux(self._inside(start), value[start:stop], fill.replicate(stop - start))
            for start, stop in segments(widths, width)
        )
        return [Cat(Mux(self._is_left(), value[::-1], straight), fill), amount]

    def datapath(self, m: Module, stages: Stages) -> Value:
        """A step for each bit of the amount, then back to the order of the operand."""
        value, amount = stages.operands
        fill = value[-1]
        shifted = value[:-1]
        width = len(shifted)
        for bit in range(width.bit_length() - 1):
            step = 1 << bit
            further = Cat(shifted[step:], fill.replicate(step))
            shifted = named(m, Mux(amount[bit], further, shifted), f"shifted_{step}")
        straight = Cat(
            shifted[start:stop] & self._inside(start).replicate(stop - start)
            for start, stop in segments(active_widths(self), width)
        )
        return Mux(self._is_left(), shifted[::-1], straight)

    def _is_left(self) -> Value:
        return self.is_configured(lambda key: key.role == "Left")

    def _inside(self, bit: int) -> Value:
        """The bit is below the active width, or there is none."""
        return self.is_configured(lambda key: key.active_bits is None or bit < key.active_bits)


PROVIDERS = {F.SCALAR_INTEGER_SHIFT: ScalarIntegerShift}
