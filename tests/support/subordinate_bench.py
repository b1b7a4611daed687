"""Beats for subordinate endpoints: an independent byte memory, and a bench before an occurrence."""

import random
from dataclasses import dataclass

from amaranth.hdl import ResetInserter, Signal

from fabricgen.config.codec import encode_configuration
from fabricgen.rtl.occurrence import MemoryOccurrence
from tests.support.channel import run
from tests.support.memories import LOAD
from tests.support.subordinates import holds

READ, WRITE = 0, 1


@dataclass(frozen=True)
class Beat:
    """One request; ``origin`` and ``beat`` are given by the bench."""

    kind: int
    address: int
    strobe: int
    data: int = 0
    address_space: int = 0
    context: int = 0


class ByteMemory:
    """What a subordinate does to the bytes of its service, one beat after the other.

    It knows the rows as records, and nothing of how hardware compares them.
    """

    def __init__(self, named, ordinal, decode, contents):
        self.size = named.occurrence.subordinate_endpoints[ordinal].beat_width_bits // 8
        self.rows = [row for row in decode if row is not None]
        self.contents = contents
        contract = named.occurrence.local_service.memory_service_contract
        requester = len(named.occurrence.operation_ports) + ordinal
        self.reached = {READ: set(), WRITE: set()}
        for at in contract.serving_capabilities(requester):
            each = contract.capabilities[at]
            kind = READ if each.actor_contract_domain.actor_schema is LOAD else WRITE
            for region in each.service_region_ordinals:
                bounds = contract.regions[region]
                self.reached[kind].update(range(bounds.address_base_bytes, bounds.end_bytes))

    def serve(self, beat):
        """``(data, error)`` of one beat."""
        places = self._places(beat)
        if places is None:
            return 0, 1
        data = 0
        for lane, place in places.items():
            if beat.kind == WRITE:
                self.contents[place] = beat.data >> 8 * lane & 0xFF
            else:
                data |= self.contents[place] << 8 * lane
        return data, 0

    def _places(self, beat):
        """Byte of the service of each active lane; ``None`` where one of them has none."""
        lanes = [lane for lane in range(self.size) if beat.strobe >> lane & 1]
        if not lanes or beat.address % self.size or beat.kind not in self.reached:
            return None
        for row in self.rows:
            if all(
                holds(row.match, beat.address + lane, beat.address_space, beat.context)
                for lane in lanes
            ):
                moved = {lane: (beat.address + lane + row.base_offset) % 2**64 for lane in lanes}
                inside = all(place in self.reached[beat.kind] for place in moved.values())
                return moved if inside else None
        return None


@dataclass
class Served:
    """What came of the beats of one subordinate: ``(origin, beat, data, error)``, and when."""

    answers: list
    taken_at: list
    answered_at: list


