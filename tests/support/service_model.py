"""The Local Memory Service as plain Python: what every cycle must show, byte by byte."""

import random
from collections.abc import Collection
from dataclasses import dataclass, field

from amaranth.hdl import ResetInserter, Signal
from amaranth.sim import Simulator

from fabricgen.plan.geometry import AccessMode, RequesterShape
from fabricgen.records.resource import FixedPriority
from fabricgen.rtl.service.service import LocalMemoryService
from fabricgen.vocab.dataflow import AtomicRmwKind
from tests.support.grant import PolicyModel
from tests.support.rmw_oracle import updated


@dataclass(frozen=True)
class Request:
    """One whole access; ``addresses`` are exact, one per segment."""

    write: bool
    mode: int
    regions: int
    addresses: tuple[int, ...]
    lanes: int
    data: int = 0
    slot: int = 0
    walk: bool = False
    rmw: AtomicRmwKind | None = None
    exchange: bool = False
    expected: int = 0
    fence: bool = False

    @property
    def computes(self) -> bool:
        return self.exchange or self.rmw is not None

    @property
    def wants(self) -> set[str]:
        """Sides of a bank that it takes."""
        if self.computes:
            return {"read", "write"}
        return {"write"} if self.write else {"read"}


class WalkModel:
    """The request of one requester that lets lanes in a few per cycle, and how far it is."""

    def __init__(self, issue_lanes: int) -> None:
        self.issue_lanes = issue_lanes
        self.held: Request | None = None
        self.inside: set[int] = set()
        self.ahead: set[int] = set()

    def begin(self, offer: Request | None) -> Request | None:
        """Let the lanes of this cycle in; return the request that is served."""
        own = self.held or offer
        if own is None:
            return None
        if not own.walk:
            self.inside = set(active(own))
        if not self._let_in(own, self.inside) and self.held and offer:
            self._let_in(offer, self.ahead)
        return own

    def _let_in(self, request: Request, inside: set[int]) -> bool:
        """Tell whether some lane was not inside yet."""
        waiting = [lane for lane in active(request) if lane not in inside]
        inside.update(waiting[: self.issue_lanes])
        return bool(waiting)

    def end(self, offer: Request | None, *, ended: bool) -> bool:
        """Finish the cycle; tell whether the offer is taken."""
        if self.held is not None and not ended:
            return False
        if self.held is not None:
            self.held, self.inside, self.ahead = offer, self.ahead, set()
        elif offer is not None and not ended:
            self.held = offer
        else:
            self.inside = set()
        return True


@dataclass
class Answer:
    """What one requester's response channel shows in one cycle."""

    done: bool
    slot: int
    data: dict[int, int | None] = field(default_factory=dict)  # None: a byte without meaning
    outside: tuple[int, ...] = ()
    in_range: int | None = 0  # None: without meaning
    fault_address: int = 0
    tested: dict[int, bool | None] | None = None


