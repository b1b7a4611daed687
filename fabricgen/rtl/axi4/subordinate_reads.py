"""Reads of AXI4 as beats of a subordinate."""

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.axi4.burst_walk import BurstWalk, is_no_request
from fabricgen.rtl.axi4.bus import Axi4, Axi4Shape, Reply
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.subordinate.stream import SubordinateStream, SubordinateStreamShape

__all__ = ["SubordinateReads"]


class SubordinateReads(wiring.Component):
    """Turn every transfer of a read into one beat, and the answers into read data.

    A beat touches the bytes of its transfer. It is asked for only while there is a place for its
    answer, so an answer never waits, however long ``rready`` is away. Transfers are answered in
    the order of the requests, whatever their identifiers. What is no request of AXI4 touches
    nothing and is answered with SLVERR, a beat that fails with DECERR.

    ``arready`` tells registers and ``hold``. A transfer is offered in the cycle after its request
    was taken, and its data stands on the bus in the cycle after the answer; one transfer a cycle,
    over the borders of bursts. Reset forgets everything.

    Parameters
    ----------
    stream
        Fields of the stream; it reads.
    bus
        Widths of the bus.
    outstanding
        Places for answers.

    Members
    -------
    bus : In(bus.signature())
        Read channels.
    stream : Out(stream.signature())
        Kind and the highest bit of the place are left to the owner. ``rsp_ready`` is always 1.
    hold : In(1)
        Take no request in this cycle.
    idle : Out(1)
        Nothing that was taken lacks its answer (registered).
    """

    bus: Axi4
    stream: SubordinateStream
    hold: Signal
    idle: Signal

    #: How a burst goes on.
    WALK = BurstWalk

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
        """Requests, transfers, answers."""
        m = Module()
        bus, stream, shape = self.bus, self.stream, self.bus_shape
        names = ("addr", "len", "size", "burst", "id", *(("user",) if shape.user_bits else ()))
        sent: dict[str, Value] = {name: getattr(bus, f"ar{name}") for name in names}
        sent["wrong"] = self._is_wrong(sent)
        m.submodules.requests = requests = OperandQueue(sum(map(len, sent.values())), 2)
        request = {name: Signal(len(value), name=f"request_{name}") for name, value in sent.items()}
        m.submodules.walk = walk = self.WALK(shape.data_bytes, shape.address_bits)
        m.d.comb += [
            requests.i.valid.eq(bus.arvalid & ~self.hold),
            bus.arready.eq(requests.i.ready & ~self.hold),
            requests.i.data.eq(Cat(sent.values())),
            Cat(request.values()).eq(requests.o.data),
            requests.o.ready.eq(walk.step & walk.last),
            *(getattr(walk, name).eq(request[name]) for name in ("addr", "len", "size", "burst")),
        ]

        # Places that are taken: by beats without an answer, and by answers.
        taken = Signal(range(self.outstanding + 1))
        waiting = Signal(range(self.outstanding + 1))
        room = Signal()
        wrong = request["wrong"]
        refuses = Signal()
        asks = Signal()
        gives = Signal()
        m.d.comb += [
            room.eq(requests.o.valid & self._has_place(taken)),
            stream.req_valid.eq(room & ~wrong),
            asks.eq(stream.req_valid & stream.req_ready),
            refuses.eq(room & wrong & (waiting == 0)),
            walk.step.eq(asks | refuses),
            gives.eq(bus.rvalid & bus.rready),
            self.idle.eq(~requests.o.valid & (taken == 0)),
        ]
        m.d.sync += [
            taken.eq(taken + walk.step - gives),
            waiting.eq(waiting + asks - stream.rsp_valid),
        ]
        m.d.comb += [
            stream.req_address.eq(walk.line),
            stream.req_strobe.eq(walk.lanes),
            stream.req_origin.eq(request["id"]),
            stream.req_beat.eq(walk.last),
            stream.rsp_ready.eq(1),
        ]
        if shape.user_bits:
            fields = [
                getattr(stream, f"req_{name}")
                for name in ("address_space", "context")
                if hasattr(stream, f"req_{name}")
            ]
            m.d.comb += Cat(fields).eq(request["user"])

        answer = Cat(bus.rid, bus.rlast, bus.rresp, bus.rdata)
        m.submodules.answers = answers = OperandQueue(len(answer), self.outstanding)
        failed = Mux(stream.rsp_error, Reply.DECERR.value, Reply.OKAY.value)
        good = Cat(stream.rsp_origin[: shape.id_bits], stream.rsp_beat[0], failed, stream.rsp_data)
        bad = Cat(request["id"], walk.last, Const(Reply.SLVERR.value, 2))
        m.d.comb += [
            answers.i.valid.eq(stream.rsp_valid | refuses),
            answers.i.data.eq(Mux(refuses, bad, good)),
            bus.rvalid.eq(answers.o.valid),
            answers.o.ready.eq(bus.rready),
            answer.eq(answers.o.data),
        ]
        return m

    def _is_wrong(self, request: Mapping[str, Value]) -> Value:
        """What is asked for is no request."""
        return is_no_request(self.bus_shape, request)

    def _has_place(self, taken: Signal) -> Value:
        """One more answer has a place."""
        return taken != self.outstanding
