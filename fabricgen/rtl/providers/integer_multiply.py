"""Low product of scalar integers, from the products of limbs that a hardware multiplier takes."""

from functools import reduce
from operator import add

from amaranth.hdl import Cat, Module, Value

from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.rtl.providers.widths import widest
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "ScalarIntegerMultiply"]

#: Bits of a limb: what the multipliers of the target take without a sign.
_LIMB = 18


class ScalarIntegerMultiply(StatelessProvider):
    """``a * b`` modulo the widest admitted width; narrower integers lie in the low bits.

    With a latency of 2 the products of limbs are held before they are added, with one of 3 their
    sums by weight as well.
    """

    LATENCIES = (1, 2, 3)

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Products of limbs, added by weight, then over the weights."""
        width = widest(self.op)
        left, right = (_limbs(operand[:width]) for operand in stages.operands)
        weights = range(len(left))
        columns: list[Value] = []
        for weight in weights:
            room = width - weight * _LIMB
            products: list[Value] = []
            for at in range(weight + 1):
                name = f"product_{at}_{weight - at}"
                product = (left[at] * right[weight - at])[:room]
                products.append(_held(m, stages, 1, product, name))
            total = reduce(add, products)[:room]
            columns.append(_held(m, stages, 2, total, f"column_{weight}"))
        result = columns[0]
        for weight in weights[1:]:
            shift = weight * _LIMB
            upper = (result[shift:] + columns[weight])[: width - shift]
            result = named(m, Cat(result[:shift], upper), f"sum_{weight}")
        return result


def _limbs(value: Value) -> list[Value]:
    """Pieces of a number, the lowest first."""
    return [value[at : at + _LIMB] for at in range(0, len(value), _LIMB)]


def _held(m: Module, stages: Stages, stage: int, value: Value, name: str) -> Value:
    """The value in a later stage, where the latency has it."""
    if stage < stages.latency:
        return stages.register(stage, value, name)
    return named(m, value, name)


PROVIDERS = {F.SCALAR_INTEGER_MULTIPLY: ScalarIntegerMultiply}
