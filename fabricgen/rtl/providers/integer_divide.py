"""Quotient and remainder of scalar integers: one restoring divider, in space or in time."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.slots import OperandSlots
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.timed import TimedProvider
from fabricgen.rtl.providers.widths import active_widths, choose, segments, widest, within
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
        dividend, addend, signs = self._prepare(m, stages.operands)
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
            remainder, fits = self._step(m, remainder, dividend[-1], addend, signs, f"{bit}")
            remainder = remainder[: bit + 1]
            dividend = Cat(fits, dividend[:-1])
            advance()
        value = self._finish(m, dividend, remainder, signs)
        m.d.comb += [result.data.eq(value), self.quiescent.eq(stages.empty)]

    def _iterate(self, m: Module) -> None:
        """One step, used once for each bit; the operands stay in their slots until the result
        is taken.
        """
        width = widest(self.op)
        (result,) = self.outputs
        last = self.op.timing.latency_cycles - 1
        turn = Signal(range(last + 1))
        ends = named(m, turn == last, "is_last")
        first = named(m, turn == 0, "is_first")
        leaves = named(m, ends & result.ready, "leaves")
        slots = OperandSlots(m, self.inputs, leaves)
        works = named(m, slots.full & ~ends, "works")
        dividend, addend, signs = self._prepare(m, slots.operands)

        # Between firings the remainder is zero, so that the first step needs no choice.
        remainder = Signal(width)
        quotient = Signal(width, reset_less=True)
        head = quotient if self.SIGNED else named(m, Mux(first, dividend, quotient), "head")
        rest, fits = self._step(m, remainder, head[-1], addend, signs, "step")
        shifted = Cat(fits, head[:-1])
        with m.If(works):
            m.d.sync += turn.eq(turn + 1)
            if self.SIGNED:
                m.d.sync += quotient.eq(Mux(first, dividend, shifted))
                with m.If(~first):
                    m.d.sync += remainder.eq(rest)
            else:
                m.d.sync += [quotient.eq(shifted), remainder.eq(rest)]
        with m.If(leaves):
            m.d.sync += [turn.eq(0), remainder.eq(0)]
        value = self._finish(m, quotient, remainder, signs)
        m.d.comb += [
            result.valid.eq(ends),
            result.data.eq(value),
            self.quiescent.eq(slots.empty),
        ]

    def _prepare(self, m: Module, operands: Sequence[Value]) -> tuple[Value, Value, Value]:
        """Magnitude of the dividend, what a step adds for the divisor, and the signs of both."""
        width = widest(self.op)
        widths = active_widths(self)
        left, right = (operand[:width] for operand in operands)
        insides = [
            named(m, within(self, start), f"inside_{start}").replicate(stop - start)
            for start, stop in segments(widths, width)
        ]
        inside = Cat(*insides)
        if not self.SIGNED:
            return left & inside, ~right | ~inside, Const(0, 0)
        signs = Cat(
            *(choose(self, widths, [each[w - 1] for w in widths]) for each in (left, right))
        )
        signs = named(m, signs, "signs")
        flipped = (left ^ signs[0].replicate(width)) & inside
        magnitude = named(m, (flipped + signs[0])[:width], "magnitude")
        # A negative divisor is added as it stands, any other inverted and with a carry.
        addend = (right ^ (~signs[1]).replicate(width)) | ~inside
        return magnitude, named(m, addend, "addend"), signs

    def _step(
        self, m: Module, remainder: Value, bit: Value, addend: Value, signs: Value, name: str
    ) -> tuple[Value, Value]:
        """Append a bit of the dividend to the remainder, and take the divisor off if it fits."""
        width = len(addend)
        carry = ~signs[1] if self.SIGNED else Const(1, 1)
        longer = Cat(bit, remainder)
        total = (longer + Cat(addend, Const(1, 1)))[: width + 2]
        total = named(m, (total + carry)[: width + 2], f"difference_{name}")
        fits = total[width + 1]
        kept = Cat(longer, Const(0, width))[:width]
        return Mux(fits, total[:width], kept), fits

    def _finish(self, m: Module, quotient: Value, remainder: Value, signs: Value) -> Value:
        """The configured one of both, with its sign."""
        width = len(quotient)
        remains = self.is_configured(lambda key: key.role == "Remainder")
        result = Mux(remains, remainder, quotient)
        if self.SIGNED:
            # Only a division by zero, or one whose negation is itself, reaches the top bit.
            differ = (signs[0] ^ signs[1]) & ~quotient[-1]
            negates = named(m, Mux(remains, signs[0], differ), "negates")
            result = named(m, result ^ negates.replicate(width), "magnitude_out")
            result = named(m, (result + negates)[:width], "signed_out")
        return Cat(
            result[start:stop] & within(self, start).replicate(stop - start)
            for start, stop in segments(active_widths(self), width)
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
