"""What every provider has in common: leaf channels, the configured behaviour, its decoding."""

from collections.abc import Callable

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.hsg.keys import BehaviorKey
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import behaviors, semantic_field
from fabricgen.rtl.channel import Channel, ChannelShape
from fabricgen.rtl.logic import any_bit

__all__ = ["ProviderFrame", "drive", "payload"]


class ProviderFrame(wiring.Component):
    """Channels and configuration of one resource; a provider adds the datapath.

    The configuration is the one that is in force: it is constant while a token is taken or inside.

    Parameters
    ----------
    op
        The resource.

    Members
    -------
    in0, in1, ... : In(ChannelShape(width).signature())
        Operands, one channel per physical input.
    out0, out1, ... : Out(ChannelShape(width).signature())
        Results, one channel per physical output.
    configuration : In(bit_count of the semantic field), absent where it has no bits
        Dense ordinal of the behaviour key in canonical order, or the direct carrier.
    quiescent : Out(1)
        No token, operand or part of a group is inside, the state is the initial one, and no result
        is offered: a function of registers, and where results are offered in the cycle of their
        operands, of those.
    """

    configuration: Signal
    quiescent: Signal

    def __init__(self, op: FabricOp) -> None:
        self.op = op
        self.field = semantic_field(op)
        #: Behaviours by ordinal, with all components; none where a carrier is configured.
        self.behaviors = behaviors(op)
        members: dict[str, wiring.Member] = {}
        for ordinal, width in enumerate(op.ports.inputs):
            members[f"in{ordinal}"] = In(ChannelShape(width).signature())
        for ordinal, width in enumerate(op.ports.outputs):
            members[f"out{ordinal}"] = Out(ChannelShape(width).signature())
        if self.field is not None and self.field.bit_count:
            members["configuration"] = In(self.field.bit_count)
        members["quiescent"] = Out(1)
        super().__init__(members)

    @property
    def inputs(self) -> list[Channel]:
        """Operand channels in port order."""
        return [getattr(self, f"in{ordinal}") for ordinal in range(len(self.op.ports.inputs))]

    @property
    def outputs(self) -> list[Channel]:
        """Result channels in port order."""
        return [getattr(self, f"out{ordinal}") for ordinal in range(len(self.op.ports.outputs))]

    def is_configured(self, holds: Callable[[BehaviorKey], bool]) -> Value:
        """One bit: the configured behaviour has the property; constant where all agree."""
        matching = [ordinal for ordinal, key in enumerate(self.behaviors) if holds(key)]
        if not matching:
            return Const(0, 1)
        if len(matching) == len(self.behaviors):
            return Const(1, 1)
        return any_bit(self.configuration == ordinal for ordinal in matching)


def payload(channel: Channel) -> Value:
    """Payload of a channel; no bits where it has none."""
    return channel.data if hasattr(channel, "data") else Const(0, 0)


def drive(m: Module, channel: Channel, value: Value) -> None:
    """Drive the payload of a channel, if it has one: zeros above, or without what does not fit."""
    if hasattr(channel, "data"):
        m.d.comb += channel.data.eq(value)
