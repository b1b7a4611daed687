"""Leading and trailing zeros by lanes: one tree, from whose levels the lanes take their counts."""

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.lanes import Lanes
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorIntegerCountZeros"]


class FixedVectorIntegerCountZeros(StatelessProvider):
    """Zeros of every lane above its highest one, or below its lowest; its width for zero."""

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Counts of 2, 4, 8 .. bits; a wider element takes its count from a higher level."""
        op = self.op
        params = narrow(op.hw_params, FixedVectorIntegerParams)
        lanes = Lanes.of(m, self, min(params.max_payload_bits, *op.ports.inputs, *op.ports.outputs))
        is_leading = self.is_configured(lambda key: key.role == "Leading")
        leading = named(m, is_leading, "is_leading")
        counts = self._tree(m, stages.operands[0][: lanes.bits], leading, lanes.widths[-1])
        return Cat(
            self._step(lanes, [counts[width.bit_length() - 1] for width in lanes.widths], at)
            for at in lanes.steps
        )

    @staticmethod
    def _step(lanes: Lanes, counts: list[list[Value]], at: int) -> Value:
        """One step of the result: the count of a lane that begins here, else zeros."""
        own = {
            width: level[at // width]
            for width, level in zip(lanes.widths, counts, strict=True)
            if at % width == 0 and at // width < len(level)
        }
        value = lanes.by_width(own)
        return Cat(value, Const(0, lanes.step - len(value)))

    @staticmethod
    def _tree(m: Module, vector: Value, leading: Value, widest: int) -> list[list[Value]]:
        """Per level, the count of each piece of 1, 2, 4 .. bits; its top bit says all are zero."""
        levels: list[list[Value]] = [[~bit for bit in vector]]
        while 1 << len(levels) <= widest:
            below = levels[-1]
            pairs = zip(below[::2], below[1::2], strict=False)
            name = f"zeros_in_{1 << len(levels)}"
            levels.append(
                [
                    named(m, _joined(low, high, leading), f"{name}_{at}")
                    for at, (low, high) in enumerate(pairs)
                ]
            )
        return levels


def _joined(low: Value, high: Value, leading: Value) -> Value:
    """Count of two pieces: that of the first, or of the second behind a first of zeros."""
    first_zero = Mux(leading, high[-1], low[-1])
    all_zero = low[-1] & high[-1]
    # Of a piece of zeros, the bits below the top are zero, too.
    takes_high = Mux(leading, ~high[-1], low[-1])
    return Cat(Mux(takes_high, high[:-1], low[:-1]), first_zero & ~all_zero, all_zero)


PROVIDERS = {F.FIXED_VECTOR_INTEGER_COUNT_ZEROS: FixedVectorIntegerCountZeros}
