"""Addition and subtraction by lanes, modular and saturating: one adder each."""

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.lanes import Lanes, add_by_lanes
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
    """``a + b`` or ``a - b`` in every lane, held at the ends of the signed or unsigned range.

    A signed ``a`` is taken from its least value on, so that its range starts at zero as that of an
    unsigned one: then the carry of a lane and the sign of what is added tell that the result is
    out of range, and the sign alone at which end.

    Latency 2 holds the sums and what leaves each lane.
    """

    LATENCIES = (1, 2)

    def datapath(self, m: Module, stages: Stages) -> Value:
        """The adder; per lane whether it is beyond its range and the bit that then fills it."""
        is_signed = self.is_configured(lambda key: key.role.startswith("Signed"))
        signed = named(m, is_signed, "is_signed")
        sums = _Sums(m, self, stages, signed)
        lanes, total = sums.lanes, sums.total
        # Told at the top of each step, of which the lane's last one counts.
        tops = [at + lanes.step - 1 for at in lanes.steps]
        falls = Cat(Mux(signed, sums.right[top], sums.subtracts) for top in tops)
        falls = named(m, falls, "falls")
        beyond: Value = Cat(sums.carries) ^ falls
        if stages.latency > 1:
            total = stages.register(1, total, "sums")
            falls = stages.register(1, falls, "falls_held")
            beyond = stages.register(1, beyond, "beyond_held")
        outside = lanes.from_last(list(beyond), "outside")
        fills = lanes.from_last(list(~falls), "fill")
        bits = Cat(
            Mux(is_outside, fill.replicate(lanes.step), total[at : at + lanes.step])
            for at, is_outside, fill in zip(lanes.steps, outside, fills, strict=True)
        )
        return bits ^ sums.signs


class _Sums:
    """``left + right`` by lanes, where ``right`` is the second operand or its inverse.

    Where it is ``signed``, the top bit of every left lane is inverted; ``signs`` tells which
    bits are.
    """

    def __init__(
        self, m: Module, provider: StatelessProvider, stages: Stages, signed: Value | None = None
    ) -> None:
        op = provider.op
        params = narrow(op.hw_params, FixedVectorIntegerParams)
        room = min(params.max_payload_bits, *op.ports.inputs, *op.ports.outputs)
        self.lanes = lanes = Lanes.of(m, provider, room)
        is_sub = provider.is_configured(lambda key: key.role.endswith("Sub"))
        self.subtracts = named(m, is_sub, "subtracts")
        left, second = (operand[: lanes.bits] for operand in stages.operands)
        if signed is not None:
            ends = [at + lanes.step for at in lanes.steps]
            cuts = [lanes.cut(end) if end < lanes.bits else Const(1, 1) for end in ends]
            self.signs = Cat(Cat(Const(0, lanes.step - 1), signed & cut) for cut in cuts)
            left = left ^ self.signs
        inverts = all(key.role.endswith("Sub") for key in provider.behaviors)
        if inverts:
            self.right: Value = ~second
        else:
            second = named(m, second ^ self.subtracts.replicate(lanes.bits), "second_term")
            self.right = second
        self.total, self.carries = add_by_lanes(
            m, lanes, left, second, self.subtracts, inverts=inverts
        )


PROVIDERS = {
    F.FIXED_VECTOR_INTEGER_ADD_SUB: FixedVectorIntegerAddSub,
    F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB: FixedVectorIntegerSaturatingAddSub,
}
