"""Bitwise and, or and exclusive or of integers."""

from amaranth.hdl import Module, Value

from fabricgen.rtl.logic import select
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.rtl.providers.widths import widest
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "ScalarIntegerLogic"]


class ScalarIntegerLogic(StatelessProvider):
    """One function of two bits and the configuration for each bit.

    A disjoint or is an or: where a lane of it is poison, it is that or all the same. Result bits
    above the active width are those of the operands: zeros of zeros.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """The members side by side; a lookup table takes them all."""
        width = widest(self.op)
        left, right = (operand[:width] for operand in stages.operands)
        values = {"And": left & right, "Or": left | right, "Xor": left ^ right}
        return select(
            [
                (self.is_configured(lambda key, role=role: key.role == role), value)
                for role, value in values.items()
            ],
            width,
        )


PROVIDERS = {F.SCALAR_INTEGER_LOGIC: ScalarIntegerLogic}
