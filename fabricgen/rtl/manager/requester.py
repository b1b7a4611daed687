"""Everything between one port and one manager."""

from dataclasses import replace

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.manager_use import ManagerUse
from fabricgen.rtl.logic import at_least, select
from fabricgen.rtl.manager.answers import BeatAnswers
from fabricgen.rtl.manager.picker import BeatPicker, pick_widths
from fabricgen.rtl.manager.plan import BeatPlan
from fabricgen.rtl.manager.range import AddressRange
from fabricgen.rtl.manager.stream import ManagerStream, ManagerStreamShape
from fabricgen.rtl.service.channel import (
    ServiceChannel,
    ServiceChannelShape,
    kind_members,
)
from fabricgen.rtl.service.rotate import rotate_up

__all__ = ["ManagerRequester", "user_stream"]

#: Kinds of accesses that a bit of the channel tells; a read has none.
_KINDS = ("write", "rmw", "exchange", "fence")

#: What each beat says as its access does.
_SAID = ("rmw_kind", "ordering", "failure_ordering", "scope", "weak", "volatile")


def user_stream(
    channel: ServiceChannelShape, beat_bytes: int, use: ManagerUse
) -> ManagerStreamShape:
    """Shape of the beats that the accesses of one channel are split into."""
    plan = BeatPlan(channel.requester, beat_bytes)
    return ManagerStreamShape(
        beat_bytes=beat_bytes,
        reads=use.reads,
        writes=use.writes,
        volatile=use.volatile,
        atomics=use.atomics,
        origin_bits=(channel.slots - 1).bit_length(),
        beat_bits=plan.beat_bits,
        more_bits=plan.more_bits,
    )


