"""Integer addition and subtraction, scalar and by lanes: one adder."""

from amaranth.hdl import Cat, Const, Module, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.scalar_params import ScalarIntegerParams
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "ScalarIntegerAddSub"]


class ScalarIntegerAddSub(StatelessProvider):
    """``a + b`` or ``a - b`` modulo the widest admitted width: ``a + (b ^ s) + s``.

    Narrower integers lie in the low bits, whose sums do not depend on the bits above; the result
    bits above them are those of the wide sum.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """One adder with an inverted second operand for a subtraction."""
        params = narrow(self.op.hw_params, ScalarIntegerParams)
        width = max(key.bits for key in params.integer_widths)
        left, right = (operand[:width] for operand in stages.operands)
        subtracts = self.is_configured(lambda key: key.role == "Sub")
        # One carry chain: the carry goes in as a bit below the operands.
        total = Cat(Const(1, 1), left) + Cat(subtracts, right ^ subtracts.replicate(len(right)))
        return total[1 : width + 1]


PROVIDERS = {F.SCALAR_INTEGER_ADD_SUB: ScalarIntegerAddSub}
