"""The steps of one commit."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CommitSequencer"]


class CommitSequencer(wiring.Component):
    """Close what a change affects, look whether it is empty, swap, and open it again.

    A permitted request raises ``hold``, and of ``hold_rows`` those that are affected. What was
    accepted in the cycle of the request is inside by then, so the first cycle of ``hold`` decides:
    ``swap`` if quiescent, else nothing. After a swap both stay for two cycles: the payload is new
    in the first, what is registered from it in the second.

    Latency is 0 cycles for a request that is not permitted, else 1. Reset opens the fabric.

    Parameters
    ----------
    rows
        Parts that are held by themselves.

    Members
    -------
    affected : In(rows)
        With ``request``: those that the change affects.
    request : In(1)
        A commit is asked for; stays until ``done``.
    permitted : In(1)
        The shadow may become active.
    quiescent : In(1)
        Nothing is inside of what is held.
    done : Out(1), success : Out(1)
        With ``request``: its last cycle, and how it ends.
    swap : Out(1)
        Make the shadow active at the end of this cycle.
    hold : Out(1), hold_rows : Out(rows)
        Registered.
    """

    affected: Signal
    request: Signal
    permitted: Signal
    quiescent: Signal
    done: Signal
    success: Signal
    swap: Signal
    hold: Signal
    hold_rows: Signal

    def __init__(self, rows: int) -> None:
        self.rows = rows
        super().__init__(
            {
                "affected": In(rows),
                "request": In(1),
                "permitted": In(1),
                "quiescent": In(1),
                "done": Out(1),
                "success": Out(1),
                "swap": Out(1),
                "hold": Out(1),
                "hold_rows": Out(rows),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the state machine."""
        m = Module()

        with m.FSM():
            with m.State("OPEN"):
                with m.If(self.request & self.permitted):
                    m.d.sync += [self.hold.eq(1), self.hold_rows.eq(self.affected)]
                    m.next = "DECIDE"
                m.d.comb += self.done.eq(~self.permitted)
            with m.State("DECIDE"):
                m.d.comb += [
                    self.done.eq(1),
                    self.success.eq(self.quiescent),
                    self.swap.eq(self.quiescent),
                ]
                with m.If(self.quiescent):
                    m.next = "SWAPPED"
                with m.Else():
                    m.d.sync += [self.hold.eq(0), self.hold_rows.eq(0)]
                    m.next = "OPEN"
            with m.State("SWAPPED"):
                m.next = "SETTLED"
            with m.State("SETTLED"):
                m.d.sync += [self.hold.eq(0), self.hold_rows.eq(0)]
                m.next = "OPEN"

        return m
