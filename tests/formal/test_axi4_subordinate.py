"""AXI4 and AXI4-Lite on the ports of the subordinate adapters, stated against them only."""

import pytest
from amaranth.hdl import Array, Assert, Assume, Cat, Const, Elaboratable, Module, Mux, Signal, Value

from fabricgen.rtl.axi4.lite_subordinate import LiteReads, LiteWrites
from fabricgen.rtl.axi4.subordinate_adapter import SubordinateAdapter
from fabricgen.rtl.axi4.subordinate_reads import SubordinateReads
from fabricgen.rtl.axi4.subordinate_writes import SubordinateWrites
from fabricgen.rtl.subordinate.stream import SubordinateStreamShape
from sim.axi4_bench import make_subordinate
from tests.formal.harness import check
from tests.support.axi4_mutants import (
    CredulousReads,
    CredulousWrites,
    FickleLiteReads,
    HastyLiteWrites,
    HastySubordinateWrites,
    LastlessReads,
    NamelessReads,
    NamelessWrites,
    TwiceReads,
    WithdrawingData,
    WithdrawingResponses,
    lite_of,
    subordinate_of,
)

pytestmark = pytest.mark.formal

#: Beats of each direction in flight; two requests wait before them.
OUTSTANDING = 2
BURSTS = OUTSTANDING + 2
SLVERR, DECERR = 2, 3


class _Listed:
    """What was taken and not yet answered, oldest first, as far as it can be so much."""

    def __init__(self, m: Module, name: str, taken: Value, given: Value, fields: Value) -> None:
        self.count = Signal(range(BURSTS + 2), name=f"{name}_count")
        self.oldest = Signal(len(fields), name=f"{name}_0")
        rest = [Signal(len(fields), name=f"{name}_{at}") for at in range(1, BURSTS + 1)]
        behind = Signal.like(self.count, name=f"{name}_behind")
        m.d.comb += behind.eq(self.count - given)
        m.d.sync += self.count.eq(behind + taken)
        entries = [self.oldest, *rest]
        for at, entry in enumerate(entries):
            after = entries[at + 1] if at < BURSTS else entry
            with m.If(taken & (behind == at)):
                m.d.sync += entry.eq(fields)
            with m.Elif(given):
                m.d.sync += entry.eq(after)
        m.d.comb += Assert(self.count <= BURSTS)


class SubordinateSpec(Elaboratable):
    """The master keeps its offers, and the endpoint answers beats in their order.

    Then what the adapter offers on the bus and to the endpoint stays until it is taken; there is an
    answer only to the oldest request that lacks one, under its identifier, for a write when all of
    its data was taken; ``rlast`` stands at the last transfer of a request and only there; what
    AXI4 forbids is answered with SLVERR, and nothing else is.
    """

    def __init__(self, dut: SubordinateAdapter) -> None:
        self.dut = dut
        bus, stream = dut.bus, dut.stream
        self.is_lite = not hasattr(bus, "arlen")
        members = dut.bus_shape.signature().members
        self.sent = {
            channel: [
                getattr(bus, name)
                for name in members
                if name.startswith(channel) and name not in (f"{channel}valid", f"{channel}ready")
            ]
            for channel in ("ar", "aw", "w", "r", "b")
        }
        self.inputs = [dut.hold, stream.req_ready, stream.rsp_valid]
        self.inputs += [stream.rsp_origin, stream.rsp_beat, stream.rsp_data, stream.rsp_error]
        for channel in ("ar", "aw", "w"):
            self.inputs += [getattr(bus, f"{channel}valid"), *self.sent[channel]]
        self.inputs += [bus.rready, bus.bready]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = self.dut
        bus, stream = self.dut.bus, self.dut.stream
        for channel in ("ar", "aw", "w"):
            self._stays(m, channel, Assume)
        for channel in ("r", "b"):
            self._stays(m, channel, Assert)
        names = self.dut.shape.request_widths()
        beat = Cat(getattr(stream, f"req_{name}") for name in names)
        waits, last = Signal(), Signal.like(beat)
        m.d.sync += [waits.eq(stream.req_valid & ~stream.req_ready), last.eq(beat)]
        with m.If(waits):
            m.d.comb += Assert(stream.req_valid & (beat == last))
        self._endpoint(m)
        self._reads(m)
        self._writes(m)
        if not self.is_lite:
            # Longer bursts differ in nothing but their count.
            m.d.comb += [Assume(bus.arlen <= 1), Assume(bus.awlen <= 1)]
        return m

    def _fires(self, channel: str) -> Value:
        bus = self.dut.bus
        return getattr(bus, f"{channel}valid") & getattr(bus, f"{channel}ready")

    def _stays(self, m: Module, channel: str, state: type[Assert] | type[Assume]) -> None:
        payload, valid = Cat(self.sent[channel]), getattr(self.dut.bus, f"{channel}valid")
        waits, last = Signal(name=f"{channel}_waits"), Signal.like(payload, name=f"{channel}_last")
        m.d.sync += [waits.eq(valid & ~self._fires(channel)), last.eq(payload)]
        with m.If(waits):
            m.d.comb += state(valid & (payload == last))

    def _endpoint(self, m: Module) -> None:
        """Answers come in the order of the beats, to those that were taken in an earlier cycle."""
        stream = self.dut.stream
        taken = stream.req_valid & stream.req_ready
        m.d.comb += Assert(stream.rsp_ready)
        beats = _Listed(
            m, "beats", taken, stream.rsp_valid, Cat(stream.req_origin, stream.req_beat)
        )
        with m.If(stream.rsp_valid):
            m.d.comb += [
                Assume(beats.count != 0),
                Assume(Cat(stream.rsp_origin, stream.rsp_beat) == beats.oldest),
            ]

    def _request(self, channel: str) -> tuple[Value, Value, Value]:
        """Identifier, transfers but one, and whether AXI4 forbids it."""
        if self.is_lite:
            return Const(0, 1), Const(0, 1), Const(0, 1)
        bus = self.dut.bus
        identifier, length, size, burst, address = (
            getattr(bus, f"{channel}{name}") for name in ("id", "len", "size", "burst", "addr")
        )
        begins = Array([Const(-1, 12), Const(-2, 12)])[size[0]] & address[:12]
        crosses = begins + (length[0] << size[0]) > 4095
        wraps = (length == 1) & (begins == address[:12])
        wrong = Array([Const(0, 1), crosses, ~wraps, Const(1, 1)])[burst] | (size > 1)
        return identifier, length[0], wrong

    def _reads(self, m: Module) -> None:
        bus = self.dut.bus
        passed = Signal()
        is_last = Signal()
        listed = _Listed(
            m, "reads", self._fires("ar"), self._fires("r") & is_last, Cat(*self._request("ar"))
        )
        identifier, length, wrong = listed.oldest
        m.d.comb += is_last.eq(passed == length)
        with m.If(self._fires("r")):
            m.d.sync += passed.eq(~is_last)
        with m.If(bus.rvalid):
            m.d.comb += [Assert(listed.count != 0), Assert((bus.rresp == SLVERR) == wrong)]
            m.d.comb += Assert((bus.rresp == 0) | bus.rresp[1])
            if not self.is_lite:
                m.d.comb += [Assert(bus.rid == identifier), Assert(bus.rlast == is_last)]

    def _writes(self, m: Module) -> None:
        bus = self.dut.bus
        listed = _Listed(
            m, "writes", self._fires("aw"), self._fires("b"), Cat(*self._request("aw"))
        )
        identifier, length, wrong = listed.oldest
        # Transfers of data that no response has answered.
        data = Signal(5)
        m.d.sync += data.eq(data + self._fires("w") - Mux(self._fires("b"), length + 1, 0))
        with m.If(bus.bvalid):
            m.d.comb += [
                Assert(listed.count != 0),
                Assert(data > length),
                Assert((bus.bresp == SLVERR) == wrong),
                Assert((bus.bresp == 0) | bus.bresp[1]),
            ]
            if not self.is_lite:
                m.d.comb += Assert(bus.bid == identifier)


