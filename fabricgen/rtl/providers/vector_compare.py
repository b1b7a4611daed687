"""Comparison, minimum and maximum by lanes: one subtractor."""

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.keys import BehaviorKey
from fabricgen.hsg.vector_params import FixedVectorIntegerCompareMinMaxParams
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.providers.lanes import Lanes, add_by_lanes, wire
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import IntegerPredicate as P

__all__ = ["PROVIDERS", "FixedVectorIntegerCompareMinMax"]

_EQUALITIES = (P.EQ, P.NE)
_SIGNED = (P.SLT, P.SLE, P.SGT, P.SGE)
#: Less, unless the borrow is that of ``a - b - 1``: then less or equal.
_OR_EQUAL = (P.SLE, P.SGT, P.ULE, P.UGT)
#: What the answer is turned round for.
_INVERTED = (P.NE, P.SGE, P.SGT, P.UGE, P.UGT)


class FixedVectorIntegerCompareMinMax(StatelessProvider):
    """Relation of two lanes as bit *k* of the result for lane *k*, or the smaller or larger lane.

    The carry of ``a + ~b + 1`` says that *a* is not less, that of ``a + ~b`` that it is greater.
    The bits of a comparison above its lanes are zero.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """The subtractor, one flag per lane, and what the flag chooses."""
        op = self.op
        params = narrow(op.hw_params, FixedVectorIntegerCompareMinMaxParams)
        lanes = Lanes(m, self, min(params.max_payload_bits, *op.ports.inputs))
        left, right = (operand[: lanes.bits] for operand in stages.operands)
        carry = wire(m, self.is_configured(lambda key: key.predicate not in _OR_EQUAL), "carry")
        difference, carries = add_by_lanes(m, lanes, left, right, carry, inverts=True)
        less = self._less(m, lanes, left, right, carries)
        equal = self._equal(m, lanes, difference)
        tests_equal = wire(m, self.is_configured(_is_equality), "tests_equality")
        inverted = wire(m, self.is_configured(_is_inverted), "is_inverted")
        flags = [
            wire(m, Mux(tests_equal, same, below) ^ inverted, f"flag_{at}")
            for at, (same, below) in enumerate(zip(equal, less, strict=True))
        ]
        compares = wire(m, self.is_configured(_is_compare), "compares")
        takes_left = lanes.from_last(flags, "takes_left")
        chosen = Cat(
            Mux(bit, left[at : at + lanes.step], right[at : at + lanes.step])
            for at, bit in zip(lanes.steps, takes_left, strict=True)
        )
        return Mux(compares, lanes.dense(flags), chosen)

    def _less(
        self, m: Module, lanes: Lanes, left: Value, right: Value, carries: list[Value]
    ) -> list[Value]:
        """Per step: *a* is less, or, with a borrow, not greater than *b*, if a lane ends here."""
        signed = wire(m, self.is_configured(_is_signed), "is_signed")
        tops = [at + lanes.step - 1 for at in lanes.steps]
        return [
            ~carry ^ (signed & (left[top] ^ right[top]))
            for top, carry in zip(tops, carries, strict=True)
        ]

    def _equal(self, m: Module, lanes: Lanes, difference: Value) -> list[Value]:
        """Per step: the lane that ends here has no difference; zeros where nothing asks for it."""
        if not any(_is_equality(key) for key in self.behaviors):
            return [Const(0, 1) for _ in lanes.steps]
        pieces: list[Value] = [difference[at : at + lanes.step].any() for at in lanes.steps]
        differs: dict[int, list[Value]] = {}
        size = lanes.step
        for width in lanes.widths:
            groups = [
                pieces[at : at + width // size] for at in range(0, len(pieces), width // size)
            ]
            pieces = [
                wire(m, any_bit(group), f"differs_{width}_{at}") for at, group in enumerate(groups)
            ]
            differs[width], size = pieces, width
        return [
            ~lanes.by_width(
                {
                    width: differs[width][at // width]
                    for width in lanes.widths
                    if (at + lanes.step) % width == 0
                }
            )
            for at in lanes.steps
        ]


def _is_compare(key: BehaviorKey) -> bool:
    return key.role == "Compare"


def _is_equality(key: BehaviorKey) -> bool:
    return key.predicate in _EQUALITIES


def _is_signed(key: BehaviorKey) -> bool:
    return key.predicate in _SIGNED or key.role in ("SignedMin", "SignedMax")


def _is_inverted(key: BehaviorKey) -> bool:
    return key.predicate in _INVERTED or key.role in ("SignedMax", "UnsignedMax")


PROVIDERS = {F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX: FixedVectorIntegerCompareMinMax}
