"""A Temporal fabric in the Python simulator whose rows are reprogrammed while others stream."""

import hashlib
import random
from collections import defaultdict, deque

from fabricgen.abi.image import encode_image
from fabricgen.abi.program import (
    AxiLitePoll,
    AxiLiteRead,
    AxiLiteWrite,
    programming_sequence,
)
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Active
from fabricgen.records.fabric import Fabric
from fabricgen.rtl.fabric_top import FabricTop
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import EndpointDirection
from tests.support.axi_lite import OKAY, SLVERR, read, write
from tests.support.channel import run


class TaggedTop:
    """Tokens by (endpoint, tag); who offers and who is ready is drawn from the cycle alone.

    So what one row sees does not depend on what another one does. ``taken[key]`` has (cycle, token,
    table in force) of each token that was accepted, ``given[key]`` (cycle, token) of each result.
    """

    def __init__(self, named, memory, *, seed=0, offer=0.7, accept=0.8):
        self.named, self.memory = named, memory
        self.fabric = Fabric(name="reconfigured", memories=(named,))
        self.dut = FabricTop(self.fabric)
        self.registers = self.dut.unit.registers
        self.seed, self.offer, self.accept = seed, offer, accept
        self.rng = random.Random(seed)
        ends = list(enumerate(named.occurrence.endpoints))
        channels = {at: getattr(self.dut, f"endpoint_{at}") for at, _ in ends}
        self.ingress = {a: channels[a] for a, e in ends if e.direction is EndpointDirection.IN}
        self.egress = {a: channels[a] for a, e in ends if e.direction is EndpointDirection.OUT}
        self.pending = defaultdict(deque)
        self.taken, self.given = defaultdict(list), defaultdict(list)
        self.table, self.tables = None, {}
        self.cycle, self.refused = 0, 0

    def run(self, bench, *watchers):
        """Run ``bench(ctx)`` beside the traffic, and those that watch it."""

        async def traffic(ctx):
            while True:
                self._drive(ctx)
                self._observe(ctx)
                await ctx.tick()
                self.cycle += 1

        async def start(ctx):
            self._load(ctx)
            await bench(ctx)

        run(self.dut, start, background=[traffic, *watchers])

    def image(self, rows):
        """Image of a table."""
        return encode_image(self.fabric, FabricConfiguration((Active(tuple(rows)),)))

    async def fill(self, ctx, rows):
        """Write shadow and identity of a table, up to the commit."""
        for step in programming_sequence(self.fabric, self.image(rows)):
            if isinstance(step, AxiLiteWrite) and step.address != self.registers.commit:
                assert await write(ctx, self.dut.cfg, step.address, step.data) == OKAY

    async def commit(self, ctx):
        """Ask for the swap; returns the response."""
        return await write(ctx, self.dut.cfg, self.registers.commit, 1)

    async def program(self, ctx, rows, *, attempts=1):
        """Fill, then commit until it is taken."""
        await self.fill(ctx, rows)
        for _ in range(attempts):
            response = await self.commit(ctx)
            if response == OKAY:
                return
            assert response == SLVERR
            self.refused += 1
        raise AssertionError(f"The commit must be taken after {attempts} attempts, and is not")

    async def word(self, ctx, name):
        """One status word by its name."""
        data, response = await read(ctx, self.dut.cfg, self.registers.words[name])
        assert response == OKAY
        return data

    async def flags(self, ctx):
        """The flags register."""
        return (await read(ctx, self.dut.cfg, self.registers.flags))[0]

    async def settle(self, ctx, cycles=600):
        """Wait until everything offered is in and everything inside is out."""
        for _ in range(cycles):
            if not any(self.pending.values()) and ctx.get(self.dut.occurrence.quiescent):
                return
            await ctx.tick()
        raise AssertionError("The fabric must come to rest, and does not")

    def contents(self, ctx):
        """Read the storage."""
        geometry = self.dut.occurrence.geometry
        words = [ctx.get(data[at]) for data, at in self._beats()]
        joined = b"".join(word.to_bytes(geometry.beat_bytes, "little") for word in words)
        return joined[: geometry.capacity_bytes]

    def _load(self, ctx):
        size = self.dut.occurrence.geometry.beat_bytes
        for beat, (data, at) in enumerate(self._beats()):
            word = self.memory[beat * size : (beat + 1) * size]
            ctx.set(data[at], int.from_bytes(word, "little"))

    def _beats(self):
        geometry, banks = self.dut.occurrence.geometry, self.dut.occurrence.service.banks
        for beat in range(-(-geometry.capacity_bytes // geometry.beat_bytes)):
            yield banks[beat % geometry.banks].mem.data, beat // geometry.banks

    def _draw(self, *what):
        """A number from 0 to 1 for this cycle, independent of all others.

        Those of a checksum would not be: where two words differ in the same bits, so do their sums,
        and two endpoints may be ready together in no cycle at all.
        """
        word = repr((self.seed, self.cycle, *what)).encode()
        return int.from_bytes(hashlib.blake2b(word, digest_size=4).digest()) / (1 << 32)

    def _drive(self, ctx):
        for at, channel in self.ingress.items():
            keys = sorted(key for key in self.pending if key[0] == at)
            key = keys[int(self._draw(at) * len(keys))] if keys else None
            offers = bool(key and self.pending[key]) and self._draw(at, "offer") < self.offer
            ctx.set(channel.valid, offers)
            if offers:
                ctx.set(channel.tag, key[1])
                if hasattr(channel, "data"):
                    ctx.set(channel.data, self.pending[key][0])
        for at, channel in self.egress.items():
            ctx.set(channel.ready, self._draw(at, ctx.get(channel.tag)) < self.accept)

    def _observe(self, ctx):
        carrier = ctx.get(self.dut.occurrence.configuration)
        for at, channel in self.ingress.items():
            if ctx.get(channel.valid) and ctx.get(channel.ready):
                key = at, ctx.get(channel.tag)
                self.taken[key].append((self.cycle, self.pending[key].popleft(), carrier))
        for at, channel in self.egress.items():
            if ctx.get(channel.valid):
                assert ctx.get(channel.ready), "A result is valid while its egress is not ready"
                data = ctx.get(channel.data) if hasattr(channel, "data") else 0
                self.given[at, ctx.get(channel.tag)].append((self.cycle, data))


async def perform(ctx, bus, steps, *, patience=200):
    """Make the accesses of a host; each must be answered as it says."""
    for step in steps:
        match step:
            case AxiLiteWrite():
                response = await write(ctx, bus, step.address, step.data, step.strobe)
                assert response == step.response.value, step
            case AxiLiteRead():
                assert await read(ctx, bus, step.address) == (step.data, OKAY), step
            case AxiLitePoll():
                for _ in range(patience):
                    if (await read(ctx, bus, step.address))[0] & step.mask == step.data:
                        break
                else:
                    raise AssertionError(f"{step} must be met, and is not")


def tag_of(row, role):
    """Tag of an external input role, or of an exposed result role."""
    found = {**dict(row.sources), **dict(row.destinations)}[role]
    return found.tag


ADDRESS, DATA = ServiceValueRole.ADDRESS, ServiceValueRole.DATA
CONTROL, COMPLETION = ServiceValueRole.CONTROL, ServiceValueRole.COMPLETION
