"""Comparison, minimum and maximum by lanes: one subtractor."""

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.keys import BehaviorKey
from fabricgen.hsg.vector_params import FixedVectorIntegerCompareMinMaxParams
from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.datapath_compare import (
    compares_signed,
    is_equality,
    is_inclusive,
    is_opposite,
)
from fabricgen.rtl.providers.lanes import Lanes, add_by_lanes
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorIntegerCompareMinMax"]


class FixedVectorIntegerCompareMinMax(StatelessProvider):
    """Relation of two lanes as bit *k* of the result for lane *k*, or the smaller or larger lane.

    The carry of ``a + ~b + 1`` says that *a* is not less, that of ``a + ~b`` that it is greater.
    Equality is found beside the subtractor, whose sums nobody needs. The bits of a comparison above
    its lanes are zero.

    Latency 2 holds the flags beside the operands.
    """

    LATENCIES = (1, 2)

    def datapath(self, m: Module, stages: Stages) -> Value:
        """The subtractor, one flag per lane, and what the flag chooses."""
        op = self.op
        params = narrow(op.hw_params, FixedVectorIntegerCompareMinMaxParams)
        lanes = Lanes.of(m, self, min(params.max_payload_bits, *op.ports.inputs))
        left, right = (operand[: lanes.bits] for operand in stages.operands)
        flags: Value = Cat(self._flags(m, lanes, left, right))
        if stages.latency > 1:
            flags = stages.register(1, flags, "flags_held")
            left = stages.register(1, left, "left_held")
            right = stages.register(1, right, "right_held")
        compares = named(m, self.is_configured(_is_compare), "compares")
        takes_left = lanes.from_last(list(flags), "takes_left")
        chosen = Cat(
            Mux(bit, left[at : at + lanes.step], right[at : at + lanes.step])
            for at, bit in zip(lanes.steps, takes_left, strict=True)
        )
        return Mux(compares, lanes.dense(list(flags)), chosen)

    def _flags(self, m: Module, lanes: Lanes, left: Value, right: Value) -> list[Value]:
        """Per step, if a lane ends there, whether its relation holds, or *a* is the one to take."""
        carry = named(m, self.is_configured(lambda key: not is_inclusive(key)), "carry")
        _, carries = add_by_lanes(m, lanes, left, right, carry, inverts=True)
        signed = named(m, self.is_configured(compares_signed), "is_signed")
        equates = named(m, self.is_configured(is_equality), "tests_equality")
        inverted = named(m, self.is_configured(_is_inverted), "is_inverted")
        flags: list[Value] = []
        differs = self._differs(m, lanes, left, right)
        for at, carry_out, differ in zip(lanes.steps, carries, differs, strict=True):
            top = at + lanes.step - 1
            # Of opposite signs, the one without a borrow is the other one.
            crosses = named(m, signed & (left[top] ^ right[top]), f"crosses_{at}")
            usual = named(m, ~Mux(equates, differ, crosses) ^ inverted, f"usual_{at}")
            flags.append(named(m, usual ^ (carry_out & ~equates), f"flag_{at}"))
        return flags

    def _differs(self, m: Module, lanes: Lanes, left: Value, right: Value) -> list[Value]:
        """Per step: the lane that ends there differs; zeros where nothing asks for it."""
        if not any(map(is_equality, self.behaviors)):
            return [Const(0, 1) for _ in lanes.steps]
        both = left ^ right
        return lanes.any_of([both[at : at + lanes.step].any() for at in lanes.steps], "differs")


def _is_compare(key: BehaviorKey) -> bool:
    return key.role == "Compare"


def _is_inverted(key: BehaviorKey) -> bool:
    return is_opposite(key) or key.role.endswith("Max")


PROVIDERS = {F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX: FixedVectorIntegerCompareMinMax}
