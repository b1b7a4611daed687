"""Accesses at a manager as plain Python, byte by byte, and a bench that answers at random."""

import random
from collections import Counter
from dataclasses import dataclass, field, replace

from fabricgen.plan.atomic_use import NO_ATOMICS, AtomicUse
from fabricgen.plan.geometry import AccessMode, RequesterShape
from fabricgen.plan.manager_use import ManagerUse
from fabricgen.rtl.manager.requester import ManagerRequester
from fabricgen.rtl.service.channel import ServiceChannelShape
from tests.support.channel import run

END = 1 << 64

#: Kinds of accesses beside loads and stores, with their codes.
ATOMICS = {"rmw": 2, "exchange": 3, "fence": 4}
_SAID = ("rmw_kind", "ordering", "failure_ordering", "scope", "weak")


@dataclass(frozen=True)
class Access:
    """One whole access; ``addresses`` are exact, one per segment."""

    write: bool
    mode: int
    walk: bool
    volatile: bool
    addresses: tuple[int, ...]
    lanes: int
    data: int
    #: One of ATOMICS; empty for a plain access.
    atomic: str = ""
    expected: int = 0
    #: What its requests say beside their kind.
    said: tuple[tuple[str, int], ...] = ()

    @property
    def kind(self) -> int:
        """Code of its requests."""
        return ATOMICS[self.atomic] if self.atomic else int(self.write)

    @property
    def sends(self) -> bool:
        """Its requests have data."""
        return self.kind in (1, 2, 3)

    @property
    def returns(self) -> bool:
        """Its answers have data."""
        return self.kind in (0, 2, 3)


@dataclass(frozen=True)
class Beat:
    """One request at the manager; ``more`` beats of its child follow without a hole."""

    address: int
    strobe: int
    data: int
    more: int
    expected: int = 0
    #: Lane of an atomic object.
    lane: int = 0


@dataclass
class Expectation:
    """What an access must ask for, in order, and how it must end."""

    beats: list[Beat]
    #: Address of each payload byte of an active lane in range.
    places: dict[int, int]
    in_range: int
    fault_address: int | None


def memory_byte(address: int) -> int:
    """What the memory behind every manager holds."""
    return (address * 167 ^ address >> 8 ^ address >> 61) & 0xFF


def expectation(requester: RequesterShape, beat_bytes: int, access: Access) -> Expectation:
    """Lanes, then bytes, then beats."""
    if access.atomic == "fence":
        return Expectation([Beat(0, 0, 0, 0)], {}, (1 << requester.lanes) - 1, None)
    mode = requester.modes[access.mode]
    children: list[dict[int, int]] = []
    places: dict[int, int] = {}
    in_range, fault = (1 << requester.lanes) - 1, None
    for lane in range(requester.lanes):
        if not access.lanes >> lane & 1:
            continue
        start = access.addresses[lane if mode.indexed else 0]
        start += 0 if mode.indexed else lane * mode.element_bytes
        if start + mode.element_bytes > END:
            in_range &= ~(1 << lane)
            fault = start % END if fault is None else fault
            continue
        if mode.indexed or access.walk or not children:
            children.append({})
        for byte in range(mode.element_bytes):
            children[-1][start + byte] = lane * mode.element_bytes + byte
            places[lane * mode.element_bytes + byte] = start + byte
    return Expectation(
        [beat for child in children for beat in _beats(child, beat_bytes, access)],
        places,
        in_range,
        fault,
    )


