"""One complete occurrence in the Python simulator, driven at its endpoints."""

import random
from collections import deque
from dataclasses import dataclass, field

from amaranth.hdl import ResetInserter, Signal

from fabricgen.config.codec import encode_configuration
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import Active
from fabricgen.rtl.occurrence import MemoryOccurrence
from fabricgen.vocab.fabric import EndpointDirection
from tests.support.channel import run
from tests.support.port_harness import JointPublicationMonitor, Rates


@dataclass
class Trace:
    """What was seen at the boundary, by endpoint ordinal."""

    outputs: dict
    accepted_at: dict
    published_at: dict
    faults: list = field(default_factory=list)
    memory: bytes = b""
    quiescent: bool = False


@dataclass
class Job:
    """One configuration and what is offered to it, until all is done or ``cycles`` are over."""

    configuration: object
    streams: dict
    memory: bytes
    cycles: int
    reset_at: int | None = None


def packets(named, configuration):
    """Endpoints that publish together, one tuple per active row."""
    found = []
    for row in configuration.operation_rows if isinstance(configuration, Active) else ():
        if row is not None:
            port = named.occurrence.engine.ports[row.port]
            chosen = port.capability_alternatives[row.capability_alternative]
            _, results = active_roles(chosen, row.actor, row.access)
            exposed = {role for role, destination in row.destinations if destination.expose}
            found.append(tuple(endpoint for role, endpoint in results if role in exposed))
    return found


class OccurrenceRun:
    """Drive one occurrence cycle by cycle; every side's gaps come from one seed."""

    def __init__(self, named, *, seed=0, rates=None):
        self.named = named
        self.dut = MemoryOccurrence(named)
        self.reset = Signal()
        self.rng, self.rates = random.Random(seed), rates or Rates()
        ends = list(enumerate(named.occurrence.endpoints))
        self.ingress = {
            at: getattr(self.dut, f"ingress_{at}")
            for at, end in ends
            if end.direction is EndpointDirection.IN
        }
        self.egress = {
            at: getattr(self.dut, f"egress_{at}")
            for at, end in ends
            if end.direction is EndpointDirection.OUT
        }

    def run(self, configuration, streams, memory, *, cycles, reset_at=None):
        """Offer the streams for ``cycles`` cycles; a reset starts them again from the first."""
        job = Job(configuration, streams, memory, cycles, reset_at)
        return self.run_all([job])[0]

    def run_all(self, jobs):
        """Run one job after the other, reconfiguring behind ``hold`` between them."""
        traces = []

        async def bench(ctx):
            for job in jobs:
                ctx.set(self.dut.hold, -1)
                self._store(ctx, job.memory)
                ctx.set(self.dut.configuration, encode_configuration(self.named, job.configuration))
                await ctx.tick().repeat(2)
                ctx.set(self.dut.hold, 0)
                traces.append(await self._run_job(ctx, job))

        run(ResetInserter(self.reset)(self.dut), bench)
        return traces

    async def _run_job(self, ctx, job):
        trace, monitor = self._fresh(), JointPublicationMonitor()
        joint = packets(self.named, job.configuration)
        pending = {at: deque(job.streams.get(at, ())) for at in self.ingress}
        for cycle in range(job.cycles):
            if cycle == job.reset_at:
                await self._pull_reset(ctx)
                self._store(ctx, job.memory)
                trace = self._fresh()
                pending = {at: deque(job.streams.get(at, ())) for at in self.ingress}
            self._drive(ctx, pending)
            self._observe(ctx, cycle, pending, trace)
            for packet in joint:
                monitor.observe({at: self._state(ctx, self.egress[at]) for at in packet})
            await ctx.tick()
            if not any(pending.values()) and ctx.get(self.dut.quiescent):
                break
        trace.quiescent = bool(ctx.get(self.dut.quiescent))
        trace.memory = self._load(ctx)
        return trace

    def _fresh(self):
        return Trace(
            {at: [] for at in self.egress},
            {at: [] for at in self.ingress},
            {at: [] for at in self.egress},
        )

    async def _pull_reset(self, ctx):
        for channel in self.ingress.values():
            ctx.set(channel.valid, 0)
        ctx.set(self.reset, 1)
        await ctx.tick()
        ctx.set(self.reset, 0)
        await ctx.tick()

    @staticmethod
    def _state(ctx, channel):
        return ctx.get(channel.valid), ctx.get(channel.ready)

    def _drive(self, ctx, pending):
        for at, channel in self.ingress.items():
            offers = bool(pending[at]) and bool(
                ctx.get(channel.valid) or self.rng.random() < self.rates.offer
            )
            ctx.set(channel.valid, offers)
            if offers and hasattr(channel, "data"):
                ctx.set(channel.data, pending[at][0])
        for channel in self.egress.values():
            ctx.set(channel.ready, self.rng.random() < self.rates.accept)

    def _observe(self, ctx, cycle, pending, trace):
        for at, channel in self.ingress.items():
            if self._state(ctx, channel) == (1, 1):
                pending[at].popleft()
                trace.accepted_at[at].append(cycle)
        for at, channel in self.egress.items():
            if ctx.get(channel.valid):
                trace.outputs[at].append(ctx.get(channel.data) if hasattr(channel, "data") else 0)
                trace.published_at[at].append(cycle)
        if ctx.get(self.dut.out_of_range):
            trace.faults.append(
                (ctx.get(self.dut.out_of_range_row), ctx.get(self.dut.out_of_range_address))
            )

    def _beats(self):
        """Bank memory and row of every beat, in address order."""
        geometry, banks = self.dut.geometry, self.dut.service.banks
        for beat in range(-(-geometry.capacity_bytes // geometry.beat_bytes)):
            yield banks[beat % geometry.banks].mem.data, beat // geometry.banks

    def _store(self, ctx, memory):
        size = self.dut.geometry.beat_bytes
        for beat, (data, at) in enumerate(self._beats()):
            ctx.set(data[at], int.from_bytes(memory[beat * size : (beat + 1) * size], "little"))

    def _load(self, ctx):
        size = self.dut.geometry.beat_bytes
        words = [ctx.get(data[at]).to_bytes(size, "little") for data, at in self._beats()]
        return b"".join(words)[: self.dut.geometry.capacity_bytes]
