"""Slots and stages of stateless providers, by their handshakes alone; the adder as an example."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.hsg.semantics import FiniteField, semantic_field
from fabricgen.rtl.channel import ChannelShape
from fabricgen.rtl.providers.registry import provider
from fabricgen.rtl.providers.stages import Stages
from fabricgen.vocab.dataflow import OperationSchemaId as O
from tests.support.channel import get, put, run
from tests.support.hsg_ops import add_sub
from tests.support.netlist import comb_sources

GAPS = st.lists(st.integers(0, 3), min_size=8, max_size=8)


class Sum(wiring.Component):
    """Eight-bit sum of two operands through any number of stages."""

    def __init__(self, latency, used=None):
        self.latency, self.used = latency, used
        channel = ChannelShape(8).signature()
        super().__init__({"a": In(channel), "b": In(channel), "o": Out(channel)})

    def elaborate(self, platform):
        m = Module()
        operands = [self.a, self.b]
        stages = Stages(m, operands, self.o, latency=self.latency, used=self.used)
        value = (stages.operands[0] + stages.operands[1])[:8]
        for stage in range(1, self.latency):
            value = stages.register(stage, value, f"sum_{stage}")
        m.d.comb += self.o.data.eq(value)
        return m


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.lists(st.integers(0, 255), min_size=8, max_size=8), GAPS, GAPS, GAPS)
def test_no_gap_pattern_loses_or_reorders_a_firing(latency, values, gaps_a, gaps_b, stalls):
    dut, received = Sum(latency), []

    def producer(channel, gaps):
        async def bench(ctx):
            for value, gap in zip(values, gaps, strict=True):
                await put(ctx, channel, {"data": value}, idle=gap)

        return bench

    async def consumer(ctx):
        for stall in stalls:
            received.append((await get(ctx, dut.o, ["data"], stall=stall))["data"])

    run(dut, producer(dut.a, gaps_a), producer(dut.b, gaps_b), consumer)
    assert received == [2 * value % 256 for value in values]


@pytest.mark.parametrize("latency", [1, 2, 3, 4])
def test_the_result_comes_after_the_latency_and_then_every_cycle(latency):
    dut, seen = Sum(latency), []

    async def bench(ctx):
        ctx.set(dut.a.valid, 1)
        ctx.set(dut.b.valid, 1)
        ctx.set(dut.o.ready, 1)
        for cycle in range(12):
            ctx.set(dut.a.data, cycle)
            seen.append((ctx.get(dut.o.valid), ctx.get(dut.o.data)))
            assert ctx.get(dut.a.ready)
            await ctx.tick()

    run(dut, bench)
    assert [valid for valid, _ in seen] == [0] * latency + [1] * (12 - latency)
    assert [data for _, data in seen[latency:]] == list(range(12 - latency))


@pytest.mark.parametrize("latency", [1, 3])
def test_a_stall_costs_its_own_cycles_only(latency):
    dut, taken = Sum(latency), []

    async def bench(ctx):
        ctx.set(dut.a.valid, 1)
        ctx.set(dut.b.valid, 1)
        for cycle in range(20):
            ctx.set(dut.o.ready, cycle not in range(8, 12))
            taken.append(ctx.get(dut.o.valid) & ctx.get(dut.o.ready))
            await ctx.tick()

    run(dut, bench)
    assert sum(taken) == 20 - latency - 4


def test_an_operand_is_ready_whether_or_not_another_is_offered(tmp_path):
    for channel in ("a", "b"):
        sources = comb_sources(Sum(2), f"{channel}__ready", tmp_path)
        assert sources == {"o__ready"}


def test_an_operand_that_is_not_used_is_never_ready():
    flag = Signal(init=1)
    dut, seen = Sum(1, used=[flag, ~flag]), []

    async def bench(ctx):
        ctx.set(dut.a.valid, 1)
        ctx.set(dut.b.valid, 1)
        ctx.set(dut.o.ready, 1)
        for _ in range(4):
            seen.append((ctx.get(dut.a.ready), ctx.get(dut.b.ready), ctx.get(dut.o.valid)))
            await ctx.tick()

    run(dut, bench)
    assert seen == [(1, 0, 0), (1, 0, 1), (1, 0, 1), (1, 0, 1)]


@pytest.mark.parametrize(
    ("operations", "role", "expected"),
    [((), "Add", 0x23), ((), "Sub", 0x01), ((O.ARITH_SUBI,), "Sub", 0x01)],
)
def test_an_adder_adds_or_subtracts_as_configured(operations, role, expected):
    op = add_sub(*operations)
    dut, seen = provider(op), []
    field = semantic_field(op)

    async def bench(ctx):
        if isinstance(field, FiniteField):
            ctx.set(dut.configuration, [key.role for key in field.keys].index(role))
        ctx.set(dut.in0.data, 0x12)
        ctx.set(dut.in1.data, 0x11)
        for channel in (dut.in0, dut.in1):
            ctx.set(channel.valid, 1)
        ctx.set(dut.out0.ready, 1)
        await ctx.tick()
        seen.append(ctx.get(dut.out0.data))

    run(dut, bench)
    assert seen == [expected]
