"""AXI4 handshakes of the manager adapter, stated against its ports only."""

import pytest
from amaranth.hdl import Array, Assert, Assume, Cat, Const, Elaboratable, Module, Mux, Signal, Value

from fabricgen.rtl.axi4.manager import Axi4Manager
from sim.axi4_bench import make_manager
from tests.formal.harness import check
from tests.support.axi4_mutants import (
    CrossingReads,
    CrossingWrites,
    ForgetfulReads,
    HastyWrites,
    ManagerReads,
    ManagerWrites,
    WithdrawingReads,
    manager_of,
)

pytestmark = pytest.mark.formal

IDS = 2
#: Transfers of reads, and bursts of writes, in flight.
OUTSTANDING = 2


class ManagerSpec(Elaboratable):
    """The environment keeps its offers and runs, and answers what was asked.

    Then every request on the bus stays until it is taken and lies in 4 KiB, every answer is that
    of a beat that waits for one, and no write is answered before its burst is.
    """

    def __init__(self, dut: Axi4Manager) -> None:
        self.dut = dut
        stream, bus = dut.stream, dut.bus
        # Of single beats neither has bits.
        self.more: Value = getattr(stream, "req_more", Const(0, 1))
        self.beat: Value = getattr(stream, "req_beat", Const(0, 0))
        self.answered: Value = getattr(stream, "rsp_beat", Const(0, 0))
        self.fields = [getattr(stream, f"req_{name}") for name in dut.shape.request_widths()]
        self.inputs = [stream.req_valid, *self.fields, stream.rsp_ready]
        self.inputs += [bus.arready, bus.awready, bus.wready]
        self.inputs += [bus.rvalid, bus.rid, bus.rdata, bus.rresp, bus.rlast]
        self.inputs += [bus.bvalid, bus.bid, bus.bresp]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        stream, bus = dut.stream, dut.bus
        taken = stream.req_valid & stream.req_ready
        self._requests(m, taken)
        for channel in ("ar", "aw", "w"):
            self._stays(m, channel)
        for channel in ("ar", "aw"):
            valid = getattr(bus, f"{channel}valid")
            address, size = getattr(bus, f"{channel}addr")[:12], getattr(bus, f"{channel}size")
            below = Cat(size == 1, Const(0, 11))
            end = (address & ~below) + ((getattr(bus, f"{channel}len") + 1) << size[:1])
            with m.If(valid):
                m.d.comb += [
                    Assert(getattr(bus, f"{channel}burst") == 1),
                    Assert(size <= 1),
                    Assert(end <= 4096),
                ]
        self._memory(m)

        places = 1 << len(self.beat)
        flying = Signal(IDS * places)
        writes = Signal(IDS * places)
        asked = Signal.like(flying)
        answered = Signal.like(flying)
        is_answer = stream.rsp_valid & stream.rsp_ready
        m.d.comb += [
            asked.eq(Mux(taken, 1 << Cat(self.beat, stream.req_origin), 0)),
            answered.eq(Mux(is_answer, 1 << Cat(self.answered, stream.rsp_origin), 0)),
            Assume((asked & flying) == 0),
            Assert((answered & ~flying) == 0),
        ]
        m.d.sync += [
            flying.eq(flying & ~answered | asked),
            writes.eq(Mux(stream.req_kind == 1, writes | asked, writes & ~asked)),
        ]
        self._answers_follow_responses(m, is_answer & (answered & writes).any())
        return m

    def _requests(self, m: Module, taken) -> None:
        """Offers stay, runs go on; kinds are reads and writes."""
        stream = self.dut.stream
        fields = Cat(self.fields)
        stuck, last = Signal(), Signal.like(fields)
        goes_on, origin = Signal(), Signal.like(stream.req_origin)
        beat, kind = Signal(len(self.beat)), Signal.like(stream.req_kind)
        address = Signal.like(stream.req_address)
        m.d.sync += [stuck.eq(stream.req_valid & ~stream.req_ready), last.eq(fields)]
        with m.If(stuck):
            m.d.comb += Assume(stream.req_valid & (fields == last))
        with m.If(taken):
            m.d.sync += [
                goes_on.eq(self.more != 0),
                origin.eq(stream.req_origin),
                beat.eq(self.beat + 1),
                kind.eq(stream.req_kind),
                address.eq(stream.req_address + 2),
            ]
        with m.If(goes_on):
            m.d.comb += Assume(
                stream.req_valid
                & (self.more == 0)
                & (stream.req_origin == origin)
                & (self.beat == beat)
                & (stream.req_kind == kind)
                & (stream.req_address == address)
            )
        m.d.comb += [
            Assume(stream.req_kind <= 1),
            Assume(~stream.req_address[0]),
            Assume(stream.req_strobe.any()),
            Assume((self.more == 0) | (self.beat == 0)),
        ]

    def _stays(self, m: Module, channel: str) -> None:
        bus = self.dut.bus
        names = [
            name
            for name in bus.signature.members
            if name.removeprefix(channel) in ("id", "addr", "len", "size", "burst", "cache")
            and name.startswith(channel)
        ]
        if channel == "w":
            names = ["wdata", "wstrb", "wlast"]
        payload = Cat(getattr(bus, name) for name in names)
        valid, ready = getattr(bus, f"{channel}valid"), getattr(bus, f"{channel}ready")
        waits, last = Signal(name=f"{channel}_waits"), Signal.like(payload, name=f"{channel}_last")
        m.d.sync += [waits.eq(valid & ~ready), last.eq(payload)]
        with m.If(waits):
            m.d.comb += Assert(valid & (payload == last))

    def _memory(self, m: Module) -> None:
        """Answers only what was asked in an earlier cycle."""
        bus = self.dut.bus
        left = [Signal(8, name=f"left_{each}") for each in range(IDS)]
        for each, count in enumerate(left):
            asks = bus.arvalid & bus.arready & (bus.arid == each)
            gets = bus.rvalid & bus.rready & (bus.rid == each)
            m.d.sync += count.eq(count + Mux(asks, bus.arlen + 1, 0) - gets)
        with m.If(bus.rvalid):
            m.d.comb += Assume(Array(left)[bus.rid] != 0)
        addresses, ends = Signal(4), Signal(4)
        m.d.sync += [
            addresses.eq(addresses + (bus.awvalid & bus.awready)),
            ends.eq(ends + (bus.wvalid & bus.wready & bus.wlast)),
        ]
        self.all_written = addresses == ends

    def _answers_follow_responses(self, m: Module, is_answer) -> None:
        """Of each identifier: lengths of bursts without a response, and answers that may come."""
        bus, stream = self.dut.bus, self.dut.stream
        pending = []
        for each in range(IDS):
            count = Signal(range(OUTSTANDING + 1), name=f"bursts_{each}")
            lengths = [Signal(2, name=f"length_{each}_{at}") for at in range(OUTSTANDING)]
            owed = Signal(4, name=f"owed_{each}")
            asks = bus.awvalid & bus.awready & (bus.awid == each)
            ends = bus.bvalid & bus.bready & (bus.bid == each)
            behind = Signal.like(count, name=f"behind_{each}")
            m.d.comb += behind.eq(count - ends)
            m.d.sync += count.eq(behind + asks)
            for at, length in enumerate(lengths):
                after = lengths[at + 1] if at + 1 < OUTSTANDING else length
                with m.If(asks & (behind == at)):
                    m.d.sync += length.eq(bus.awlen + 1)
                with m.Elif(ends):
                    m.d.sync += length.eq(after)
            here = is_answer & (stream.rsp_origin == each)
            m.d.sync += owed.eq(owed + Mux(ends, lengths[0], 0) - here)
            m.d.comb += Assert(~here | (owed != 0))
            pending.append(count)
        with m.If(bus.bvalid):
            m.d.comb += Assume((Array(pending)[bus.bid] != 0) & self.all_written)


