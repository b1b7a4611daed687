"""From answers to beats to the answer to an access."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS
from fabricgen.rtl.logic import at_least
from fabricgen.rtl.manager.plan import BeatPlan
from fabricgen.rtl.manager.table import SlotTable
from fabricgen.rtl.service.rotate import rotate_down

__all__ = ["BeatAnswers"]


class BeatAnswers(wiring.Component):
    """Count the beats of each slot, and put each beat's bytes where they belong in the payload.

    An answer that arrives in cycle *n* shows in *n + 1*. An access is done with the answer to its
    last beat, whatever the order, once it has been taken; or when it is closed. The first error
    that arrives for an access is kept until it is done. Reset forgets all of it.

    Parameters
    ----------
    plan
        How accesses fall into beats.
    slots
        Accesses between their first beat and their last answer.

    Members
    -------
    picked : In(1), picked_slot : In, picked_beat, turn, first, final : In
        A beat has been chosen, and lies so over the payload.
    quiet : In(1), absent unless some answers have bytes and others have not
        It is written, or a fence, so its answer has no bytes.
    sending : In(1), sent_slot : In, sent_beat : In, sent_line : In(line_bits)
        A beat stands at the manager, and its number in memory.
    partial : In(1), partial_slot : In, count : In
        Not all beats of the access in this slot have been chosen; and how many have.
    rests : In(1)
        No answer can come.
    closed : In(1)
        The access in ``partial_slot`` is done without another answer; only while it ``rests``.
    rsp_valid : In(1), rsp_slot, rsp_beat, rsp_data, rsp_success, rsp_error : In
        Answer of the manager.
    valid : Out(1), done : Out(1), is_closed : Out(1), slot : Out
        A beat was answered, or an access closed.
    data : Out(8 * data_bytes), strobe : Out(data_bytes), absent unless it returns something
    success : Out(1), tested : Out(lanes), absent unless it compares
        How the comparison of a lane ended, and which lane that is.
    error : Out(1), error_address : Out(64)
        The access in ``slot`` has had an error, and the beat of its first one.

    Members without bits are absent; slot numbers have at least one bit.
    """

    picked: Signal
    picked_slot: Signal
    picked_beat: Signal
    turn: Signal
    first: Signal
    final: Signal
    quiet: Signal
    sending: Signal
    sent_slot: Signal
    sent_beat: Signal
    sent_line: Signal
    partial: Signal
    partial_slot: Signal
    count: Signal
    rests: Signal
    closed: Signal
    rsp_valid: Signal
    rsp_slot: Signal
    rsp_beat: Signal
    rsp_data: Signal
    rsp_success: Signal
    rsp_error: Signal
    valid: Signal
    done: Signal
    is_closed: Signal
    slot: Signal
    data: Signal
    strobe: Signal
    success: Signal
    tested: Signal
    error: Signal
    error_address: Signal

    def __init__(self, plan: BeatPlan, slots: int) -> None:
        self.plan = plan
        self.slots = slots
        number = range(max(2, slots))
        req = plan.requester
        members: dict[str, wiring.Member] = {
            "picked": In(1),
            "picked_slot": In(number),
            "sending": In(1),
            "sent_slot": In(number),
            "sent_line": In(plan.line_bits),
            "partial": In(1),
            "partial_slot": In(number),
            "rests": In(1),
            "closed": In(1),
            "rsp_valid": In(1),
            "rsp_slot": In(number),
            "rsp_error": In(1),
            "valid": Out(1),
            "done": Out(1),
            "is_closed": Out(1),
            "slot": Out(number),
            "error": Out(1),
            "error_address": Out(MANAGER_ADDRESS_BITS),
        }
        if plan.beat_bits:
            names = ("picked_beat", "sent_beat", "rsp_beat")
            members |= {name: In(plan.beat_bits) for name in names}
        if plan.most_beats > 1:
            members["count"] = In(range(plan.most_beats))
        if req.atomics.exchange:
            members |= {"rsp_success": In(1), "success": Out(1), "tested": Out(req.lanes)}
        if req.returns:
            members |= {name: In(width) for name, width in self._window_widths().items()}
            members |= {
                "rsp_data": In(8 * plan.beat_bytes),
                "data": Out(8 * req.data_bytes),
                "strobe": Out(req.data_bytes),
            }
        super().__init__(members)

    def _window_widths(self) -> dict[str, int]:
        """What is kept of each beat, to find its bytes' places when it is answered."""
        req = self.plan.requester
        widths = {
            "turn": self.plan.offset_bits,
            "first": self.plan.place_bits,
            "final": self.plan.place_bits,
            "quiet": int(req.returns and (req.writes or req.atomics.fence)),
        }
        return {name: width for name, width in widths.items() if width}

    def elaborate(self, platform: object) -> Module:
        """Bookkeeping as the answer arrives; bytes and addresses in the next cycle."""
        m = Module()
        slot = Signal.like(self.rsp_slot)
        m.d.comb += slot.eq(Mux(self.rests, self.partial_slot, self.rsp_slot))
        is_done = self._count(m)
        self._fail(m, slot, is_done)
        m.d.sync += [
            self.valid.eq(self.rsp_valid | self.closed),
            self.done.eq(is_done | self.closed),
            self.is_closed.eq(self.closed),
            self.slot.eq(slot),
        ]
        if self.plan.requester.returns:
            self._place(m)
        if self.plan.requester.atomics.exchange:
            self._test(m)
        return m

    def _beat(self, name: str) -> Value:
        return getattr(self, name) if self.plan.beat_bits else Const(0, 0)

    def _number(self, slot: Value, beat: Value) -> Value:
        """Number of a beat among those of all slots."""
        parts = ([beat] if len(beat) else []) + ([slot] if self.slots > 1 else [])
        return Cat(*parts)

    def _count(self, m: Module) -> Value:
        """Count answers by slot; tell whether this one is the last."""
        if self.plan.most_beats == 1:
            return self.rsp_valid
        bits = (self.plan.most_beats - 1).bit_length()
        m.submodules.last_beat = last_beat = SlotTable(self.slots, bits)
        m.submodules.answered = answered = SlotTable(self.slots, bits)
        fresh = Signal(self.slots, init=-1)
        before = Signal(bits, name="answered_before")
        here = (
            self.partial & (self.partial_slot == self.rsp_slot) if self.slots > 1 else self.partial
        )
        is_done = Signal()
        m.d.comb += [
            # The last beat to be chosen stays.
            last_beat.write.eq(self.picked),
            last_beat.at.eq(self.partial_slot),
            last_beat.data.eq(self.count),
            last_beat.place.eq(self.rsp_slot),
            answered.place.eq(self.rsp_slot),
            before.eq(Mux(Array(fresh)[self.rsp_slot], 0, answered.word)),
            is_done.eq(self.rsp_valid & ~here & (before == last_beat.word)),
            answered.write.eq(self.rsp_valid),
            answered.at.eq(self.rsp_slot),
            answered.data.eq(before + 1),
        ]
        for slot in range(self.slots):
            with m.If(self.rsp_valid & (self.rsp_slot == slot)):
                m.d.sync += fresh[slot].eq(is_done)
            with m.If(self.closed & (self.partial_slot == slot)):
                m.d.sync += fresh[slot].eq(1)
        return is_done

    def _fail(self, m: Module, slot: Signal, is_done: Value) -> None:
        """Keep the first error of each slot, and look its address up."""
        beat = self._beat("rsp_beat")
        errors = Signal(self.slots)
        failed = Signal()
        fails = Signal()
        m.d.comb += [
            failed.eq(Array(errors)[slot]),
            fails.eq(self.rsp_valid & self.rsp_error),
        ]
        for at in range(self.slots):
            with m.If((self.rsp_valid | self.closed) & (slot == at)):
                m.d.sync += errors[at].eq((failed | fails) & ~is_done & ~self.closed)
        m.d.sync += self.error.eq(failed | fails)

        first = beat
        if self.plan.beat_bits:
            m.submodules.failed_beat = failed_beat = SlotTable(self.slots, self.plan.beat_bits)
            m.d.comb += [
                failed_beat.write.eq(fails & ~failed),
                failed_beat.at.eq(slot),
                failed_beat.data.eq(beat),
                failed_beat.place.eq(slot),
            ]
            first = Mux(failed, failed_beat.word, beat)
        m.submodules.lines = lines = SlotTable(self._depth, self.plan.line_bits, registered=True)
        m.d.comb += [
            lines.write.eq(self.sending),
            lines.at.eq(self._number(self.sent_slot, self._beat("sent_beat"))),
            lines.data.eq(self.sent_line),
            lines.place.eq(self._number(slot, first)),
            self.error_address.eq(Cat(Const(0, self.plan.offset_bits), lines.word)),
        ]

    @property
    def _depth(self) -> int:
        return self.slots << self.plan.beat_bits

    def _place(self, m: Module) -> None:
        """Turn the beat to its places in the payload, and strobe those of its window."""
        size, req = self.plan.beat_bytes, self.plan.requester
        widths = self._window_widths()
        window: dict[str, Value] = dict.fromkeys(("turn", "first", "final", "quiet"), Const(0, 1))
        if widths:
            bits = sum(widths.values())
            m.submodules.windows = windows = SlotTable(self._depth, bits, registered=True)
            m.d.comb += [
                windows.write.eq(self.picked),
                windows.at.eq(self._number(self.picked_slot, self._beat("picked_beat"))),
                windows.data.eq(Cat(getattr(self, name) for name in widths)),
                windows.place.eq(self._number(self.rsp_slot, self._beat("rsp_beat"))),
            ]
            low = 0
            for name, width in widths.items():
                window[name] = windows.word[low : low + width]
                low += width
        answer = Signal(8 * size, reset_less=True)
        m.d.sync += answer.eq(self.rsp_data)
        ring = [answer.word_select(place, 8) for place in range(size)]
        turn: list[Value | None] = [window["turn"][bit] for bit in range(self.plan.offset_bits)]
        step_bits = self.plan.least_step.bit_length() - 1
        turn[:step_bits] = [None] * min(step_bits, len(turn))
        turned = rotate_down(m, ring, turn, size, name="turned")
        strobes = Signal(req.data_bytes, name="window")
        for place in range(req.data_bytes):
            inside = ~at_least(window["first"], place + 1) & at_least(window["final"], place)
            m.d.comb += [
                strobes[place].eq(inside & ~window["quiet"]),
                self.data.word_select(place, 8).eq(turned[place % size]),
            ]
        m.d.comb += self.strobe.eq(Mux(self.valid & ~self.is_closed, strobes, 0))

    def _test(self, m: Module) -> None:
        """The lane of an object: its beats are numbered behind it, and it has one."""
        lanes = self.plan.requester.lanes
        lane: Value = Const(0, 1)
        if lanes > 1 and self.plan.has_lane_children:
            lane = self.rsp_beat[self.plan.lane_beat_bits :][: (lanes - 1).bit_length()]
        lane_kept = Signal(len(lane), name="tested_lane", reset_less=True)
        m.d.sync += [self.success.eq(self.rsp_success), lane_kept.eq(lane)]
        here = self.valid & ~self.is_closed
        m.d.comb += self.tested.eq(Cat(here & (lane_kept == each) for each in range(lanes)))
