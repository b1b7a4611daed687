"""Quotient and remainder of scalar integers: one restoring divider, in space or in time."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value

from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.datapath_divide import (
    DivisionLoop,
    division_operands,
    division_result,
    division_step,
)
from fabricgen.rtl.providers.slots import OperandSlots
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.timed import TimedProvider
from fabricgen.rtl.providers.widths import active_widths, segments, widest, within
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "ScalarSignedIntegerDivRem", "ScalarUnsignedIntegerDivRem"]


class _IntegerDivRem(TimedProvider):
    """One bit of the quotient each cycle, from the highest on.

    A resource whose widest integer has w bits has a latency of w + 1 cycles, and of w + 2 where
    numbers have signs, which are taken off first; narrower integers take as long. With an
    initiation interval of 1 each bit has a stage of its own; with one of the latency there is one
    step, used w times.

    By zero, the quotient is all ones and the remainder the dividend; the least number by -1 gives
    itself and 0. Bits of the operands above the active width are ignored, and zero in the result.
    """

    SIGNED: bool

    @classmethod
    def timings(cls, op: FabricOp) -> Sequence[tuple[int, int]]:
        """The latency of the width, fully pipelined or one firing at a time."""
        latency = widest(op) + 1 + cls.SIGNED
        return [(latency, 1), (latency, latency)]

    def elaborate(self, platform: object) -> Module:
        """The divider in the shape that the initiation interval asks for."""
        m = Module()
        if self.op.timing.initiation_interval_cycles == 1:
            self._pipeline(m)
        else:
            self._iterate(m)
        return m

    def _pipeline(self, m: Module) -> None:
        """A stage for each bit; the remainder grows by one bit in each."""
        width = widest(self.op)
        (result,) = self.outputs
        stages = Stages(m, self.inputs, result, latency=self.op.timing.latency_cycles)
        dividend, addend, signs = self._operands(m, stages.operands)
        remainder: Value = Const(0, 0)
        stage = 0

        def advance() -> None:
            nonlocal dividend, addend, signs, remainder, stage
            stage += 1
            dividend = stages.register(stage, dividend, f"dividend_{stage}")
            addend = stages.register(stage, addend, f"addend_{stage}")
            if len(signs):
                signs = stages.register(stage, signs, f"signs_{stage}")
            if len(remainder):
                remainder = stages.register(stage, remainder, f"remainder_{stage}")

        if self.SIGNED:
            advance()
        for bit in range(width):
            remainder, fits = division_step(m, remainder, dividend[-1], addend, signs, f"{bit}")
            remainder = remainder[: bit + 1]
            dividend = Cat(fits, dividend[:-1])
            advance()
        value = self._result(m, dividend, remainder, signs)
        m.d.comb += [result.data.eq(value), self.quiescent.eq(stages.empty)]

    def _iterate(self, m: Module) -> None:
        """One step, used once for each bit; the operands stay in their slots until the result
        is taken.
        """
        (result,) = self.outputs
        last = self.op.timing.latency_cycles - 1
        turn = Signal(range(last + 1))
        ends = named(m, turn == last, "is_last")
        first = named(m, turn == 0, "is_first")
        leaves = named(m, ends & result.ready, "leaves")
        slots = OperandSlots(m, self.inputs, leaves)
        works = named(m, slots.full & ~ends, "works")
        dividend, addend, signs = self._operands(m, slots.operands)
        loop = DivisionLoop(
            m,
            dividend,
            addend,
            signs,
            first=first,
            works=works,
            clears=leaves,
            loads=self.SIGNED,
        )
        with m.If(works):
            m.d.sync += turn.eq(turn + 1)
        with m.If(leaves):
            m.d.sync += turn.eq(0)
        value = self._result(m, loop.quotient, loop.remainder, signs)
        m.d.comb += [
            result.valid.eq(ends),
            result.data.eq(value),
            self.quiescent.eq(slots.empty),
        ]

    def _operands(self, m: Module, operands: Sequence[Value]) -> tuple[Value, Value, Value]:
        width = widest(self.op)
        cut = [operand[:width] for operand in operands]
        return division_operands(m, self, cut, is_signed=self.SIGNED)

    def _result(self, m: Module, quotient: Value, remainder: Value, signs: Value) -> Value:
        """Zeros above the active width."""
        result = division_result(m, self, quotient, remainder, signs)
        return Cat(
            result[start:stop] & within(self, start).replicate(stop - start)
            for start, stop in segments(active_widths(self), len(result))
        )


class ScalarSignedIntegerDivRem(_IntegerDivRem):
    """Quotient toward zero, and the remainder with the sign of the dividend."""

    SIGNED = True


class ScalarUnsignedIntegerDivRem(_IntegerDivRem):
    """Quotient and remainder of unsigned numbers."""

    SIGNED = False


PROVIDERS = {
    F.SCALAR_SIGNED_INTEGER_DIV_REM: ScalarSignedIntegerDivRem,
    F.SCALAR_UNSIGNED_INTEGER_DIV_REM: ScalarUnsignedIntegerDivRem,
}
