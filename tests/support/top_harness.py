"""A whole fabric in the Python simulator: programmed over its bus while tokens flow."""

import random
from collections import defaultdict, deque

from amaranth.hdl import ResetInserter, Signal

from fabricgen.abi.image import encode_image
from fabricgen.abi.program import AxiLiteWrite, programming_sequence
from fabricgen.config.codec import encode_configuration
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.rtl.fabric_top import FabricTop
from fabricgen.vocab.fabric import EndpointDirection
from tests.support.axi_lite import read, write
from tests.support.channel import run


class TopRun:
    """Offers streams at random gaps, and notes under which configuration each token entered.

    ``epochs[carrier][endpoint]`` are the tokens taken in, ``outputs`` what was published.
    Endpoints in ``closed`` are never ready.
    """

    def __init__(self, fabric, *, seed=0, offer=0.7, accept=0.7):
        self.fabric = fabric
        (self.named,) = fabric.memories
        self.dut = FabricTop(fabric)
        self.registers = self.dut.unit.registers
        self.reset = Signal()
        self.rng, self.offer, self.accept = random.Random(seed), offer, accept
        ends = list(enumerate(self.named.occurrence.endpoints))
        channels = {at: getattr(self.dut, f"endpoint_{at}") for at, _ in ends}
        self.ingress = {a: channels[a] for a, e in ends if e.direction is EndpointDirection.IN}
        self.egress = {a: channels[a] for a, e in ends if e.direction is EndpointDirection.OUT}
        self.closed = set()
        self.pending = defaultdict(deque)
        self.epochs = []
        self.outputs = defaultdict(list)
        self.published_at = defaultdict(list)
        self.cycle = 0

    def run(self, bench, *watches):
        """Run ``bench(ctx)`` beside the traffic, and whatever else watches."""

        async def traffic(ctx):
            while True:
                self._drive(ctx)
                self._observe(ctx)
                await ctx.tick()
                self.cycle += 1

        run(ResetInserter(self.reset)(self.dut), bench, background=[traffic, *watches])

    def load(self, ctx, memory):
        """Set the storage."""
        size = self.dut.occurrence.geometry.beat_bytes
        for beat, (data, at) in enumerate(self._beats()):
            ctx.set(data[at], int.from_bytes(memory[beat * size : (beat + 1) * size], "little"))

    def contents(self, ctx):
        """Read the storage."""
        geometry = self.dut.occurrence.geometry
        words = [ctx.get(data[at]) for data, at in self._beats()]
        joined = b"".join(word.to_bytes(geometry.beat_bytes, "little") for word in words)
        return joined[: geometry.capacity_bytes]

    def _beats(self):
        geometry, banks = self.dut.occurrence.geometry, self.dut.occurrence.service.banks
        for beat in range(-(-geometry.capacity_bytes // geometry.beat_bytes)):
            yield banks[beat % geometry.banks].mem.data, beat // geometry.banks

    async def fill(self, ctx, configuration):
        """Write shadow and identity, up to the commit."""
        image = encode_image(self.fabric, FabricConfiguration((configuration,)))
        for step in programming_sequence(self.fabric, image):
            if isinstance(step, AxiLiteWrite) and step.address != self.registers.commit:
                assert await write(ctx, self.dut.cfg, step.address, step.data) == 0

    async def commit(self, ctx):
        """Ask for the swap; returns the response."""
        return await write(ctx, self.dut.cfg, self.registers.commit, 1)

    async def program(self, ctx, configuration):
        """Fill and commit a fabric that is quiescent."""
        await self.fill(ctx, configuration)
        assert await self.commit(ctx) == 0

    async def settle(self, ctx, cycles=400):
        """Wait until everything offered is in and everything inside is out."""
        for _ in range(cycles):
            if not any(self.pending.values()) and ctx.get(self.dut.occurrence.quiescent):
                return
            await ctx.tick()
        raise AssertionError("The fabric must come to rest, and does not")

    async def flags(self, ctx):
        """Sticky flag word, row and address."""
        registers = self.registers
        words = registers.words
        places = registers.flags, words["out_of_range_row"], words["out_of_range_address"]
        return [(await read(ctx, self.dut.cfg, at))[0] for at in places]

    async def pull_reset(self, ctx):
        """One cycle of reset; everything that was offered is withdrawn."""
        for channel in self.ingress.values():
            ctx.set(channel.valid, 0)
        self.pending.clear()
        ctx.set(self.reset, 1)
        await ctx.tick()
        ctx.set(self.reset, 0)
        self.epochs.clear()
        self.outputs.clear()
        self.published_at.clear()

    def carrier(self, configuration):
        """The payload by which ``epochs`` names a configuration."""
        return encode_configuration(self.named, configuration)

    def _drive(self, ctx):
        for at, channel in self.ingress.items():
            queue = self.pending[at]
            offers = bool(queue) and bool(ctx.get(channel.valid) or self.rng.random() < self.offer)
            ctx.set(channel.valid, offers)
            if offers and hasattr(channel, "data"):
                ctx.set(channel.data, queue[0])
        for at, channel in self.egress.items():
            ctx.set(channel.ready, at not in self.closed and self.rng.random() < self.accept)

    def _observe(self, ctx):
        if ctx.get(self.reset):
            return
        for at, channel in self.ingress.items():
            if ctx.get(channel.valid) and ctx.get(channel.ready):
                self._epoch(ctx.get(self.dut.occurrence.configuration))[at].append(
                    self.pending[at].popleft()
                )
        for at, channel in self.egress.items():
            if ctx.get(channel.valid):
                assert ctx.get(channel.ready), "A result is valid while its egress is not ready"
                self.outputs[at].append(ctx.get(channel.data) if hasattr(channel, "data") else 0)
                self.published_at[at].append(self.cycle)

    def _epoch(self, carrier):
        if not self.epochs or self.epochs[-1][0] != carrier:
            self.epochs.append((carrier, defaultdict(list)))
        return self.epochs[-1][1]
