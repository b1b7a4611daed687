"""How often each of several things has happened."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.abi.status import WORD_BITS

__all__ = ["EventCounters"]


class EventCounters(wiring.Component):
    """Count events, each for itself, in words that wrap.

    An event in cycle *n* is counted from cycle *n + 1* on. Reset clears every count.

    Parameters
    ----------
    events
        Kinds of events; at least 1.

    Members
    -------
    event : In(events)
    counts : Out(32 * events)
        Modulo 2^32, event 0 lowest.
    """

    event: Signal
    counts: Signal

    def __init__(self, events: int) -> None:
        self.events = events
        super().__init__({"event": In(events), "counts": Out(WORD_BITS * events)})

    def elaborate(self, platform: object) -> Module:
        """One word for each."""
        m = Module()
        words = [Signal(WORD_BITS, name=f"count_{at}") for at in range(self.events)]
        for at, word in enumerate(words):
            with m.If(self.event[at]):
                m.d.sync += word.eq(word + 1)
        m.d.comb += self.counts.eq(Cat(words))
        return m
