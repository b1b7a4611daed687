"""Random accesses of rows, and what came of them as a history.

Pins are known by ``.value`` alone. Every object here is told of each clock edge twice: ``sample``
sees what stood on the pins before it, ``drive`` writes what shall stand there behind it.
"""

import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sim.history import Kind, Operation
from sim.race_documents import RaceRow
from sim.stalls import Stall

__all__ = ["Addresses", "FixedAccess", "Lockstep", "PortPins", "PortTraffic", "RowTraffic"]

_KINDS = {
    "load": Kind.LOAD,
    "store": Kind.STORE,
    "rmw": Kind.RMW,
    "cmpxchg": Kind.EXCHANGE,
    "fence": Kind.FENCE,
}
_BEAT_BYTES = 8
#: Threads begin a round within so many cycles.
_SKEW_CYCLES = 12


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where accesses go: often to the same few bytes.

    Parameters
    ----------
    capacity_bytes
        Bytes of the memory.
    hot_bytes
        So many of them, from 0 on, get most accesses.
    hot_share
        How many of the accesses those are.
    """

    capacity_bytes: int
    hot_bytes: int = 32
    hot_share: float = 0.8

    def draw(self, rng: random.Random, size_bytes: int) -> int:
        """Address of an access that lies inside."""
        end = self.hot_bytes if rng.random() < self.hot_share else self.capacity_bytes
        return rng.randrange(max(1, end - size_bytes + 1))


@dataclass(frozen=True, slots=True)
class FixedAccess:
    """What a row asks for in its firing ``n``: element ``n * step``, with always the same value."""

    step: int
    value: int


class RowTraffic:
    """Operands of one row's firings, and the operations that they were.

    Parameters
    ----------
    row, ordinal, count
        The row, and how often it fires.
    addresses, seed
        What the operands are drawn from.
    seen
        What was last found or left at places of atomic objects; shared by all rows, which expect
        it to be there still.
    fixed
        What is asked for instead of something random.
    """

    def __init__(
        self,
        row: RaceRow,
        ordinal: int,
        count: int,
        addresses: Addresses,
        seed: int,
        seen: dict[tuple[int, int], int],
        fixed: FixedAccess | None = None,
    ) -> None:
        self.row, self.ordinal, self.count = row, ordinal, count
        #: Firings whose operands may be offered.
        self.released = count
        self._fixed = fixed
        self.source = f"row{ordinal}"
        self.published = 0
        #: Rows that take this one's completion as their control.
        self.followers: list[RowTraffic] = []
        self.sent = dict.fromkeys(row.inputs, 0)
        self.taken: dict[str, deque[int]] = {end: deque() for end in (*row.inputs, "ctrl")}
        self._addresses = addresses
        self._rng = random.Random(f"{self.source}/{seed}")
        self._seen = seen
        self._drawn = 0
        self._firings: deque[dict[str, int]] = deque()

    @property
    def is_done(self) -> bool:
        """All firings were published."""
        return self.published == self.count

    def token(self, end: str) -> int:
        """What the endpoint ``end`` is offered next."""
        self._draw_up_to(self.sent[end])
        return self._firings[self.sent[end] - self.published][end]

    def _draw_up_to(self, number: int) -> None:
        while number >= self._drawn:
            self._firings.append(self._draw())
            self._drawn += 1

    def _draw(self) -> dict[str, int]:
        row, rng = self.row, self._rng
        if row.actor == "fence":
            return {"ctrl": 0}
        if self._fixed is not None:
            index = self._drawn * self._fixed.step
            return {"addr": index, "ctrl": 0, "data": self._fixed.value, "expected": 0}
        width = row.size_bytes * row.lanes
        address = self._addresses.draw(rng, width)
        last = (self._addresses.capacity_bytes - row.base) // row.size_bytes - row.lanes
        index = min(last, max(0, address - row.base) // row.size_bytes)
        found = {"addr": index, "ctrl": 0, "data": rng.getrandbits(8 * width)}
        if row.actor == "cmpxchg":
            found["expected"] = 0
            for lane in range(row.lanes):
                place = row.base + (index + lane) * row.size_bytes, row.size_bytes
                found["expected"] |= self._seen.get(place, 0) << 8 * row.size_bytes * lane
        return found

    def publish(self, edge: int, read: int, success: int) -> Iterator[Operation]:
        """Note a publication; yield the operations of its firing."""
        row = self.row
        if not all(self.taken.values()):
            raise ValueError(f"{self.source} must publish what it was asked for, and nothing else")
        # A fence behind another row has no operand of its own.
        self._draw_up_to(self.published)
        firing = self._firings.popleft()
        number = self.published
        self.published += 1
        invoked = max(edges.popleft() for edges in self.taken.values())
        for follower in self.followers:
            follower.taken["ctrl"].append(edge)
        kind = _KINDS[row.actor]
        if kind is Kind.FENCE:
            yield Operation(self.source, number, kind, invoked, edge)
            return
        size = row.size_bytes
        mask = (1 << 8 * size) - 1
        for lane in range(row.lanes):
            shift = 8 * size * lane
            address = row.base + (firing["addr"] + lane) * size
            value = firing["data"] >> shift & mask
            found = read >> shift & mask
            if not row.is_atomic:
                yield from self._pieces(kind, number, (invoked, edge), address, value, found)
                continue
            done = bool(success >> lane & 1)
            left = value if kind is Kind.STORE or (kind is Kind.EXCHANGE and done) else found
            self._seen[address, size] = left
            yield Operation(
                self.source,
                number,
                kind,
                invoked,
                edge,
                address,
                size,
                -1,
                value,
                firing.get("expected", 0) >> shift & mask,
                found,
                done,
                row.weak,
                row.kind,
            )

    def _pieces(
        self,
        kind: Kind,
        number: int,
        times: tuple[int, int],
        address: int,
        value: int,
        found: int,
    ) -> Iterator[Operation]:
        """A plain element: what lies in one beat takes effect together."""
        end, at = address + self.row.size_bytes, address
        while at < end:
            size = min(end, at // _BEAT_BYTES * _BEAT_BYTES + _BEAT_BYTES) - at
            shift, mask = 8 * (at - address), (1 << 8 * size) - 1
            yield Operation(
                self.source,
                number,
                kind,
                *times,
                at,
                size,
                -1,
                value >> shift & mask,
                0,
                found >> shift & mask,
            )
            at += size


@dataclass(frozen=True, slots=True)
class PortPins:
    """Pins of one port by endpoint and signal, such as ``("addr", "valid")``."""

    pins: dict[tuple[str, str], Any]

    def get(self, end: str, signal: str) -> Any:
        """One pin; None where there is none."""
        return self.pins.get((end, signal))


class _Ingress:
    """Offers tokens of the rows that share one endpoint; a row that is refused lets others try."""

    def __init__(self, end: str, rows: Sequence[RowTraffic], pins: PortPins, stall: Stall) -> None:
        self._end = end
        self._rows = deque(rows)
        self._stall = stall
        self._valid, self._ready = pins.get(end, "valid"), pins.get(end, "ready")
        self._data, self._tag = pins.get(end, "data"), pins.get(end, "tag")
        self._shown: RowTraffic | None = None
        self._moved = False
        self._valid.value = 0

    def sample(self, edge: int) -> bool:
        """Tell whether a token is taken."""
        shown = self._shown
        self._moved = shown is not None and bool(self._ready.value)
        if shown is not None and self._moved:
            shown.sent[self._end] += 1
            shown.taken[self._end].append(edge)
        return self._moved

    def drive(self, edge: int) -> None:
        """Offer the next token, of whom it is due; an untagged offer stays until it is taken."""
        before, end = self._shown, self._end
        is_willing = self._stall.willing(edge, self._moved)
        if before is not None and not self._moved and self._tag is None:
            return
        if before is not None:
            self._rows.rotate(-1)
        self._shown = None
        if is_willing:
            for _ in range(len(self._rows)):
                row = self._rows[0]
                if row.sent[end] < row.released:
                    self._shown = row
                    break
                self._rows.rotate(-1)
        shown = self._shown
        if shown is None:
            if before is not None:
                self._valid.value = 0
            return
        if before is None:
            self._valid.value = 1
        if shown is before and not self._moved:
            return
        token = shown.token(end)
        if self._data is not None:
            self._data.value = token
        if self._tag is not None and shown is not before:
            self._tag.value = shown.ordinal


class PortTraffic:
    """Rows of one port at its endpoints.

    Parameters
    ----------
    pins
        Of the port.
    rows
        Rows of the port.
    stalls
        Of its endpoints, by short name.
    """

    def __init__(
        self, pins: PortPins, rows: Sequence[RowTraffic], stalls: dict[str, Stall]
    ) -> None:
        self._pins = pins
        self.name = ", ".join(row.source for row in rows)
        self._rows = {row.ordinal: row for row in rows}
        ends = dict.fromkeys(end for row in rows for end in row.row.inputs)
        self._ingresses = [
            _Ingress(end, [row for row in rows if end in row.row.inputs], pins, stalls[end])
            for end in ends
        ]
        self._ready = {end: pins.get(end, "ready") for end in ("read", "success", "done")}
        self._is_ready = dict.fromkeys(self._ready, False)
        self._stalls = {end: stalls[end] for end in self._ready}
        self._valid = pins.get("done", "valid")
        self._tag = pins.get("done", "tag")
        self._only = rows[0] if len(rows) == 1 else None
        self._published = False
        for pin in self._ready.values():
            pin.value = 0

    @property
    def is_done(self) -> bool:
        """All firings of all rows were published."""
        return all(row.is_done for row in self._rows.values())

    def sample(self, edge: int, history: list[Operation]) -> bool:
        """Take what was published; tell whether anything moved."""
        moved = False
        for ingress in self._ingresses:
            moved |= ingress.sample(edge)
        self._published = self._is_ready["done"] and bool(self._valid.value)
        if self._published:
            row = self._only or self._rows[int(self._tag.value)]
            actor = row.row.actor
            read = success = 0
            if actor in ("load", "rmw", "cmpxchg"):
                read = int(self._pins.get("read", "data").value)
            if actor == "cmpxchg":
                success = int(self._pins.get("success", "data").value)
            history += row.publish(edge, read, success)
        return moved or self._published

    def drive(self, edge: int) -> None:
        """Offer tokens, and show readiness for results."""
        for ingress in self._ingresses:
            ingress.drive(edge)
        for end, stall in self._stalls.items():
            ready = stall.willing(edge, self._published)
            if ready != self._is_ready[end]:
                self._is_ready[end] = ready
                self._ready[end].value = int(ready)


class Lockstep:
    """Lets threads begin their rounds together, each a little later than another."""

    name = "rounds"
    is_done = True

    def __init__(self, threads: Sequence[Sequence[RowTraffic]], seed: int) -> None:
        self._threads = threads
        self._rng = random.Random(f"rounds/{seed}")
        self._round = 0
        self._begins = [0] * len(threads)
        for row in (row for thread in threads for row in thread):
            row.released = 0

    def sample(self, edge: int, history: list[Operation]) -> bool:
        """Nothing is to be seen."""
        return False

    def drive(self, edge: int) -> None:
        """Begin the next round where the last one is over."""
        if all(row.published == self._round for thread in self._threads for row in thread):
            self._round += 1
            self._begins = [edge + self._rng.randrange(_SKEW_CYCLES) for _ in self._threads]
        for begins, thread in zip(self._begins, self._threads, strict=True):
            if begins == edge:
                for row in thread:
                    row.released = min(row.count, self._round)
