import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from fabricgen.rtl.axi_lite import AxiLiteTarget, axi_lite_signature
from tests.support.axi_lite import HastyTarget, RestlessTarget, monitor, write
from tests.support.channel import run
from tests.support.netlist import comb_sources


class Counter(wiring.Component):
    """A target whose register file answers with the number of the cycle."""

    def __init__(self, target):
        self.target = target
        super().__init__({"bus": In(axi_lite_signature())})

    def elaborate(self, platform):
        m = Module()
        m.submodules.target = self.target
        cycle = Signal(32)
        m.d.sync += cycle.eq(cycle + 1)
        wiring.connect(m, wiring.flipped(self.bus), self.target.bus)
        m.d.comb += [
            self.target.write_done.eq(cycle[0]),
            self.target.write_response.eq(cycle[:2]),
            self.target.read_data.eq(cycle),
        ]
        return m


def faults_while_stalled(target):
    """What the monitor says of one write and one read whose responses wait five cycles."""
    dut = Counter(target)
    faults = []

    async def manager(ctx):
        requests = [dut.bus.awvalid, dut.bus.wvalid, dut.bus.arvalid]
        await ctx.tick()
        for valid in requests:
            ctx.set(valid, 1)
        await ctx.tick()
        for valid in requests:
            ctx.set(valid, 0)
        await ctx.tick().repeat(5)

    run(dut, manager, background=[monitor(dut.bus, faults)])
    return faults


def test_a_response_waits_for_ready_and_does_not_change():
    assert faults_while_stalled(AxiLiteTarget()) == []


def test_the_monitor_sees_a_response_that_goes():
    faults = faults_while_stalled(HastyTarget())
    assert {"bvalid must stay until bready", "rvalid must stay until rready"} <= set(faults)


def test_the_monitor_sees_a_response_that_changes():
    faults = faults_while_stalled(RestlessTarget())
    assert set(faults) == {"b payload must stay until bready", "r payload must stay until rready"}


@pytest.mark.parametrize("idles", [(0, 0), (0, 3), (3, 0), (1, 2)])
def test_address_and_data_of_a_write_come_in_either_order(idles):
    seen = []
    dut = AxiLiteTarget()

    async def bench(ctx):
        ctx.set(dut.write_done, 1)
        assert await write(ctx, dut.bus, 0x1234, 0xCAFEF00D, 0b0110, idles=idles) == 0

    async def watch(ctx):
        names = ("write", "write_address", "write_data", "write_strobe")
        async for _edge, _reset, valid, *beat in ctx.tick().sample(
            *(getattr(dut, n) for n in names)
        ):
            if valid:
                seen.append(tuple(beat))

    run(dut, bench, background=[watch])
    assert seen == [(0x1234, 0xCAFEF00D, 0b0110)]


def test_the_response_rises_one_cycle_after_the_second_beat():
    dut = AxiLiteTarget()

    async def bench(ctx):
        ctx.set(dut.write_done, 1)
        ctx.set(dut.bus.awvalid, 1)
        await ctx.tick()
        ctx.set(dut.bus.awvalid, 0)
        await ctx.tick().repeat(2)
        ctx.set(dut.bus.wvalid, 1)
        assert (ctx.get(dut.bus.bvalid), ctx.get(dut.write)) == (0, 1)
        await ctx.tick()
        assert (ctx.get(dut.bus.bvalid), ctx.get(dut.write)) == (1, 0)
        assert (ctx.get(dut.bus.awready), ctx.get(dut.bus.wready)) == (0, 0)

    run(dut, bench)


@pytest.mark.parametrize("ready", ["awready", "wready", "arready"])
def test_ready_depends_on_registers_only(ready, tmp_path):
    assert comb_sources(AxiLiteTarget(), f"bus__{ready}", tmp_path) == set()
