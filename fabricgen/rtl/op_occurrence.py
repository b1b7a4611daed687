"""One datapath resource of a fabric: its provider behind the hold."""

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.channel import Channel
from fabricgen.rtl.logic import any_bit, named
from fabricgen.rtl.providers.registry import provider

__all__ = ["OpOccurrence"]


class OpOccurrence(wiring.Component):
    """Run the configured behaviour of one resource.

    ``hold`` closes every operand channel. A resource that shows its results in the cycle of their
    operands would take back by that what it offers: while a result has been offered and not been
    taken, its operands stay open, and it is not quiescent.

    Parameters
    ----------
    op
        The resource; ``Unsupported`` for one that has no provider.

    Members
    -------
    configuration : as the provider has it
        Dense ordinal, or the direct carrier; an ordinal above the last one behaves in some defined
        way. May change only while ``quiescent`` behind ``hold``.
    hold : In(1)
        Close the operand channels in this cycle.
    quiescent : Out(1)
        As the provider says of what is inside, and of what it offers.
    in0, in1, ... : In(ChannelShape(width).signature())
        Operands, one channel per physical input.
    out0, out1, ... : Out(ChannelShape(width).signature())
        Results, one channel per physical output.
    """

    configuration: Signal
    hold: Signal
    quiescent: Signal

    def __init__(self, op: FabricOp) -> None:
        self.op = op
        self.provider = provider(op)
        super().__init__({"hold": In(1), **dict(self.provider.signature.members.items())})

    @property
    def inputs(self) -> dict[str, Channel]:
        """Operand channels by name, in port order."""
        count = len(self.op.ports.inputs)
        return {f"in{ordinal}": getattr(self, f"in{ordinal}") for ordinal in range(count)}

    @property
    def outputs(self) -> dict[str, Channel]:
        """Result channels by name, in port order."""
        count = len(self.op.ports.outputs)
        return {f"out{ordinal}": getattr(self, f"out{ordinal}") for ordinal in range(count)}

    def elaborate(self, platform: object) -> Module:
        """Close the operands in front of the provider."""
        m = Module()
        m.submodules.provider = provider = self.provider
        if hasattr(self, "configuration"):
            m.d.comb += provider.configuration.eq(self.configuration)
        m.d.comb += self.quiescent.eq(provider.quiescent)
        closed = named(m, self.hold & ~self._stays_open(m), "closed")
        for name, outer in self.inputs.items():
            inner = getattr(provider, name)
            m.d.comb += [
                inner.valid.eq(outer.valid & ~closed),
                outer.ready.eq(inner.ready & ~closed),
            ]
            if hasattr(outer, "data"):
                m.d.comb += inner.data.eq(outer.data)
        for name in self.outputs:
            connect(m, getattr(provider, name), flipped(getattr(self, name)))
        return m

    def _stays_open(self, m: Module) -> Value:
        """A result that operands outside make visible has been offered and not been taken."""
        if self.op.timing.latency_cycles:
            return Const(0, 1)
        offered = Signal()
        m.d.sync += offered.eq(any_bit(each.valid & ~each.ready for each in self.outputs.values()))
        return offered
