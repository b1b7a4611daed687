"""Carry, invariant and gate: combinational from operands to results, one bit of state.

A transition happens when its operands are offered and all of its results can be taken; before
that it takes nothing and changes nothing. Ready of an operand never depends on its own valid. A
transition of two results shows them valid only when both can be taken. No queue stands anywhere,
so what is offered while the state is the initial one makes a component not quiescent.
"""

from amaranth.hdl import Module, Mux, Signal

from fabricgen.rtl.providers.frame import drive, payload
from fabricgen.rtl.providers.timed import TimedProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "LoopCarry", "LoopGate", "LoopInvariant"]


class LoopCarry(TimedProvider):
    """The first value of a loop, then the next ones for as long as the phase says so.

    Init: takes and forwards ``init`` alone. Carry: a phase of 1 takes and forwards ``next``; a
    phase of 0 is taken alone, publishes nothing and leads back to Init. Operands: phase, init,
    next.
    """

    LATENCIES = (0,)

    def elaborate(self, platform: object) -> Module:
        """One bit of state and a multiplexer."""
        m = Module()
        phase, first, following = self.inputs
        (result,) = self.outputs

        carrying = Signal()
        goes_on = phase.data[0]
        with m.If(carrying):
            m.d.sync += carrying.eq(~(phase.valid & ~goes_on))
        with m.Else():
            m.d.sync += carrying.eq(first.valid & result.ready)

        m.d.comb += [
            first.ready.eq(~carrying & result.ready),
            phase.ready.eq(carrying & (~goes_on | (following.valid & result.ready))),
            following.ready.eq(carrying & phase.valid & goes_on & result.ready),
            result.valid.eq(Mux(carrying, phase.valid & goes_on & following.valid, first.valid)),
            self.quiescent.eq(~carrying & ~first.valid),
        ]
        bits = min(map(len, (payload(first), payload(following), payload(result))))
        drive(m, result, Mux(carrying, payload(following)[:bits], payload(first)[:bits]))
        return m


class LoopInvariant(TimedProvider):
    """One value, again for as long as the condition says so.

    Init: takes, keeps and forwards ``init`` alone. Running: a condition of 1 publishes the value
    again; a condition of 0 publishes nothing and leads back to Init. Operands: condition, init.
    """

    LATENCIES = (0,)

    def elaborate(self, platform: object) -> Module:
        """One bit of state, the value, and a multiplexer."""
        m = Module()
        condition, first = self.inputs
        (result,) = self.outputs

        running = Signal()
        goes_on = condition.data[0]
        with m.If(running):
            m.d.sync += running.eq(~(condition.valid & ~goes_on))
        with m.Else():
            m.d.sync += running.eq(first.valid & result.ready)

        m.d.comb += [
            first.ready.eq(~running & result.ready),
            condition.ready.eq(running & (~goes_on | result.ready)),
            result.valid.eq(Mux(running, condition.valid & goes_on, first.valid)),
            self.quiescent.eq(~running & ~first.valid),
        ]
        bits = min(len(payload(first)), len(payload(result)))
        if bits:
            # Before it runs it may keep what is not offered: nobody looks at it.
            value = Signal(bits, reset_less=True)
            with m.If(~running):
                m.d.sync += value.eq(first.data)
            drive(m, result, Mux(running, value, first.data[:bits]))
        return m


class LoopGate(TimedProvider):
    """Values whose condition is 1, and the conditions behind the first one of a group.

    Both operands are always taken together. Init: 0 publishes nothing, 1 the value and leads to
    Continue. Continue: 1 publishes condition and value, 0 the condition alone and leads back to
    Init. Operands and results: condition, value.
    """

    LATENCIES = (0,)

    def elaborate(self, platform: object) -> Module:
        """One bit of state; a result waits for the other one where both are published."""
        m = Module()
        condition, value = self.inputs
        after, passed = self.outputs

        continuing = Signal()
        opens = condition.data[0]
        offered = condition.valid & value.valid
        accepts = Signal()
        m.d.comb += accepts.eq((after.ready | ~continuing) & (passed.ready | ~opens))
        with m.If(offered & accepts):
            m.d.sync += continuing.eq(opens)

        # An offer of two results is their transfer; a single one waits for its channel.
        both = continuing & opens
        m.d.comb += [
            condition.ready.eq(value.valid & accepts),
            value.ready.eq(condition.valid & accepts),
            after.valid.eq(offered & continuing & (accepts | ~both)),
            passed.valid.eq(offered & opens & (accepts | ~both)),
            self.quiescent.eq(~continuing & ~(offered & opens)),
        ]
        drive(m, after, opens)
        drive(m, passed, payload(value))
        return m


PROVIDERS = {
    F.LOOP_CARRY: LoopCarry,
    F.LOOP_INVARIANT: LoopInvariant,
    F.LOOP_GATE: LoopGate,
}
