"""Multiplication by lanes: multipliers of at most 16 by 16 bits, shared by all widths."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.lanes import Lanes
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorIntegerMultiply"]

#: Widest operands of one multiplier.
_LIMB = 16


class FixedVectorIntegerMultiply(StatelessProvider):
    """Low half of the product in every lane.

    Latency 2 registers the products, 3 also their sums, 4 the operands of each multiplier, too.

    A lane of ``2h`` bits is ``a0 b0 + (a1 b0 + a0 b1 << h)``: products of half the width, only
    the first of them in full. Where there are narrower lanes, too, ``a0 b0`` is the lower of two,
    and the multipliers of ``a1 b0`` take ``b1`` for the upper one. So the widest element alone
    says how many multipliers there are: 10 for 64 bits, 3 for 32, 1 for 16. A byte in the low half
    of a limb is the limb's own; one in the high half takes a multiplier that is free.

    This is the cheapest arrangement on devices with multiplier blocks: a choice of one operand
    costs a cell for each of its bits, and a byte's product without a block more than twice that of
    its two choices.
    """

    LATENCIES = (1, 2, 3, 4)

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Blocks of the widest element that fits, from the lowest bit up."""
        op = self.op
        params = narrow(op.hw_params, FixedVectorIntegerParams)
        lanes = Lanes.of(m, self, min(params.max_payload_bits, *op.ports.inputs, *op.ports.outputs))
        left, right = stages.operands
        parts: list[Value] = []
        at = 0
        while at < lanes.bits:
            width = max(each for each in lanes.widths if each <= lanes.bits - at)
            block = _Block(m, lanes, stages, f"block_{at}")
            parts.append(block.lanes_of(left[at : at + width], right[at : at + width]))
            at += width
        return Cat(*parts)


@dataclass
class _Multiplier:
    """One product; the operands of one that is free may still become a choice."""

    left: Value
    right: Value
    product: Signal
    is_free: bool


class _Block:
    """The piece of the payload that one widest element fills, in every width."""

    def __init__(self, m: Module, lanes: Lanes, stages: Stages, name: str) -> None:
        self._m = m
        self._lanes = lanes
        self._stages = stages
        self._name = name
        self._multipliers: list[_Multiplier] = []
        self._names = 0

    def lanes_of(self, left: Value, right: Value) -> Value:
        """Products of the lanes of the configured width."""
        bits = len(left)
        if bits <= _LIMB:
            value = self._summed(self._multiply(left, right, is_free=False)[:bits])
        else:
            value = self._low(left, right, is_free=False, is_whole=True)
        if 8 in self._lanes.widths and bits > 8:
            value = self._with_upper_bytes(left, right, value)
        self._build()
        return value

    def _low(self, left: Value, right: Value, *, is_free: bool, is_whole: bool = False) -> Value:
        """Lower half of a product, or, unless ``is_free``, of the narrower ones side by side."""
        bits = len(left)
        if bits <= _LIMB:
            return self._multiply(left, right, is_free=is_free)[:bits]
        half = bits // 2
        is_narrow = None if is_free else self._is_at_most(half)
        factor = right[:half]
        if is_narrow is not None:
            factor = self._wire(Mux(is_narrow, right[half:], factor))
        full = self._full(left[:half], right[:half], is_free=is_free)
        upper = self._wire(self._low(left[half:], factor, is_free=is_free))
        crossed = self._low(left[:half], right[half:], is_free=True)
        sides = (upper + crossed)[:half]
        if is_whole:
            full, sides = self._summed(full), self._summed(sides)
        total = (full[half:] + sides)[:half]
        if is_narrow is None:
            return Cat(full[:half], total)
        return Cat(full[:half], Mux(is_narrow, self._summed(upper) if is_whole else upper, total))

    def _full(self, left: Value, right: Value, *, is_free: bool) -> Value:
        """Whole product; unless ``is_free``, its lower half is that of narrower lanes if needed."""
        bits = len(left)
        if bits <= _LIMB:
            return self._multiply(left, right, is_free=is_free)
        half = bits // 2
        lower = self._multiply(left[:half], right[:half], is_free=is_free)
        upper = self._multiply(left[half:], right[half:], is_free=is_free)
        middle = self._multiply(left[half:], right[:half], is_free=True) + self._multiply(
            left[:half], right[half:], is_free=True
        )
        high = self._wire((Cat(lower[half:], upper) + middle)[: bits + half])
        is_narrow = None if is_free else self._is_at_most(half)
        if is_narrow is None:
            return Cat(lower[:half], high)
        return Cat(lower[:half], Mux(is_narrow, upper[:half], high[:half]), high[half:])

    def _with_upper_bytes(self, left: Value, right: Value, limbs: Value) -> Value:
        """Replace the upper byte of each limb by its own product where bytes are configured."""
        is_byte = self._lanes.is_at_most(8)
        free = [each for each in self._multipliers if each.is_free]
        parts: list[Value] = []
        for at in range(0, len(limbs), _LIMB):
            high = slice(at + 8, at + _LIMB)
            if free:
                chosen = free.pop(0)
                for name, byte in (("left", left[high]), ("right", right[high])):
                    usual = getattr(chosen, name)
                    setattr(chosen, name, Cat(Mux(is_byte, byte, usual[:8]), usual[8:]))
                product = chosen.product
            else:
                product = self._multiply(left[high], right[high], is_free=False)
            parts += [limbs[at : at + 8], Mux(is_byte, self._summed(product[:8]), limbs[high])]
        return Cat(*parts)

    def _multiply(self, left: Value, right: Value, *, is_free: bool) -> Signal:
        name = f"{self._name}_product_{len(self._multipliers)}"
        product = Signal(len(left) + len(right), name=name)
        self._multipliers.append(_Multiplier(left, right, product, is_free))
        return product

    def _build(self) -> None:
        """Drive the products, from registers where there are stages for them."""
        stages = self._stages
        for each in self._multipliers:
            left, right, name = each.left, each.right, each.product.name
            if stages.latency > 3:
                left = stages.register(1, left, f"{name}_left")
                right = stages.register(1, right, f"{name}_right")
            value = left * right
            if stages.latency > 1:
                # Sums, if they have a stage of their own, have the last one.
                stage = max(stages.latency - 2, 1)
                value = stages.register(stage, value, f"{name}_held")
            self._m.d.comb += each.product.eq(value)

    def _summed(self, value: Value) -> Value:
        """The value behind the stage of the sums, if there is one."""
        if self._stages.latency < 3:
            return self._wire(value)
        return self._stages.register(self._stages.latency - 1, value, self._next_name())

    def _is_at_most(self, bits: int) -> Value | None:
        """Whether the configured lanes have at most ``bits`` bits, if any have."""
        below = [width for width in self._lanes.widths if width <= bits]
        return self._lanes.is_at_most(below[-1]) if below else None

    def _wire(self, value: Value) -> Signal:
        return named(self._m, value, self._next_name())

    def _next_name(self) -> str:
        self._names += 1
        return f"{self._name}_term_{self._names}"


PROVIDERS = {F.FIXED_VECTOR_INTEGER_MULTIPLY: FixedVectorIntegerMultiply}
