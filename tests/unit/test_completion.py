"""The bound of completion: cycles from issue to retirement as they are."""

import random
from collections import deque

import pytest
from amaranth.sim import Simulator

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.config.codec import encode_configuration
from fabricgen.plan.completion import completion_cycles
from fabricgen.rtl.occurrence import MemoryOccurrence
from fabricgen.rtl.service import atomic_bank
from sim.bench_documents import BenchEngine, BenchPort, BenchRow
from tests.support.service_mutants import StickyPairArbiter

RMW = BenchPort("rmw", "element", 32)
LOAD = BenchPort("load", "element", 32)
LANES = BenchPort("rmw", "indexed", 32, 3, projection="active_lanes")


def spatial(*ports, **options):
    rows = [BenchRow(at, base=64 * at) for at in range(len(ports))]
    return BenchEngine(list(ports), rows, capacity_bytes=1024, **options)


def temporal(*ports, rows):
    found = [BenchRow(at % len(ports), base=64 * at) for at in range(rows)]
    return BenchEngine(list(ports), found, rows, banks=1, capacity_bytes=1024)


ENGINES = {
    "one port": spatial(RMW),
    "three ports at one bank": spatial(RMW, RMW, LOAD, banks=1),
    "lanes beside elements": spatial(LANES, RMW, banks=2),
    "four rows of two ports": temporal(RMW, LOAD, rows=4),
}


class Watch:
    """Cycles from issue to retirement, row by row, while every result is taken."""

    def __init__(self, engine):
        fabric = parse_fabric(engine.fabric_document("watched"))
        (self.named,) = fabric.memories
        (self.configuration,) = parse_mapping(engine.mapping_document("watched"), fabric).memories
        self.engine = engine
        self.dut = MemoryOccurrence(self.named)
        self.names = self.named.names.endpoints
        self.issued = [deque() for _ in engine.rows]
        self.longest = [0] * len(engine.rows)

    def end(self, port, role):
        at = self.names.index(self.engine.endpoint(port, role))
        is_input = role in self.engine.ports[port].inputs
        return getattr(self.dut, f"{'ingress' if is_input else 'egress'}_{at}")

    def run(self, seed, cycles):
        rng, ports = random.Random(seed), self.engine.ports
        tagged = self.engine.contexts is not None

        async def bench(ctx):
            ctx.set(self.dut.configuration, encode_configuration(self.named, self.configuration))
            ctx.set(self.dut.hold, -1)
            await ctx.tick().repeat(3)
            ctx.set(self.dut.hold, 0)
            for cycle in range(cycles):
                for at, port in enumerate(ports):
                    mine = [row for row, each in enumerate(self.engine.rows) if each.port == at]
                    for role in port.roles:
                        channel = self.end(at, role)
                        if role not in port.inputs:
                            ctx.set(channel.ready, 1)
                            continue
                        ctx.set(channel.valid, 1)
                        if hasattr(channel, "data"):
                            lanes = range(port.lanes if port.form == "indexed" else 1)
                            few = sum(rng.randrange(2) << 32 * lane for lane in lanes)
                            ctx.set(channel.data, few)
                        if tagged:
                            ctx.set(channel.tag, rng.choice(mine))
                for at in range(len(ports)):
                    self.watch(ctx, at, cycle, tagged=tagged)
                await ctx.tick()

        sim = Simulator(self.dut)
        sim.add_clock(1e-6)
        sim.add_testbench(bench)
        sim.run()
        return max(self.longest)

    def watch(self, ctx, at, cycle, *, tagged):
        """Note what is issued and what retires."""
        done = self.end(at, "completion")
        if tagged:
            selected = ctx.get(self.dut.engine.ports[at].selected)
            row = selected.bit_length() - 1
            if selected:
                # The grant was in the cycle before.
                self.issued[row].append(cycle - 1)
        else:
            request = getattr(self.dut.engine, f"request_{at}_0")
            if ctx.get(request.valid) and ctx.get(request.ready):
                self.issued[at].append(cycle)
        if ctx.get(done.valid):
            row = ctx.get(done.tag) if tagged else at
            taken = cycle - self.issued[row].popleft()
            self.longest[row] = max(self.longest[row], taken)


@pytest.mark.parametrize("name", ENGINES)
def test_no_access_takes_longer_than_its_bound(name):
    watch = Watch(ENGINES[name])
    watch.run(seed=1, cycles=400)
    for row, longest in zip(watch.engine.rows, watch.longest, strict=True):
        bound = completion_cycles(watch.named, row.port)
        assert 0 < longest <= bound
        # It is a worst case, not any number.
        assert bound <= 24 * longest


def test_the_watch_sees_an_arbiter_that_starves(monkeypatch):
    monkeypatch.setattr(atomic_bank, "PairArbiter", StickyPairArbiter)
    # The first of the order never lets another one in, so what was issued lane by lane waits.
    watch = Watch(spatial(RMW, LANES, banks=1))
    watch.run(seed=1, cycles=400)
    waits = 400 - watch.issued[1][0]
    assert max(waits, watch.longest[1]) > completion_cycles(watch.named, 1)
