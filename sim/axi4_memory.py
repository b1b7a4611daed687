"""A memory behind an AXI4 bus that answers as it likes."""

import random
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from sim.axi4_rules import Transaction, transfer_bytes
from sim.beat_traffic import initial_byte

__all__ = ["FAST", "Axi4Memory", "Pace"]

SLVERR, DECERR = 2, 3


@dataclass(frozen=True)
class Pace:
    """How the memory behaves; probabilities by cycle.

    ``order`` says when address and data of a write are taken: ``any``, ``address`` or ``data``
    first, or only ``both`` together. ``latency`` counts cycles from a request to its first
    answer, without other traffic.
    """

    ready: float = 0.6
    answer: float = 0.6
    latency: int = 1
    spread: int = 20
    order: str = "any"
    interleaves: bool = True


FAST = Pace(ready=1, answer=1, latency=1, spread=0, interleaves=False)


@dataclass
class _Job:
    item: Transaction
    due: int
    number: int = 0


@dataclass
class Axi4Memory:
    """A subordinate with its memory; identifiers overtake one another, transfers interleave.

    ``drive`` gives what it shows in the next cycle, ``sample`` takes what stood on the bus.
    """

    data_bytes: int
    pace: Pace
    seed: int
    bad: range = range(0)
    bytes: dict[int, int] = field(default_factory=dict)
    #: Bytes that reads may have touched.
    touched: set[int] = field(default_factory=set)
    #: Cycles with a transfer on the read and on the write data channel.
    read_cycles: list[int] = field(default_factory=list)
    write_cycles: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)
        self._cycle = 0
        self._reads: dict[int, deque[_Job]] = defaultdict(deque)
        self._answers: dict[int, deque[tuple[int, int]]] = defaultdict(deque)
        self._addresses: deque[Transaction] = deque()
        self._data: deque[tuple[int, int]] = deque()
        self._shown: dict[str, int] = {}
        self._current: int | None = None
        self._ready = dict.fromkeys(("ar", "aw", "w"), 0)

    def drive(self) -> dict[str, int]:
        """Signals of the next cycle."""
        rng = self._rng
        for channel in self._ready:
            self._ready[channel] = int(rng.random() < self.pace.ready)
        ahead = len(self._addresses) - len(self._data)
        if self.pace.order == "address" and not self._addresses:
            self._ready["w"] = 0
        if self.pace.order == "data" and ahead >= 0 and not self._data:
            self._ready["aw"] = 0
        shown = {f"{channel}ready": ready for channel, ready in self._ready.items()}
        return shown | self._show_read() | self._show_response()

    def _show_read(self) -> dict[str, int]:
        rng = self._rng
        if not self._shown.get("rvalid"):
            due = [
                each for each, queue in self._reads.items() if queue and queue[0].due <= self._cycle
            ]
            goes_on = self._current is not None and not self.pace.interleaves
            if goes_on:
                due = [each for each in due if each == self._current]
            if not due or rng.random() >= self.pace.answer:
                self._shown |= {"rvalid": 0, "rid": rng.getrandbits(1), "rlast": rng.getrandbits(1)}
            else:
                self._offer(
                    min(due, key=lambda each: self._reads[each][0].due)
                    if not self.pace.interleaves
                    else rng.choice(due)
                )
        return {name: value for name, value in self._shown.items() if name.startswith("r")}

    def _offer(self, identifier: int) -> None:
        job = self._reads[identifier][0]
        self._current = identifier
        data = self._rng.getrandbits(8 * self.data_bytes)
        addresses = transfer_bytes(job.item, job.number)
        for address in addresses:
            place = address % self.data_bytes
            value = self.bytes.get(address, initial_byte(address))
            data = data & ~(0xFF << 8 * place) | value << 8 * place
        self.touched.update(addresses)
        failed = any(address in self.bad for address in addresses)
        self._shown |= {
            "rvalid": 1,
            "rid": identifier,
            "rdata": data,
            "rresp": self._rng.choice((SLVERR, DECERR)) if failed else 0,
            "rlast": int(job.number == job.item.length),
        }

    def _show_response(self) -> dict[str, int]:
        rng = self._rng
        if not self._shown.get("bvalid"):
            due = [
                each
                for each, queue in self._answers.items()
                if queue and queue[0][0] <= self._cycle
            ]
            if due and rng.random() < self.pace.answer:
                identifier = rng.choice(due)
                self._shown |= {
                    "bvalid": 1,
                    "bid": identifier,
                    "bresp": self._answers[identifier][0][1],
                }
            else:
                self._shown |= {"bvalid": 0, "bid": rng.getrandbits(1)}
        return {name: value for name, value in self._shown.items() if name.startswith("b")}

    def sample(self, values: Mapping[str, int]) -> None:
        """Look at the cycle before its edge."""
        if values.get("rvalid") and values["rready"]:
            self.read_cycles.append(self._cycle)
            queue = self._reads[values["rid"]]
            queue[0].number += 1
            self._shown["rvalid"] = 0
            if queue[0].number == queue[0].item.count:
                queue.popleft()
                self._current = None
        if values.get("bvalid") and values["bready"]:
            self._answers[values["bid"]].popleft()
            self._shown["bvalid"] = 0
        for channel in ("ar", "aw"):
            if values.get(f"{channel}valid") and values[f"{channel}ready"]:
                names = ("id", "addr", "len", "size", "burst")
                item = Transaction(*(values[f"{channel}{name}"] for name in names))
                if channel == "aw":
                    self._addresses.append(item)
                else:
                    self._reads[item.identifier].append(_Job(item, self._due()))
        if values.get("wvalid") and values["wready"]:
            self.write_cycles.append(self._cycle)
            self._data.append((values["wstrb"], values["wdata"]))
        while self._addresses and self._data:
            self._store(*self._data.popleft())
        self._cycle += 1

    def both(self, values: Mapping[str, int]) -> dict[str, int]:
        """Take an address only together with its first data."""
        inside = bool(self._addresses)
        together = values["awvalid"] and values["wvalid"] and not inside
        return {"awready": int(together), "wready": int(together or inside)}

    def _due(self) -> int:
        return self._cycle + self.pace.latency + self._rng.randint(0, self.pace.spread)

    def _store(self, strobe: int, data: int) -> None:
        item = self._addresses[0]
        addresses = transfer_bytes(item, item.beats)
        base = addresses.start // self.data_bytes * self.data_bytes
        for place in range(self.data_bytes):
            if strobe >> place & 1 and base + place not in self.bad:
                self.bytes[base + place] = data >> 8 * place & 0xFF
            elif strobe >> place & 1:
                item.is_complete = True  # here: it has failed
        item.beats += 1
        if item.beats == item.count:
            self._addresses.popleft()
            response = self._rng.choice((SLVERR, DECERR)) if item.is_complete else 0
            self._answers[item.identifier].append((self._due(), response))