def _beats(child: dict[int, int], size: int, access: Access) -> list[Beat]:
    lines = sorted({address // size for address in child})
    beats = []
    for line in lines:
        here = [byte for byte in range(size) if line * size + byte in child]
        more = 0
        while line + more + 1 in lines:
            more += 1
        data, expected = (
            sum(
                (payload >> 8 * child[line * size + byte] & 0xFF) << 8 * byte
                for byte in here
                if is_there
            )
            for payload, is_there in (
                (access.data, access.sends),
                (access.expected, access.kind == ATOMICS["exchange"]),
            )
        )
        strobe = sum(1 << byte for byte in here)
        lane = min(child.values()) // len(child) if access.atomic else 0
        beats.append(Beat(line * size, strobe, data, more, expected, lane))
    return beats


@dataclass
class Rates:
    """Probabilities of one cycle: an access is offered, a beat is taken, one is answered."""

    offer: float = 1.0
    take: float = 1.0
    answer: float = 1.0
    error: float = 0.0
    #: Cycles between a beat and its answer, at least.
    latency: int = 1
    in_order: bool = False


@dataclass
class _Open:
    """An access between its first beat and its end."""

    access: Access
    expected: Expectation
    sent: int = 0
    last_place: int = -1
    arrived: Counter = field(default_factory=Counter)
    data: dict[int, int] = field(default_factory=dict)
    #: Successes of lanes as they were answered, and as they were shown.
    successes: dict[int, int] = field(default_factory=dict)
    tested: dict[int, int] = field(default_factory=dict)
    first_error: int | None = None


@dataclass
class _Flight:
    """A beat that waits for its answer."""

    slot: int
    place: int
    beat: Beat
    returns: bool
    ready_at: int


def requester(
    modes: tuple[AccessMode, ...],
    *,
    beat_bytes: int,
    slots: int,
    reads: bool = True,
    writes: bool = False,
    aligned: bool = False,
    walks: bool = False,
    volatile: bool = False,
    atomics: AtomicUse = NO_ATOMICS,
    asked: RequesterShape | None = None,
    kind: type[ManagerRequester] = ManagerRequester,
) -> ManagerRequester:
    """A requester of these accesses, behind a channel that may ask for more."""
    shape = RequesterShape(
        reads, writes, tuple(sorted(modes)), (), aligned, walks, volatile, atomics
    )
    channel = ServiceChannelShape(asked or shape, 64, slots, managed=True)
    return kind(channel, beat_bytes, ManagerUse(reads, writes, volatile, atomics))


def random_access(rng: random.Random, shape: RequesterShape, *, end: float = 0.1) -> Access:
    """Any legal access, near some places more than near others; some reach beyond the end."""
    ordinal = rng.randrange(len(shape.modes))
    mode = shape.modes[ordinal]
    count = rng.randint(1, mode.lanes)
    lanes = (1 << count) - 1 if rng.random() < 0.4 else rng.randrange(1, 1 << count)
    step = mode.element_bytes if shape.aligned else 1

    def address() -> int:
        if rng.random() < end:
            return END - rng.randrange(-40, 64) // step * step
        return rng.choice((0x1000, 0x7FFF_FFFF_FFC0, rng.getrandbits(63) & -64)) + (
            rng.randrange(64) // step * step
        )

    return Access(
        write=shape.writes and (not shape.reads or rng.random() < 0.5),
        mode=ordinal,
        walk=shape.walks and rng.random() < 0.5,
        volatile=shape.volatile and rng.random() < 0.5,
        addresses=tuple(address() for _ in range(shape.segments)),
        lanes=lanes,
        data=rng.getrandbits(8 * shape.data_bytes),
    )


def random_atomic(rng: random.Random, shape: RequesterShape) -> Access:
    """Any legal access of a requester whose objects are aligned and lie in one beat each."""
    access = random_access(rng, shape, end=0.05)
    kinds = ["", *(name for name in ATOMICS if getattr(shape.atomics, name))]
    atomic = rng.choice(kinds if shape.reads or shape.writes else kinds[1:])
    if atomic == "fence":
        return replace(
            access,
            write=False,
            volatile=False,
            lanes=0,
            atomic=atomic,
            said=(("ordering", rng.choice([3, 4, 5, 6])), ("scope", rng.choice([1, 2]))),
        )
    said = {"ordering": rng.randint(1, 6), "scope": rng.choice([1, 2])}
    if atomic == "rmw":
        said["rmw_kind"] = rng.randint(1, 23)
    if atomic == "exchange":
        said |= {"failure_ordering": rng.choice([2, 3, 6]), "weak": rng.getrandbits(1)}
    size = shape.modes[access.mode].element_bytes
    return replace(
        access,
        write=access.write and not atomic,
        # Lanes are children of their own, and an element is one.
        walk=access.lanes > 1 or access.walk,
        addresses=tuple(each // size * size for each in access.addresses),
        atomic=atomic,
        expected=rng.getrandbits(8 * shape.data_bytes),
        said=tuple(said.items()),
    )


class ManagerBench:
    """Run accesses through one requester, and check every cycle of it."""

    def __init__(self, dut: ManagerRequester, rates: Rates, seed: int) -> None:
        self.dut = dut
        self.shape = dut.shape
        self.rates = rates
        self.rng = random.Random(seed)
        self.open: dict[int, _Open] = {}
        self.flights: list[_Flight] = []
        #: Cycles in which a beat was taken.
        self.taken_at: list[int] = []
        self.ended: list[tuple[Access, int]] = []

    def run(self, accesses: list[Access]) -> None:
        """Send them all, and see each of them end."""
        queue = list(accesses)

        async def bench(ctx):
            offer: tuple[int, Access] | None = None
            cycle = 0
            while queue or offer or self.open or self.flights:
                free = [slot for slot in range(self.shape.slots) if slot not in self.open]
                offers = bool(queue and free) and self.rng.random() < self.rates.offer
                if offer is None and offers:
                    offer = (self.rng.choice(free), queue.pop(0))
                    self.open[offer[0]] = self._begin(offer[1])
                    self._drive(ctx, *offer)
                ctx.set(self.dut.channel.valid, offer is not None)
                ctx.set(self.dut.stream.req_ready, self.rng.random() < self.rates.take)
                self._answer(ctx, cycle)
                self._end(ctx, None if offer is None else offer[0])
                self._beat(ctx, cycle)
                assert not (self.flights and ctx.get(self.dut.idle)), "idle with beats outstanding"
                if offer is not None and ctx.get(self.dut.channel.ready):
                    offer = None
                await ctx.tick()
                cycle += 1
            ctx.set(self.dut.channel.valid, 0)
            ctx.set(self.dut.stream.rsp_valid, 0)
            await ctx.tick().repeat(2)
            assert ctx.get(self.dut.idle)
            assert not ctx.get(self.dut.stream.req_valid)

        self._waiting: tuple | None = None
        self._run_left = 0
        run(self.dut, bench)

    def _begin(self, access: Access) -> _Open:
        return _Open(access, expectation(self.shape.requester, self.dut.plan.beat_bytes, access))

    def _drive(self, ctx, slot: int, access: Access) -> None:
        fields = {
            "write": access.write,
            "mode": access.mode,
            "walk": access.walk,
            "volatile": access.volatile,
            "address": sum(a % END << 64 * i for i, a in enumerate(access.addresses)),
            "beyond": sum((a >= END) << i for i, a in enumerate(access.addresses)),
            "lanes": access.lanes,
            "data": access.data,
            "slot": slot,
            "expected": access.expected,
            **{name: access.atomic == name for name in ATOMICS},
            **dict.fromkeys(_SAID, 0),
            **dict(access.said),
        }
        for name, value in fields.items():
            if hasattr(self.dut.channel, name):
                ctx.set(getattr(self.dut.channel, name), value)

    def _answer(self, ctx, cycle: int) -> None:
        """Perhaps answer a beat; noise otherwise."""
        stream, rng = self.dut.stream, self.rng
        due = [flight for flight in self.flights if flight.ready_at <= cycle]
        answers = bool(due) and rng.random() < self.rates.answer
        ctx.set(stream.rsp_valid, answers)
        values = {
            name: rng.getrandbits(160) for name in ("origin", "beat", "data", "success", "error")
        }
        if answers:
            flight = due[0] if self.rates.in_order else rng.choice(due)
            self.flights.remove(flight)
            error = rng.random() < self.rates.error
            values |= {"origin": flight.slot, "beat": flight.place, "error": error}
            for byte in range(self.dut.plan.beat_bytes):
                if flight.beat.strobe >> byte & 1 and flight.returns:
                    values["data"] &= ~(0xFF << 8 * byte)
                    values["data"] |= memory_byte(flight.beat.address + byte) << 8 * byte
            if error and self.open[flight.slot].first_error is None:
                self.open[flight.slot].first_error = flight.beat.address
            # A weak compare-exchange may fail though it need not, so any success will do.
            self.open[flight.slot].successes[flight.beat.lane] = values["success"] & 1
        for name, value in values.items():
            if hasattr(stream, f"rsp_{name}"):
                signal = getattr(stream, f"rsp_{name}")
                ctx.set(signal, value & (1 << len(signal)) - 1)

    def _beat(self, ctx, cycle: int) -> None:
        """Look at the beat that is offered."""
        stream, channel = self.dut.stream, self.dut.channel
        assert ctx.get(channel.stands) == ctx.get(stream.req_valid)
        if not ctx.get(stream.req_valid):
            assert self._waiting is None, "an offered beat must stay"
            assert not self._run_left, "a run must go on without a break"
            return
        names = ("kind", "origin", "beat", "more", "address", "strobe", "data", "volatile")
        names += ("expected", *_SAID)
        seen = {
            name: ctx.get(getattr(stream, f"req_{name}")) if hasattr(stream, f"req_{name}") else 0
            for name in names
        }
        assert self._waiting in (None, seen), "an offered beat must not change"
        self._waiting = seen
        if hasattr(channel, "stands_slot"):
            assert ctx.get(channel.stands_slot) == seen["origin"]
        if not ctx.get(stream.req_ready):
            return
        self._waiting = None
        here = self.open[seen["origin"]]
        access = here.access
        expected = here.expected.beats[here.sent]
        fields = (seen[name] for name in ("address", "strobe", "data", "more", "expected"))
        assert Beat(*fields, expected.lane) == expected
        assert (seen["kind"], seen["volatile"]) == (access.kind, access.volatile)
        assert {name: seen[name] for name in _SAID} == dict.fromkeys(_SAID, 0) | dict(access.said)
        assert seen["beat"] > here.last_place, "places must ascend"
        assert not self._run_left or seen["more"] == self._run_left - 1
        here.last_place, self._run_left = seen["beat"], seen["more"]
        here.sent += 1
        latency = self.rng.randint(self.rates.latency, 2 * self.rates.latency)
        if self.rates.in_order:
            latency = self.rates.latency
        self.flights.append(
            _Flight(seen["origin"], seen["beat"], expected, access.returns, cycle + latency)
        )
        self.taken_at.append(cycle)

    def _end(self, ctx, offered: int | None) -> None:
        """Look at the answer that the channel shows."""
        channel = self.dut.channel
        if not ctx.get(channel.rsp_valid):
            return
        slot = ctx.get(channel.rsp_slot) if self.shape.slots > 1 else 0
        here = self.open[slot]
        expected, access = here.expected, here.access
        if hasattr(channel, "rsp_strobe"):
            strobe, data = ctx.get(channel.rsp_strobe), ctx.get(channel.rsp_data)
            assert access.returns or not strobe, "what returns nothing has no strobes"
            if access.atomic == "exchange":
                tested = ctx.get(channel.rsp_tested)
                for lane in range(self.shape.requester.lanes):
                    if tested >> lane & 1:
                        assert lane not in here.tested, "a lane is compared once"
                        here.tested[lane] = ctx.get(channel.rsp_success) >> lane & 1
            for place in range(self.shape.requester.data_bytes):
                if strobe >> place & 1 and place in expected.places:
                    here.arrived[place] += 1
                    here.data[place] = data >> 8 * place & 0xFF
        if not ctx.get(channel.rsp_done):
            return
        assert slot != offered, "an access is done only after it was taken"
        assert here.sent == len(expected.beats)
        assert not [flight for flight in self.flights if flight.slot == slot]
        failed = here.first_error is not None
        assert ctx.get(channel.rsp_error) == failed
        assert ctx.get(channel.rsp_in_range) & access.lanes == (
            0 if failed else expected.in_range & access.lanes
        )
        assert ctx.get(channel.rsp_fault) == (expected.fault_address is not None)
        if failed:
            assert ctx.get(channel.rsp_error_address) == here.first_error
        if expected.fault_address is not None:
            assert ctx.get(channel.rsp_fault_address) == expected.fault_address
        if access.atomic == "exchange":
            assert here.tested == here.successes
        if access.returns:
            assert here.arrived == Counter(expected.places.keys())
            if not failed:
                memory = {place: memory_byte(at) for place, at in expected.places.items()}
                assert here.data == memory
        del self.open[slot]
        self.ended.append((access, slot))
