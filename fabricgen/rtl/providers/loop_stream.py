"""Stream of integers with its phases."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.token_params import LoopStreamParams
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.providers.datapath_compare import Comparison
from fabricgen.rtl.providers.fork import publish
from fabricgen.rtl.providers.frame import drive
from fabricgen.rtl.providers.stream_step import StreamStep, step_intervals
from fabricgen.rtl.providers.timed import TimedProvider
from fabricgen.rtl.providers.widths import active_widths, widest
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import StreamStepKind

__all__ = ["PROVIDERS", "LoopStream"]


class LoopStream(TimedProvider):
    """Init, then one step after the other, for as long as the predicate holds against the limit.

    Operands: init, limit, step. Results: value, phase. Idle: takes one token of each operand, in
    any order. Running: while the predicate holds, publishes the value with a phase of 1 and goes
    on to the next one; then publishes a phase of 0 alone and is Idle again.

    A firing is visible one cycle after what it follows: the last operand, or the firing before.
    It ends when both results are taken, and not before ``initiation_interval_cycles``; the next
    operands are taken in the cycle in which the last phase is. The operands' registers are the
    state, and no valid depends on a ready.
    """

    def __init__(self, op: FabricOp) -> None:
        super().__init__(op)
        self.kind = narrow(op.hw_params, LoopStreamParams).fixed_step_kind
        #: Widths that may be configured, ascending.
        self.widths = active_widths(self)

    @classmethod
    def timings(cls, op: FabricOp) -> list[tuple[int, int]]:
        """Intervals that the step of the widest numbers can have."""
        kind = narrow(op.hw_params, LoopStreamParams).fixed_step_kind
        return [(1, interval) for interval in step_intervals(kind, widest(op))]

    def elaborate(self, platform: object) -> Module:
        """Three registers, a comparison and a step."""
        m = Module()
        result, phase = self.outputs
        full = [Signal(name=f"full_{name}") for name in ("init", "limit", "step")]
        value, limit, step = (
            Signal(self.widths[-1], name=name, reset_less=True)
            for name in ("value", "limit", "step")
        )
        runs = Signal()
        goes_on = Signal()
        closes = Signal()
        leaves = Signal()
        following = StreamStep(
            m,
            self,
            self.kind,
            self.op.timing.initiation_interval_cycles,
            value=self.seen(value),
            step=self.seen(step),
            runs=runs,
            leaves=leaves,
        )

        m.d.comb += [
            runs.eq(Cat(*full).all()),
            goes_on.eq(self.holds(m, value, limit)),
            leaves.eq(
                publish(
                    m,
                    runs,
                    [(result, goes_on), (phase, Const(1, 1))],
                    may_end=~goes_on | following.is_ready,
                )
            ),
            closes.eq(leaves & ~goes_on),
            self.quiescent.eq(~any_bit(full)),
        ]
        readies: list[Signal] = []
        for there, channel in zip(full, self.inputs, strict=True):
            ready = Signal(name=f"takes_{there.name[5:]}")
            m.d.comb += [ready.eq(~there | closes), channel.ready.eq(ready)]
            m.d.sync += there.eq((channel.valid & ready) | (there & ~closes))
            readies.append(ready)

        init, bound, by = (channel.data for channel in self.inputs)
        # Init is ready only where nothing goes on, so what is taken does not wait for that.
        with m.If(readies[0] | leaves):
            taken = Mux(runs & goes_on, following.following, init[: len(value)])
            m.d.sync += value.eq(self.extended(taken))
        with m.If(readies[1]):
            m.d.sync += limit.eq(self.extended(bound))
        with m.If(readies[2]):
            m.d.sync += step.eq(by)
        drive(m, result, value)
        drive(m, phase, goes_on)
        return m

    def extended(self, value: Value, *, is_signed: bool = False) -> Value:
        """Zeros, or the sign, in the bits above the active width, whatever stands there."""
        parts = [value[: self.widths[0]]]
        signs = [self._has_width(width) & value[width - 1] for width in self.widths]
        for ordinal, end in enumerate(self.widths[1:], 1):
            start = self.widths[ordinal - 1]
            within = self.is_configured(lambda key, end=end: (key.active_bits or 0) >= end)
            above = any_bit(signs[:ordinal]) if is_signed else Const(0, 1)
            parts.append(Mux(within, value[start:end], above.replicate(end - start)))
        return Cat(*parts)

    def seen(self, value: Value) -> Value:
        """An operand as the step wants to see it."""
        wants_sign = self.kind is StreamStepKind.ASHR
        return self.extended(value, is_signed=True) if wants_sign else value

    def holds(self, m: Module, value: Value, limit: Value) -> Value:
        """The configured predicate."""
        return Comparison(m, self, value, limit, is_extended=True).verdict()

    def _has_width(self, width: int) -> Value:
        return self.is_configured(lambda key: key.active_bits == width)


PROVIDERS = {F.LOOP_STREAM: LoopStream}