class LiteSpec(SubordinateSpec):
    """The same of AXI4-Lite, whose requests are all alike."""


def axi4_spec(reads=SubordinateReads, writes=SubordinateWrites):
    """Beats of two bytes, two identifiers."""
    kind = subordinate_of(reads, writes)
    return SubordinateSpec(make_subordinate(2, id_bits=1, outstanding=OUTSTANDING, kind=kind))


def lite_spec(reads=LiteReads, writes=LiteWrites):
    """Beats of four bytes."""
    kind = lite_of(reads, writes)
    return LiteSpec(kind(SubordinateStreamShape(4, True, True), outstanding=OUTSTANDING))


STAYS = "what a subordinate offers on AXI4 stays until it is taken"
ANSWERS = "a subordinate on AXI4 answers its oldest request alone, and a write after its data"
REFUSES = "a subordinate on AXI4 refuses what AXI4 forbids, and nothing else"


@pytest.mark.proves(STAYS, ANSWERS, REFUSES)
def test_the_subordinate_keeps_the_rules_of_axi4(tmp_path):
    spec = axi4_spec()
    check(spec, spec.inputs, tmp_path, depth=7)


@pytest.mark.proves(STAYS, ANSWERS)
def test_the_lite_subordinate_keeps_the_rules_of_axi4_lite(tmp_path):
    spec = lite_spec()
    check(spec, spec.inputs, tmp_path, depth=10)


def refuted(spec, tmp_path):
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=7)


@pytest.mark.rejects(STAYS)
@pytest.mark.parametrize(
    "parts", [(WithdrawingData, SubordinateWrites), (SubordinateReads, WithdrawingResponses)]
)
def test_the_proof_rejects_an_offer_that_is_taken_back(parts, tmp_path):
    refuted(axi4_spec(*parts), tmp_path)


@pytest.mark.rejects(ANSWERS)
@pytest.mark.parametrize(
    "parts",
    [
        (TwiceReads, SubordinateWrites),
        (LastlessReads, SubordinateWrites),
        (NamelessReads, SubordinateWrites),
        (SubordinateReads, HastySubordinateWrites),
        (SubordinateReads, NamelessWrites),
    ],
)
def test_the_proof_rejects_an_answer_that_is_not_the_oldest_ones(parts, tmp_path):
    refuted(axi4_spec(*parts), tmp_path)


@pytest.mark.rejects(REFUSES)
@pytest.mark.parametrize(
    "parts", [(CredulousReads, SubordinateWrites), (SubordinateReads, CredulousWrites)]
)
def test_the_proof_rejects_one_that_serves_what_axi4_forbids(parts, tmp_path):
    refuted(axi4_spec(*parts), tmp_path)


@pytest.mark.rejects(STAYS, ANSWERS)
@pytest.mark.parametrize("parts", [(FickleLiteReads, LiteWrites), (LiteReads, HastyLiteWrites)])
def test_the_proof_rejects_a_wrong_lite_adapter(parts, tmp_path):
    refuted(lite_spec(*parts), tmp_path)
