"""Where the firings of one Temporal port wait for one target."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.channel import Channel, ChannelShape
from fabricgen.rtl.operand_queue import OperandQueue

__all__ = ["Holding"]


class Holding(wiring.Component):
    """Hold two whole firings for a target, and permit a grant only where its firing will fit.

    A row is granted one cycle before its firing is there: granted in cycle *n*, captured at the
    end of *n + 1*, offered from *n + 2* on. So two places are always enough for the firings that
    stand here and the one on its way, and ``permit`` says whether a further one fits: unless both
    places are spoken for, or if the target takes one in this cycle. That is the only path from
    the target's ``ready``. Without it, a target that takes a firing in every cycle would get two in
    three cycles.

    One firing in every cycle while the target takes one in every cycle. Reset empties the queue;
    payloads are not reset.

    Parameters
    ----------
    width
        Bits of a firing, packed; at least 1.

    Members
    -------
    permit : Out(1)
        A firing may be granted in this cycle; late.
    select : In(1)
        One is granted; only with ``permit``.
    firing : In(width)
        In the cycle after ``select``: the firing.
    skip : In(1)
        In the cycle after ``select``: it needs no request and is not kept.
    o : Out(ChannelShape(width).signature())
        Oldest firing, from registers; stays offered until it is taken.
    behind_valid : Out(1), behind : Out(width)
        The firing behind the oldest one, from registers.
    empty : Out(1)
        No firing here or on its way (registered).
    """

    permit: Signal
    select: Signal
    firing: Signal
    skip: Signal
    o: Channel
    behind_valid: Signal
    behind: Signal
    empty: Signal

    def __init__(self, width: int) -> None:
        if not isinstance(width, int) or width < 1:
            raise TypeError(f"Holding width must be a positive integer, not {width!r}")
        self.width = width
        super().__init__(
            {
                "permit": Out(1),
                "select": In(1),
                "firing": In(width),
                "skip": In(1),
                "o": Out(ChannelShape(width).signature()),
                "behind_valid": Out(1),
                "behind": Out(width),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """A queue of two, and the firing on its way to it."""
        m = Module()
        m.submodules.queue = queue = OperandQueue(self.width, 2, shows_behind=True)
        coming = Signal()
        m.d.sync += coming.eq(self.select)
        m.d.comb += [
            queue.i.valid.eq(coming & ~self.skip),
            queue.i.data.eq(self.firing),
            self.o.valid.eq(queue.o.valid),
            self.o.data.eq(queue.o.data),
            queue.o.ready.eq(self.o.ready),
            self.behind_valid.eq(queue.behind_valid),
            self.behind.eq(queue.behind_data),
            # Both are spoken for where the queue is full, or holds one and gets another.
            self.permit.eq(self.o.ready | (queue.i.ready & ~(coming & queue.o.valid))),
            self.empty.eq(queue.empty & ~coming),
        ]
        return m
