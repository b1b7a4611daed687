"""The next beat of a contiguous access."""

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import any_bit, at_least, encode, lowest
from fabricgen.rtl.manager.plan import BeatPlan

__all__ = ["WholeBeats"]


class WholeBeats(wiring.Component):
    """Choose the lowest beat with an active byte that has not been sent.

    Payload byte ``p`` lies in beat ``(p + offset) // beat_bytes``, so it is the beat of the
    payload's own word or the one after it. Combinational.

    Parameters
    ----------
    plan
        How accesses fall into beats; some access is contiguous.

    Members
    -------
    offset : In(offset_bits), absent without bits
        Place of the access in its first beat.
    active : In(data_bytes)
        Bytes of active lanes.
    sent : In(beats)
    picked : Out(beats)
        One-hot, or zero when no beat is left.
    number : Out, absent with one beat
        The same as a number; zero when no beat is left.
    more : Out, absent with one beat
        Beats with active bytes that follow without a hole.
    last : Out(1)
        No other beat is left.
    """

    offset: Signal
    active: Signal
    sent: Signal
    picked: Signal
    number: Signal
    more: Signal
    last: Signal

    def __init__(self, plan: BeatPlan) -> None:
        self.plan = plan
        count = plan.whole_beats
        members: dict[str, wiring.Member] = {
            "active": In(plan.requester.data_bytes),
            "sent": In(count),
            "picked": Out(count),
            "last": Out(1),
        }
        if plan.offset_bits:
            members["offset"] = In(plan.offset_bits)
        if count > 1:
            members |= {"number": Out(range(count)), "more": Out(range(count))}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Beats that are needed, the first one left of them, and its run."""
        m = Module()
        count = self.plan.whole_beats
        needed = Signal(count)
        left = Signal(count)
        other = Signal(count)
        m.d.comb += [
            needed.eq(Cat(self._needed(number) for number in range(count))),
            left.eq(needed & ~self.sent),
            self.picked.eq(lowest(left)),
            other.eq(left & ~self.picked),
            self.last.eq(~other.any()),
        ]
        if count > 1:
            # The run ends at the first hole behind the beat, or at the end of all beats.
            hole = Signal(count + 1)
            behind = (left | -left)[:count] & ~self.picked
            m.d.comb += [
                hole.eq(Cat(behind & ~needed, Const(1, 1))),
                self.number.eq(encode(self.picked)),
                self.more.eq(encode(lowest(hole)) - self.number - 1),
            ]
        return m

    def _needed(self, number: int) -> Value:
        """Beat ``number`` holds an active byte of its own payload word or of the one below."""
        size = self.plan.beat_bytes
        own = [here & ~self._is_past(byte) for byte, here in self._word(number, size)]
        below = [here & self._is_past(byte) for byte, here in self._word(number - 1, size)]
        return any_bit(own + below)

    def _word(self, word: int, size: int) -> list[tuple[int, Value]]:
        places = range(max(0, word * size), min((word + 1) * size, len(self.active)))
        return [(place % size, self.active[place]) for place in places] if word >= 0 else []

    def _is_past(self, byte: int) -> Value:
        """Byte ``byte`` of a payload word lies in the beat after the word's own."""
        if not self.plan.offset_bits:
            return Const(0, 1)
        return at_least(self.offset, self.plan.beat_bytes - byte)
