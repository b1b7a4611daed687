import pytest
from amaranth.hdl import Assert, Assume, Elaboratable, Module, Mux, Signal

from fabricgen.rtl.operand_queue import OperandQueue
from tests.formal.harness import check, prove
from tests.support.mutants import BypassQueue, DroppingQueue, StaleQueue

pytestmark = pytest.mark.formal

WIDTH = 2


class QueueSpec(Elaboratable):
    """The contract of :class:`OperandQueue`, stated against its ports only.

    One token, free to choose, is watched from its entry to its exit: it must come out after
    exactly those that were inside before it, with the payload that went in.

    ``longest_stall`` bounds how long the consumer keeps a token waiting: induction over ports
    alone cannot tell what a queue holds that never moves.
    """

    def __init__(self, dut: OperandQueue, longest_stall: int | None = None) -> None:
        self.dut = dut
        self.longest_stall = longest_stall
        self.watch = Signal()
        self.inputs = [dut.i.valid, dut.i.data, dut.o.ready, self.watch]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut

        entered, left = Signal(), Signal()
        m.d.comb += [entered.eq(dut.i.valid & dut.i.ready), left.eq(dut.o.valid & dut.o.ready)]
        inside = Signal(range(dut.depth + 2))
        m.d.sync += inside.eq(inside + entered - left)

        watching, ahead, payload = Signal(), Signal.like(inside), Signal(WIDTH)
        with m.If(~watching & self.watch & entered):
            m.d.sync += [watching.eq(1), ahead.eq(inside - left), payload.eq(dut.i.data)]
        with m.Elif(watching & left):
            m.d.sync += [watching.eq(ahead != 0), ahead.eq(ahead - 1)]

        if self.longest_stall is not None:
            stalled = Signal(range(self.longest_stall + 1))
            m.d.sync += stalled.eq(Mux(dut.o.valid & ~dut.o.ready, stalled + 1, 0))
            m.d.comb += Assume(dut.o.ready | (stalled != self.longest_stall))

        m.d.comb += [
            Assert(inside <= dut.depth),
            Assert(dut.i.ready == (inside != dut.depth)),
            Assert(dut.o.valid == (inside != 0)),
            Assert(dut.empty == (inside == 0)),
        ]
        with m.If(watching):
            m.d.comb += Assert(ahead < inside)
        with m.If(watching & (ahead == 0)):
            m.d.comb += Assert(dut.o.data == payload)
        if isinstance(dut, ObservedRing):
            m.d.comb += dut.ahead.eq(ahead)
            m.d.comb += Assert(dut.distance == inside[: len(dut.distance)])
            with m.If(watching):
                m.d.comb += Assert(dut.seen == payload)
        return m


class ObservedRing(OperandQueue):
    """Shows what the memory holds ``ahead`` tokens behind the oldest: an induction invariant."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__(width, depth)
        self.ahead = Signal(range(depth))
        self.distance = Signal(range(depth))
        self.seen = Signal(width)

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        held = m.submodules.held
        probe = held.read_port(domain="comb")
        oldest = held.read_ports[0].addr
        m.d.comb += [
            probe.addr.eq(oldest + self.ahead),
            self.seen.eq(probe.data),
            self.distance.eq(held.write_ports[0].addr - oldest),
        ]
        return m


@pytest.mark.proves("no loss or duplication of a token")
@pytest.mark.parametrize("depth", [1, 2])
def test_no_token_is_lost_doubled_changed_or_overtaken(depth, tmp_path):
    spec = QueueSpec(OperandQueue(WIDTH, depth), longest_stall=1)
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.proves("no loss or duplication of a token")
def test_no_token_is_lost_doubled_changed_or_overtaken_in_memory(tmp_path):
    spec = QueueSpec(ObservedRing(WIDTH, 4))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.proves("no loss or duplication of a token")
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nor_under_any_stall_in_the_first_cycles(depth, tmp_path):
    spec = QueueSpec(OperandQueue(WIDTH, depth))
    check(spec, spec.inputs, tmp_path, depth=3 * depth + 4)


@pytest.mark.rejects("no loss or duplication of a token")
@pytest.mark.parametrize(
    "mutant", [BypassQueue(WIDTH, 1), DroppingQueue(WIDTH, 2), StaleQueue(WIDTH, 2)]
)
def test_the_proof_rejects_a_wrong_queue(mutant, tmp_path):
    spec = QueueSpec(mutant)
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
