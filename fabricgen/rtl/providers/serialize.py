"""Groups taken apart to elements."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from fabricgen.rtl.logic import encode, lowest, select
from fabricgen.rtl.providers.fork import publish
from fabricgen.rtl.providers.frame import drive
from fabricgen.rtl.providers.group_lanes import GroupProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorSerialize"]


class FixedVectorSerialize(GroupProvider):
    """The active lanes of each group from the lowest up, then a phase of 0 where the groups end.

    Operands: vector, mask, phase of the group. Results: element, phase. A phase of 1 takes vector
    and mask and publishes each active lane with a 1, none for an empty mask; a phase of 0 takes
    nothing else and publishes a 0 alone.

    The first result is visible one cycle after the last operand, then one lane every cycle;
    lanes that are not active cost none, an empty mask one. The next group is taken in the cycle
    in which the last result is. Phases are taken ahead into a queue of two; vector and mask are
    ready only behind a phase of 1, in any order, and no ready depends on a valid.
    """

    def elaborate(self, platform: object) -> Module:
        """A slot for the vector, one for the lanes that remain, a flag for a phase of 0."""
        m = Module()
        vector, mask, group = self.inputs
        element, phase = self.outputs
        more, ends, phase_leaves = self.queue_phases(m, group)

        # State.
        full_vector = Signal()
        full_mask = Signal()
        closing = Signal()
        lanes = Signal(self.group_bits, reset_less=True)
        remaining = Signal(self.most_lanes, reset_less=True)

        # Control. A phase of 0 publishes at once where nothing is in its way.
        runs = Signal()
        free = Signal()
        first = Signal(self.most_lanes)
        behind = remaining & ~first
        shuts = closing | (ends & ~runs)
        done = publish(m, (runs & remaining.any()) | shuts, [(element, runs), (phase, Const(1, 1))])
        ended = runs & (~remaining.any() | (done & ~behind.any()))
        leaves = ended | (closing & done)
        m.d.comb += [
            runs.eq(full_vector & full_mask),
            first.eq(lowest(remaining)),
            free.eq(leaves | ~(runs | closing)),
            self.quiescent.eq(~(more | ends | full_vector | full_mask | closing)),
        ]
        arrives: list[Value] = []
        for full, channel in ((full_vector, vector), (full_mask, mask)):
            accepts = more & (leaves | ~(full | closing))
            arrived = Signal(name=f"arrives_{full.name[5:]}")
            m.d.comb += [channel.ready.eq(accepts), arrived.eq(channel.valid & accepts)]
            m.d.sync += full.eq(arrived | (full & ~ended))
            arrives.append(arrived)
        is_whole = (arrives[0] | (full_vector & ~runs)) & (arrives[1] | (full_mask & ~runs))
        m.d.comb += phase_leaves.eq(is_whole | (ends & free))
        with m.If(runs | closing):
            m.d.sync += closing.eq(Mux(leaves, ends, closing))
        with m.Else():
            m.d.sync += closing.eq(ends & ~done)

        # Data.
        with m.If(arrives[0]):
            m.d.sync += lanes.eq(vector.data)
        with m.If(arrives[1]):
            admitted = Cat(*(self.has_lane(lane) for lane in range(self.most_lanes)))
            m.d.sync += remaining.eq(mask.data & admitted)
        with m.Elif(done):
            m.d.sync += remaining.eq(behind)
        drive(m, element, self._lane(lanes, encode(first)))
        drive(m, phase, runs)
        return m

    def _lane(self, lanes: Value, index: Value) -> Value:
        """The lane with this index, zeros above a narrower one.

        Half of the group is chosen, and half of that; below the widest element the upper half
        stays beside what is chosen, since it is a part of the wide element whose lower half is.
        """
        narrowest, widest = self.element_widths[0], self.element_widths[-1]
        shifted = [
            Cat(Const(0, (bits // narrowest).bit_length() - 1), index)
            for bits in self.element_widths
        ]
        at = select(
            [
                (self.has_element(bits), each)
                for bits, each in zip(self.element_widths, shifted, strict=True)
            ],
            max(map(len, shifted)),
        )
        window = lanes
        bit = (-(-self.group_bits // narrowest) - 1).bit_length() - 1
        while bit >= 0:
            half = narrowest << bit
            low, high = window[:half], window[half : 2 * half]
            beside = window[half:] if half < widest else Const(0, 0)
            if len(high):
                window = Cat(Mux(at[bit], high, low), beside)
            bit -= 1
        parts = [window[:narrowest]]
        for start, end in zip(self.element_widths[:-1], self.element_widths[1:], strict=True):
            within = self.is_configured(lambda key, end=end: (key.element_bits or 0) >= end)
            parts.append(window[start:end] & within.replicate(end - start))
        return Cat(*parts)


PROVIDERS = {F.FIXED_VECTOR_SERIALIZE: FixedVectorSerialize}
