"""Shifts by lanes: one shifter to the right, in which left shifts run backwards."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.frame import payload
from fabricgen.rtl.providers.lanes import Lanes
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorIntegerShift"]


class FixedVectorIntegerShift(StatelessProvider):
    """Shift of every lane by the amount in the same lane, modulo its width.

    An amount of the width or more is poison. A left shift reverses the whole vector in front of
    its slot and behind the shifter, and the order of the amounts. A negative lane of an arithmetic
    shift is inverted before and behind the shifter, so that zeros enter all lanes.

    Latency 2 holds the vector behind the longer half of the distances.
    """

    LATENCIES = (1, 2)

    def __init__(self, op: FabricOp) -> None:
        super().__init__(op)
        params = narrow(op.hw_params, FixedVectorIntegerParams)
        self._payload_bits = min(params.max_payload_bits, *op.ports.inputs, *op.ports.outputs)

    def held_operands(self, m: Module) -> list[Value]:
        """The vector, reversed for a left shift, and the amounts as they are."""
        lanes = Lanes.of(m, self, self._payload_bits)
        value, amounts = map(payload, self.inputs)
        # Reversed lanes lie on lanes where all of the widest fit.
        room = -(-lanes.bits // lanes.widths[-1]) * lanes.widths[-1]
        value = Cat(value[: lanes.bits], Const(0, room - lanes.bits))
        return [Mux(self._reverses(), value[::-1], value), amounts[: lanes.bits]]

    def datapath(self, m: Module, stages: Stages) -> Value:
        """A stage of choices for each bit of an amount; the longest distance comes first."""
        lanes = Lanes.of(m, self, self._payload_bits)
        value, amounts = stages.operands
        signs: Value = named(m, Cat(self._signs(m, lanes, value)), "signs")
        inverted = Cat(sign.replicate(lanes.step) for sign in signs)
        value = named(m, value ^ inverted, "inverted")
        distances = [1 << at for at in reversed(range((lanes.widths[-1] - 1).bit_length()))]
        second = (len(distances) + 1) // 2 if stages.latency > 1 else len(distances)
        for distance in distances[:second]:
            selects = self._selects(m, lanes, amounts, distance, len(value))
            value = _moved(m, lanes, value, distance, list(selects))
        later = [self._selects(m, lanes, amounts, each, len(value)) for each in distances[second:]]
        if stages.latency > 1:
            value = stages.register(1, value, "half_shifted")
            signs = stages.register(1, signs, "signs_held")
        for distance, selects in zip(distances[second:], later, strict=True):
            held = stages.register(1, selects, f"shifts_by_{distance}_held")
            value = _moved(m, lanes, value, distance, list(held))
        value = named(m, Mux(self._reverses(), value[::-1], value), "in_order")
        return Cat(
            value[at : at + lanes.step] ^ sign.replicate(lanes.step)
            for at, sign in zip(lanes.steps, signs, strict=False)
        )

    def _reverses(self) -> Value:
        return self.is_configured(lambda key: key.role == "Left")

    def _signs(self, m: Module, lanes: Lanes, held: Value) -> list[Value]:
        """Per step, whether its lane is inverted: a negative one in an arithmetic shift."""
        is_signed = self.is_configured(lambda key: key.role == "ArithmeticRight")
        signed = named(m, is_signed, "is_signed")
        signs = [held[at + lanes.step - 1] & signed for at in lanes.steps]
        absent = [Const(0, 1)] * ((len(held) - lanes.bits) // lanes.step)
        return lanes.from_last(signs, "sign") + absent

    def _selects(self, m: Module, lanes: Lanes, amounts: Value, distance: int, room: int) -> Value:
        """Per narrowest lane wider than ``distance``, whether the shifter moves it so far.

        Lanes that are no wider than the distance never are.
        """
        widths = [width for width in lanes.widths if width > distance]
        bit = distance.bit_length() - 1
        chosen: list[Value] = []
        for at in range(0, room, widths[0]):
            moves = lanes.by_width(
                {
                    width: amounts[at // width * width + bit]
                    for width in widths
                    if at // width * width < lanes.bits
                }
            )
            chosen.append(named(m, moves, f"lane_at_{at}_moves_by_{distance}"))
        turned = Mux(self._reverses(), Cat(chosen[::-1]), Cat(chosen))
        return named(m, turned, f"shifts_by_{distance}")


def _moved(m: Module, lanes: Lanes, value: Value, distance: int, selects: Sequence[Value]) -> Value:
    """Each step of ``value``, or what lies ``distance`` above it in its lane, or else zeros."""
    step, parts = lanes.step, []
    count = min(distance, step)
    above = Cat(value, Const(0, distance))
    for low in range(0, len(value), step):
        # The upper bits, all in a long shift, come from above this step, if from its lane.
        split, high = low + step - count, low + step
        select = selects[low * len(selects) // len(value)]
        inner = value[low:split]
        ends = [width for width in lanes.widths if width > distance > width - 1 - split % width]
        enters = select & ~lanes.is_at_most(ends[-1]) if ends else select
        parts += [
            Mux(select, value[low + distance : split + distance], inner),
            (value[split:high] & (~select).replicate(count))
            | (above[split + distance : high + distance] & enters.replicate(count)),
        ]
    return named(m, Cat(*parts), f"shifted_by_{distance}")


PROVIDERS = {F.FIXED_VECTOR_INTEGER_SHIFT: FixedVectorIntegerShift}
