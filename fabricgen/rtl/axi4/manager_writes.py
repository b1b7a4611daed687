"""Beats that write, as bursts on the write channels of AXI4."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS
from fabricgen.rtl.axi4.bus import BOUNDARY_LOG2_BYTES, Axi4, Axi4Shape, Burst, Cache
from fabricgen.rtl.axi4.id_queue import IdQueue
from fabricgen.rtl.axi4.origins import BeatOrigins
from fabricgen.rtl.logic import at_least
from fabricgen.rtl.manager.stream import ManagerStream, ManagerStreamShape
from fabricgen.rtl.operand_queue import OperandQueue

__all__ = ["ManagerWrites"]


class ManagerWrites(wiring.Component):
    """Turn runs of beats that write into bursts, and each response into the answers of its beats.

    The length of a burst follows from ``more`` when its first beat is taken: up to
    ``burst_beats`` and to a multiple of 4 KiB. Strobes tell which bytes are written, so every
    transfer has the width of the bus. Address and data wait for nobody: either may be taken
    first. A beat is answered when its burst has its response, one beat a cycle; an error is that
    of every beat of the burst.

    A beat reaches ``wvalid``, and the first one of a burst ``awvalid``, in the next cycle.
    ``req_ready`` follows ``more``, the address and registers, never ``req_valid``. A response
    shows as the first answer in the next cycle. Reset forgets everything that was asked for.

    Parameters
    ----------
    stream
        Widths of the stream; it writes.
    origins
        Identifiers of its origins.
    outstanding
        Bursts without a response, at most.
    burst_beats
        Transfers of one burst, at most; up to 256.

    Members
    -------
    stream : In(stream.signature())
        Only what is valid with the kind of a write is to be offered here.
    bus : Out(Axi4Shape.signature())
        Write channels.
    """

    stream: ManagerStream
    bus: Axi4

    def __init__(
        self,
        stream: ManagerStreamShape,
        origins: BeatOrigins,
        outstanding: int,
        burst_beats: int,
    ) -> None:
        if not 1 <= burst_beats <= 256:
            raise ValueError(f"ManagerWrites burst_beats must be 1 to 256, not {burst_beats}")
        self.shape, self.origins = stream, origins
        self.outstanding, self.burst_beats = outstanding, burst_beats
        self.offset_bits = stream.beat_bytes.bit_length() - 1
        self.bus_shape = Axi4Shape(
            stream.beat_bytes, origins.id_bits, MANAGER_ADDRESS_BITS, reads=False, writes=True
        )
        super().__init__({"stream": In(stream.signature()), "bus": Out(self.bus_shape.signature())})

    def elaborate(self, platform: object) -> Module:
        """Ask; then answer."""
        m = Module()
        word_bits = self.origins.index_bits + self.shape.beat_bits + self._length_bits
        m.submodules.asked = asked = IdQueue(
            self.origins.count, max(1, word_bits), self.outstanding
        )
        self._ask(m, asked)
        self._answer(m, asked)
        return m

    @property
    def _length_bits(self) -> int:
        """Bits of the number of beats of a burst after its first one."""
        longest = min(self.burst_beats, 1 << self.shape.more_bits)
        return (longest - 1).bit_length()

    def _field(self, name: str) -> Value:
        """A field of the offered beat; none where it has no bits."""
        return getattr(self.stream, f"req_{name}", Const(0, 0))

    def _ask(self, m: Module, asked: IdQueue) -> None:
        """Address with the first beat of a burst, data with each."""
        stream, shape, bits = self.stream, self.bus_shape, self._length_bits
        length = Signal(max(1, bits))
        left = Signal(max(1, bits))
        is_inside = Signal()
        begins = Signal()
        taken = Signal()
        m.d.comb += [length.eq(self._length(m)), begins.eq(~is_inside)]

        identifier = self.origins.identifier(self._field("origin"))
        cache = Mux(self._field("volatile").any(), Cache.DEVICE.value, Cache.NORMAL.value)
        address = Cat(stream.req_address, length, Const(0, 8 - len(length)), identifier, cache)
        address = address[: shape.address_bits + 8 + shape.id_bits + 4]
        last = Mux(begins, length == 0, left == 1)
        data = Cat(stream.req_data, stream.req_strobe, last)
        m.submodules.addresses = addresses = OperandQueue(len(address), 2)
        m.submodules.transfers = transfers = OperandQueue(len(data), 2)
        m.d.comb += [
            stream.req_ready.eq(transfers.i.ready & (is_inside | (addresses.i.ready & asked.free))),
            taken.eq(stream.req_valid & stream.req_ready),
            addresses.i.valid.eq(taken & begins),
            addresses.i.data.eq(address),
            transfers.i.valid.eq(taken),
            transfers.i.data.eq(data),
            asked.push.eq(taken & begins),
            asked.push_id.eq(identifier),
            asked.push_word.eq(
                Cat(
                    length[:bits],
                    self.origins.index(self._field("origin")),
                    self._field("beat"),
                )
            ),
        ]
        with m.If(taken):
            m.d.sync += [is_inside.eq(~last), left.eq(Mux(begins, length, left - 1))]
        self._drive(m, addresses, transfers)

    def _length(self, m: Module) -> Value:
        """Beats of a burst that would begin here, after its first one."""
        bits = self._length_bits
        if not bits:
            return Const(0, 1)
        most = min(self.burst_beats, 1 << self.shape.more_bits) - 1
        more, wanted = self.stream.req_more, Signal(bits)
        m.d.comb += wanted.eq(Mux(at_least(more, most + 1), most, more))
        room = self._room()
        return Mux(room < wanted, room, wanted)[:bits]

    def _room(self) -> Value:
        """Beats behind the offered one in its 4 KiB."""
        return ~self.stream.req_address[self.offset_bits : BOUNDARY_LOG2_BYTES]

    def _drive(self, m: Module, addresses: OperandQueue, transfers: OperandQueue) -> None:
        """Both channels, from registers."""
        bus = self.bus
        m.d.comb += [
            bus.awvalid.eq(addresses.o.valid),
            addresses.o.ready.eq(bus.awready),
            Cat(bus.awaddr, bus.awlen, bus.awid, bus.awcache).eq(addresses.o.data),
            bus.awsize.eq(self.bus_shape.full_size),
            bus.awburst.eq(Burst.INCR.value),
            bus.wvalid.eq(transfers.o.valid),
            transfers.o.ready.eq(bus.wready),
            Cat(bus.wdata, bus.wstrb, bus.wlast).eq(transfers.o.data),
        ]

    def _answer(self, m: Module, asked: IdQueue) -> None:
        """One answer for each beat of the oldest burst of the identifier."""
        stream, bus, bits = self.stream, self.bus, self._length_bits
        answering = Signal()
        left = Signal(bits)
        identifier = Signal(self.bus_shape.id_bits, reset_less=True)
        index = Signal(max(1, self.origins.index_bits), reset_less=True)
        beat = Signal(max(1, self.shape.beat_bits), reset_less=True)
        failed = Signal(reset_less=True)
        answered = Signal()
        fire = Signal()
        m.d.comb += [
            answered.eq(answering & stream.rsp_ready),
            bus.bready.eq(~answering | (stream.rsp_ready & (left == 0))),
            fire.eq(bus.bvalid & bus.bready),
            asked.pop.eq(fire),
            asked.pop_id.eq(bus.bid),
            stream.rsp_valid.eq(answering),
            stream.rsp_error.eq(failed),
        ]
        with m.If(fire):
            m.d.sync += [
                answering.eq(1),
                identifier.eq(bus.bid),
                failed.eq(bus.bresp[1]),
                Cat(left, index[: self.origins.index_bits], beat).eq(asked.word),
            ]
        with m.Elif(answered):
            m.d.sync += [answering.eq(left != 0), left.eq(left - 1), beat.eq(beat + 1)]
        if self.origins.origin_bits:
            place = index[: self.origins.index_bits]
            m.d.comb += stream.rsp_origin.eq(self.origins.origin(identifier, place))
        if self.shape.beat_bits:
            m.d.comb += stream.rsp_beat.eq(beat)
