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
        return _Sums(m, self, stages).total


class FixedVectorIntegerSaturatingAddSub(StatelessProvider):
    """``a + b`` or ``a - b`` in every lane, held at the ends of the signed or unsigned range."""

    def datapath(self, m: Module, stages: Stages) -> Value:
        """The adder; per lane an overflow and the bit that then fills it, up to its top bit."""
        sums = _Sums(m, self, stages)
        lanes, total = sums.lanes, sums.total
        is_signed = self.is_configured(lambda key: key.role.startswith("Signed"))
        signed = wire(m, is_signed, "is_signed")
        # Told at the top of each step, of which the lane's last one counts.
        tops = [at + lanes.step - 1 for at in lanes.steps]
        overflows = lanes.from_last(
            [
                Mux(
                    signed,
                    ~(sums.left[top] ^ sums.right[top]) & (total[top] ^ sums.left[top]),
                    carry ^ sums.subtracts,
                )
                for top, carry in zip(tops, sums.carries, strict=True)
            ],
            "overflows",
        )
        # A signed sum that overflows has the wrong sign, which is the right bit below the top.
        fills = lanes.from_last([Mux(signed, total[top], ~sums.subtracts) for top in tops], "fill")
        parts = []
        for top, overflow, fill in zip(tops, overflows, fills, strict=True):
            low = top - lanes.step + 1
            is_sign = signed & (lanes.cut(top + 1) if top + 1 < lanes.bits else 1)
            parts += [
                Mux(overflow, fill.replicate(lanes.step - 1), total[low:top]),
                Mux(overflow, fill ^ is_sign, total[top]),
            ]
        return Cat(*parts)


class _Sums:
    """``left + right`` by lanes, where ``right`` is the second operand or its inverse."""

    def __init__(self, m: Module, provider: StatelessProvider, stages: Stages) -> None:
        op = provider.op
        params = narrow(op.hw_params, FixedVectorIntegerParams)
        room = min(params.max_payload_bits, *op.ports.inputs, *op.ports.outputs)
        self.lanes = Lanes(m, provider, room)
        is_sub = provider.is_configured(lambda key: key.role.endswith("Sub"))
        self.subtracts = wire(m, is_sub, "subtracts")
        self.left, second = (operand[: self.lanes.bits] for operand in stages.operands)
        inverts = all(key.role.endswith("Sub") for key in provider.behaviors)
        if inverts:
            self.right: Value = ~second
        else:
            second = wire(m, second ^ self.subtracts.replicate(self.lanes.bits), "second_term")
            self.right = second
        self.total, self.carries = add_by_lanes(
            m, self.lanes, self.left, second, self.subtracts, inverts=inverts
        )


PROVIDERS = {
    F.FIXED_VECTOR_INTEGER_ADD_SUB: FixedVectorIntegerAddSub,
    F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB: FixedVectorIntegerSaturatingAddSub,
}
