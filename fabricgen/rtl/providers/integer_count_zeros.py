"""Leading and trailing zeros of scalar integers: one tree."""

from amaranth.hdl import Cat, Module, Mux, Value

from fabricgen.hsg.keys import BehaviorKey
from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.rtl.providers.widths import active_widths, segments, widest, within
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "ScalarIntegerCountZeros"]


class ScalarIntegerCountZeros(StatelessProvider):
    """Zeros below the lowest one, of the operand or of its bits mirrored.

    A zero counts its active width, also where it is poison. Bits above that width are ignored,
    and zero in the result.
    """

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Mirror, count, and take off what a narrow integer has too much in the mirror."""
        width = widest(self.op)
        lines = self._lines(m, stages.operands[0][:width])
        zero, places = _lowest_one(m, lines, "all")
        counts = [*(place & ~zero for place in places), zero]
        # A mirrored integer of w bits stands above width - w zeros, which end with bit log2(w).
        result = [
            (count & self._keeps(bit))
            | (
                zero
                & self.is_configured(lambda key, n=1 << bit: _leads(key) and key.active_bits == n)
            )
            for bit, count in enumerate(counts)
        ]
        return Cat(*result)

    def _keeps(self, bit: int) -> Value:
        return self.is_configured(lambda key: not _leads(key) or (key.active_bits or 0) > 1 << bit)

    def _lines(self, m: Module, value: Value) -> Value:
        """The bits from the side that is counted, with a one above a narrow integer."""
        width = len(value)
        widths = active_widths(self)
        trailing = named(m, self.is_configured(lambda key: not _leads(key)), "is_trailing")
        leading: list[Value] = []
        for start, stop in segments(widths, width):
            inside = self.is_configured(lambda key: _leads(key)) & within(self, start)
            leading += [named(m, inside, f"mirrors_{start}")] * (stop - start)
        lines: list[Value] = []
        for bit in range(width):
            mirror = width - 1 - bit
            line = (value[bit] & trailing) | (value[mirror] & leading[mirror])
            if bit in widths:
                line |= self.is_configured(
                    lambda key, n=bit: not _leads(key) and key.active_bits == n
                )
            lines.append(line)
        return named(m, Cat(*lines), "lines")


def _leads(key: BehaviorKey) -> bool:
    return key.role == "Leading"


def _lowest_one(m: Module, lines: Value, name: str) -> tuple[Value, list[Value]]:
    """Whether no line is set, and else the place of the lowest, bit by bit."""
    if len(lines) == 1:
        return ~lines, []
    half = len(lines) // 2
    low_zero, low = _lowest_one(m, lines[:half], f"{name}_low")
    high_zero, high = _lowest_one(m, lines[half:], f"{name}_high")
    places = [Mux(low_zero, above, below) for above, below in zip(high, low, strict=True)]
    found = named(m, Cat(low_zero & high_zero, *places, low_zero), f"{name}_{len(lines)}")
    return found[0], list(found[1:])


PROVIDERS = {F.SCALAR_INTEGER_COUNT_ZEROS: ScalarIntegerCountZeros}
