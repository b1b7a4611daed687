"""Scalar integer addition and subtraction, modular and saturating: one adder each."""

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.rtl.providers.widths import (
    active_widths,
    choose,
    segments,
    widest,
    with_guards,
    within,
)
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "ScalarIntegerAddSub", "ScalarIntegerSaturatingAddSub"]


class ScalarIntegerAddSub(StatelessProvider):
    """``a + b`` or ``a - b`` modulo the widest admitted width: ``a + (b ^ s) + s``.

    Narrower integers lie in the low bits, whose sums do not depend on the bits above; the result
    bits above them are those of the wide sum.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """One adder with an inverted second operand for a subtraction."""
        width = widest(self.op)
        left, right = (operand[:width] for operand in stages.operands)
        subtracts = self.is_configured(lambda key: key.role == "Sub")
        # One carry chain, into which the subtraction goes as its carry.
        return ((left + (right ^ subtracts.replicate(len(right))))[:width] + subtracts)[:width]


class ScalarIntegerSaturatingAddSub(StatelessProvider):
    """``a + b`` or ``a - b``, held at the ends of the signed or unsigned range.

    A signed ``a`` is taken from its least value on, so that its range starts at zero as that of an
    unsigned one: then a guard bit of the carry chain above the active width tells that the result
    is out of range, and the sign of what is added tells at which end. Bits of the operands above
    the active width are ignored, and those of the result are zero.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """One adder with guards, and one choice between the sum and an end of the range."""
        width = widest(self.op)
        widths = active_widths(self)
        left, right = (operand[:width] for operand in stages.operands)
        signed = self.is_configured(lambda key: key.role.startswith("Signed"))
        subtracts = self.is_configured(lambda key: key.role.endswith("Sub"))
        subtracts = named(m, subtracts, "subtracts")
        right = named(m, right ^ subtracts.replicate(width), "addend")

        actives = [self.is_configured(lambda key, w=w: key.active_bits == w) for w in widths]
        signs = Cat(
            Cat(Const(0, stop - start - 1), active & signed)
            for (start, stop), active in zip(segments(widths, width), actives, strict=True)
        )
        signs = named(m, signs, "sign_bit")
        tops = [right[w - 1] for w in widths]
        falls = named(m, Mux(signed, choose(self, widths, tops), subtracts), "falls")

        # The active guard adds the sign of the addend; the others hand the carry on.
        nothing = [Const(0, 1)] * len(widths)
        addend = with_guards(right, widths, [falls | ~active for active in actives])
        wide = width + len(widths)
        total = (with_guards(left ^ signs, widths, nothing) + addend)[:wide] + subtracts
        total = named(m, total[:wide], "total")
        guards = [total[w + at] for at, w in enumerate(widths)]
        beyond = named(m, choose(self, widths, guards), "beyond")

        parts: list[Value] = []
        for at, (start, stop) in enumerate(segments(widths, width)):
            count = stop - start
            bits = Mux(beyond, (~falls).replicate(count), total[start + at : stop + at])
            parts.append((bits ^ signs[start:stop]) & within(self, start).replicate(count))
        return Cat(*parts)


PROVIDERS = {
    F.SCALAR_INTEGER_ADD_SUB: ScalarIntegerAddSub,
    F.SCALAR_INTEGER_SATURATING_ADD_SUB: ScalarIntegerSaturatingAddSub,
}
