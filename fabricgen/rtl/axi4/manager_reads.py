"""Beats that read, as bursts on the read channels of AXI4."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS
from fabricgen.rtl.axi4.bus import BOUNDARY_LOG2_BYTES, Axi4, Axi4Shape, Burst, Cache
from fabricgen.rtl.axi4.id_queue import IdQueue
from fabricgen.rtl.axi4.origins import BeatOrigins
from fabricgen.rtl.axi4.pieces import ReadPieces
from fabricgen.rtl.logic import at_least
from fabricgen.rtl.manager.stream import ManagerStream, ManagerStreamShape
from fabricgen.rtl.manager.table import SlotTable
from fabricgen.rtl.operand_queue import OperandQueue

__all__ = ["ManagerReads"]


class ManagerReads(wiring.Component):
    """Turn beats that read into bursts, and their transfers into answers.

    A read touches exactly the bytes of its strobes. A beat whose active bytes reach its end is
    one transfer, from its first active byte on, if they have no hole; other beats are split into
    narrow transfers, whose bytes are put together before the beat is answered.

    A burst begins with such a beat and goes on while the next beats of the run (``more``) are
    active in full, up to ``burst_beats`` and to a multiple of 4 KiB. It is asked for when its
    last beat is known, which costs as many cycles as it has beats and no throughput.

    A transfer reaches ``arvalid`` two cycles after it was the last of its burst. ``req_ready``
    follows the beat and registers, never ``req_valid``. An answer follows ``r*`` in its cycle;
    ``rready`` follows ``rsp_ready`` alone. Reset forgets everything that was asked for.

    Parameters
    ----------
    stream
        Widths of the stream; it reads.
    origins
        Identifiers of its origins.
    outstanding
        Transfers taken and not answered, at most.
    burst_beats
        Transfers of one burst, at most; up to 256.

    Members
    -------
    stream : In(stream.signature())
        Only what is valid with the kind of a read is to be offered here.
    bus : Out(Axi4Shape.signature())
        Read channels.
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
            raise ValueError(f"ManagerReads burst_beats must be 1 to 256, not {burst_beats}")
        self.shape, self.origins = stream, origins
        self.outstanding, self.burst_beats = outstanding, burst_beats
        self.offset_bits = stream.beat_bytes.bit_length() - 1
        self.bus_shape = Axi4Shape(
            stream.beat_bytes, origins.id_bits, MANAGER_ADDRESS_BITS, reads=True, writes=False
        )
        super().__init__({"stream": In(stream.signature()), "bus": Out(self.bus_shape.signature())})

    def elaborate(self, platform: object) -> Module:
        """Split, gather into bursts, ask; then answer."""
        m = Module()
        m.submodules.pieces = pieces = ReadPieces(self.shape.beat_bytes)
        m.submodules.asked = asked = IdQueue(self.origins.count, self._word_bits, self.outstanding)
        done = Signal(self.shape.beat_bytes)
        taken = Signal()
        m.d.comb += [
            pieces.strobe.eq(self._active()),
            pieces.done.eq(done),
            taken.eq(self._gather(m, pieces, asked)),
            self.stream.req_ready.eq(self._can_take & pieces.last),
        ]
        with m.If(taken):
            m.d.sync += done.eq(Mux(pieces.last, 0, done | pieces.covers))
        origin = self._field("origin")
        m.d.comb += [
            asked.push.eq(taken),
            asked.push_id.eq(self.origins.identifier(origin)),
            asked.push_word.eq(
                Cat(
                    pieces.last,
                    ~done.any(),
                    pieces.first if self.offset_bits else Const(0, 0),
                    self.origins.index(origin),
                    self._field("beat"),
                )
            ),
        ]
        self._answer(m, asked)
        return m

    def _active(self) -> Value:
        """Bytes to read."""
        return self.stream.req_strobe

    @property
    def _word_bits(self) -> int:
        """What is kept of each transfer: whether it ends and begins its beat, its first byte, and
        whose beat it is.
        """
        return 2 + self.offset_bits + self.origins.index_bits + self.shape.beat_bits

    def _field(self, name: str) -> Value:
        """A field of the offered beat; none where it has no bits."""
        return getattr(self.stream, f"req_{name}", Const(0, 0))

    def _gather(self, m: Module, pieces: ReadPieces, asked: IdQueue) -> Value:
        """Hold one burst until it is complete; returns whether a transfer joins or begins one."""
        stream, shape = self.stream, self.bus_shape
        held = Signal()
        # The next transfer may join: the last one reached the end of its beat, and there is one.
        open_ = Signal()
        length = Signal(range(max(2, self.burst_beats)))
        address = Signal(shape.address_bits, reset_less=True)
        size = Signal(3, reset_less=True)
        identifier = Signal(shape.id_bits, reset_less=True)
        cache = Signal(4, reset_less=True)
        widths = {"address": address, "length": Cat(length, Const(0, 8))[:8], "size": size}
        fields = Cat(*widths.values(), identifier, cache)
        m.submodules.requests = requests = OperandQueue(len(fields), 2)

        joins = Signal()
        whole = Signal()
        sent = Signal()
        self._can_take = Signal(name="can_take")
        taken = Signal(name="transfer_taken")
        m.d.comb += [
            whole.eq(self._active().all()),
            joins.eq(held & open_ & whole),
            # What would wait for a free entry must not keep others from becoming free.
            sent.eq(held & (~open_ | stream.req_valid & ~joins | ~asked.free)),
            self._can_take.eq(asked.free & (~held | joins | requests.i.ready)),
            taken.eq(stream.req_valid & self._can_take),
            requests.i.valid.eq(sent),
            requests.i.data.eq(fields),
        ]
        follows = stream.req_more.any() if self.shape.more_bits else Const(0, 1)
        next_length = Mux(joins, length + 1, 0)
        goes_on = (
            follows & pieces.reaches & self._stays_in_block & (next_length < self.burst_beats - 1)
        )
        with m.If(taken):
            m.d.sync += [held.eq(1), length.eq(next_length), open_.eq(goes_on)]
            with m.If(~joins):
                first = pieces.first if self.offset_bits else Const(0, 0)
                volatile = self._field("volatile")
                m.d.sync += [
                    address.eq(stream.req_address | first),
                    size.eq(pieces.size if self.offset_bits else 0),
                    identifier.eq(self.origins.identifier(self._field("origin"))),
                    cache.eq(Mux(volatile.any(), Cache.DEVICE.value, Cache.NORMAL.value)),
                ]
        with m.Elif(sent & requests.i.ready):
            m.d.sync += held.eq(0)
        self._ask(m, requests, fields)
        return taken

    @property
    def _stays_in_block(self) -> Value:
        """The next beat lies in the same 4 KiB."""
        return ~self.stream.req_address[self.offset_bits : BOUNDARY_LOG2_BYTES].all()

    def _ask(self, m: Module, requests: OperandQueue, fields: Value) -> None:
        """Complete bursts, from registers."""
        bus, shown = self.bus, requests.o
        m.d.comb += [
            bus.arvalid.eq(shown.valid),
            shown.ready.eq(bus.arready),
            Cat(bus.araddr, bus.arlen, bus.arsize, bus.arid, bus.arcache).eq(shown.data),
            bus.arburst.eq(Burst.INCR.value),
        ]

    def _answer(self, m: Module, asked: IdQueue) -> None:
        """Put the transfers of a beat together; the last one answers it."""
        stream, bus, size = self.stream, self.bus, self.shape.beat_bytes
        last, starts = asked.word[0], asked.word[1]
        first, index = asked.word[2:][: self.offset_bits], asked.word[2 + self.offset_bits :]
        fire = Signal()
        m.d.comb += [
            bus.rready.eq(stream.rsp_ready),
            fire.eq(bus.rvalid & bus.rready),
            asked.pop.eq(fire),
            asked.pop_id.eq(bus.rid),
            stream.rsp_valid.eq(bus.rvalid & last),
        ]
        if self.origins.origin_bits:
            origin = self.origins.origin(bus.rid, index[: self.origins.index_bits])
            m.d.comb += stream.rsp_origin.eq(origin)
        if self.shape.beat_bits:
            m.d.comb += stream.rsp_beat.eq(index[self.origins.index_bits :])
        failed = bus.rresp[1]
        if not self.offset_bits:
            # A byte is a whole beat.
            m.d.comb += [stream.rsp_data.eq(bus.rdata), stream.rsp_error.eq(failed)]
            return
        m.submodules.parts = parts = SlotTable(self.origins.count, 8 * size + 1)
        m.d.comb += [
            parts.place.eq(bus.rid),
            parts.at.eq(bus.rid),
            parts.write.eq(fire & ~last),
            parts.data.eq(Cat(stream.rsp_data, stream.rsp_error)),
            stream.rsp_error.eq(failed | ~starts & parts.word[-1]),
        ]
        for place in range(size):
            earlier = ~starts & at_least(first, place + 1)
            kept, now = parts.word.word_select(place, 8), bus.rdata.word_select(place, 8)
            m.d.comb += stream.rsp_data.word_select(place, 8).eq(Mux(earlier, kept, now))