class SubordinateRun:
    """Drive the subordinates of one occurrence; each side's gaps come from one seed."""

    def __init__(self, named, *, seed=0, offer=1.0, accept=1.0):
        self.named = named
        self.dut = MemoryOccurrence(named)
        self.reset = Signal()
        self.rng, self.offer, self.accept = random.Random(seed), offer, accept
        count = len(named.occurrence.subordinate_endpoints)
        self.streams = [getattr(self.dut, f"subordinate_{at}") for at in range(count)]
        self.offered = [None] * count

    def run(self, configuration, beats, contents, *, extra=None, limit=4000):
        """Serve the beats of every subordinate; returns what was served, and the bytes then.

        ``extra(ctx, cycle)`` may do more in each cycle.
        """
        found = []

        async def bench(ctx):
            ctx.set(self.dut.hold, -1)
            self.store(ctx, contents)
            bits = configuration
            if not isinstance(bits, int):
                bits = encode_configuration(self.named, configuration)
            ctx.set(self.dut.configuration, bits)
            await ctx.tick().repeat(3)
            ctx.set(self.dut.hold, 0)
            served = await self.serve(ctx, beats, extra=extra)
            assert ctx.get(self.dut.quiescent)
            found.append((served, self.load(ctx)))

        run(ResetInserter(self.reset)(self.dut), bench, limit=limit)
        return found[0]

    async def serve(self, ctx, beats, *, extra=None):
        """Offer all beats, and take all answers."""
        served = [Served([], [], []) for _ in self.streams]
        last = [None] * len(self.streams)
        cycle = 0
        while any(len(s.answers) < len(b) for s, b in zip(served, beats, strict=True)):
            for at in range(len(self.streams)):
                self._drive(ctx, at, beats[at], len(served[at].taken_at))
            if extra is not None:
                extra(ctx, cycle)
            for at, stream in enumerate(self.streams):
                last[at] = self._observe(ctx, stream, served[at], last[at], cycle)
            await ctx.tick()
            cycle += 1
        for stream in self.streams:
            ctx.set(stream.req_valid, 0)
            ctx.set(stream.rsp_ready, 0)
        await ctx.tick()
        return served

    def _drive(self, ctx, at, beats, taken):
        stream = self.streams[at]
        stays = self.offered[at] == taken
        offers = taken < len(beats) and (stays or self.rng.random() < self.offer)
        self.offered[at] = taken if offers else None
        ctx.set(stream.req_valid, offers)
        if offers:
            beat = beats[taken]
            ctx.set(stream.req_origin, origin_of(taken))
            ctx.set(stream.req_beat, place_of(taken))
            for name in ("kind", "address", "strobe", "data", "address_space", "context"):
                if hasattr(stream, f"req_{name}"):
                    ctx.set(getattr(stream, f"req_{name}"), getattr(beat, name))
        ctx.set(stream.rsp_ready, self.rng.random() < self.accept)

    @staticmethod
    def _observe(ctx, stream, served, last, cycle):
        if ctx.get(stream.req_valid) and ctx.get(stream.req_ready):
            served.taken_at.append(cycle)
        shown = None
        if ctx.get(stream.rsp_valid):
            names = ("origin", "beat", "data", "error")
            shown = tuple(
                ctx.get(getattr(stream, f"rsp_{name}")) if hasattr(stream, f"rsp_{name}") else 0
                for name in names
            )
        assert last is None or shown == last, "An answer must stay until it is taken"
        if shown is not None and ctx.get(stream.rsp_ready):
            served.answers.append(shown)
            served.answered_at.append(cycle)
            return None
        return shown

    def _beats(self):
        """Bank memory and row of every beat, in address order."""
        geometry, banks = self.dut.geometry, self.dut.service.banks
        for beat in range(-(-geometry.capacity_bytes // geometry.beat_bytes)):
            yield banks[beat % geometry.banks].mem.data, beat // geometry.banks

    def store(self, ctx, contents):
        """Set the storage."""
        size = self.dut.geometry.beat_bytes
        for beat, (data, at) in enumerate(self._beats()):
            word = bytes(contents[beat * size : (beat + 1) * size])
            ctx.set(data[at], int.from_bytes(word, "little"))

    def load(self, ctx):
        """Read the storage."""
        size = self.dut.geometry.beat_bytes
        words = [ctx.get(data[at]).to_bytes(size, "little") for data, at in self._beats()]
        return b"".join(words)[: self.dut.geometry.capacity_bytes]


def origin_of(number):
    """A name that tells each beat of a short run apart, and has high bits."""
    return (number * 40503 + 0xBEEF) % 2**16


def place_of(number):
    return (number * 30011 + 7) % 2**16


def expected(named, ordinal, decode, beats, contents):
    """Answers of the byte memory, which changes ``contents``."""
    model = ByteMemory(named, ordinal, decode, contents)
    return [
        (origin_of(number), place_of(number), *model.serve(beat))
        for number, beat in enumerate(beats)
    ]


def some_beats(rng, named, ordinal, decode, count, *, hostile=0.3):
    """Beats near the ends of the decode rows and of the memory, some of them wrong in a field."""
    size = named.occurrence.subordinate_endpoints[ordinal].beat_width_bits // 8
    capacity = named.occurrence.local_service.capacity_bytes
    rows = [row for row in decode if row is not None]
    return [_some_beat(rng, size, capacity, rows, hostile) for _ in range(count)]


def _some_beat(rng, size, capacity, rows, hostile):
    row = rng.choice(rows) if rows else None
    starts, space, context = [0, capacity], rng.randrange(4), rng.randrange(4)
    for value in row.match if row else ():
        match type(value).__name__:
            case "RangeMatch":
                starts = [value.base, value.base + value.size]
            case "PrefixMatch" if starts == [0, capacity]:
                starts = [value.value, value.value + (1 << 64 - value.prefix_length)]
            case "PrefixMatch":
                pass
            case "AddressSpaceMatch":
                space = value.value if rng.random() > hostile / 4 else rng.randrange(4)
            case _:
                context = value.value if rng.random() > hostile / 4 else rng.randrange(4)
    if row is not None:
        # Addresses that the offset moves to the first byte, and behind the last.
        starts += [-row.base_offset % 2**64, (capacity - row.base_offset) % 2**64]
    address = rng.choice(starts) + rng.randint(-2, 2) * size
    if row is not None and rng.random() < 0.7:
        # Inside the first window of the row, and of the memory behind it.
        inside = rng.randrange(max(1, min(starts[1] - starts[0], capacity)))
        address = starts[0] + inside
    address = max(0, address) % 2**64 // size * size
    if rng.random() < hostile / 4:
        address |= rng.randrange(size)
    kind = rng.choice([READ, WRITE])
    if rng.random() < hostile / 4:
        kind = rng.randrange(2, 8)
    strobe = rng.choice([(1 << size) - 1, rng.getrandbits(size), 1 << rng.randrange(size)])
    return Beat(kind, address, strobe, rng.getrandbits(8 * size), space, context)
