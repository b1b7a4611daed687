"""Wrong token providers. A bench that does not reject the matching one here checks nothing."""

from amaranth.hdl import Cat, Const, Signal

from fabricgen.rtl.providers import (
    loop_control,
    loop_stream,
    parallelize,
    serialize,
    token_route,
    vector_adapter,
)


class StuckConstant(token_route.TokenConstant):
    """Publishes the lowest bit alone."""

    def datapath(self, m, stages):
        return self.configuration[0]


class ResendingSync(token_route.TokenSync):
    """Offers a lane again while the others wait."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        again = Signal()
        m.d.sync += again.eq(self.out0.valid & self.out0.ready)
        with m.If(again & ~self.out1.valid):
            m.d.comb += self.out0.valid.eq(1)
        return m


class HastySync(token_route.TokenSync):
    """Publishes one lane without the other's operand."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        there = Signal()
        with m.If(self.in0.valid & self.in0.ready):
            m.d.sync += there.eq(1)
        m.d.comb += self.out0.valid.eq(there)
        return m


class EagerMux(token_route.TokenMux):
    """Takes a token of each lane whichever is named."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.in1.ready.eq(self.in2.ready | self.in1.valid)
        return m


class CrossedMux(token_route.TokenMux):
    """Names the lanes the other way round."""

    def selected(self, selector):
        return super().selected(selector)[::-1]


class CrossedDemux(token_route.TokenDemux):
    """Names the lanes the other way round."""

    def selected(self, selector):
        return super().selected(selector)[::-1]


class BroadcastDemux(token_route.TokenDemux):
    """Publishes on every lane."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.out1.valid.eq(self.out0.valid)
        return m


class SwappingCopy(vector_adapter.FixedVectorCopy):
    """Lane 0 in the high bits."""

    def datapath(self, m, stages):
        return super().datapath(m, stages)[::-1]


class GreedyCarry(loop_control.LoopCarry):
    """Takes the next value whatever the phase says."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.in2.ready.eq(self.in0.ready & self.in0.valid)
        return m


class DroppingCarry(loop_control.LoopCarry):
    """Takes the first value although nobody takes it further."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        with m.If(self.in1.ready | ~self.in0.ready):
            m.d.comb += self.in1.ready.eq(1)
        return m


class OpenInvariant(loop_control.LoopInvariant):
    """Takes a condition of 1 although nobody takes the value."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.in0.ready.eq(~self.in1.ready & ~self.in1.valid)
        return m


class LooseGate(loop_control.LoopGate):
    """Shows the value whether or not its condition can be taken."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.out1.valid.eq(self.in0.valid & self.in1.valid & self.in0.data[0])
        return m


class InclusiveStream(loop_stream.LoopStream):
    """Goes on where the value is the limit."""

    def holds(self, m, value, limit):
        return super().holds(m, value, limit) | (value == limit)


class StutteringStream(loop_stream.LoopStream):
    """Takes what is published for taken."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.out0.valid.eq(self.out1.valid & self.out1.data[0])
        return m


class LongStream(loop_stream.LoopStream):
    """Publishes a value beside the last phase."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        with m.If(self.out1.valid & ~self.out1.data[0]):
            m.d.comb += self.out0.valid.eq(1)
        return m


class ForgetfulParallelize(parallelize.FixedVectorParallelize):
    """Publishes no mask beyond the first lane."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.out1.data.eq(1)
        return m


class EarlyParallelize(parallelize.FixedVectorParallelize):
    """Takes an element while the group waits for its last result."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        with m.If(self.out0.valid & self.out0.ready):
            m.d.comb += self.in0.ready.eq(1)
        return m


class DirtyParallelize(parallelize.FixedVectorParallelize):
    """Leaves the last group's elements in the lanes that are not filled."""

    def _gathered(self, m, enters, element):
        lanes = []
        for at, bit in enumerate(enters):
            held = Signal(8, name=f"dirty_{at}")
            with m.If(bit):
                m.d.sync += held.eq(element)
            lanes.append(held)
        return Cat(*lanes)


class DescendingSerialize(serialize.FixedVectorSerialize):
    """Takes the lanes from the other end."""

    def _lane(self, lanes, index):
        return super()._lane(lanes, ~index)


class EndlessSerialize(serialize.FixedVectorSerialize):
    """Says 1 at the end, too."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.out1.data.eq(1)
        return m


class FullSerialize(serialize.FixedVectorSerialize):
    """Admits lanes that the group does not have."""

    def has_lane(self, lane):
        return Const(lane != 1, 1)
