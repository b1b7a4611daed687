"""Comparison, minimum and maximum of scalar integers: one subtractor."""

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.rtl.logic import any_bit, named
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.rtl.providers.widths import active_widths, segments, widest, with_guards
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import IntegerPredicate as P

__all__ = ["PROVIDERS", "ScalarIntegerCompareMinMax"]

_EQUALITIES = (P.EQ, P.NE)
#: Relations that hold of equal numbers, or whose opposites do not: a subtraction of one more.
_INCLUSIVE = (P.SLE, P.SGT, P.ULE, P.UGT)
_OPPOSITES = (P.NE, P.SGT, P.SGE, P.UGT, P.UGE)


class ScalarIntegerCompareMinMax(StatelessProvider):
    """``a - b``, whose borrow says which is less and whose bits say whether they are equal.

    A comparison gives bit 0 and zeros above it; a minimum or maximum is one of the operands as
    it stands. A signed relation has an active width, and ignores what the operands have above it.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """One subtractor with a guard above each active width, then the choice."""
        width = widest(self.op)
        left, right = (operand[:width] for operand in stages.operands)
        less, zero = self._subtract(m, left, right)

        equates = self.is_configured(lambda key: key.predicate in _EQUALITIES)
        opposite = self.is_configured(lambda key: key.predicate in _OPPOSITES)
        verdict = Mux(equates, zero, less) ^ opposite
        compares = self.is_configured(lambda key: key.role == "Compare")
        if all(key.role == "Compare" for key in self.behaviors):
            return verdict
        maximum = self.is_configured(lambda key: key.role.endswith("Max"))
        takes_left = named(m, less ^ maximum, "takes_left")
        taken = Mux(takes_left, left, right)
        above = taken[1:] & (~compares).replicate(width - 1)
        return Cat(Mux(compares, verdict, taken[0]), above)

    def _subtract(self, m: Module, left: Value, right: Value) -> tuple[Value, Value]:
        """Whether the left number is less (or not greater), and whether they are equal."""
        width = len(left)
        widths = active_widths(self)
        ends = sorted({*widths, width})
        inclusive = self.is_configured(lambda key: key.predicate in _INCLUSIVE)
        actives = [self.is_configured(lambda key, w=w: key.active_bits == w) for w in ends]
        # A signed number is taken from the least one on: its top bit is inverted.
        signs = Cat(
            Cat(Const(0, stop - start - 1), active)
            for (start, stop), active in zip(segments(ends, width), actives, strict=True)
        )
        signs = named(m, signs, "sign_bit")
        guards = [Const(0, 1)] * len(ends)
        total = width + len(ends)
        minuend = with_guards(left ^ signs, ends, guards)
        inverted = with_guards(~(right ^ signs), ends, [~each for each in guards])
        difference = ((minuend + inverted)[:total] + ~inclusive)[:total]
        difference = named(m, difference, "difference")

        borrows = [difference[end + at] for at, end in enumerate(ends)]
        unsigned = self.is_configured(lambda key: key.active_bits is None)
        chosen = [*actives[:-1], actives[-1] | unsigned]
        if len(ends) == 1:
            less = borrows[0]
        else:
            pairs = zip(chosen, borrows, strict=True)
            less = named(m, any_bit(active & borrow for active, borrow in pairs), "less")
        pieces = enumerate(segments(ends, width))
        bits = [difference[start + at : stop + at] for at, (start, stop) in pieces]
        return less, ~Cat(*bits).any()


PROVIDERS = {F.SCALAR_INTEGER_COMPARE_MIN_MAX: ScalarIntegerCompareMinMax}
