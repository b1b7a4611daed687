"""Elements gathered to groups."""

from amaranth.hdl import Cat, Const, Module, Signal, Value

from fabricgen.rtl.logic import any_bit, select
from fabricgen.rtl.providers.fork import publish
from fabricgen.rtl.providers.frame import drive
from fabricgen.rtl.providers.group_lanes import GroupProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorParallelize"]


class FixedVectorParallelize(GroupProvider):
    """Groups of as many elements as are configured; a phase of 0 ends the last one early.

    Operands: element, phase. Results: vector, mask, phase of the group. A phase of 1 takes an
    element to the next lane; a full group is published with its mask and a 1. A phase of 0
    takes no element: it publishes what there is, zeros in the other lanes, its mask and a 1, and
    then a 0; the 0 alone where there is nothing.

    Results are visible one cycle after the operand that completes them. The register in which a
    group is gathered is the one from which it is published, so the next element is taken in the
    cycle in which the last result is, and not before. Phases are taken ahead into a queue of two;
    an element is ready only behind a phase of 1, and no ready depends on a valid.
    """

    def elaborate(self, platform: object) -> Module:
        """Lanes, a mask that grows from below, and a flag for a phase of 0 that waits."""
        m = Module()
        element, phase = self.inputs
        vector, mask, group = self.outputs
        more, ends, phase_leaves = self.queue_phases(m, phase)

        # State.
        filled = Signal(self.most_lanes)
        closing = Signal()

        # Control. A phase of 0 publishes at once where nothing is in its way.
        is_full = Signal()
        takes = Signal()
        free = Signal()
        occupied = is_full | closing
        shuts = closing | (ends & ~is_full)
        gives_group = is_full | (shuts & filled[0])
        done = publish(
            m,
            is_full | shuts,
            [(vector, gives_group), (mask, gives_group), (group, Const(1, 1))],
        )
        clears = done & gives_group
        m.d.comb += [
            is_full.eq(any_bit(self.ends_with(at) & bit for at, bit in enumerate(filled))),
            free.eq(~occupied | (done & (is_full | ~filled[0]))),
            element.ready.eq(more & free),
            takes.eq(element.valid & more & free),
            phase_leaves.eq(takes | (ends & free)),
            # Lanes fill from the lowest one on.
            self.quiescent.eq(~(more | ends | filled[0] | closing)),
        ]
        with m.If(occupied):
            m.d.sync += closing.eq((closing & ~free) | (ends & free))
        with m.Else():
            m.d.sync += closing.eq(ends & ~(done & ~filled[0]))
        kept = filled & ~clears.replicate(self.most_lanes)
        with m.If(takes):
            m.d.sync += filled.eq(Cat(Const(1, 1), kept))
        with m.Else():
            m.d.sync += filled.eq(kept)

        # Data.
        enters = [takes & self._is_next(kept, lane) for lane in range(self.most_lanes)]
        drive(m, vector, self._gathered(m, enters, element.data))
        drive(m, mask, filled)
        drive(m, group, gives_group)
        return m

    @staticmethod
    def _is_next(kept: Value, lane: int) -> Value:
        return kept[lane - 1] & ~kept[lane] if lane else ~kept[0]

    def _gathered(self, m: Module, enters: list[Value], element: Value) -> Value:
        """Lanes in pieces of the narrowest element; the first element clears the others."""
        piece = self.element_widths[0]
        pieces: list[Value] = []
        for start in range(0, self.group_bits, piece):
            held = Signal(piece, name=f"lanes_{start}", reset_less=True)
            places = [
                (self.has_element(bits), start // bits, element[start % bits :][:piece])
                for bits in self.element_widths
                if start // bits < self.lanes_of(bits)
            ]
            # The narrowest element of lane 0 fills the first piece, and no other one.
            if start:
                with m.If(enters[0]):
                    m.d.sync += held.eq(0)
            with m.If(any_bit(has & enters[lane] for has, lane, _ in places)):
                m.d.sync += held.eq(
                    places[0][2]
                    if len(places) == 1
                    else select([(has, value) for has, _, value in places], piece)
                )
            pieces.append(held)
        return Cat(*pieces)


PROVIDERS = {F.FIXED_VECTOR_PARALLELIZE: FixedVectorParallelize}