class ServiceModel:
    """Reads of a cycle see the writes of all cycles before it, and no other."""

    def __init__(self, service: LocalMemoryService, memory: bytes) -> None:
        self.geometry = service.geometry
        self.shapes = [channel.requester for channel in service.requesters]
        self.regions = service.regions
        self.queues = service.admission.queues
        self.outstanding = service.admission.outstanding
        self.policy = service.policy
        self.windows = [
            service.issue_lanes
            if channel.requester.walks and channel.requester.lanes > service.issue_lanes
            else None
            for channel in service.requesters
        ]
        self.computes = service.atomics.computes
        self.memory = bytearray(memory)
        self.reset()

    def reset(self) -> None:
        count, banks = len(self.shapes), self.geometry.banks
        everybody = self.policy or FixedPriority(tuple(range(count)))
        self.cursors = {
            (bank, write): PolicyModel(everybody) for bank in range(banks) for write in (0, 1)
        }
        self.units = PolicyModel(everybody)
        self.left: list[list[tuple[int, int]] | None] = [None] * count
        self.answers: list[Answer | None] = [None] * count
        # Where banks compute, answers come one cycle later.
        self.shown: list[Answer | None] = [None] * count
        # Cycles until what is written has been written, and those of what was just granted.
        self.writing = self.computing = 0
        # Banks that an exchange of the cycle before keeps.
        self.kept: set[int] = set()
        self.walks = [None if lanes is None else WalkModel(lanes) for lanes in self.windows]

    # Addresses.

    def lane_start(self, shape: RequesterShape, request: Request, lane: int) -> int:
        mode = shape.modes[request.mode]
        if mode.indexed:
            return request.addresses[lane]
        return request.addresses[0] + lane * mode.element_bytes

    def inside(self, shape: RequesterShape, request: Request, lane: int) -> bool:
        start = self.lane_start(shape, request, lane)
        end = start + shape.modes[request.mode].element_bytes
        return any(
            base <= start and end <= base + size
            for base, size in (self.regions[i] for i in shape.region_sets[request.regions])
        )

    def items(
        self, shape: RequesterShape, request: Request, inside: Collection[int] | None = None
    ) -> list[tuple[int, int]]:
        """(segment, beat) of every byte of an active lane (of those), in lane order, once each."""
        size = self.geometry.beat_bytes
        beats = max(2, self.geometry.rows)
        beats = self.geometry.banks << (beats - 1).bit_length()
        seen: dict[tuple[int, int], None] = {}
        mode = shape.modes[request.mode]
        for lane in active(request):
            if inside is not None and lane not in inside:
                continue
            segment = lane if mode.indexed else 0
            first = request.addresses[segment] % (1 << self.geometry.address_bits)
            start = first + (0 if mode.indexed else lane * mode.element_bytes)
            for byte in range(start, start + mode.element_bytes):
                seen[segment, byte // size % beats] = None
        return list(seen)

    # One cycle.

    def step(self, offers: list[Request | None]) -> list[bool]:
        """Serve one cycle; ``answers`` is then what the next cycle shows. Returns ``ready``."""
        waiting = offers
        offers = [
            offer if walk is None else walk.begin(offer)
            for walk, offer in zip(self.walks, waiting, strict=True)
        ]
        admitted = self._admitted(offers)
        for r, request in enumerate(offers):
            if request is not None and r in admitted and self.left[r] is None:
                self.left[r] = self.items(self.shapes[r], request)
        served: dict[int, list[tuple[int, int]]] = {r: [] for r in admitted}
        kept, self.kept = self.kept, set()
        for bank in range(self.geometry.banks):
            if bank in kept:
                continue
            asking = {
                r: item for r in admitted if (item := self._lead(r, offers[r], bank)) is not None
            }
            for winner in self._winners(bank, asking, offers):
                served[winner] += self._with_leader(winner, asking[winner], offers[winner])
                if offers[winner].exchange:
                    self.kept.add(bank)
        ready = []
        answers: list[Answer | None] = [None] * len(offers)
        for r in admitted:
            for item in served[r]:
                self.left[r].remove(item)
            done = not self.left[r] and self._is_inside(r, offers[r])
            if served[r] or done:
                answers[r] = self._answer(r, offers[r], served[r], done=done)
        self.writing, self.computing = max(self.writing - 1, self.computing), 0
        for r in admitted:
            if served[r] and "write" in offers[r].wants:
                if any(ok for *_, ok in self._bytes(r, offers[r], served[r])):
                    self.computing = max(self.computing, 2 if offers[r].exchange else 1)
                self._store(r, offers[r], served[r])
        for r, request in enumerate(offers):
            done = request is not None and r in admitted and answers[r] is not None
            ended = done and answers[r].done
            if ended:
                self.left[r] = None
            walk = self.walks[r]
            ready.append(ended if walk is None else walk.end(waiting[r], ended=ended))
        self.shown = [
            before if self.computes else now
            for before, now in zip(self.answers, answers, strict=True)
        ]
        self.answers = answers
        return ready

    def _winners(self, bank: int, asking: dict, offers: list[Request | None]) -> list[int]:
        """Who is granted in one bank: a read and a write, or who wants both."""
        if not self.computes:
            sides = (
                self.cursors[bank, write].choose([r for r in asking if offers[r].write == write])
                for write in (0, 1)
            )
            return [winner for winner in sides if winner is not None]
        cursor = self.cursors[bank, 0]
        found: list[int] = []
        wanted: set[str] = set()
        for r in cursor.order():
            if r in asking:
                if wanted.isdisjoint(offers[r].wants):
                    found.append(r)
                wanted |= offers[r].wants
        # The cursor moves past the first one.
        cursor.choose(asking)
        return found

    def _with_leader(self, r: int, leader: tuple[int, int], request: Request) -> list:
        """Only one beat of a bank: every other segment's item in it comes along, unless each
        is computed by itself.
        """
        if request.computes:
            return [leader]
        found: dict[int, tuple[int, int]] = {}
        for item in self.left[r]:
            if item[1] == leader[1]:
                found.setdefault(item[0], item)
        return list(found.values())

    def _is_inside(self, r: int, request: Request) -> bool:
        walk = self.walks[r]
        return walk is None or set(active(request)) <= walk.inside

    def _lead(self, r: int, request: Request, bank: int) -> tuple[int, int] | None:
        items = self.left[r]
        if (walk := self.walks[r]) is not None:
            inside = self.items(self.shapes[r], request, walk.inside)
            items = [item for item in items if item in inside]
        there = [item for item in items if item[1] % self.geometry.banks == bank]
        return there[0] if there else None

    def _admitted(self, offers: list[Request | None]) -> list[int]:
        answering = [a is not None and a.done for a in self.answers]
        inside = [r for r, left in enumerate(self.left) if left is not None]
        asking = {
            r
            for r, request in enumerate(offers)
            if request is not None
            and r not in inside
            and not (self.queues[r] == 1 and answering[r])
        }
        free = self.outstanding - len(inside) - sum(answering)
        entered = []
        while free and asking and (chosen := self.units.choose(asking)) is not None:
            asking.remove(chosen)
            entered.append(chosen)
            free -= 1
        return sorted(inside + entered)

    def _bytes(self, r: int, request: Request, served: list[tuple[int, int]]):
        """(payload byte, address, lane in range) of every active byte in the served items."""
        shape = self.shapes[r]
        mode = shape.modes[request.mode]
        beats = self.geometry.banks << (max(2, self.geometry.rows) - 1).bit_length()
        for lane in active(request):
            start = self.lane_start(shape, request, lane)
            low = start % (1 << self.geometry.address_bits)
            if not mode.indexed:
                low = request.addresses[0] % (1 << self.geometry.address_bits)
                low += lane * mode.element_bytes
            for byte in range(mode.element_bytes):
                item = (
                    lane if mode.indexed else 0,
                    (low + byte) // self.geometry.beat_bytes % beats,
                )
                if item in served:
                    place = lane * mode.element_bytes + byte
                    yield place, start + byte, self.inside(shape, request, lane)

    def _answer(self, r: int, request: Request, served: list, *, done: bool) -> Answer:
        shape = self.shapes[r]
        answer = Answer(done, request.slot)
        if not request.write and not request.fence:
            for place, address, ok in self._bytes(r, request, served):
                answer.data[place] = self.memory[address] if ok else None
        if request.fence:
            answer.in_range = None
            return answer
        if request.exchange:
            answer.tested = {
                lane: self._is_expected(request, lane, at, size) if ok else None
                for lane, at, size, ok in self._objects(r, request, served)
            }
        lanes = range(shape.modes[request.mode].lanes)
        answer.in_range = sum(1 << i for i in lanes if self.inside(shape, request, i))
        answer.outside = tuple(i for i in active(request) if not self.inside(shape, request, i))
        if answer.outside:
            address = self.lane_start(shape, request, answer.outside[0])
            answer.fault_address = address % (1 << self.geometry.address_bits)
        return answer

    def _objects(self, r: int, request: Request, served: list[tuple[int, int]]):
        """(lane, address, bytes, in range) of every object in the served items."""
        size = self.shapes[r].modes[request.mode].element_bytes
        for place, address, ok in self._bytes(r, request, served):
            if place % size == 0:
                yield place // size, address, size, ok

    def _is_expected(self, request: Request, lane: int, at: int, size: int) -> bool:
        return self._object(at, size) == _lane_of(request.expected, lane, size)

    def _object(self, at: int, size: int) -> int:
        return int.from_bytes(self.memory[at : at + size], "little")

    def _store(self, r: int, request: Request, served: list[tuple[int, int]]) -> None:
        if not request.computes:
            for place, address, ok in self._bytes(r, request, served):
                if ok:
                    self.memory[address] = request.data >> 8 * place & 0xFF
            return
        for lane, at, size, ok in self._objects(r, request, served):
            if not ok:
                continue
            value, old = _lane_of(request.data, lane, size), self._object(at, size)
            if request.rmw is not None:
                value = updated(request.rmw.name.lower(), old, value, 8 * size)
            elif not self._is_expected(request, lane, at, size):
                continue
            self.memory[at : at + size] = value.to_bytes(size, "little")


def _lane_of(payload: int, lane: int, size: int) -> int:
    return payload >> 8 * size * lane & (1 << 8 * size) - 1


def active(request: Request) -> list[int]:
    return [i for i in range(request.lanes.bit_length()) if request.lanes >> i & 1]


class Bench:
    """Drive a service cycle by cycle beside its model and compare everything that has meaning."""

    def __init__(self, service: LocalMemoryService, rng: random.Random) -> None:
        self.service = service
        self.rng = rng
        geometry = service.geometry
        self.ports = [getattr(service, f"requester_{i}") for i in range(len(service.requesters))]
        size = max(2, geometry.rows) * geometry.banks * geometry.beat_bytes
        self.initial = rng.randbytes(size)
        self.model = ServiceModel(service, self.initial)
        self.cycles = 0
        self.done = [0] * len(self.ports)

    def run(
        self, streams: list[list[Request | None]], *, resets: Collection[int] = (), limit=20_000
    ) -> int:
        """Offer each stream in order (None: an idle cycle) to its end; return the cycles.

        In the cycles of ``resets``, reset is pulled; memory is then taken as it is found.
        """
        reset = Signal()

        async def bench(ctx):
            await self._preload(ctx)
            at = [0] * len(streams)
            while (
                any(i < len(s) for i, s in zip(at, streams, strict=True))
                or any(self.model.answers)
                or any(self.model.shown)
                or self._holds()
            ):
                assert self.cycles < limit
                if self.cycles in resets:
                    await self._pull(ctx, reset)
                offers = [s[i] if i < len(s) else None for i, s in zip(at, streams, strict=True)]
                ready = self._cycle(ctx, offers)
                for r, request in enumerate(offers):
                    if request is None or ready[r]:
                        at[r] = min(at[r] + 1, len(streams[r]))
                self.cycles += 1
                await ctx.tick()
            await ctx.tick().repeat(2)
            self._check_memory(ctx)

        sim = Simulator(ResetInserter(reset)(self.service))
        sim.add_clock(1e-6)
        sim.add_testbench(bench)
        sim.run()
        return self.cycles

    async def _pull(self, ctx, reset) -> None:
        """Reset for one cycle, whatever is offered."""
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)
        for port in self.ports:
            ctx.set(port.valid, 0)
        await ctx.tick().repeat(2)
        self.model.reset()
        size = self.service.geometry.beat_bytes
        for bank, row, at in self._words():
            word = ctx.get(bank.mem.data[row]).to_bytes(size, "little")
            self.model.memory[at : at + size] = word

    def _cycle(self, ctx, offers: list[Request | None]) -> list[bool]:
        """Offer, and compare everything that this cycle shows; return who is ready."""
        for r, request in enumerate(offers):
            self._offer(ctx, r, request)
        self._check_answers(ctx)
        busy = any(self.model.answers) or any(self.model.shown) or self._holds()
        busy |= self.model.computes and self.model.writing > 0
        for r, (left, request) in enumerate(zip(self.model.left, offers, strict=True)):
            if left is not None and request is not None and self.model.walks[r] is None:
                busy |= self._partial(r, request)
        assert ctx.get(self.service.idle) == (not busy), f"cycle {self.cycles}: idle"
        ready = self.model.step(offers)
        for r, request in enumerate(offers):
            if request is not None:
                shown = bool(ctx.get(self.ports[r].ready))
                assert shown == ready[r], f"cycle {self.cycles}: ready of {r}"
        return ready

    def _holds(self) -> bool:
        return any(walk is not None and walk.held is not None for walk in self.model.walks)

    def _partial(self, r: int, request: Request) -> bool:
        return len(self.model.left[r]) < len(self.model.items(self.model.shapes[r], request))

    def _words(self):
        """(bank, row, offset of the word in memory)."""
        geometry = self.service.geometry
        for row in range(max(2, geometry.rows)):
            for b, bank in enumerate(self.service.banks):
                yield bank, row, (row * geometry.banks + b) * geometry.beat_bytes

    async def _preload(self, ctx):
        size = self.service.geometry.beat_bytes
        for bank, row, at in self._words():
            ctx.set(bank.mem.data[row], int.from_bytes(self.initial[at : at + size], "little"))

    def _check_memory(self, ctx):
        size = self.service.geometry.beat_bytes
        for bank, row, at in self._words():
            word = ctx.get(bank.mem.data[row]).to_bytes(size, "little")
            assert word == bytes(self.model.memory[at : at + size]), f"byte {at}"

    def _offer(self, ctx, r: int, request: Request | None) -> None:
        port, shape = self.ports[r], self.service.requesters[r]
        req, bits = shape.requester, shape.address_bits
        ctx.set(port.valid, request is not None)
        noise = self.rng.getrandbits
        addresses = [noise(bits + 1) for _ in range(req.segments)]
        if request is not None:
            addresses[: len(request.addresses)] = request.addresses
        low = sum((a % (1 << bits)) << bits * i for i, a in enumerate(addresses))
        beyond = sum((a >> bits != 0) << i for i, a in enumerate(addresses))
        values = {
            "write": request and int(request.write),
            "mode": request and request.mode,
            "regions": request and request.regions,
            "lanes": request and request.lanes,
            "data": request and request.data,
            "slot": request and request.slot,
            "walk": request and int(request.walk),
            "rmw": request and int(request.rmw is not None),
            "rmw_kind": request and (request.rmw.value if request.rmw else 0),
            "exchange": request and int(request.exchange),
            "expected": request and request.expected,
            "fence": request and int(request.fence),
        }
        ctx.set(port.address, low)
        ctx.set(port.beyond, beyond)
        for name, value in values.items():
            if (signal := getattr(port, name, None)) is not None:
                limit = {"mode": len(req.modes), "regions": len(req.region_sets)}.get(name)
                idle = self.rng.randrange(limit) if limit else noise(len(signal))
                ctx.set(signal, idle if value is None else value)

    def _check_answers(self, ctx) -> None:
        for r, (port, answer) in enumerate(zip(self.ports, self.model.shown, strict=True)):
            where = f"cycle {self.cycles}, requester {r}: "
            assert ctx.get(port.rsp_valid) == (answer is not None), where + "valid"
            if answer is None:
                continue
            req = self.service.requesters[r].requester
            assert ctx.get(port.rsp_done) == answer.done, where + "done"
            self.done[r] += answer.done
            if self.service.requesters[r].slots > 1:
                assert ctx.get(port.rsp_slot) == answer.slot, where + "slot"
            if req.returns:
                strobe = sum(1 << place for place in answer.data)
                assert ctx.get(port.rsp_strobe) == strobe, where + "strobe"
                data = ctx.get(port.rsp_data)
                for place, value in answer.data.items():
                    if value is not None:
                        assert data >> 8 * place & 0xFF == value, where + f"byte {place}"
            if answer.tested is not None:
                tested, success = ctx.get(port.rsp_tested), ctx.get(port.rsp_success)
                assert tested == sum(1 << lane for lane in answer.tested), where + "tested"
                for lane, ok in answer.tested.items():
                    assert ok is None or success >> lane & 1 == ok, where + f"success {lane}"
            if answer.done and answer.in_range is not None:
                assert ctx.get(port.rsp_in_range) == answer.in_range, where + "in range"
                assert ctx.get(port.rsp_fault) == bool(answer.outside), where + "fault"
                if answer.outside:
                    address = ctx.get(port.rsp_fault_address)
                    assert address == answer.fault_address, where + "fault address"


