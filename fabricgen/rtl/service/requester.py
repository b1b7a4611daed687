"""Everything of the service that belongs to one requester."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import BankGeometry
from fabricgen.rtl.logic import any_bit, one_hot, select
from fabricgen.rtl.service.address import AddressSplit
from fabricgen.rtl.service.beat_reader import BeatReader
from fabricgen.rtl.service.channel import ServiceChannel, ServiceChannelShape
from fabricgen.rtl.service.front_end import FrontEnd
from fabricgen.rtl.service.items import RequestItems
from fabricgen.rtl.service.lane_walk import LaneWalk, walks_in_windows
from fabricgen.rtl.service.range_check import RangeCheck
from fabricgen.rtl.service.read_aligner import ReadAligner
from fabricgen.rtl.service.write_aligner import WriteAligner

__all__ = ["Requester"]


class Requester(wiring.Component):
    """Two stages of a whole access: ask banks for rows; then move bytes and answer.

    A part granted in cycle *n* is answered in *n + 1*. The range check is worked out beside the
    arbitration and used in the second stage only, where it closes byte enables. Reset forgets
    what was granted.

    Where firings go lane by lane and not all lanes at once, the request is held here while its
    lanes are let in (:class:`fabricgen.rtl.service.lane_walk.LaneWalk`); ``channel.ready`` then
    says that it is taken, and it may be served later.

    Parameters
    ----------
    channel
        Shape of the requester's channel.
    geometry
        Banks and beats.
    regions
        (base, size) in bytes of each region of the service.
    forwards
        Somebody writes at all, so a read can meet a write.
    issue_lanes
        Lanes of a firing that goes lane by lane which are let in per cycle.

    Members
    -------
    channel : In(channel.signature())
    admit : In(1)
        The request may be served in this cycle.
    asks, ends : Out(1), absent unless lanes are let in over several cycles
        A request waits to be served or is served in part; its last part is served. Elsewhere
        ``channel.valid`` and ``channel.ready`` say so.
    read_request, write_request : Out(banks), read_grant, write_grant : In(banks)
    rows : Out(banks * row_bits)
        Row asked of each bank.
    stored, read_beats : In(banks * 8 * beat_bytes)
        Of the banks granted in the cycle before: what their storages return, and the same with
        newer bytes.
    writing_rows, writing_beats, writing_enable : In, of all banks; absent unless ``forwards``
        What is written at the end of this cycle.
    write_beats : Out(banks * 8 * beat_bytes), write_enable : Out(banks * beat_bytes)
        For the banks granted in the cycle before.
    answering : Out(1)
        The last part of a request is answered in this cycle (registered).
    idle : Out(1)
        No part of a request is served or answered (registered).

    Members of a direction that the requester does not have are absent.
    """

    channel: ServiceChannel
    admit: Signal
    asks: Signal
    ends: Signal
    read_request: Signal
    read_grant: Signal
    stored: Signal
    read_beats: Signal
    writing_rows: Signal
    writing_beats: Signal
    writing_enable: Signal
    write_request: Signal
    write_grant: Signal
    write_beats: Signal
    write_enable: Signal
    rows: Signal
    answering: Signal
    idle: Signal

    def __init__(
        self,
        channel: ServiceChannelShape,
        *,
        geometry: BankGeometry,
        regions: tuple[tuple[int, int], ...],
        forwards: bool,
        issue_lanes: int = 1,
    ) -> None:
        self.shape = channel
        self.windows = walks_in_windows(channel, issue_lanes)
        self.holds = Signal()
        self.issue_lanes = issue_lanes
        self.forwards = forwards
        self.plan = RequestItems(geometry, channel.requester)
        self.geometry = geometry
        self.region_bounds = regions
        self.split = AddressSplit(geometry)
        banks, beat_bytes = geometry.banks, geometry.beat_bytes
        members: dict[str, wiring.Member] = {
            "channel": In(channel.signature()),
            "admit": In(1),
            "rows": Out(banks * self.split.row_bits),
            "answering": Out(1),
            "idle": Out(1),
        }
        if self.windows:
            members |= {"asks": Out(1), "ends": Out(1)}
        if channel.requester.reads:
            members |= {
                "read_request": Out(banks),
                "read_grant": In(banks),
                "stored": In(banks * 8 * beat_bytes),
                "read_beats": In(banks * 8 * beat_bytes),
            }
        if channel.requester.reads and forwards:
            members |= {
                "writing_rows": In(banks * self.split.row_bits),
                "writing_beats": In(banks * 8 * beat_bytes),
                "writing_enable": In(banks * beat_bytes),
            }
        if channel.requester.writes:
            members |= {
                "write_request": Out(banks),
                "write_grant": In(banks),
                "write_beats": Out(banks * 8 * beat_bytes),
                "write_enable": Out(banks * beat_bytes),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """First stage, the registers between, second stage."""
        m = Module()
        self._answer(m, self._ask(m))
        return m

    def _ask(self, m: Module) -> "_Held":
        """Requests to the banks, and the range check beside them."""
        req = self.shape.requester
        m.submodules.front = front = FrontEnd(
            self.geometry,
            requester=req,
            address_bits=self.shape.address_bits,
            windows=self.windows,
        )
        channel = self._walk(m, front) if self.windows else self.channel
        m.d.comb += [
            front.valid.eq(channel.valid & self.admit),
            front.address.eq(channel.address),
            front.lanes.eq(channel.lanes),
            channel.ready.eq(front.done),
            self.rows.eq(front.rows),
        ]
        if len(req.modes) > 1:
            m.d.comb += front.mode.eq(channel.mode)
        if req.reads and req.writes:
            m.d.comb += [
                self.read_request.eq(Mux(channel.write, 0, front.want)),
                self.write_request.eq(Mux(channel.write, front.want, 0)),
                front.grant.eq(self.read_grant | self.write_grant),
            ]
        elif req.reads:
            m.d.comb += [self.read_request.eq(front.want), front.grant.eq(self.read_grant)]
        else:
            m.d.comb += [self.write_request.eq(front.want), front.grant.eq(self.write_grant)]
        held = _Held(m, self.shape, channel, front, self._check(m, channel))
        idle = ~held.answers & ~front.partial
        m.d.comb += self.idle.eq(idle & ~self.holds if self.windows else idle)
        return held

    def _check(self, m: Module, channel: ServiceChannel) -> Value | None:
        """Lanes in range; none where whoever asks has compared them."""
        req = self.shape.requester
        if not req.region_sets:
            return None
        m.submodules.range_check = check = RangeCheck(
            req, regions=self.region_bounds, address_bits=self.shape.address_bits
        )
        m.d.comb += [check.address.eq(channel.address), check.beyond.eq(channel.beyond)]
        if len(req.modes) > 1:
            m.d.comb += check.mode.eq(channel.mode)
        if len(req.region_sets) > 1:
            m.d.comb += check.regions.eq(channel.regions)
        return check.in_range

    def _walk(self, m: Module, front: FrontEnd) -> ServiceChannel:
        """The request that is served while its lanes are let in."""
        m.submodules.walk = walk = LaneWalk(self.shape, self.issue_lanes)
        for name in walk.i.signature.members:
            if name == "ready":
                m.d.comb += self.channel.ready.eq(walk.i.ready)
            else:
                m.d.comb += getattr(walk.i, name).eq(getattr(self.channel, name))
        m.d.comb += [
            front.released.eq(walk.released),
            self.asks.eq(walk.o.valid),
            self.ends.eq(front.done),
            self.holds.eq(walk.holds),
        ]
        return walk.o

    def _answer(self, m: Module, held: "_Held") -> None:
        """Move bytes between banks and payload, and respond."""
        channel, req = self.channel, self.shape.requester
        lanes = range(req.lanes)
        active = [held.lanes[lane] if req.lanes > 1 else Const(1, 1) for lane in lanes]
        outside = [active[lane] & ~held.in_range[lane] for lane in lanes]
        m.d.comb += [
            self.answering.eq(held.done),
            channel.rsp_valid.eq(held.answers),
            channel.rsp_done.eq(held.done),
            channel.rsp_in_range.eq(held.in_range),
            channel.rsp_fault.eq(any_bit(outside)),
            channel.rsp_fault_address.eq(self._fault_address(held, outside)),
        ]
        if self.shape.slots > 1:
            m.d.comb += channel.rsp_slot.eq(held.slot)
        if req.reads:
            m.submodules.read_aligner = read = ReadAligner(self.geometry, requester=req)
            held.drive(m, read)
            m.d.comb += [
                read.lanes.eq(held.lanes),
                read.beats.eq(self._read_one(m) if self.plan.is_single else self.read_beats),
                channel.rsp_data.eq(read.data),
                channel.rsp_strobe.eq(Mux(held.write, 0, read.strobe)),
            ]
        if req.writes:
            m.submodules.write_aligner = write = WriteAligner(self.geometry, requester=req)
            held.drive(m, write)
            m.d.comb += [
                write.live.eq(Cat(active[lane] & held.in_range[lane] for lane in lanes)),
                write.data.eq(held.data),
                self.write_beats.eq(write.beats),
                self.write_enable.eq(write.enable),
            ]

    def _read_one(self, m: Module) -> Value:
        """The beat of a requester that never needs two."""
        m.submodules.beat_reader = reader = BeatReader(self.geometry, forwards=self.forwards)
        m.d.comb += [
            reader.row.eq(self.split.row(self.channel.address)),
            reader.stored.eq(self.stored),
        ]
        if self.geometry.banks > 1:
            m.d.comb += reader.bank.eq(self.split.bank(self.channel.address))
        if self.forwards:
            m.d.comb += [
                reader.writing_rows.eq(self.writing_rows),
                reader.writing_beats.eq(self.writing_beats),
                reader.writing_enable.eq(self.writing_enable),
            ]
        return reader.beat

    def _fault_address(self, held: "_Held", outside: list[Value]) -> Value:
        """Low bits of the address of the first lane outside."""
        req, bits = self.shape.requester, self.shape.address_bits
        modes = list(zip(one_hot(held.mode, len(req.modes)), req.modes, strict=True))
        indexed = any_bit(chosen for chosen, mode in modes if mode.indexed)
        first = [outside[lane] & ~any_bit(outside[:lane]) for lane in range(req.lanes)]

        origins = [(~indexed, held.address.word_select(0, bits))] + [
            (indexed & first[lane], held.address.word_select(lane, bits))
            for lane in range(req.segments)
        ]
        distances = [
            (first[lane] & chosen, Const(lane * mode.element_bytes, bits))
            for chosen, mode in modes
            for lane in range(1, mode.lanes)
            if not mode.indexed
        ]
        origin = select(origins, bits) if req.segments > 1 else held.address
        return (origin + select(distances, bits))[:bits] if distances else origin


class _Held:
    """Registers between the stages. Payload is neither reset nor held still between parts."""

    def __init__(
        self,
        m: Module,
        shape: ServiceChannelShape,
        channel: ServiceChannel,
        front: FrontEnd,
        in_range: Value | None,
    ) -> None:
        self.shape = shape
        self.split = front.split
        req = shape.requester
        self.part = self._register(m, front.served.any(), "part", reset_less=False)
        self.done = self._register(m, front.done, "done", reset_less=False)
        # The last lanes to be let in may have been served with earlier ones.
        self.answers = self.part | self.done if front.windows else self.part
        self.served = self._register(m, front.served, "served")
        self.address = self._register(m, channel.address, "address")
        self.lanes = self._register(m, channel.lanes, "lanes")
        if in_range is None:
            self.in_range = Const((1 << req.lanes) - 1, req.lanes)
        else:
            self.in_range = self._register(m, in_range, "in_range")
        both = req.reads and req.writes
        self.write = self._register(m, channel.write, "write") if both else Const(req.writes, 1)
        self.mode = self._register(m, channel.mode, "mode") if len(req.modes) > 1 else None
        if shape.slots > 1:
            self.slot = self._register(m, channel.slot, "slot")
        if req.writes:
            self.data = self._register(m, channel.data, "data")

    @staticmethod
    def _register(m: Module, value: Value, name: str, *, reset_less: bool = True) -> Signal:
        held = Signal(len(value), name=f"held_{name}", reset_less=reset_less)
        m.d.sync += held.eq(value)
        return held

    def drive(self, m: Module, aligner: ReadAligner | WriteAligner) -> None:
        """What both aligners look at."""
        m.d.comb += aligner.served.eq(self.served)
        if self.mode is not None:
            m.d.comb += aligner.mode.eq(self.mode)
        if self.split.low_bits:
            size = self.shape.address_bits
            words = [self.address.word_select(s, size) for s in range(len(self.address) // size)]
            m.d.comb += aligner.low.eq(Cat(self.split.low(word) for word in words))
