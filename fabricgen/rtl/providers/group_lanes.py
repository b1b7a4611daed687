"""What the adapters between elements and groups have in common: widths, lanes, phases."""

from amaranth.hdl import Module, Signal, Value

from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.channel import Channel
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.providers.timed import TimedProvider

__all__ = ["GroupProvider"]


class GroupProvider(TimedProvider):
    """Groups of lanes whose element width and lane count may be configured."""

    def __init__(self, op: FabricOp) -> None:
        super().__init__(op)
        shapes = [(key.element_bits or 0, key.lane_count or 0) for key in self.behaviors]
        #: Element widths that may be configured, ascending, in bits.
        self.element_widths = sorted({bits for bits, _ in shapes})
        self._shapes = shapes
        #: Most lanes of any configured group.
        self.most_lanes = max(lanes for _, lanes in shapes)
        #: Bits of the largest configured group.
        self.group_bits = max(bits * lanes for bits, lanes in shapes)

    def lanes_of(self, bits: int) -> int:
        """Most lanes of a configured group of elements of this width."""
        return max(lanes for each, lanes in self._shapes if each == bits)

    def has_element(self, bits: int) -> Value:
        """One bit: elements have this width."""
        return self.is_configured(lambda key: key.element_bits == bits)

    def has_lane(self, lane: int) -> Value:
        """One bit: the group has a lane."""
        return self.is_configured(lambda key: lane < (key.lane_count or 0))

    def ends_with(self, lane: int) -> Value:
        """One bit: the lane is the last one of the group."""
        return self.is_configured(lambda key: lane + 1 == key.lane_count)

    @staticmethod
    def queue_phases(m: Module, channel: Channel) -> tuple[Value, Value, Signal]:
        """Phases ahead of their firings; ready of the channel is a register.

        The oldest phase is there and 1; it is there and 0; to be driven: it leaves. While none is
        there, none is behind it.
        """
        m.submodules.phases = phases = OperandQueue(1, 2)
        leaves = Signal(name="phase_leaves")
        m.d.comb += [
            phases.i.valid.eq(channel.valid),
            phases.i.data.eq(channel.data[0]),
            channel.ready.eq(phases.i.ready),
            phases.o.ready.eq(leaves),
        ]
        return phases.o.valid & phases.o.data, phases.o.valid & ~phases.o.data, leaves