def random_request(rng: random.Random, service: LocalMemoryService, r: int) -> Request:
    """A request that collides a lot: few beats, some of them at or past the end."""
    shape = service.requesters[r].requester
    ordinal = rng.randrange(len(shape.modes))
    mode: AccessMode = shape.modes[ordinal]
    capacity = service.geometry.capacity_bytes
    grid = mode.element_bytes if shape.aligned else 1

    def address() -> int:
        span = rng.choice([4 * grid, 64, capacity, 2 << service.geometry.address_bits])
        origin = rng.choice(
            [0, 0, 0, capacity - 8 * grid, (1 << service.geometry.address_bits) - 16]
        )
        return max(0, origin + rng.randrange(span)) // grid * grid

    kinds = ["load"] * shape.reads + ["store"] * shape.writes
    kinds += ["rmw"] * 2 * bool(shape.local.kinds) + ["exchange"] * 2 * shape.local.exchange
    kind = rng.choice(kinds + ["fence"] * shape.local.fence)
    if kind in ("rmw", "exchange"):
        modes = [m for m in shape.modes if m.element_bytes in shape.local.element_bytes]
        mode = rng.choice(modes)
        ordinal, grid = shape.modes.index(mode), mode.element_bytes
    full = (1 << mode.lanes) - 1
    data = rng.getrandbits(8 * shape.data_bytes)
    small = [rng.randrange(3) for _ in range(mode.lanes)]
    if rng.random() < 0.5:
        data = sum(each << 8 * mode.element_bytes * lane for lane, each in enumerate(small))
    return Request(
        write=kind == "store",
        mode=ordinal,
        regions=rng.randrange(len(shape.region_sets)),
        addresses=tuple(address() for _ in range(mode.lanes if mode.indexed else 1)),
        lanes=0 if kind == "fence" else full if rng.random() < 0.5 else rng.randint(1, full),
        data=data,
        slot=rng.randrange(service.requesters[r].slots),
        walk=shape.walks and rng.random() < 0.7,
        rmw=rng.choice(shape.local.kinds) if kind == "rmw" else None,
        exchange=kind == "exchange",
        # What somebody stored as small numbers is often so still.
        expected=rng.choice([data, sum(1 << 8 * mode.element_bytes * i for i in range(4))]),
        fence=kind == "fence",
    )


def random_streams(
    rng: random.Random, service: LocalMemoryService, length: int
) -> list[list[Request | None]]:
    """A stream per requester, some back to back, some with idle cycles."""
    streams = []
    for r in range(len(service.requesters)):
        idle = rng.choice([0.0, 0.0, 0.3, 0.8])
        streams.append(
            [
                None if rng.random() < idle else random_request(rng, service, r)
                for _ in range(length)
            ]
        )
    return streams
