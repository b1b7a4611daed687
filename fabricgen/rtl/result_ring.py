"""Result slots of one port: claimed at issue, completed in any order, retired in order."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import pick

__all__ = ["ResultRing"]


class ResultRing(wiring.Component):
    """Own the claims of one port and the order in which its firings retire.

    A firing takes the slot ``tail`` at issue, and with it its units of ``InFlight`` and
    ``ResultHolding``, which are claimed and returned together. Slots complete in any order and
    retire in the order of issue. ``available`` is a flip-flop: a claim returned in cycle *n* can
    be taken from cycle *n + 1*.

    A slot that completes in cycle *n* is a candidate from cycle *n + 1*. Reset frees all slots.

    Parameters
    ----------
    slots
        Firings between issue and retirement; at least 1.

    Members
    -------
    available : Out(1)
        A slot is free.
    tail : Out
        The slot that the next firing takes.
    issue : In(1)
        Take it; only while ``available``.
    issue_complete : In(1)
        With ``issue``: the firing has nothing to wait for.
    complete : In(1), complete_slot : In
        The firing in this slot, taken in an earlier cycle, has its last response.
    head : Out
        The oldest firing's slot.
    candidate : Out(1)
        The oldest firing is complete.
    retire : In(1)
        Free it; only while ``candidate``.
    empty : Out(1)
        No firing is inside.

    Slot numbers have at least one bit.
    """

    available: Signal
    tail: Signal
    issue: Signal
    issue_complete: Signal
    complete: Signal
    complete_slot: Signal
    head: Signal
    candidate: Signal
    retire: Signal
    empty: Signal

    def __init__(self, slots: int) -> None:
        if not isinstance(slots, int) or slots < 1:
            raise TypeError(f"ResultRing slots must be a positive integer, not {slots!r}")
        self.slots = slots
        number = range(max(2, slots))
        super().__init__(
            {
                "available": Out(1),
                "tail": Out(number),
                "issue": In(1),
                "issue_complete": In(1),
                "complete": In(1),
                "complete_slot": In(number),
                "head": Out(number),
                "candidate": Out(1),
                "retire": In(1),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build two pointers, the flags that tell full from empty, and one bit per slot."""
        m = Module()

        # State. `full` and `occupied` change only where a firing enters or leaves alone.
        full = Signal()
        occupied = Signal()
        done = [Signal(name=f"done_{slot}") for slot in range(self.slots)]
        tail_next, head_next = self._after(self.tail), self._after(self.head)
        with m.If(self.issue):
            m.d.sync += self.tail.eq(tail_next)
        with m.If(self.retire):
            m.d.sync += self.head.eq(head_next)
        with m.If(self.issue & ~self.retire):
            m.d.sync += [full.eq(tail_next == self.head), occupied.eq(1)]
        with m.If(self.retire & ~self.issue):
            m.d.sync += [full.eq(0), occupied.eq(head_next != self.tail)]

        # A free slot is never done, so nothing has to be cleared at issue.
        for slot, here in enumerate(done):
            with m.If(self.retire & (self.head == slot)):
                m.d.sync += here.eq(0)
            with m.If(self.complete & (self.complete_slot == slot)):
                m.d.sync += here.eq(1)
            with m.If(self.issue & self.issue_complete & (self.tail == slot)):
                m.d.sync += here.eq(1)

        m.d.comb += [
            self.available.eq(~full),
            self.empty.eq(~occupied),
            self.candidate.eq(pick(done, self.head)),
        ]
        return m

    def _after(self, pointer: Signal) -> Value:
        return Mux(pointer == self.slots - 1, 0, pointer + 1)[: len(pointer)]
