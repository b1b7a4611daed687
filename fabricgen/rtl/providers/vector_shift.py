"""Shifts by lanes: one shifter to the right, in which left shifts run backwards."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.rtl.providers.lanes import Lanes, wire
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorIntegerShift"]


class FixedVectorIntegerShift(StatelessProvider):
    """Shift of every lane by the amount in the same lane, modulo its width.

    An amount of the width or more is poison. A left shift reverses the whole vector before and
    behind the shifter, and the order of the amounts.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """A stage of choices for each bit of an amount; what crosses a lane's end is filled."""
        op = self.op
        params = narrow(op.hw_params, FixedVectorIntegerParams)
        lanes = Lanes(m, self, min(params.max_payload_bits, *op.ports.inputs, *op.ports.outputs))
        # Reversed lanes lie on lanes where all of the widest fit.
        room = -(-lanes.bits // lanes.widths[-1]) * lanes.widths[-1]
        reverses = wire(m, self.is_configured(lambda key: key.role == "Left"), "reverses")
        fills = self._fills(m, lanes, stages.operands[0], room)
        amounts = self._amounts(m, lanes, stages.operands[1], room)

        vector = Cat(stages.operands[0][: lanes.bits], Const(0, room - lanes.bits))
        value: Value = wire(m, Mux(reverses, vector[::-1], vector), "shifted_by_0")
        for stage in reversed(range((lanes.widths[-1] - 1).bit_length())):
            chosen = [amount[stage] for amount in amounts]
            selects = [
                wire(m, Mux(reverses, back, ahead), f"shifts_{at * lanes.step}_by_{1 << stage}")
                for at, (ahead, back) in enumerate(zip(chosen, chosen[::-1], strict=True))
            ]
            value = self._stage(m, lanes, value, 1 << stage, selects, fills)
        return Mux(reverses, value[::-1], value)[: lanes.bits]

    def _amounts(self, m: Module, lanes: Lanes, vector: Value, room: int) -> Sequence[Value]:
        """Per step, the amount of its lane; a narrow lane has no high bits of an amount."""
        bits = (lanes.widths[-1] - 1).bit_length()
        used = Cat(
            lanes.by_width({width: Const(1, 1) for width in lanes.widths if width >> stage > 1})
            for stage in range(bits)
        )
        used = wire(m, used, "amount_bits")
        low = [vector[at : at + min(bits, lanes.step)] for at in lanes.steps]
        amounts = lanes.from_first(
            [Cat(each, Const(0, bits - len(each))) for each in low], "amount"
        )
        masked = [wire(m, each & used, f"amount_of_{at}") for at, each in enumerate(amounts)]
        return masked + [Const(0, bits)] * ((room - lanes.bits) // lanes.step)

    def _fills(self, m: Module, lanes: Lanes, vector: Value, room: int) -> Sequence[Value]:
        """Per step, what enters its lane: the lane's sign in an arithmetic shift."""
        is_signed = self.is_configured(lambda key: key.role == "ArithmeticRight")
        signed = wire(m, is_signed, "is_signed")
        signs = [vector[at + lanes.step - 1] & signed for at in lanes.steps]
        fills = lanes.from_last(signs, "fill")
        return fills + [Const(0, 1)] * ((room - lanes.bits) // lanes.step)

    @staticmethod
    def _stage(
        m: Module,
        lanes: Lanes,
        value: Value,
        distance: int,
        selects: Sequence[Value],
        fills: Sequence[Value],
    ) -> Value:
        """Each step of ``value``, or the bits ``distance`` above it where that is selected."""
        step, parts = lanes.step, []
        for ordinal, (select, fill) in enumerate(zip(selects, fills, strict=True)):
            low, high = ordinal * step, (ordinal + 1) * step
            # The upper bits, all in a long shift, come from above this step.
            count = min(distance, step)
            start = high + distance - count
            ends = [
                width
                for width in lanes.widths
                if width > distance and (high - count) % width + distance >= width
            ]
            fill_bits = fill.replicate(count)
            beyond = value[start : start + count] if start + count <= len(value) else fill_bits
            if ends:
                beyond = Mux(lanes.is_at_most(ends[-1]), fill_bits, beyond)
            moved = Cat(value[low + distance : high] if distance < step else Const(0, 0), beyond)
            parts.append(Mux(select, moved, value[low:high]))
        return wire(m, Cat(*parts), f"shifted_by_{distance}")


PROVIDERS = {F.FIXED_VECTOR_INTEGER_SHIFT: FixedVectorIntegerShift}
