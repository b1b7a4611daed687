"""Bitwise logic on vectors, and the choice between two vectors lane by lane."""

from amaranth.hdl import Cat, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.vector_params import FixedVectorIntegerParams, FixedVectorValueSelectParams
from fabricgen.rtl.providers.lanes import Lanes
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorIntegerLogic", "FixedVectorValueSelect"]


class FixedVectorIntegerLogic(StatelessProvider):
    """And, or, exclusive or: the same in every bit, whatever the element."""

    def datapath(self, m: Module, stages: Stages) -> Value:
        """One function of four bits per bit: an or is an and beside an exclusive or."""
        op = self.op
        params = narrow(op.hw_params, FixedVectorIntegerParams)
        bits = min(params.max_payload_bits, *op.ports.inputs, *op.ports.outputs)
        left, right = (operand[:bits] for operand in stages.operands)
        has_both = self.is_configured(lambda key: key.role != "Xor")
        has_one = self.is_configured(lambda key: key.role != "And")
        return (left & right & has_both.replicate(bits)) | (
            (left ^ right) & has_one.replicate(bits)
        )


class FixedVectorValueSelect(StatelessProvider):
    """In every lane the second operand where the lane's bit of the first is set, else the third.

    Lane *k* has bit *k* of the condition, whatever its width.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """One choice per bit; the condition's bits spread over the lanes."""
        op = self.op
        params = narrow(op.hw_params, FixedVectorValueSelectParams)
        lanes = Lanes.of(
            m, self, min(params.max_payload_bits, *op.ports.inputs[1:], *op.ports.outputs)
        )
        condition, chosen, other = stages.operands
        return Cat(
            Mux(bit, chosen[at : at + lanes.step], other[at : at + lanes.step])
            for at, bit in zip(lanes.steps, lanes.spread(condition), strict=True)
        )


PROVIDERS = {
    F.FIXED_VECTOR_INTEGER_LOGIC: FixedVectorIntegerLogic,
    F.FIXED_VECTOR_VALUE_SELECT: FixedVectorValueSelect,
}