def spec_of(reads=ManagerReads, writes=ManagerWrites, run_bits=1):
    """Two rows of one slot, runs of up to two beats of two bytes, or single beats."""
    return ManagerSpec(
        make_manager(
            2,
            (2,),
            rows=2,
            beat_bits=run_bits,
            more_bits=run_bits,
            volatile=False,
            outstanding=OUTSTANDING,
            kind=manager_of(reads, writes),
        )
    )


@pytest.mark.proves("a request on AXI4 stays until it is taken, and lies in 4 KiB")
@pytest.mark.proves("a write over AXI4 is answered after its response, and each beat once")
@pytest.mark.parametrize("run_bits", [0, 1])
def test_requests_stay_in_4_kib_and_answers_follow_responses(run_bits, tmp_path):
    spec = spec_of(run_bits=run_bits)
    check(spec, spec.inputs, tmp_path, depth=7 if run_bits else 10)


@pytest.mark.rejects("a request on AXI4 stays until it is taken, and lies in 4 KiB")
@pytest.mark.parametrize(
    "parts",
    [
        (ForgetfulReads, ManagerWrites),
        (WithdrawingReads, ManagerWrites),
        (CrossingReads, ManagerWrites),
        (ManagerReads, CrossingWrites),
    ],
)
def test_the_proof_rejects_a_wrong_request(parts, tmp_path):
    refuted(parts, tmp_path)


@pytest.mark.rejects("a write over AXI4 is answered after its response, and each beat once")
def test_the_proof_rejects_an_answer_without_a_response(tmp_path):
    refuted((ManagerReads, HastyWrites), tmp_path)


def refuted(parts, tmp_path):
    spec = spec_of(*parts)
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=7)
