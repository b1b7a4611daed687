"""One subordinate endpoint: from beats outside to the Local Memory Service, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.config.layout import CarrierField
from fabricgen.plan.geometry import BankGeometry
from fabricgen.plan.subordinate_use import SubordinateUse
from fabricgen.rtl.logic import any_bit, encode, lowest
from fabricgen.rtl.manager.stream import BeatKind
from fabricgen.rtl.service.address import AddressSplit
from fabricgen.rtl.service.channel import ServiceChannel, ServiceChannelShape
from fabricgen.rtl.service.range_check import RangeCheck
from fabricgen.rtl.subordinate.decoder import ProviderDecoder
from fabricgen.rtl.subordinate.slot_memory import SlotMemory
from fabricgen.rtl.subordinate.step import BeatStep
from fabricgen.rtl.subordinate.stream import SubordinateStream, SubordinateStreamShape

__all__ = ["Subordinate"]

#: What is compared of a beat, by the names of its request.
_COMPARED = ("kind", "address", "strobe", "address_space", "context")


class Subordinate(wiring.Component):
    """Serve the beats of one endpoint in their order.

    A beat takes a slot when it is taken and returns it with its answer, so an answer always has
    room, and ``req_ready`` tells registers and ``hold`` alone. It is matched against the decode
    rows, moved by the base offset of the first one that matches, compared with the regions, and
    then becomes an access of the local service. A beat that no row matches, of a kind that is not
    served, at no multiple of its bytes, without a byte, or with a byte outside the regions never
    reaches the service: it is answered with an error.

    Without contention the answer is offered five cycles after the beat was taken, so six slots
    serve a beat in every cycle. Reset forgets every beat.

    Parameters
    ----------
    use
        Beats, slots and regions.
    rows
        Carrier fields of each decode row, by name.
    regions
        (base, size) in bytes of each region of the service.
    geometry
        Banks and beats of the service.

    Members
    -------
    configuration : In(width)
        The decode rows in the carrier, from the first bit of the first row. It may change while
        ``idle`` behind ``hold``, which then lasts a cycle more.
    hold : In(1)
        Take no beat in this cycle.
    stream : In(SubordinateStreamShape.signature())
    request : Out(channel.signature())
        To the local service.
    idle : Out(1)
        No beat is inside (registered).
    """

    configuration: Signal
    hold: Signal
    stream: SubordinateStream
    request: ServiceChannel
    idle: Signal

    def __init__(
        self,
        use: SubordinateUse,
        *,
        rows: Sequence[Mapping[str, CarrierField]],
        regions: Sequence[tuple[int, int]],
        geometry: BankGeometry,
    ) -> None:
        self.use = use
        self.slots = use.slots
        self.decoder = ProviderDecoder(rows)
        #: A byte of the beat may lie before the first address and still be moved behind it, so
        #: addresses count from that many bytes before it where the offset is no multiple.
        self.lead = use.beat_bytes if use.address_step < use.beat_bytes else 0
        self.check = RangeCheck(
            use.shape(),
            regions=tuple((base + self.lead, size) for base, size in regions),
            address_bits=(geometry.capacity_bytes - 1 + self.lead).bit_length() or 1,
        )
        split = AddressSplit(geometry)
        self.stream_shape = SubordinateStreamShape(
            use.beat_bytes,
            reads=use.reads,
            writes=use.writes,
            address_space="address_space" in self.decoder.names,
            context="context" in self.decoder.names,
        )
        #: Low bits of an address that are zero.
        self.low_bits = use.beat_bytes.bit_length() - 1
        #: Every byte was compared before it gets there; all addresses of the banks are one circle.
        self.channel = ServiceChannelShape(
            replace(use.shape(), region_sets=()), split.low_bits + split.row_bits, use.slots
        )
        super().__init__(
            {
                "configuration": self.decoder.signature.members["configuration"],
                "hold": In(1),
                "stream": In(self.stream_shape.signature()),
                "request": Out(self.channel.signature()),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Slots, and the steps of a beat from one to the other end."""
        m = Module()
        taken = Signal()
        given = Signal()
        used = self._count(m, "used", taken, given)
        m.d.comb += [
            taken.eq(self.stream.req_valid & self.stream.req_ready),
            given.eq(self.stream.rsp_valid & self.stream.rsp_ready),
            self.stream.req_ready.eq(self._has_room(used) & ~self.hold),
            self.idle.eq(used == 0),
        ]
        entry = _Entry(taken, self._ring(m, "take", taken))
        asked = self._move(m, self._match(m, entry))
        self._ask(m, entry, asked)
        self._answer(m, entry, asked, given)
        return m

    # Slots.

    def _ring(self, m: Module, name: str, moves: Value) -> Signal:
        """A pointer that goes round the slots."""
        pointer = Signal(range(max(2, self.slots)), name=name)
        with m.If(moves):
            m.d.sync += pointer.eq(Mux(pointer == self.slots - 1, 0, pointer + 1))
        return pointer

    def _count(self, m: Module, name: str, more: Value, fewer: Value) -> Signal:
        count = Signal(range(self.slots + 1), name=name)
        with m.If(more & ~fewer):
            m.d.sync += count.eq(count + 1)
        with m.If(fewer & ~more):
            m.d.sync += count.eq(count - 1)
        return count

    def _kept(self, m: Module, name: str, entry: "_Entry", word: Value, slot: Value) -> Value:
        """What was kept, of the beat in ``slot``, of this word when the beat was taken."""
        m.submodules[name] = memory = SlotMemory(len(word), self.slots)
        m.d.comb += [
            memory.write_slot.eq(entry.slot),
            memory.enable.eq(entry.taken),
            memory.data.eq(word),
            memory.read_slot.eq(slot),
        ]
        return memory.word

    def _has_room(self, used: Signal) -> Value:
        return used != self.slots

    # From one end to the other.

    def _match(self, m: Module, entry: "_Entry") -> BeatStep:
        """What the oldest beat that was not looked at matches."""
        low, decoder = self.low_bits, self.decoder
        m.submodules.decoder = decoder
        looked = Signal()
        look = self._ring(m, "look", looked)
        waiting = self._count(m, "waiting", entry.taken, looked)
        beat = self._compared(m, entry, look)
        address, strobe, kind = beat["address"], beat["strobe"], beat["kind"]
        m.d.comb += [
            decoder.configuration.eq(self.configuration),
            decoder.first.eq(Cat(encode(lowest(strobe)), address[low:])),
            decoder.last.eq(Cat(~encode(lowest(strobe[::-1])) if low else (), address[low:])),
        ]
        for name in ("address_space", "context"):
            if name in beat:
                m.d.comb += getattr(decoder, name).eq(beat[name])

        has_offset = hasattr(decoder, "offset")
        step = BeatStep(
            "matched",
            self.slots,
            write=1,
            failed=1,
            strobe=self.use.beat_bytes,
            place=len(address) - low,
            offset=len(address) * has_offset,
        )
        m.d.comb += looked.eq((waiting != 0) & step.free)
        step.enter(
            m,
            looked,
            look,
            write=kind == BeatKind.WRITE.value,
            failed=~self._is_beat(kind, address, strobe) | ~decoder.matched,
            strobe=strobe,
            place=address[low:],
            **({"offset": decoder.offset} if has_offset else {}),
        )
        return step

    def _is_beat(self, kind: Value, address: Value, strobe: Value) -> Value:
        """A beat of a kind that is served, at a multiple of its bytes, with some byte."""
        served = {BeatKind.READ: self.use.reads, BeatKind.WRITE: self.use.writes}
        known = any_bit(kind == each.value for each, is_served in served.items() if is_served)
        return known & ~any_bit(address[: self.low_bits]) & strobe.any()

    def _compared(self, m: Module, entry: "_Entry", slot: Signal) -> dict[str, Value]:
        """Fields of the beat in one slot."""
        widths = self.stream_shape.request_widths()
        names = [name for name in _COMPARED if name in widths]
        fields = [getattr(self.stream, f"req_{name}") for name in names]
        word = self._kept(m, "beats", entry, Cat(*fields), slot)
        beat: dict[str, Value] = {}
        for name in names:
            beat[name], word = word[: widths[name]], word[widths[name] :]
        return beat

    def _move(self, m: Module, matched: BeatStep) -> BeatStep:
        """Add the base offset, and compare every byte with the regions."""
        place: Value = matched["place"]
        low: Value = Const(0, self.low_bits)
        led = place
        if "offset" in matched.fields:
            low, high = matched["offset"][: self.low_bits], matched["offset"][self.low_bits :]
            place, led = place + high, place + high + int(self.lead > 0)
        address, compared = Signal(64, name="moved"), Signal(64, name="compared")
        m.d.comb += [address.eq(Cat(low, place)), compared.eq(Cat(low, led))]
        m.submodules.check = check = self.check
        m.d.comb += [
            check.address.eq(compared),
            check.beyond.eq(compared[len(check.address) :].any()),
        ]
        if hasattr(check, "regions"):
            m.d.comb += check.regions.eq(matched["write"])
        outside = matched["strobe"] & ~check.in_range
        step = BeatStep(
            "asked",
            self.slots,
            write=1,
            failed=1,
            strobe=self.use.beat_bytes,
            address=self.channel.address_bits,
        )
        m.d.comb += matched.leaves.eq(matched.valid & step.free)
        step.enter(
            m,
            matched.leaves,
            matched.slot,
            write=matched["write"],
            failed=matched["failed"] | outside.any(),
            strobe=matched["strobe"],
            address=address,
        )
        return step

    def _ask(self, m: Module, entry: "_Entry", asked: BeatStep) -> None:
        """Offer what has not failed to the service; the rest passes by."""
        request, use = self.request, self.use
        m.d.comb += [
            request.valid.eq(asked.valid & ~asked["failed"]),
            request.address.eq(asked["address"]),
            request.beyond.eq(0),
            request.lanes.eq(asked["strobe"]),
            asked.leaves.eq(asked.valid & (asked["failed"] | request.ready)),
        ]
        if use.reads and use.writes:
            m.d.comb += request.write.eq(asked["write"])
        if self.slots > 1:
            m.d.comb += request.slot.eq(asked.slot)
        if use.writes:
            data = self._kept(m, "data", entry, self.stream.req_data, asked.slot)
            m.d.comb += request.data.eq(data)

    def _answer(self, m: Module, entry: "_Entry", asked: BeatStep, given: Signal) -> None:
        """Offer the oldest answer; bytes that were not read, or not found, are zero."""
        stream, give = self.stream, self._ring(m, "give", given)
        done, error = self._ends(m, asked, give, given)
        is_read = stream.req_kind == BeatKind.READ.value
        asks = Mux(is_read, stream.req_strobe, 0) if self.use.reads else Const(0, 0)
        word = self._kept(m, "names", entry, Cat(stream.req_origin, stream.req_beat, asks), give)
        names = len(stream.req_origin)
        failed = Signal()
        m.d.comb += [
            failed.eq(error.bit_select(give, 1)),
            stream.rsp_valid.eq(done.bit_select(give, 1)),
            stream.rsp_origin.eq(word[:names]),
            stream.rsp_beat.eq(word[names : 2 * names]),
            stream.rsp_error.eq(failed),
        ]
        if self.use.reads:
            lanes = self._shown(word[2 * names :], failed)
            gates = Cat(lane.replicate(8) for lane in lanes)
            m.d.comb += stream.rsp_data.eq(self._arrived(m, give) & gates)

    def _ends(
        self, m: Module, asked: BeatStep, give: Signal, given: Signal
    ) -> tuple[Signal, Signal]:
        """Per slot: the answer is complete; it is an error."""
        done = Signal(self.slots)
        error = Signal(self.slots, reset_less=True)
        ends = self.request.rsp_valid & self.request.rsp_done
        for at in range(self.slots):
            passes = asked.leaves & (asked.slot == at)
            with m.If(passes):
                m.d.sync += error[at].eq(asked["failed"])
            with m.If(ends & (self._ended() == at) | passes & asked["failed"]):
                m.d.sync += done[at].eq(1)
            with m.If(given & (give == at)):
                m.d.sync += done[at].eq(0)
        return done, error

    def _shown(self, asked: Value, failed: Value) -> Value:
        """Bytes of an answer that are not zero for sure."""
        return Mux(failed, 0, asked)

    def _ended(self) -> Value:
        """Slot of what the service answers."""
        return self.request.rsp_slot if self.slots > 1 else Const(0, 1)

    def _arrived(self, m: Module, give: Signal) -> Value:
        """Bytes that the service has read for a slot."""
        size = 8 * self.use.beat_bytes
        m.submodules.answers = memory = SlotMemory(size, self.slots, granularity=8)
        m.d.comb += [
            memory.write_slot.eq(self._ended()),
            memory.enable.eq(Mux(self.request.rsp_valid, self.request.rsp_strobe, 0)),
            memory.data.eq(self.request.rsp_data),
            memory.read_slot.eq(give),
        ]
        return memory.word


@dataclass(frozen=True, slots=True)
class _Entry:
    """A beat is taken in this cycle, into this slot."""

    taken: Signal
    slot: Signal
