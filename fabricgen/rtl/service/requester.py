"""Everything of the service that belongs to one requester."""

from collections.abc import Sequence
from copy import copy

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.atomic_use import NO_LOCAL_ATOMICS, LocalAtomics
from fabricgen.plan.geometry import BankGeometry, RequesterShape
from fabricgen.rtl.logic import any_bit, one_hot, select
from fabricgen.rtl.service.address import AddressSplit
from fabricgen.rtl.service.atomic_unit import OP_BITS, STORE, op_of, scale_bits
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

    Banks that compute show a beat a cycle later, so a part is answered in *n + 2*; what is written
    leaves in *n + 1* all the same.

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
    atomics
        What the banks compute for all requesters; with nothing they are
        :class:`fabricgen.rtl.service.bank.Bank`.

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
        newer bytes. The first is absent where banks compute, and the other is of two cycles before.
    writing_rows, writing_beats, writing_enable : In, of all banks; absent unless ``forwards``,
    and where banks compute
        What is written at the end of this cycle.
    write_beats : Out(banks * 8 * beat_bytes), write_enable : Out(banks * beat_bytes)
        For the banks granted in the cycle before.
    write_op : Out(OP_BITS), absent unless banks compute
    write_scale : Out, absent unless they do for objects of several sizes
    exchanges : Out(1), write_confirm : Out(banks * beat_bytes), absent unless it compares
        As :class:`fabricgen.rtl.service.atomic_bank.AtomicBank` takes them, in the same cycle.
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
    write_op: Signal
    write_scale: Signal
    exchanges: Signal
    write_confirm: Signal
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
        atomics: LocalAtomics = NO_LOCAL_ATOMICS,
    ) -> None:
        self.shape = channel
        self.atomics = atomics
        self.meets_writes = forwards and not atomics.computes
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
        if channel.requester.returns:
            members |= {
                "read_request": Out(banks),
                "read_grant": In(banks),
                "read_beats": In(banks * 8 * beat_bytes),
            }
            if not atomics.computes:
                members["stored"] = In(banks * 8 * beat_bytes)
        if channel.requester.returns and self.meets_writes:
            members |= {
                "writing_rows": In(banks * self.split.row_bits),
                "writing_beats": In(banks * 8 * beat_bytes),
                "writing_enable": In(banks * beat_bytes),
            }
        if channel.requester.sends:
            members |= {
                "write_request": Out(banks),
                "write_grant": In(banks),
                "write_beats": Out(banks * 8 * beat_bytes),
                "write_enable": Out(banks * beat_bytes),
            }
            if atomics.computes:
                members["write_op"] = Out(OP_BITS)
            if scale_bits(atomics):
                members["write_scale"] = Out(scale_bits(atomics))
            if channel.requester.local.exchange:
                members |= {"exchanges": Out(1), "write_confirm": Out(banks * beat_bytes)}
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
            separates=req.local.computes and req.segments > 1,
        )
        channel = self._walk(m, front) if self.windows else self.channel
        kinds = _Kinds(req, channel)
        # A fence has no beat: all that was served before it is visible when it is admitted.
        fence = kinds.fence & channel.valid & self.admit
        done = front.done | fence
        m.d.comb += [
            front.valid.eq(channel.valid & self.admit & ~kinds.fence),
            front.address.eq(channel.address),
            front.lanes.eq(channel.lanes),
            channel.ready.eq(done),
            self.rows.eq(front.rows),
        ]
        if len(req.modes) > 1:
            m.d.comb += front.mode.eq(channel.mode)
        if front.separates:
            m.d.comb += front.alone.eq(kinds.computes)
        grant: Value = Const(0, 1)
        if req.returns:
            m.d.comb += self.read_request.eq(Mux(kinds.write, 0, front.want))
            grant |= self.read_grant
        if req.sends:
            m.d.comb += self.write_request.eq(Mux(kinds.write | kinds.computes, front.want, 0))
            grant |= self.write_grant
        # Where both are asked of a bank, it grants both or none.
        m.d.comb += front.grant.eq(grant)
        if req.local.exchange:
            m.d.comb += self.exchanges.eq(kinds.exchange)
        if self.windows:
            m.d.comb += self.ends.eq(done)
        held = _Held(m, self.shape, channel, front, kinds, done, self._check(m, channel))
        rests = ~held.answers & ~front.partial
        m.d.comb += held.rests.eq(rests & ~self.holds if self.windows else rests)
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
            self.holds.eq(walk.holds),
        ]
        return walk.o

    def _answer(self, m: Module, held: "_Held") -> None:
        """Move bytes between banks and payload, and respond."""
        req = self.shape.requester
        lanes = range(req.lanes)
        if req.sends:
            self._store(m, held)
        rests: Value = held.rests
        if self.atomics.computes:
            held = held.later(m)
            rests &= ~held.answers
        m.d.comb += [self.idle.eq(rests), self.answering.eq(held.done)]
        outside = [active & ~held.in_range[lane] for lane, active in enumerate(held.active)]
        channel = self.channel
        m.d.comb += [
            channel.rsp_valid.eq(held.answers),
            channel.rsp_done.eq(held.done),
            channel.rsp_in_range.eq(held.in_range),
            channel.rsp_fault.eq(any_bit(outside)),
            channel.rsp_fault_address.eq(self._fault_address(held, outside)),
        ]
        if self.shape.slots > 1:
            m.d.comb += channel.rsp_slot.eq(held.slot)
        if req.returns:
            m.submodules.read_aligner = read = ReadAligner(self.geometry, requester=req)
            held.drive(m, read)
            m.d.comb += [
                read.lanes.eq(held.lanes),
                read.beats.eq(self._read_one(m, held) if self.plan.is_single else self.read_beats),
                channel.rsp_data.eq(read.data),
                channel.rsp_strobe.eq(Mux(held.write, 0, read.strobe)),
            ]
        if req.every.exchange:
            tests = [self._tested(held, lane) for lane in lanes]
            m.d.comb += [
                channel.rsp_tested.eq(Cat(tested for tested, _ in tests)),
                channel.rsp_success.eq(Cat(success for _, success in tests)),
            ]
        if req.local.exchange:
            self._confirm(m, held)

    def _tested(self, held: "_Held", lane: int) -> tuple[Value, Value]:
        """Whether a lane arrives, and whether it is as it was expected to be."""
        data, strobe = self.channel.rsp_data, self.channel.rsp_strobe
        modes = self.shape.requester.modes
        tested: list[Value] = []
        success: list[Value] = []
        for here, mode in zip(one_hot(held.mode, len(modes)), modes, strict=True):
            if lane < mode.lanes:
                size = mode.element_bytes
                tested.append(here & strobe[lane * size])
                object_bits = slice(8 * lane * size, 8 * (lane + 1) * size)
                success.append(here & (data[object_bits] == held.expected[object_bits]))
        return any_bit(tested), any_bit(success)

    def _confirm(self, m: Module, held: "_Held") -> None:
        """Bytes of the lanes that are as they were expected to be, for the banks that wait."""
        live = Signal(self.shape.requester.lanes, name="confirmed", reset_less=True)
        m.d.sync += live.eq(self.channel.rsp_success)
        m.submodules.confirmed_aligner = aligner = WriteAligner(
            self.geometry, requester=self.shape.requester
        )
        held.drive(m, aligner, domain="sync")
        m.d.comb += [aligner.live.eq(live), self.write_confirm.eq(aligner.enable)]

    def _store(self, m: Module, held: "_Held") -> None:
        """What the banks of the cycle before are to write or compute."""
        m.submodules.write_aligner = write = WriteAligner(
            self.geometry, requester=self.shape.requester
        )
        held.drive(m, write)
        live = (active & held.in_range[lane] for lane, active in enumerate(held.active))
        m.d.comb += [
            write.live.eq(Cat(live)),
            write.data.eq(held.data),
            self.write_beats.eq(write.beats),
            self.write_enable.eq(write.enable),
        ]
        if self.atomics.computes:
            m.d.comb += self.write_op.eq(held.op)
        if scale_bits(self.atomics):
            m.d.comb += self.write_scale.eq(held.scale(self.atomics.element_bytes))

    def _read_one(self, m: Module, held: "_Held") -> Value:
        """The beat of a requester that never needs two; banks that compute show it as it is."""
        computes = self.atomics.computes
        m.submodules.beat_reader = reader = BeatReader(self.geometry, forwards=self.meets_writes)
        # What is shown a cycle later is chosen by what was held one cycle before.
        address = held.before if computes else self.channel.address
        m.d.comb += [
            reader.row.eq(self.split.row(address)),
            reader.stored.eq(self.read_beats if computes else self.stored),
        ]
        if self.geometry.banks > 1:
            m.d.comb += reader.bank.eq(self.split.bank(address))
        if self.meets_writes:
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


