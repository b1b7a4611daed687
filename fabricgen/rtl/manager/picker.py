"""The next beat of one access: which bytes, and where they lie."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS
from fabricgen.rtl.logic import any_bit, encode, lowest, one_hot, select
from fabricgen.rtl.manager.plan import BeatPlan
from fabricgen.rtl.manager.whole import WholeBeats

__all__ = ["BeatPicker", "pick_widths"]


def pick_widths(plan: BeatPlan) -> dict[str, int]:
    """Bits of what is known of a picked beat; see the members of :class:`BeatPicker`."""
    return {
        "line": plan.line_bits,
        "ahead": max(1, (plan.requester.data_bytes // plan.beat_bytes + 2).bit_length()),
        "floor": plan.offset_bits,
        "turn": plan.offset_bits,
        "first": plan.place_bits,
        "final": plan.place_bits,
        "active": plan.requester.data_bytes,
        "beat": plan.beat_bits,
        "more": plan.more_bits,
    }


class BeatPicker(wiring.Component):
    """Choose the next beat of an access, and say how it lies over the payload.

    A beat holds payload bytes ``first .. final``, of which those in ``active`` count: byte ``p``
    at place ``(p + turn) % beat_bytes``, never below ``floor``.

    Contiguous accesses take their beats in order of address. Where each lane is a child, lanes
    come in row-major order, and beats of a lane in order of address. When no beat is left, the
    picked one has the exact address of the first active lane that is excluded, in ``line +
    ahead`` and ``floor``. Combinational.

    Parameters
    ----------
    plan
        How accesses fall into beats.

    Members
    -------
    mode : In, absent with one mode
    walk : In(1), absent unless the requester walks
    address : In(segments * 64)
    lanes : In(lanes)
    excluded : In(lanes)
        Lanes out of range.
    sent : In(max(whole beats, lanes))
        Beats of a contiguous access, or lanes, that are done.
    within : In, absent with one beat a lane
        Beats of the current lane that are done.
    left : Out(1)
        Some beat is left.
    last : Out(1)
        It is the last one.
    sent_next, within_next : Out
        The same after this beat.
    line : Out(line_bits), ahead : Out
        Their sum is the number of the beat in memory.
    turn, floor, first, final, active, beat, more : Out, as in :func:`pick_widths`
        Absent without bits.
    """

    mode: Signal
    walk: Signal
    address: Signal
    lanes: Signal
    excluded: Signal
    sent: Signal
    within: Signal
    left: Signal
    last: Signal
    sent_next: Signal
    within_next: Signal
    line: Signal
    ahead: Signal
    turn: Signal
    floor: Signal
    first: Signal
    final: Signal
    active: Signal
    beat: Signal
    more: Signal

    def __init__(self, plan: BeatPlan) -> None:
        self.plan = plan
        req = plan.requester
        marks = max(plan.whole_beats, req.lanes)
        members: dict[str, wiring.Member] = {
            "address": In(req.segments * MANAGER_ADDRESS_BITS),
            "lanes": In(req.lanes),
            "excluded": In(req.lanes),
            "sent": In(marks),
            "left": Out(1),
            "last": Out(1),
            "sent_next": Out(marks),
        }
        if len(req.modes) > 1:
            members["mode"] = In(range(len(req.modes)))
        if req.walks:
            members["walk"] = In(1)
        if plan.lane_beat_bits:
            members |= {"within": In(plan.lane_beat_bits), "within_next": Out(plan.lane_beat_bits)}
        members |= {name: Out(width) for name, width in pick_widths(plan).items() if width}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """The current lane, the current beat of a contiguous access, and the choice of both."""
        m = Module()
        plan = self.plan
        self._chosen = one_hot(getattr(self, "mode", None), len(plan.requester.modes))
        lanewise = Signal()
        live = Signal(plan.requester.lanes)
        m.d.comb += [lanewise.eq(self._lanewise()), live.eq(self.lanes & ~self.excluded)]

        lane = _Lane(m, self, lanewise, live)
        number: Value = Const(0, 0)
        more: Value = Const(0, 0)
        if plan.whole_beats:
            m.submodules.whole = whole = WholeBeats(plan)
            m.d.comb += [
                whole.active.eq(self._bytes(live)),
                whole.sent.eq(self.sent),
            ]
            if plan.offset_bits:
                m.d.comb += whole.offset.eq(self._low(0))
            if plan.whole_beats > 1:
                number, more = whole.number, whole.more
            m.d.comb += [
                self.left.eq(Mux(lanewise, lane.left, whole.picked.any())),
                self.last.eq(Mux(lanewise, lane.last, whole.last)),
                self.sent_next.eq(self.sent | Mux(lanewise, lane.done, whole.picked)),
            ]
        else:
            m.d.comb += [
                self.left.eq(lane.left),
                self.last.eq(lane.last),
                self.sent_next.eq(self.sent | lane.done),
            ]
        if plan.lane_beat_bits:
            m.d.comb += self.within_next.eq(Mux(lanewise & ~lane.ends, self.within + 1, 0))
        beat = Mux(lanewise, lane.within, number)
        self._place(m, lanewise, lane, beat)
        self._drive(m, "active", self._bytes(Mux(lanewise, lane.here, live)))
        self._drive(m, "beat", Mux(lanewise, Cat(lane.within, encode(lane.here)), number))
        self._drive(m, "more", Mux(lanewise, lane.more, more))
        return m

    def _place(self, m: Module, lanewise: Signal, lane: "_Lane", beat: Value) -> None:
        """Address of the beat, and its window of the payload."""
        size_bits, places = self.plan.offset_bits, self.plan.place_bits
        base, start = self._low(0), Mux(lanewise, lane.start, 0)
        offset = Signal(size_bits, name="offset")
        m.d.comb += offset.eq(Mux(lanewise, lane.offset, base))
        by_lane = lanewise | ~self.left
        is_first = ~beat.any()
        self._drive(m, "line", lane.line)
        self._drive(m, "ahead", Mux(by_lane, lane.carry, 0) + beat)
        self._drive(m, "floor", Mux(is_first, Mux(by_lane, lane.offset, base), 0))
        self._drive(m, "turn", offset - start)
        lead = Mux(is_first, 0, Cat(Const(0, size_bits), beat) - offset)
        self._drive(m, "first", start + lead)
        # Beyond the payload there is nothing to hit, but the number must not wrap around.
        final = Mux(lanewise & lane.ends, lane.size_minus_one, Cat(~offset, beat))
        wide = Signal(max(len(final), places) + 1, name="wide_final")
        m.d.comb += wide.eq(start + final)
        self._drive(m, "final", Mux(wide[places:].any(), -1, wide))

    def _drive(self, m: Module, name: str, value: Value) -> None:
        if pick_widths(self.plan)[name]:
            m.d.comb += getattr(self, name).eq(value)

    def _lanewise(self) -> Value:
        """Each lane is a child."""
        if not self.plan.has_lane_children:
            return Const(0, 1)
        if not self.plan.whole_beats:
            return Const(1, 1)
        modes = zip(self._chosen, self.plan.requester.modes, strict=True)
        indexed = any_bit(chosen for chosen, mode in modes if mode.indexed)
        return indexed | self.walk if self.plan.requester.walks else indexed

    def _low(self, segment: int) -> Value:
        """Place of a segment's address in its beat."""
        step_bits = self.plan.least_step.bit_length() - 1
        first = segment * MANAGER_ADDRESS_BITS
        return Cat(
            Const(0, step_bits), self.address[first + step_bits : first + self.plan.offset_bits]
        )

    def _bytes(self, lanes: Value) -> Value:
        """Payload bytes of these lanes."""
        modes = list(zip(self._chosen, self.plan.requester.modes, strict=True))
        return Cat(
            any_bit(
                chosen & lanes[place // mode.element_bytes]
                for chosen, mode in modes
                if place < mode.lanes * mode.element_bytes
            )
            for place in range(self.plan.requester.data_bytes)
        )


class _Lane:
    """The lowest lane left, or, when no beat is left, the lowest one that is excluded."""

    def __init__(self, m: Module, picker: BeatPicker, lanewise: Signal, live: Signal) -> None:
        plan, req = picker.plan, picker.plan.requester
        modes = list(zip(picker._chosen, req.modes, strict=True))
        pending = Signal(req.lanes, name="pending_lanes")
        self.here = Signal(req.lanes, name="lane")
        m.d.comb += pending.eq(Mux(lanewise, live & ~picker.sent[: req.lanes], 0))
        self.left = pending.any()
        m.d.comb += self.here.eq(lowest(Mux(self.left, pending, picker.lanes & picker.excluded)))

        # Where the lane begins: in the payload, and behind the address that it is counted from.
        self.start = Signal(plan.place_bits, name="lane_start")
        starts = [
            (chosen & self.here[lane], Const(lane * mode.element_bytes, plan.place_bits))
            for chosen, mode in modes
            for lane in range(1, mode.lanes)
        ]
        m.d.comb += self.start.eq(select(starts, plan.place_bits))
        indexed = any_bit(chosen for chosen, mode in modes if mode.indexed)
        owners = [self.here[0] | ~indexed, *(indexed & bit for bit in self.here[1 : req.segments])]
        low = [(owner, picker._low(segment)) for segment, owner in enumerate(owners)]
        lines = [
            (owner, picker.address.word_select(segment, MANAGER_ADDRESS_BITS)[plan.offset_bits :])
            for segment, owner in enumerate(owners)
        ]
        if req.segments == 1:
            low, lines = [(Const(1, 1), low[0][1])], [(Const(1, 1), lines[0][1])]
        self.line = select(lines, plan.line_bits)
        behind = Signal(max(plan.offset_bits, plan.place_bits) + 1, name="lane_behind")
        m.d.comb += behind.eq(select(low, plan.offset_bits) + Mux(indexed, 0, self.start))
        self.offset, self.carry = behind[: plan.offset_bits], behind[plan.offset_bits :]

        # How far the lane goes.
        sizes = [(c, Const(mode.element_bytes - 1, plan.place_bits)) for c, mode in modes]
        self.size_minus_one = select(sizes, plan.place_bits)
        self.within: Value = picker.within if plan.lane_beat_bits else Const(0, 0)
        end = Signal(len(behind) + 1, name="lane_end")
        m.d.comb += end.eq(self.offset + self.size_minus_one)
        self.more = end[plan.offset_bits :][: plan.lane_beat_bits] - self.within
        self.ends = ~self.more[: plan.lane_beat_bits].any()
        self.done = Mux(self.ends, self.here, 0)
        self.last = self.ends & ~(pending & ~self.here).any()
