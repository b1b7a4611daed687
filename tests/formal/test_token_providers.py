"""Carry, gate and mux: no token is lost, made twice or taken without its firing."""

import pytest
from amaranth.hdl import Assert, Elaboratable, Module, Mux, Signal

from fabricgen.rtl.providers.frame import ProviderFrame
from fabricgen.rtl.providers.loop_control import LoopCarry, LoopGate
from fabricgen.rtl.providers.token_route import TokenMux
from tests.formal.harness import check, prove
from tests.support import token_ops as ops
from tests.support.token_mutants import EagerMux, GreedyCarry, LooseGate

pytestmark = pytest.mark.formal

#: A mux holds three tokens, of which ports alone do not tell: its check is bounded.
DEPTH = 8


class ProviderSpec(Elaboratable):
    """All inputs of a provider are free, reset too."""

    def __init__(self, dut: ProviderFrame) -> None:
        self.dut = dut
        self.inputs = [
            *(channel.valid for channel in dut.inputs),
            *(channel.data for channel in dut.inputs),
            *(channel.ready for channel in dut.outputs),
        ]


def moves(channel):
    """A token passes in this cycle."""
    return channel.valid & channel.ready


class CarrySpec(ProviderSpec):
    """Each cycle is a whole transition of the carry, or nothing."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        phase, first, following = dut.inputs
        (result,) = dut.outputs
        carrying = Signal()
        goes_on = phase.data[0]
        with m.If(~carrying):
            m.d.comb += [
                Assert(~moves(phase) & ~moves(following)),
                Assert(moves(first) == moves(result)),
                Assert(moves(first) == (first.valid & result.ready)),
                Assert(~moves(result) | (result.data == first.data)),
            ]
            m.d.sync += carrying.eq(moves(first))
        with m.Else():
            m.d.comb += [
                Assert(~moves(first)),
                Assert(moves(result) == (moves(phase) & goes_on)),
                Assert(moves(following) == moves(result)),
                Assert(
                    moves(phase) == (phase.valid & (~goes_on | (following.valid & result.ready)))
                ),
                Assert(~moves(result) | (result.data == following.data)),
            ]
            m.d.sync += carrying.eq(~(moves(phase) & ~goes_on))
        return m


class GateSpec(ProviderSpec):
    """Each cycle is a whole transition of the gate, or nothing."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        condition, value = dut.inputs
        after, passed = dut.outputs
        continues = Signal()
        opens = condition.data[0]
        fires = Signal()
        m.d.comb += [
            fires.eq(
                condition.valid & value.valid & (after.ready | ~continues) & (passed.ready | ~opens)
            ),
            Assert(moves(condition) == fires),
            Assert(moves(value) == fires),
            Assert(moves(after) == (fires & continues)),
            Assert(moves(passed) == (fires & opens)),
            Assert(~moves(after) | (after.data == opens)),
            Assert(~moves(passed) | (passed.data == value.data)),
        ]
        with m.If(fires):
            m.d.sync += continues.eq(opens)
        return m


class MuxSpec(ProviderSpec):
    """A lane moves only for the oldest selector, and what moved is published once."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        selector, *lanes = dut.inputs
        (result,) = dut.outputs
        count = Signal(2)
        oldest = Signal()
        newest = Signal()
        full = Signal()
        value = Signal(2)
        room = ~full | result.ready
        taken = moves(lanes[0]) | moves(lanes[1])
        m.d.comb += [
            Assert(selector.ready == (count != 2)),
            Assert(lanes[0].ready == ((count != 0) & room & ~oldest)),
            Assert(lanes[1].ready == ((count != 0) & room & oldest)),
            Assert(result.valid == full),
            Assert(~full | (result.data == value)),
        ]
        m.d.sync += count.eq(count + moves(selector) - taken)
        with m.If(moves(selector)):
            m.d.sync += newest.eq(selector.data[0])
        with m.If((count == 0) | (taken & (count == 1))):
            m.d.sync += oldest.eq(selector.data[0])
        with m.Elif(taken):
            m.d.sync += oldest.eq(newest)
        m.d.sync += full.eq(taken | (full & ~result.ready))
        with m.If(taken):
            m.d.sync += value.eq(Mux(oldest, lanes[1].data, lanes[0].data))
        return m


MUX = ops.mux((2, 2), result=2, payload=2)


@pytest.mark.proves("no loss or duplication of a token")
@pytest.mark.parametrize(
    ("spec", "build", "op"),
    [(CarrySpec, LoopCarry, ops.carry(2)), (GateSpec, LoopGate, ops.gate(2))],
)
def test_every_cycle_is_a_firing_or_nothing(spec, build, op, tmp_path):
    bench = spec(build(op))
    prove(bench, bench.inputs, tmp_path, depth=4)


@pytest.mark.proves("no loss or duplication of a token")
def test_a_mux_takes_and_publishes_what_selectors_name(tmp_path):
    bench = MuxSpec(TokenMux(MUX))
    check(bench, bench.inputs, tmp_path, depth=DEPTH)


@pytest.mark.rejects("no loss or duplication of a token")
@pytest.mark.parametrize(
    ("spec", "build", "op"),
    [
        (CarrySpec, GreedyCarry, ops.carry(2)),
        (GateSpec, LooseGate, ops.gate(2)),
        (MuxSpec, EagerMux, MUX),
    ],
)
def test_the_check_rejects_a_wrong_provider(spec, build, op, tmp_path):
    bench = spec(build(op))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(bench, bench.inputs, tmp_path, depth=DEPTH)
