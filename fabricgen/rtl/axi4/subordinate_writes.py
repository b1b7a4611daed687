"""Writes of AXI4 as beats of a subordinate."""

from collections.abc import Mapping

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.axi4.burst_walk import BurstWalk, is_no_request
from fabricgen.rtl.axi4.bus import Axi4, Axi4Shape, Reply
from fabricgen.rtl.manager.table import SlotTable
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.subordinate.stream import SubordinateStream, SubordinateStreamShape

__all__ = ["SubordinateWrites"]


class SubordinateWrites(wiring.Component):
    """Turn every transfer of a write into one beat, and the answers of a burst into a response.

    A beat writes the strobed bytes of its transfer; one without a byte is no beat. Address and
    data are taken in either order. A burst has a place for its response from its first transfer
    on, and its response when all of its beats have been answered, so an answer never waits.
    Bursts are answered in the order of their addresses, whatever their identifiers. What is no
    request of AXI4 writes nothing and is answered with SLVERR, a burst of which a beat fails
    with DECERR.

    ``awready`` and ``wready`` tell registers and ``hold``. A transfer is offered in the cycle after
    address and data were taken, and a response stands on the bus in the cycle after its last
    answer; one transfer a cycle, over the borders of bursts. Reset forgets everything.

    Parameters
    ----------
    stream
        Fields of the stream; it writes.
    bus
        Widths of the bus.
    outstanding
        Beats without an answer, and bursts without a response, at most: so single beats go as fast
        as long bursts.

    Members
    -------
    bus : In(bus.signature())
        Write channels.
    stream : Out(stream.signature())
        Kind and the highest bit of the place are left to the owner. ``rsp_ready`` is always 1.
    hold : In(1)
        Take neither a request nor data in this cycle.
    idle : Out(1)
        Nothing that was taken lacks its response (registered).
    """

    bus: Axi4
    stream: SubordinateStream
    hold: Signal
    idle: Signal

    def __init__(self, stream: SubordinateStreamShape, bus: Axi4Shape, outstanding: int) -> None:
        self.shape, self.bus_shape, self.outstanding = stream, bus, outstanding
        super().__init__(
            {
                "bus": In(bus.signature()),
                "stream": Out(stream.signature()),
                "hold": In(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Requests and data, transfers, answers."""
        m = Module()
        bus, stream, shape = self.bus, self.stream, self.bus_shape
        names = ("addr", "len", "size", "burst", "id", *(("user",) if shape.user_bits else ()))
        sent: dict[str, Value] = {name: getattr(bus, f"aw{name}") for name in names}
        sent["wrong"] = self._is_wrong(sent)
        m.submodules.requests = requests = OperandQueue(sum(map(len, sent.values())), 2)
        request = {name: Signal(len(value), name=f"request_{name}") for name, value in sent.items()}
        data = Cat(bus.wdata, bus.wstrb)
        m.submodules.transfers = transfers = OperandQueue(len(data), 2)
        strobe = Signal(shape.data_bytes)
        m.submodules.walk = walk = BurstWalk(shape.data_bytes, shape.address_bits)
        m.d.comb += [
            requests.i.valid.eq(bus.awvalid & ~self.hold),
            bus.awready.eq(requests.i.ready & ~self.hold),
            requests.i.data.eq(Cat(sent.values())),
            Cat(request.values()).eq(requests.o.data),
            transfers.i.valid.eq(bus.wvalid & ~self.hold),
            bus.wready.eq(transfers.i.ready & ~self.hold),
            transfers.i.data.eq(data),
            Cat(stream.req_data, strobe).eq(transfers.o.data),
            requests.o.ready.eq(walk.step & walk.last),
            transfers.o.ready.eq(walk.step),
            *(getattr(walk, name).eq(request[name]) for name in ("addr", "len", "size", "burst")),
        ]

        # Bursts of which all transfers have been passed, and beats without an answer.
        open_ = Signal(range(self.outstanding + 1))
        waiting = Signal(range(self.outstanding + 1))
        room = Signal()
        touched = Signal(shape.data_bytes)
        asks = Signal()
        passes = Signal()
        ends = Signal()
        gives = Signal()
        m.d.comb += [
            room.eq(requests.o.valid & transfers.o.valid & (open_ != self.outstanding)),
            touched.eq(strobe & walk.lanes & ~request["wrong"].replicate(shape.data_bytes)),
            stream.req_valid.eq(room & touched.any() & (waiting != self.outstanding)),
            asks.eq(stream.req_valid & stream.req_ready),
            # The last transfer ends its burst with its own answer, or else with all others.
            passes.eq(room & ~touched.any() & (~walk.last | (waiting == 0))),
            walk.step.eq(asks | passes),
            ends.eq(walk.step & walk.last),
            gives.eq(bus.bvalid & bus.bready),
            self.idle.eq(~(requests.o.valid | transfers.o.valid) & (open_ == 0) & (waiting == 0)),
        ]
        m.d.sync += [
            open_.eq(open_ + ends - gives),
            waiting.eq(waiting + asks - stream.rsp_valid),
        ]
        slot = self._ring(m, "slot", ends)
        m.d.comb += [
            stream.req_address.eq(walk.line),
            stream.req_strobe.eq(touched),
            stream.req_origin.eq(request["id"]),
            stream.req_beat.eq(Cat(walk.last, slot)),
            stream.rsp_ready.eq(1),
        ]
        if shape.user_bits:
            fields = [
                getattr(stream, f"req_{name}")
                for name in ("address_space", "context")
                if hasattr(stream, f"req_{name}")
            ]
            m.d.comb += Cat(fields).eq(request["user"])
        self._respond(m, slot, request["id"], ends, passes & walk.last, request["wrong"], gives)
        return m

    def _is_wrong(self, request: Mapping[str, Value]) -> Value:
        """What is asked for is no request."""
        return is_no_request(self.bus_shape, request)

    def _ring(self, m: Module, name: str, moves: Value) -> Signal:
        """A pointer that goes round the places of bursts."""
        pointer = Signal(range(max(2, self.outstanding)), name=name)
        with m.If(moves):
            m.d.sync += pointer.eq(Mux(pointer == self.outstanding - 1, 0, pointer + 1))
        return pointer

    def _respond(
        self,
        m: Module,
        slot: Signal,
        identifier: Value,
        ends: Value,
        ends_alone: Value,
        wrong: Value,
        gives: Value,
    ) -> None:
        """Gather the answers of each burst; offer the response of the oldest one."""
        bus, stream = self.bus, self.stream
        give = self._ring(m, "give", gives)
        complete, failed, refused = (
            Signal(self.outstanding, name=name) for name in ("complete", "failed", "refused")
        )
        answered = stream.rsp_beat[1:][: len(slot)]
        for at in range(self.outstanding):
            here, answers = slot == at, stream.rsp_valid & (answered == at)
            with m.If(gives & (give == at)):
                m.d.sync += [complete[at].eq(0), failed[at].eq(0), refused[at].eq(0)]
            with m.Else():
                with m.If(answers & stream.rsp_error):
                    m.d.sync += failed[at].eq(1)
                with m.If((answers & stream.rsp_beat[0]) | (ends_alone & here)):
                    m.d.sync += complete[at].eq(1)
                with m.If(ends_alone & here & wrong):
                    m.d.sync += refused[at].eq(1)
        m.submodules.identifiers = identifiers = SlotTable(self.outstanding, self.bus_shape.id_bits)
        m.d.comb += [
            identifiers.write.eq(ends),
            identifiers.at.eq(slot),
            identifiers.data.eq(identifier),
            identifiers.place.eq(give),
            bus.bvalid.eq(complete.bit_select(give, 1)),
            bus.bid.eq(identifiers.word),
            bus.bresp.eq(
                Mux(
                    refused.bit_select(give, 1),
                    Reply.SLVERR.value,
                    Mux(failed.bit_select(give, 1), Reply.DECERR.value, Reply.OKAY.value),
                )
            ),
        ]