class ManagerRequester(wiring.Component):
    """Split whole accesses into beats of a manager, and put the answers together.

    A beat is offered in the cycle after it was chosen, and the next one is chosen as it is taken:
    one beat a cycle, over the borders of beats and of accesses. An access is taken from the
    channel when its last beat is chosen, so several are outstanding, one for each slot. Beats and
    accesses may be answered in any order; an answer shows at the channel in the next cycle.

    An atomic object is one beat, and so is a fence, which has no address and touches nothing. Where
    an address breaks its actor's promise the beats of an object count as several accesses.

    A lane with a byte at or above 2**64 has no beat. Such an access first costs a cycle; it is
    taken when all beats of the requester have been answered, and answered in the next cycle.

    ``stream.req_*`` are registers but for an adder and a rotation of bytes. ``channel.ready``
    follows the channel's request and ``stream.req_ready``; nothing on the request side follows
    an answer within its cycle. Reset forgets all accesses; no answer may come to one of them
    afterwards.

    Parameters
    ----------
    channel
        Shape of the channel, with 64-bit addresses.
    beat_bytes
        Bytes of a beat, a power of two.
    use
        What is asked of the manager; at most what the channel's requester does.

    Members
    -------
    channel : In(channel.signature())
    stream : Out(user_stream(channel, beat_bytes, use).signature())
        The origin is the slot.
    idle : Out(1)
        No beat is offered or unanswered, and no answer shows (registers).
    """

    channel: ServiceChannel
    stream: ManagerStream
    idle: Signal

    def __init__(self, channel: ServiceChannelShape, beat_bytes: int, use: ManagerUse) -> None:
        if not channel.managed:
            raise TypeError(f"ManagerRequester channel must be that of a manager, not {channel!r}")
        if beat_bytes < 1 or beat_bytes & (beat_bytes - 1):
            raise TypeError(f"ManagerRequester beat_bytes must be a power of two, not {beat_bytes}")
        asked = channel.requester
        allowed = ManagerUse(asked.reads, asked.writes, asked.volatile, asked.atomics)
        plain = ("reads", "writes", "volatile")
        exceeds = any(getattr(use, name) > getattr(allowed, name) for name in plain)
        if exceeds or not use.atomics.is_within(asked.atomics):
            raise TypeError(f"ManagerRequester use must be within {allowed!r}, not {use!r}")
        self.shape = channel
        self.use = use
        self.plan = BeatPlan(
            replace(
                asked,
                reads=use.reads,
                writes=use.writes,
                volatile=use.volatile,
                atomics=use.atomics,
            ),
            beat_bytes,
        )
        super().__init__(
            {
                "channel": In(channel.signature()),
                "stream": Out(user_stream(channel, beat_bytes, use).signature()),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Choose, offer, count, and answer."""
        m = Module()
        channel, stream = self.channel, self.stream
        m.submodules.picker, m.submodules.answers = picker, answers = self._parts()

        # Lanes that the access on the channel goes without, once they are known.
        excluded = Signal(self.plan.requester.lanes)
        is_checked = Signal()
        faulty = self._faulty(m, excluded, is_checked)

        # Beats chosen and not answered.
        unanswered = Signal(range(self.shape.slots * self.plan.most_beats + 1))
        offered = Signal()
        pick = Signal()
        taken = Signal()
        closed = Signal()
        # A fence has no lane, so the picker knows nothing of it.
        fence = self._kind("fence")
        # Nothing is unanswered, seen one cycle late: no answer can come.
        rests = Signal()
        m.d.comb += [
            # While a closed access is answered, its lanes still stand in `excluded`.
            pick.eq(
                channel.valid
                & (picker.left | fence)
                & self._may_pick(offered)
                & (~faulty | is_checked)
                & ~answers.is_closed
            ),
            taken.eq(pick & (picker.last | fence) & ~is_checked),
            # Only what is faulty is checked, so a fence is not.
            closed.eq(channel.valid & is_checked & ~picker.left & rests & ~answers.is_closed),
            channel.ready.eq(taken | closed),
            self.idle.eq(~unanswered.any() & ~answers.valid),
        ]
        m.d.sync += [
            unanswered.eq(unanswered + pick - stream.rsp_valid),
            rests.eq(~unanswered.any() & ~pick),
            offered.eq(pick | offered & ~stream.req_ready),
        ]
        with m.If(answers.is_closed):
            m.d.sync += is_checked.eq(0)
        with m.Elif(channel.valid & faulty):
            m.d.sync += is_checked.eq(1)

        ends = taken | closed
        self._progress(m, picker.sent, picker.sent_next, pick, ends)
        if self.plan.lane_beat_bits:
            self._progress(m, picker.within, picker.within_next, pick, ends)
        self._ask(m, picker, Mux(is_checked, excluded, 0))
        # What is loaded in vain is not offered, and spares the registers a late enable.
        held = _Held(m, self, picker, self._may_pick(offered))
        self._offer(m, held, offered)
        self._track(m, picker, answers, held, pick, taken, closed)
        self._answer(m, answers, excluded, held)
        m.d.comb += [answers.sending.eq(offered), answers.rests.eq(rests)]
        return m

    def _kind(self, name: str) -> Value:
        """Whether the access on the channel is a ``write``, ``rmw``, ``exchange`` or ``fence``."""
        kinds = kind_members(self.plan.requester, store="write")
        if name in kinds:
            return getattr(self.channel, name)
        # Where no other kind occurs, nothing has to tell.
        req = self.plan.requester
        occurs = req.writes if name == "write" else getattr(req.atomics, name)
        return Const(int(occurs), 1)

    def _parts(self) -> tuple[BeatPicker, BeatAnswers]:
        """The request side and the answer side."""
        return BeatPicker(self.plan), BeatAnswers(self.plan, self.shape.slots)

    def _may_pick(self, offered: Signal) -> Value:
        """The registers of the offered beat are free, or become so."""
        return ~offered | self.stream.req_ready

    @staticmethod
    def _progress(m: Module, now: Signal, after: Signal, pick: Value, ends: Value) -> None:
        """A register that every chosen beat moves on, and the end of an access clears."""
        kept = Signal.like(now, name=f"kept_{after.name.removesuffix('_next')}")
        m.d.comb += now.eq(kept)
        with m.If(ends):
            m.d.sync += kept.eq(0)
        with m.Elif(pick):
            m.d.sync += kept.eq(after)

    def _faulty(self, m: Module, excluded: Signal, is_checked: Signal) -> Value:
        """Some active lane lies outside; which ones is kept for the cycles after the first."""
        m.submodules.range = check = AddressRange(self.plan.requester)
        m.d.comb += [check.address.eq(self.channel.address), check.beyond.eq(self.channel.beyond)]
        if hasattr(check, "mode"):
            m.d.comb += check.mode.eq(self.channel.mode)
        with m.If(~is_checked):
            m.d.sync += excluded.eq(self.channel.lanes & check.outside)
        return (self.channel.lanes & check.outside).any()

    def _ask(self, m: Module, picker: BeatPicker, excluded: Value) -> None:
        """What the picker looks at."""
        m.d.comb += picker.excluded.eq(excluded)
        for name in ("mode", "walk", "address", "lanes"):
            if hasattr(picker, name):
                m.d.comb += getattr(picker, name).eq(getattr(self.channel, name))

    def _offer(self, m: Module, held: "_Held", offered: Signal) -> None:
        """The beat that was chosen, turned to its place."""
        stream, size = self.stream, self.plan.beat_bytes
        turn: list[Value | None] = [held.turn[bit] for bit in range(self.plan.offset_bits)]
        step_bits = self.plan.least_step.bit_length() - 1
        turn[:step_bits] = [None] * min(step_bits, len(turn))
        m.d.comb += [
            stream.req_valid.eq(offered),
            stream.req_kind.eq(held.kind),
            stream.rsp_ready.eq(1),
        ]
        for name in ("beat", "more", *_SAID):
            if hasattr(stream, f"req_{name}"):
                m.d.comb += getattr(stream, f"req_{name}").eq(getattr(held, name))
        if self.shape.slots > 1:
            m.d.comb += stream.req_origin.eq(held.slot)
        if not hasattr(stream, "req_strobe"):
            return
        m.d.comb += stream.req_address.eq(Cat(Const(0, self.plan.offset_bits), held.memory_line))
        live = rotate_up(m, list(held.live), turn, name="turned_live")
        for place, bit in enumerate(live):
            if bit is not None:
                m.d.comb += stream.req_strobe[place].eq(self._strobe(bit, held.floor, place))
        for name, is_shown in (("data", held.sends), ("expected", held.exchange)):
            if not hasattr(stream, f"req_{name}"):
                continue
            payload, field = getattr(held, name), getattr(stream, f"req_{name}")
            ring: list[Value] = [payload.word_select(place, 8) for place in range(size)]
            turned = rotate_up(m, ring, turn, name=f"turned_{name}")
            for place, byte in enumerate(turned):
                if byte is not None:
                    shown = (stream.req_strobe[place] & is_shown).replicate(8)
                    m.d.comb += field.word_select(place, 8).eq(byte & shown)

    def _strobe(self, bit: Value, floor: Value, place: int) -> Value:
        """Bytes that wrapped around belong to the next beat."""
        return bit & ~at_least(floor, place + 1)

    def _track(
        self,
        m: Module,
        picker: BeatPicker,
        answers: BeatAnswers,
        held: "_Held",
        pick: Signal,
        taken: Signal,
        closed: Signal,
    ) -> None:
        """What the other side has to know of each beat and each access."""
        stream, slot = self.stream, self._slot
        m.d.comb += [
            answers.picked.eq(pick),
            answers.picked_slot.eq(slot),
            answers.sent_slot.eq(held.slot),
            answers.sent_line.eq(held.memory_line),
            answers.partial_slot.eq(slot),
            answers.closed.eq(closed),
            answers.rsp_valid.eq(stream.rsp_valid),
            answers.rsp_error.eq(stream.rsp_error),
        ]
        if self.shape.slots > 1:
            m.d.comb += answers.rsp_slot.eq(stream.rsp_origin)
        if self.plan.beat_bits:
            m.d.comb += [
                answers.picked_beat.eq(picker.beat),
                answers.sent_beat.eq(held.beat),
                answers.rsp_beat.eq(stream.rsp_beat),
            ]
        if self.plan.most_beats > 1:
            count = Signal.like(answers.count)
            m.d.comb += [answers.count.eq(count), answers.partial.eq(count.any())]
            with m.If(taken | closed):
                m.d.sync += count.eq(0)
            with m.Elif(pick):
                m.d.sync += count.eq(count + 1)
        if self.plan.requester.atomics.exchange:
            m.d.comb += answers.rsp_success.eq(stream.rsp_success)
        if self.plan.requester.returns:
            m.d.comb += answers.rsp_data.eq(stream.rsp_data)
            for name in ("turn", "first", "final"):
                if hasattr(answers, name):
                    m.d.comb += getattr(answers, name).eq(getattr(picker, name))
            if hasattr(answers, "quiet"):
                m.d.comb += answers.quiet.eq(self._kind("write") | self._kind("fence"))

    @property
    def _slot(self) -> Value:
        return self.channel.slot if self.shape.slots > 1 else Const(0, 1)

    def _answer(self, m: Module, answers: BeatAnswers, excluded: Signal, held: "_Held") -> None:
        """The answer of this cycle; for a closed access with what was wrong with it."""
        channel = self.channel
        in_range = Mux(answers.is_closed, ~excluded, -1)
        exact = Cat(held.floor, held.memory_line)
        m.d.comb += [
            channel.rsp_valid.eq(answers.valid),
            channel.rsp_done.eq(answers.done),
            channel.rsp_in_range.eq(Mux(answers.error, 0, in_range)),
            channel.rsp_error.eq(answers.error),
            channel.rsp_error_address.eq(answers.error_address),
            channel.rsp_fault.eq(answers.is_closed),
            channel.rsp_fault_address.eq(exact),
            channel.stands.eq(self.stream.req_valid),
        ]
        if self.shape.slots > 1:
            m.d.comb += [channel.rsp_slot.eq(answers.slot), channel.stands_slot.eq(held.slot)]
        if self.plan.requester.atomics.exchange:
            m.d.comb += [
                channel.rsp_success.eq(answers.success.replicate(len(channel.rsp_success))),
                channel.rsp_tested.eq(answers.tested),
            ]
        if self.plan.requester.returns:
            m.d.comb += [
                channel.rsp_data.eq(answers.data),
                channel.rsp_strobe.eq(answers.strobe),
            ]


class _Held:
    """Registers of the beat that is offered; bytes of the payload are not at their place yet.

    What has no bits is a constant of no bits.
    """

    line: Value
    ahead: Value
    floor: Value
    turn: Value
    beat: Value
    more: Value
    data: Value
    expected: Value

    def __init__(self, m: Module, owner: ManagerRequester, picker: BeatPicker, load: Value) -> None:
        self.plan, self.picker, self.load = owner.plan, picker, load
        channel, req = owner.channel, owner.plan.requester
        widths = pick_widths(owner.plan)
        for name in ("line", "ahead", "floor", "turn", "beat", "more"):
            value = getattr(picker, name) if widths[name] else Const(0, 0)
            setattr(self, name, self._register(m, value, name))
        self.slot = self._register(m, owner._slot, "slot")
        write, rmw, self.exchange, self.fence = (
            self._register(m, owner._kind(name), name) for name in _KINDS
        )
        self.kind = Cat(write | self.exchange, rmw | self.exchange, self.fence)
        self.sends = write | rmw | self.exchange
        widths = req.atomics.field_widths() | {"volatile": int(req.volatile)}
        for name in (name for name in _SAID if widths[name]):
            setattr(self, name, self._register(m, getattr(channel, name), name))
        self.live = self._register(m, self._ring(m, picker.active, 1), "live")
        if req.sends:
            self.data = self._register(m, self._ring(m, channel.data, 8), "data")
        if req.atomics.exchange:
            self.expected = self._register(m, self._ring(m, channel.expected, 8), "expected")
        self.memory_line = Signal(owner.plan.line_bits, name="memory_line")
        line = self.line + self.ahead
        if req.atomics.fence:
            # Behind a fence there is no address, and no number of beats that follow.
            line, self.more = Mux(self.fence, 0, line), Mux(self.fence, 0, self.more)
        m.d.comb += self.memory_line.eq(line)

    def _register(self, m: Module, value: Value, name: str) -> Value:
        if not len(value) or isinstance(value, Const):
            return value
        held = Signal(len(value), name=f"held_{name}", reset_less=True)
        with m.If(self.load):
            m.d.sync += held.eq(value)
        return held

    def _ring(self, m: Module, payload: Value, width: int) -> Value:
        """The piece of the payload that begins with byte ``first``, each byte at its place in a
        word: those before ``first`` belong to the next word.
        """
        size, words = self.plan.beat_bytes, self.plan.words
        first = self.picker.first if self.plan.place_bits else Const(0, 0)
        word, low = first[self.plan.offset_bits :], first[: self.plan.offset_bits]
        chosen = [word == at for at in range(words)] if words > 1 else [Const(1, 1)]
        ring: list[Value] = []
        for byte in range(size):
            is_next = at_least(low, byte + 1) if len(low) else Const(0, 1)
            terms: list[tuple[Value, Value]] = []
            for at in range(words):
                if (place := at * size + byte) < self.plan.requester.data_bytes:
                    here = chosen[at] & ~is_next
                    if at:
                        here |= chosen[at - 1] & is_next
                    terms.append((here, payload.word_select(place, width)))
            ring.append(select(terms, width))
        return Cat(*ring)
