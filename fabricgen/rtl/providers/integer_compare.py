"""Comparison, minimum and maximum of scalar integers: one subtractor."""

from amaranth.hdl import Cat, Module, Mux, Value

from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.datapath_compare import Comparison
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.rtl.providers.widths import widest
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "ScalarIntegerCompareMinMax"]


class ScalarIntegerCompareMinMax(StatelessProvider):
    """Relation of two numbers, or the smaller or larger one.

    A comparison gives bit 0 and zeros above it; a minimum or maximum is one of the operands as
    it stands. A signed relation has an active width, and ignores what the operands have above it.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """One comparison, then the choice."""
        width = widest(self.op)
        left, right = (operand[:width] for operand in stages.operands)
        comparison = Comparison(m, self, left, right)
        verdict = comparison.verdict()
        compares = self.is_configured(lambda key: key.role == "Compare")
        if all(key.role == "Compare" for key in self.behaviors):
            return verdict
        maximum = self.is_configured(lambda key: key.role.endswith("Max"))
        takes_left = named(m, comparison.less ^ maximum, "takes_left")
        taken = Mux(takes_left, left, right)
        above = taken[1:] & (~compares).replicate(width - 1)
        return Cat(Mux(compares, verdict, taken[0]), above)


PROVIDERS = {F.SCALAR_INTEGER_COMPARE_MIN_MAX: ScalarIntegerCompareMinMax}
