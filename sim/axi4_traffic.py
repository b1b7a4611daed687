"""Random AXI4 transactions into a subordinate, and a memory of beats behind its adapter."""

import random
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from sim.axi4_rules import Transaction, transfer_bytes
from sim.beat_traffic import initial_byte

__all__ = ["Axi4Traffic", "BeatMemory"]

FIXED, INCR, WRAP, RESERVED = 0, 1, 2, 3
#: Requests that AXI4 forbids beside the reserved type.
WIDE, LONG, ODD, CROOKED, CROSSING = 4, 5, 6, 7, 8
#: Their burst types.
_TYPES = {WIDE: INCR, LONG: FIXED, ODD: WRAP, CROOKED: WRAP, CROSSING: INCR}
OKAY, SLVERR, DECERR = 0, 2, 3
READ, WRITE = 0, 1
_BLOCK = 4096


@dataclass
class _Read:
    item: Transaction
    wrong: bool


@dataclass
class _Write:
    item: Transaction
    response: int
    area: range


@dataclass
class Axi4Traffic:
    """Offer reads and writes on all channels independently, and judge what comes back.

    Writes go where nobody has written; reads look at initial bytes, and at writes that have been
    answered. Data may be ahead of its address, and the other way round.

    Parameters
    ----------
    data_bytes, id_bits
        Widths of the bus.
    count
        Transactions.
    seed
        Everything follows from it.
    reads, writes
        Directions.
    rate
        Probability, by channel and cycle, of an offer and of readiness.
    bad
        Addresses that fail.
    bursts
        Burst types to draw; what AXI4 forbids must be refused.
    length
        Transfers of every burst; 0 for any number. They then have the width of the bus.
    keeps_reads
        No read data is taken before every write has its response.
    """

    data_bytes: int
    id_bits: int
    count: int
    seed: int
    reads: bool = True
    writes: bool = True
    rate: float = 0.6
    bad: range = range(0)
    bursts: tuple[int, ...] = (FIXED, INCR, INCR, WRAP)
    length: int = 0
    keeps_reads: bool = False
    faults: list[str] = field(default_factory=list)
    written: dict[int, int] = field(default_factory=dict)
    #: Bytes that some transfer reads, by their addresses.
    asked: set[int] = field(default_factory=set)
    responses: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)
        self._left = self.count
        self._queues: dict[str, deque[dict[str, int]]] = {c: deque() for c in ("aw", "w", "ar")}
        self._offered: dict[str, dict[str, int] | None] = dict.fromkeys(self._queues)
        self._reading: dict[int, deque[_Read]] = defaultdict(deque)
        self._writing: dict[int, deque[_Write]] = defaultdict(deque)
        self._done: list[range] = []
        self._next_area = 0x10_0000

    @property
    def is_done(self) -> bool:
        """Everything was asked and answered."""
        return not self._left and not self._open

    @property
    def _open(self) -> bool:
        queues = (*self._queues.values(), *self._reading.values(), *self._writing.values())
        return any(map(len, queues)) or any(self._offered.values())

    def drive(self) -> dict[str, int]:
        """Signals of the next cycle."""
        rng = self._rng
        while self._left and min(len(self._queues["ar"]), len(self._queues["aw"])) < 4:
            self._begin()
        shown: dict[str, int] = {}
        for channel, queue in self._queues.items():
            if self._offered[channel] is None and queue and rng.random() < self.rate:
                self._offered[channel] = queue.popleft()
            payload = self._offered[channel]
            shown[f"{channel}valid"] = int(payload is not None)
            shown |= payload or {}
        keeps = self.keeps_reads and (self._left or any(map(len, self._writing.values())))
        shown["rready"] = int(not keeps and rng.random() < self.rate)
        shown["bready"] = int(rng.random() < self.rate)
        return shown

    def sample(self, values: Mapping[str, int]) -> None:
        """Look at the cycle before its edge."""
        for channel in self._queues:
            if values.get(f"{channel}valid") and values[f"{channel}ready"]:
                self._offered[channel] = None
        if values.get("bvalid") and values["bready"]:
            self._respond(values)
        if values.get("rvalid") and values["rready"]:
            self._receive(values)

    def _respond(self, values: Mapping[str, int]) -> None:
        queue = self._writing[values["bid"]]
        if not queue:
            self.faults.append(f"b: nothing was asked under {values['bid']}")
            return
        done = queue.popleft()
        self.responses.append(values["bresp"])
        if values["bresp"] != done.response:
            self.faults.append(f"b: the response is {values['bresp']}, not {done.response}")
        if done.response == OKAY:
            self._done.append(done.area)

    def _receive(self, values: Mapping[str, int]) -> None:
        queue = self._reading[values["rid"]]
        if not queue:
            self.faults.append(f"r: nothing was asked under {values['rid']}")
            return
        item, wrong = queue[0].item, queue[0].wrong
        addresses = () if wrong else transfer_bytes(item, item.beats)
        expected = SLVERR if wrong else OKAY
        if any(address in self.bad for address in addresses):
            expected = DECERR
        self.responses.append(values["rresp"])
        if values["rresp"] != expected:
            self.faults.append(f"r: the response is {values['rresp']}, not {expected}")
        for address in addresses if expected == OKAY else ():
            got = values["rdata"] >> 8 * (address % self.data_bytes) & 0xFF
            if got != self.written.get(address, initial_byte(address)):
                self.faults.append(f"r: {address:#x} reads as {got:#x}")
        item.beats += 1
        if item.beats == item.count:
            queue.popleft()

    def _begin(self) -> None:
        """Draw one transaction."""
        rng = self._rng
        self._left -= 1
        kind = rng.choice([READ] * self.reads + [WRITE] * self.writes)
        burst = rng.choice(self.bursts)
        size = rng.randint(0, self.data_bytes.bit_length() - 1)
        lengths = {
            FIXED: range(16),
            WRAP: (1, 3, 7, 15),
            RESERVED: range(4),
            WIDE: range(4),
            LONG: range(16, 20),
            ODD: (0, 2, 4, 16),
            CROOKED: (1, 3),
            CROSSING: range(1, 9),
        }
        length = rng.choice(tuple(lengths.get(burst, (0, 1, 3, 7, rng.randrange(32)))))
        if self.length:
            length, size = self.length - 1, self.data_bytes.bit_length() - 1
        if burst == WIDE:
            size = rng.randint(self.data_bytes.bit_length(), 7)
        if burst == CROOKED:
            size = rng.randint(1, self.data_bytes.bit_length() - 1)
        span = (length + 1) << size
        aligned = burst in (WRAP, ODD, CROOKED) or bool(self.length)
        start = self._start(kind, span, aligned=aligned, step=1 << size)
        if burst == CROOKED:
            start += rng.randrange(1, 1 << size)
        if burst == CROSSING:
            # All but one of the transfers, at least, lie in the 4 KiB, or only one of them does.
            start = (start // _BLOCK + 1) * _BLOCK - (rng.choice((1, length)) << size)
        wrong = burst not in (FIXED, INCR, WRAP)
        burst = _TYPES.get(burst, burst)
        item = Transaction(rng.getrandbits(self.id_bits), start, length, size, burst)
        channel = "ar" if kind == READ else "aw"
        names = ("id", "addr", "len", "size", "burst")
        values = (item.identifier, start, length, size, burst)
        self._queues[channel].append(
            {f"{channel}{name}": value for name, value in zip(names, values, strict=True)}
        )
        if kind == READ:
            self._reading[item.identifier].append(_Read(item, wrong))
            if not wrong:
                for number in range(item.count):
                    self.asked.update(transfer_bytes(item, number))
        else:
            self._data(item, wrong, span)

    def _start(self, kind: int, span: int, *, aligned: bool, step: int) -> int:
        """Address whose burst stays in its 4 KiB."""
        rng = self._rng
        places = max(1, (_BLOCK - span) // step + 1)
        place = rng.choice((0, places - 1, rng.randrange(places))) * step
        place += 0 if aligned else rng.randrange(step)
        if kind == WRITE:
            self._next_area += _BLOCK
            return self._next_area + place
        if self._done and rng.random() < 0.6:
            area = rng.choice(self._done).start // _BLOCK * _BLOCK
            return area + place
        return rng.choice((0x0, 0x4000, 0xFFFF_FFFF_0000_0000)) + place

    def _data(self, item: Transaction, wrong: bool, span: int) -> None:
        rng, failed = self._rng, False
        full = bool(self.length)
        for number in range(item.count):
            addresses = transfer_bytes(item, number)
            strobe, data = 0, rng.getrandbits(8 * self.data_bytes)
            for address in addresses:
                strobe |= int(full or rng.random() < 0.7) << address % self.data_bytes
            strobe *= full or rng.random() < 0.9
            touched = [at for at in addresses if strobe >> at % self.data_bytes & 1]
            if any(at in self.bad for at in touched):
                failed = True
            elif not wrong:
                for at in touched:
                    self.written[at] = data >> 8 * (at % self.data_bytes) & 0xFF
            self._queues["w"].append(
                {"wdata": data, "wstrb": strobe, "wlast": int(number == item.length)}
            )
        response = SLVERR if wrong else DECERR if failed else OKAY
        area = range(item.address, item.address + span)
        self._writing[item.identifier].append(_Write(item, response, area))


@dataclass
class BeatMemory:
    """The stream of a subordinate: beats that are answered in their order, later."""

    beat_bytes: int
    seed: int
    ready: float = 0.7
    latency: int = 5
    spread: int = 10
    bad: range = range(0)
    bytes: dict[int, int] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    beats: int = 0

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)
        self._cycle = 0
        self._answers: deque[tuple[int, dict[str, int]]] = deque()
        self._refused: dict[str, int] | None = None

    def drive(self) -> dict[str, int]:
        """Signals of the next cycle, without prefix."""
        rng = self._rng
        shown = {"req_ready": int(rng.random() < self.ready), "rsp_valid": 0}
        if self._answers and self._answers[0][0] <= self._cycle:
            shown |= {"rsp_valid": 1, **self._answers[0][1]}
        return shown

    def sample(self, values: Mapping[str, int]) -> None:
        """Look at the cycle before its edge."""
        self._cycle += 1
        if self._answers and self._answers[0][0] < self._cycle and not values["rsp_ready"]:
            self.faults.append("an answer must never wait")
        if values["rsp_valid"]:
            self._answers.popleft()
        request = {name: value for name, value in values.items() if name.startswith("req_")}
        request.pop("req_ready")
        if self._refused is not None and request != self._refused:
            self.faults.append("an offered beat must stay")
        self._refused = None
        if values["req_valid"]:
            if values["req_ready"]:
                self._take(values)
            else:
                self._refused = request

    def _take(self, values: Mapping[str, int]) -> None:
        self.beats += 1
        address, strobe, kind = values["req_address"], values["req_strobe"], values["req_kind"]
        if address % self.beat_bytes or not strobe or kind not in (READ, WRITE):
            self.faults.append(f"no beat: {address:#x}, strobe {strobe:#x}, kind {kind}")
        places = [at for at in range(self.beat_bytes) if strobe >> at & 1]
        failed = any(address + at in self.bad for at in places)
        data = 0
        for at in () if failed else places:
            if kind == WRITE:
                self.bytes[address + at] = values["req_data"] >> 8 * at & 0xFF
            else:
                self.touched.add(address + at)
                data |= self.bytes.get(address + at, initial_byte(address + at)) << 8 * at
        due = self._cycle + self.latency + self._rng.randint(0, self.spread)
        last = self._answers[-1][0] if self._answers else 0
        answer = {
            "rsp_origin": values["req_origin"],
            "rsp_beat": values["req_beat"],
            "rsp_data": data,
            "rsp_error": int(failed),
        }
        self._answers.append((max(due, last), answer))
