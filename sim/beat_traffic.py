"""Random beats of a manager, and what their answers must be."""

import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["BeatTraffic", "StreamWidths", "initial_byte"]

READ, WRITE = 0, 1
_BLOCK = 4096


def initial_byte(address: int) -> int:
    """What a memory holds at first: any byte differs from its neighbours."""
    return (address * 37 + (address >> 8) * 11 + 5) & 0xFF


@dataclass(frozen=True)
class StreamWidths:
    """What a stream can carry.

    Parameters
    ----------
    beat_bytes, beat_bits, more_bits
        As in the stream.
    origins
        Every origin that occurs.
    reads, writes, volatile
        What occurs.
    """

    beat_bytes: int
    beat_bits: int
    more_bits: int
    origins: tuple[int, ...]
    reads: bool
    writes: bool
    volatile: bool


@dataclass
class _Beat:
    kind: int
    origin: int
    place: int
    more: int
    address: int
    strobe: int
    data: int
    volatile: int


@dataclass
class BeatTraffic:
    """Offer runs of beats, one origin each, and hold the answers against a memory of bytes.

    Writes go where nobody has written; reads look at initial bytes and at writes that have been
    answered. A beat inside ``bad`` must fail, or, where its burst may reach there, may.

    Parameters
    ----------
    widths
        What may be offered.
    runs
        How many runs.
    seed
        Everything follows from it.
    gap
        Probability of a pause between runs.
    shapes
        Kinds of strobes to draw: ``full``, ``ragged`` (holes at both ends of the run only), or
        ``holes``.
    bad
        Addresses at which the memory answers with an error.
    beats
        Beats of every run, which then begins at a multiple of its size; 0 for any number.
    """

    widths: StreamWidths
    runs: int
    seed: int
    gap: float = 0.3
    shapes: tuple[str, ...] = ("full", "ragged", "holes")
    bad: range = range(0)
    beats: int = 0
    faults: list[str] = field(default_factory=list)
    #: Bytes of all writes, and of reads.
    written: dict[int, int] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)
    answered: int = 0
    errors: int = 0

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)
        self._left = self.runs
        self._line: deque[_Beat] = deque()
        self._open: dict[tuple[int, int], _Beat] = {}
        self._busy: dict[int, int] = {}
        #: Runs of writes by their origin, and those that are answered.
        self._areas: dict[int, range] = {}
        self._done: list[range] = []
        self._next_area = 0x10_0000

    @property
    def is_done(self) -> bool:
        """Everything was asked and answered."""
        return not (self._left or self._line or self._open)

    def drive(self) -> dict[str, int]:
        """Signals of the request side in the next cycle, without prefix."""
        if not self._line and self._left and self._rng.random() >= self.gap:
            self._begin()
        if not self._line:
            bits = self._rng.getrandbits
            return {"valid": 0, **{name: bits(1) for name in ("kind", "more")}}
        beat = self._line[0]
        return {
            "valid": 1,
            "kind": beat.kind,
            "origin": beat.origin,
            "beat": beat.place,
            "more": beat.more,
            "address": beat.address,
            "strobe": beat.strobe,
            "data": beat.data,
            "volatile": beat.volatile,
        }

    def take(self) -> None:
        """The offered beat was taken."""
        beat = self._line.popleft()
        self._open[beat.origin, beat.place] = beat
        if beat.kind == READ:
            size = self.widths.beat_bytes
            self.asked.update(beat.address + at for at in range(size) if beat.strobe >> at & 1)

    def answer(self, values: Mapping[str, int]) -> None:
        """An answer was taken."""
        key = (values.get("origin", 0), values.get("beat", 0))
        beat = self._open.pop(key, None)
        if beat is None:
            self.faults.append(
                f"an answer to beat {key[1]} of origin {key[0]}, which waits for none"
            )
            return
        self.answered += 1
        self.errors += values["error"]
        touched = [
            beat.address + at for at in range(self.widths.beat_bytes) if beat.strobe >> at & 1
        ]
        must = any(address in self.bad for address in touched)
        block = range(beat.address // _BLOCK * _BLOCK, (beat.address // _BLOCK + 1) * _BLOCK)
        may = must or (beat.kind == WRITE and any(address in self.bad for address in block))
        if values["error"] != must and not (may and values["error"]):
            self.faults.append(f"error is {values['error']} at {beat.address:#x}")
        if beat.kind == READ and not values["error"]:
            for address in touched:
                got = values["data"] >> 8 * (address - beat.address) & 0xFF
                if got != self._expected(address):
                    self.faults.append(f"{address:#x} reads as {got:#x}")
        self._busy[beat.origin] -= 1
        if not self._busy[beat.origin]:
            del self._busy[beat.origin]
            if beat.origin in self._areas:
                self._done.append(self._areas.pop(beat.origin))

    def _expected(self, address: int) -> int:
        return self.written.get(address, initial_byte(address))

    def _begin(self) -> None:
        """Draw one run."""
        rng, widths, size = self._rng, self.widths, self.widths.beat_bytes
        free = [origin for origin in widths.origins if origin not in self._busy]
        if not free:
            return
        self._left -= 1
        origin = rng.choice(free)
        most = min(1 << widths.beat_bits, 1 << widths.more_bits)
        count = self.beats or rng.choice((1, most, rng.randint(1, most)))
        kinds = [READ] * widths.reads + [WRITE] * widths.writes
        kind = rng.choice(kinds)
        start = self._start(kind, count, size)
        first = rng.randint(0, (1 << widths.beat_bits) - count)
        strobes = self._strobes(rng.choice(self.shapes), count, size)
        volatile = int(widths.volatile and rng.random() < 0.3)
        for at in range(count):
            address, strobe = start + at * size, strobes[at]
            data = 0
            if kind == WRITE:
                for byte in range(size):
                    if strobe >> byte & 1:
                        value = rng.getrandbits(8)
                        data |= value << 8 * byte
                        self.written[address + byte] = value
            more = count - 1 - at
            self._line.append(
                _Beat(kind, origin, first + at, more, address, strobe, data, volatile)
            )
        self._busy[origin] = count
        if kind == WRITE:
            self._areas[origin] = range(start, start + count * size)

    def _start(self, kind: int, count: int, size: int) -> int:
        """Address of a run; often near a multiple of 4 KiB."""
        rng = self._rng
        if self.beats:
            place = rng.randrange(_BLOCK // (count * size)) * count * size
            return self._block() + place if kind == WRITE else place
        if kind == WRITE:
            return self._block() + rng.choice(
                (_BLOCK - rng.randint(0, count) * size, rng.randrange(8) * size)
            )
        if self._done and rng.random() < 0.5:
            area = rng.choice(self._done)
            low = area.start // _BLOCK * _BLOCK
            return max(low, area.stop - count * size) if rng.random() < 0.5 else area.start
        low = rng.choice((0x0, 0x4000, 0xFFFF_FFFF_0000_0000, 0x8_0000))
        near = _BLOCK - rng.randint(0, count) * size
        return low + rng.choice((near, rng.randrange(_BLOCK // size) * size))

    def _block(self) -> int:
        """Addresses that nobody has written, nor will read before they are."""
        self._next_area += 2 * _BLOCK
        return self._next_area - 2 * _BLOCK

    def _strobes(self, shape: str, count: int, size: int) -> list[int]:
        rng, every = self._rng, (1 << size) - 1
        if shape == "holes":
            return [rng.randrange(1, every + 1) for _ in range(count)]
        strobes = [every] * count
        if shape == "ragged":
            strobes[0] &= every << rng.randrange(size) & every
            last = strobes[-1] & every >> rng.randrange(size)
            strobes[-1] = last or strobes[-1]
        return strobes
