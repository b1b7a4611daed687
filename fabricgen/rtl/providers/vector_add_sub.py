"""Addition and subtraction by lanes, modular and saturating: one adder each."""

from amaranth.hdl import Cat, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.rtl.providers.lanes import Lanes, add_by_lanes, wire
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorIntegerAddSub", "FixedVectorIntegerSaturatingAddSub"]


class FixedVectorIntegerAddSub(StatelessProvider):
    """``a + b`` or ``a - b`` modulo the element width in every lane: ``a + (b ^ s) + s``.

    One adder serves all widths: where a lane begins, its carry is replaced by ``s``.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """The adder with an inverted second operand for a subtraction."""
        lanes = Lanes(m, self, _payload_bits(self))
        subtracts = wire(m, self.is_configured(lambda key: key.role == "Sub"), "subtracts")
        left, right = (operand[: lanes.bits] for operand in stages.operands)
        right = right ^ subtracts.replicate(lanes.bits)
        return add_by_lanes(m, lanes, left, right, subtracts)[0]


class FixedVectorIntegerSaturatingAddSub(StatelessProvider):
    """``a + b`` or ``a - b`` in every lane, held at the ends of the signed or unsigned range."""

    def datapath(self, m: Module, stages: Stages) -> Value:
        """The adder; per lane an overflow and the bit that then fills it, up to its top bit."""
        lanes = Lanes(m, self, _payload_bits(self))
        is_sub = self.is_configured(lambda key: key.role.endswith("Sub"))
        subtracts = wire(m, is_sub, "subtracts")
        is_signed = self.is_configured(lambda key: key.role.startswith("Signed"))
        signed = wire(m, is_signed, "is_signed")
        left, right = (operand[: lanes.bits] for operand in stages.operands)
        right = wire(m, right ^ subtracts.replicate(lanes.bits), "second_term")
        total, carries = add_by_lanes(m, lanes, left, right, subtracts)

        # Told at the top of each step, of which the lane's last one counts.
        tops = [at + lanes.step - 1 for at in lanes.steps]
        overflows = lanes.from_last(
            [
                Mux(signed, ~(left[top] ^ right[top]) & (total[top] ^ left[top]), carry ^ subtracts)
                for top, carry in zip(tops, carries, strict=True)
            ],
            "overflows",
        )
        # A signed sum that overflows has the wrong sign, which is the right bit below the top.
        fills = lanes.from_last([Mux(signed, total[top], ~subtracts) for top in tops], "fill")
        parts = []
        for top, overflow, fill in zip(tops, overflows, fills, strict=True):
            low = top - lanes.step + 1
            is_sign = signed & (lanes.cut(top + 1) if top + 1 < lanes.bits else 1)
            parts += [
                Mux(overflow, fill.replicate(lanes.step - 1), total[low:top]),
                Mux(overflow, fill ^ is_sign, total[top]),
            ]
        return Cat(*parts)


def _payload_bits(provider: StatelessProvider) -> int:
    op = provider.op
    params = narrow(op.hw_params, FixedVectorIntegerParams)
    return min(params.max_payload_bits, *op.ports.inputs, *op.ports.outputs)


PROVIDERS = {
    F.FIXED_VECTOR_INTEGER_ADD_SUB: FixedVectorIntegerAddSub,
    F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB: FixedVectorIntegerSaturatingAddSub,
}