class _Kinds:
    """What the access on a channel is; constants where the requester has no other."""

    def __init__(self, requester: RequesterShape, channel: ServiceChannel) -> None:
        self._only = requester.kinds == 1
        every = requester.every
        self.write = self._is(channel, "write", requester.writes)
        self.rmw = self._is(channel, "rmw", every.rmw)
        self.exchange = self._is(channel, "exchange", every.exchange)
        self.fence = self._is(channel, "fence", every.fence)

    def _is(self, channel: ServiceChannel, name: str, occurs: bool) -> Value:
        if occurs and not self._only:
            return getattr(channel, name)
        return Const(int(occurs), 1)

    @property
    def computes(self) -> Value:
        """A bank reads and writes for it in one step."""
        return self.rmw | self.exchange


class _Held:
    """Registers between the stages. Payload is neither reset nor held still between parts."""

    def __init__(
        self,
        m: Module,
        shape: ServiceChannelShape,
        channel: ServiceChannel,
        front: FrontEnd,
        kinds: _Kinds,
        done: Value,
        in_range: Value | None,
    ) -> None:
        self.shape = shape
        self.split = front.split
        #: No part of a request is served, or moves between the banks and the payload.
        self.rests = Signal()
        self.before: Value = Const(0, 0)
        req = shape.requester
        self.part = self._register(m, front.served.any(), "part", reset_less=False)
        self.done = self._register(m, done, "done", reset_less=False)
        # The last lanes to be let in may have been served with earlier ones; a fence has none.
        self.answers = self.part | self.done if front.windows or req.every.fence else self.part
        self.served = self._register(m, front.served, "served")
        self.address = self._register(m, channel.address, "address")
        self.lanes = self._register(m, channel.lanes, "lanes")
        if in_range is None:
            self.in_range = Const((1 << req.lanes) - 1, req.lanes)
        else:
            self.in_range = self._register(m, in_range, "in_range")
        self.write = self._register(m, kinds.write, "write")
        self.mode = self._register(m, channel.mode, "mode") if len(req.modes) > 1 else None
        if shape.slots > 1:
            self.slot = self._register(m, channel.slot, "slot")
        if req.sends:
            self.data = self._register(m, channel.data, "data")
        op = Mux(kinds.rmw, op_of(channel.rmw_kind), STORE) if req.every.rmw else Const(STORE)
        self.op = self._register(m, op, "op")
        if req.every.exchange:
            self.expected = self._register(m, channel.expected, "expected")

    def scale(self, sizes: Sequence[int]) -> Value:
        """Position of the access's element among these sizes; any one where it is none."""
        modes = self.shape.requester.modes
        chosen = zip(one_hot(self.mode, len(modes)), modes, strict=True)
        width = max(0, (len(sizes) - 1).bit_length())
        return select(
            [
                (here, Const(sizes.index(mode.element_bytes), width))
                for here, mode in chosen
                if mode.element_bytes in sizes
            ],
            width,
        )

    @property
    def active(self) -> list[Value]:
        """Active lanes; where there is no fence, a request has one, so the only one need not be
        looked at.
        """
        req = self.shape.requester
        is_told = req.lanes > 1 or req.every.fence
        return [self.lanes[lane] if is_told else Const(1, 1) for lane in range(req.lanes)]

    def later(self, m: Module) -> "_Held":
        """The same one cycle later, with the address of before; what is stored has left."""
        found = copy(self)
        found.before = self.address
        for name in ("part", "done", "served", "address", "lanes", "in_range", "write"):
            kept = name not in ("part", "done")
            value = self._register(m, getattr(self, name), f"later_{name}", reset_less=kept)
            setattr(found, name, value)
        found.answers = self._register(m, self.answers, "later_answers", reset_less=False)
        if self.mode is not None:
            found.mode = self._register(m, self.mode, "later_mode")
        if self.shape.slots > 1:
            found.slot = self._register(m, self.slot, "later_slot")
        if self.shape.requester.every.exchange:
            found.expected = self._register(m, self.expected, "later_expected")
        return found

    @staticmethod
    def _register(m: Module, value: Value, name: str, *, reset_less: bool = True) -> Value:
        if isinstance(value, Const):
            return value
        held = Signal(len(value), name=f"held_{name}", reset_less=reset_less)
        m.d.sync += held.eq(value)
        return held

    def drive(
        self, m: Module, aligner: ReadAligner | WriteAligner, *, domain: str = "comb"
    ) -> None:
        """What both aligners look at; with ``domain`` sync, in the next cycle."""
        m.d[domain] += aligner.served.eq(self.served)
        if self.mode is not None:
            m.d[domain] += aligner.mode.eq(self.mode)
        if self.split.low_bits:
            m.d[domain] += aligner.low.eq(self._low)

    @property
    def _low(self) -> Value:
        """Address bits below the rows, of all segments."""
        size = self.shape.address_bits
        words = [self.address.word_select(s, size) for s in range(len(self.address) // size)]
        return Cat(self.split.low(word) for word in words)
