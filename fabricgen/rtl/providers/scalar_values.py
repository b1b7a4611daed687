"""Scalars that are passed on: selected, reinterpreted, or cast to another integer width."""

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.keys import BehaviorKey
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.rtl.providers.widths import segments, widest
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "ScalarBitReinterpret", "ScalarIntegerCast", "ScalarValueSelect"]


class ScalarValueSelect(StatelessProvider):
    """The second operand where bit 0 of the first is set, else the third; all are consumed."""

    def datapath(self, m: Module, stages: Stages) -> Value:
        """One choice for each bit."""
        width = widest(self.op)
        condition, if_true, if_false = stages.operands
        return Mux(condition[0], if_true[:width], if_false[:width])


class ScalarBitReinterpret(StatelessProvider):
    """The operand's bits, up to the widest admitted width."""

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Wires."""
        (operand,) = stages.operands
        return operand[: widest(self.op)]


class ScalarIntegerCast(StatelessProvider):
    """Extension by zeros or the sign, truncation, or the same width.

    Bits of the operand above the source width are ignored, result bits above the result width
    are zero.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Each piece that no width divides is kept, or filled with the sign, or with zeros."""
        (operand,) = stages.operands
        width = widest(self.op)
        operand = Cat(operand, Const(0, max(0, width - len(operand))))
        ends = {end for key in self.behaviors for end in _ends(key)}
        sign = self._sign(operand)
        parts: list[Value] = []
        for start, end in segments(sorted(ends), width):
            count = end - start
            keeps = self.is_configured(lambda key, at=start: at < min(_ends(key)))
            fills = self.is_configured(lambda key, at=start: _fills(key, at))
            kept = operand[start:end] & keeps.replicate(count)
            parts.append(kept | (fills & sign).replicate(count))
        return Cat(*parts)

    def _sign(self, operand: Value) -> Value:
        """Top bit of the source of a sign extension."""
        sources = sorted({_ends(key)[0] for key in self.behaviors if key.role == "SignExtend"})
        signs = [
            self.is_configured(lambda key, source=source: _ends(key)[0] == source)
            & operand[source - 1]
            for source in sources
        ]
        return Cat(*signs).any()


def _fills(key: BehaviorKey, bit: int) -> bool:
    """A result bit is a copy of the sign."""
    source, result = _ends(key)
    return key.role == "SignExtend" and source <= bit < result


def _ends(key: BehaviorKey) -> tuple[int, int]:
    """Source and result width of a cast."""
    return key.source_bits or 0, key.result_bits or 0


PROVIDERS = {
    F.SCALAR_VALUE_SELECT: ScalarValueSelect,
    F.SCALAR_BIT_REINTERPRET: ScalarBitReinterpret,
    F.SCALAR_INTEGER_CAST: ScalarIntegerCast,
}
