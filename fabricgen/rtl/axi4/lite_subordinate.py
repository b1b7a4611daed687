"""The AXI4-Lite adapter in front of a subordinate's stream of beats."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS
from fabricgen.rtl.axi4.bus import Reply
from fabricgen.rtl.axi4.lite_bus import Lite, LiteShape
from fabricgen.rtl.axi4.subordinate_adapter import SubordinateAdapter
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.subordinate.stream import SubordinateStream, SubordinateStreamShape

__all__ = ["LiteReads", "LiteSubordinate", "LiteWrites"]


class _Part(wiring.Component):
    """One direction: a beat for each transfer, while there is a place for its answer.

    ``ready`` of requests and data tells registers and ``hold``. A transfer is offered in the cycle
    after it was taken, and its answer stands on the bus in the cycle after the stream's; one
    transfer a cycle. Reset forgets everything.

    Members
    -------
    bus : In(bus.signature())
        Channels of the direction.
    stream : Out(stream.signature())
        Kind, names and the highest bit of the place are left to the owner. ``rsp_ready`` is
        always 1.
    hold : In(1)
        Take nothing in this cycle.
    idle : Out(1)
        Nothing that was taken lacks its answer (registered).
    """

    bus: Lite
    stream: SubordinateStream
    hold: Signal
    idle: Signal

    def __init__(self, stream: SubordinateStreamShape, bus: LiteShape, outstanding: int) -> None:
        self.shape, self.bus_shape, self.outstanding = stream, bus, outstanding
        super().__init__(
            {
                "bus": In(bus.signature()),
                "stream": Out(stream.signature()),
                "hold": In(1),
                "idle": Out(1),
            }
        )

    def _queue(self, m: Module, channel: str, payload: Value) -> tuple[Signal, Value, Signal]:
        """Take a channel into a queue of two: offer, payload, and what takes it from there."""
        m.submodules[f"{channel}_queue"] = queue = OperandQueue(len(payload), 2)
        valid, ready = (getattr(self.bus, f"{channel}{side}") for side in ("valid", "ready"))
        m.d.comb += [
            queue.i.valid.eq(valid & ~self.hold),
            ready.eq(queue.i.ready & ~self.hold),
            queue.i.data.eq(payload),
        ]
        return queue.o.valid, queue.o.data, queue.o.ready

    def _address(self, m: Module, address: Value) -> Value:
        """Ask for the line of an address; the bytes from there to its end."""
        low = self.bus_shape.data_bytes.bit_length() - 1
        m.d.comb += [
            self.stream.req_address.eq(Cat(Const(0, low), address[low:])),
            self.stream.rsp_ready.eq(1),
        ]
        return Const(-1, self.bus_shape.data_bytes) << address[:low]

    def _count(self, m: Module, name: str, more: Value, fewer: Value) -> Signal:
        count = Signal(range(self.outstanding + 1), name=name)
        m.d.sync += count.eq(count + more - fewer)
        return count

    def _reply(self) -> Value:
        """Response to the beat that is answered."""
        return Mux(self.stream.rsp_error, Reply.DECERR.value, Reply.OKAY.value)


class LiteReads(_Part):
    """Turn reads into beats of the bytes from their address on, and the answers into data."""

    def elaborate(self, platform: object) -> Module:
        """Requests, then answers."""
        m = Module()
        bus, stream = self.bus, self.stream
        valid, address, taken = self._queue(m, "ar", bus.araddr)
        asks = Signal()
        gives = Signal()
        room = Signal()
        places = self._count(m, "places", asks, gives)
        m.d.comb += [
            stream.req_strobe.eq(self._address(m, address)),
            room.eq(places != self.outstanding),
            stream.req_valid.eq(valid & room),
            asks.eq(stream.req_valid & stream.req_ready),
            taken.eq(asks),
            gives.eq(bus.rvalid & bus.rready),
            self.idle.eq(~valid & (places == 0)),
        ]
        answer = Cat(bus.rresp, bus.rdata)
        m.submodules.answers = answers = OperandQueue(len(answer), self.outstanding)
        m.d.comb += [
            answers.i.valid.eq(stream.rsp_valid),
            answers.i.data.eq(Cat(self._reply(), stream.rsp_data)),
            bus.rvalid.eq(answers.o.valid),
            answers.o.ready.eq(bus.rready),
            answer.eq(answers.o.data),
        ]
        return m


class LiteWrites(_Part):
    """Turn writes into beats of their strobed bytes; one without a byte is no beat, and OKAY.

    Address and data are taken in either order.
    """

    def elaborate(self, platform: object) -> Module:
        """Requests and data, then answers."""
        m = Module()
        bus, stream = self.bus, self.stream
        requested, address, request_taken = self._queue(m, "aw", bus.awaddr)
        given, word, data_taken = self._queue(m, "w", Cat(bus.wdata, bus.wstrb))
        touched = Signal(self.bus_shape.data_bytes)
        asks = Signal()
        passes = Signal()
        moves = Signal()
        gives = Signal()
        ready = Signal()
        places = self._count(m, "places", moves, gives)
        waiting = self._count(m, "waiting", asks, stream.rsp_valid)
        size = len(bus.wdata)
        m.d.comb += [
            touched.eq(word[size:] & self._address(m, address)),
            stream.req_data.eq(word[:size]),
            stream.req_strobe.eq(touched),
            ready.eq(requested & given & (places != self.outstanding)),
            stream.req_valid.eq(ready & touched.any()),
            asks.eq(stream.req_valid & stream.req_ready),
            # Responses come in order.
            passes.eq(ready & ~touched.any() & (waiting == 0)),
            moves.eq(asks | passes),
            request_taken.eq(moves),
            data_taken.eq(moves),
            gives.eq(bus.bvalid & bus.bready),
            self.idle.eq(~(requested | given) & (places == 0)),
        ]
        m.submodules.answers = answers = OperandQueue(len(bus.bresp), self.outstanding)
        m.d.comb += [
            answers.i.valid.eq(stream.rsp_valid | passes),
            answers.i.data.eq(Mux(passes, Reply.OKAY.value, self._reply())),
            bus.bvalid.eq(answers.o.valid),
            answers.o.ready.eq(bus.bready),
            bus.bresp.eq(answers.o.data),
        ]
        return m


class LiteSubordinate(SubordinateAdapter):
    """Serve AXI4-Lite through the beats of one subordinate.

    Each transfer is one beat; see :class:`LiteReads` and :class:`LiteWrites`. Protection is
    ignored. A transfer is offered to the subordinate two cycles after it was taken from the bus;
    what both directions have in common is in :class:`SubordinateAdapter`.

    Parameters
    ----------
    stream
        Fields of the stream, with beats of 4 or 8 bytes, whose decode looks at addresses alone;
        answers come in the order of the requests.
    outstanding
        Transfers of each direction that may be without an answer that the bus has taken.
    """

    bus: Lite
    bus_shape: LiteShape

    READS = LiteReads
    WRITES = LiteWrites

    def __init__(self, stream: SubordinateStreamShape, *, outstanding: int = 16) -> None:
        if stream.address_space or stream.context:
            raise ValueError("LiteSubordinate stream must match addresses alone, not more")
        bus = LiteShape(stream.beat_bytes, MANAGER_ADDRESS_BITS, stream.reads, stream.writes)
        super().__init__(stream, bus, outstanding)
