"""Which beats one request may touch. Plain integers; no hardware.

A request is split into *items*: beat ``j`` of segment ``s``. A mode that is not indexed uses
segment 0 only; an indexed mode gives each lane its own segment.
"""

from dataclasses import dataclass
from math import gcd

from fabricgen.plan.geometry import AccessMode, BankGeometry, RequesterShape

__all__ = ["Item", "RequestItems"]


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """Beat ``beat`` counted from the one that holds the first byte of segment ``segment``."""

    segment: int
    beat: int


@dataclass(frozen=True, slots=True)
class RequestItems:
    """Items of every mode of one requester, and what each covers."""

    geometry: BankGeometry
    requester: RequesterShape

    @property
    def beat_bytes(self) -> int:
        """Bytes of one beat."""
        return self.geometry.beat_bytes

    def step(self, mode: AccessMode) -> int:
        """Offsets of a segment inside a beat are multiples of this in ``mode``."""
        return gcd(self.requester.step(mode), self.beat_bytes)

    @property
    def least_step(self) -> int:
        """Offsets are multiples of this in every mode."""
        return min(self.step(mode) for mode in self.requester.modes)

    @staticmethod
    def segment_bytes(mode: AccessMode) -> int:
        """Bytes that follow one segment's address in ``mode``."""
        return mode.element_bytes * (1 if mode.indexed else mode.lanes)

    def beats(self, mode: AccessMode) -> int:
        """Beats of a segment at its worst offset."""
        worst = self.beat_bytes - self.step(mode) + self.segment_bytes(mode)
        return -(-worst // self.beat_bytes)

    def segment_modes(self, segment: int) -> tuple[AccessMode, ...]:
        """Modes that use a segment."""
        return tuple(
            mode
            for mode in self.requester.modes
            if segment == 0 or (mode.indexed and segment < mode.lanes)
        )

    def window_bytes(self, segment: int) -> int:
        """Bytes behind a segment's address in its widest mode."""
        return max(self.segment_bytes(mode) for mode in self.segment_modes(segment))

    def segment_beats(self, segment: int) -> int:
        """Beats of a segment in its worst mode."""
        return max(self.beats(mode) for mode in self.segment_modes(segment))

    @property
    def items(self) -> tuple[Item, ...]:
        """Every item, segment by segment; so a later lane never precedes an earlier one."""
        return tuple(
            Item(segment, beat)
            for segment in range(self.requester.segments)
            for beat in range(self.segment_beats(segment))
        )

    @property
    def is_single(self) -> bool:
        """Every request is one beat."""
        return len(self.items) == 1

    @property
    def read_ring_bytes(self) -> int:
        """Bytes that a read chooses from: the one beat, or all banks' beats."""
        return self.beat_bytes * (1 if self.is_single else self.geometry.banks)

    @property
    def has_one_item_per_bank(self) -> bool:
        """No two items of one request can lie in the same bank."""
        return self.requester.segments == 1 and self.segment_beats(0) <= self.geometry.banks

    def may_share(self, first: Item, second: Item) -> bool:
        """Two items of different segments can be needed by one request."""
        return any(
            first in self.mode_items(mode) and second in self.mode_items(mode)
            for mode in self.requester.modes
        )

    def mode_items(self, mode: AccessMode) -> frozenset[Item]:
        """Items that a request in ``mode`` can need."""
        segments = mode.lanes if mode.indexed else 1
        return frozenset(Item(s, j) for s in range(segments) for j in range(self.beats(mode)))

    def touching_offsets(self, mode: AccessMode, lane: int, item: Item) -> range:
        """Segment offsets, in bytes, at which ``lane`` has a byte in ``item``."""
        step, size = self.step(mode), mode.element_bytes
        if item.segment != (lane if mode.indexed else 0):
            return range(0)
        start = 0 if mode.indexed else lane * size
        low = max(0, item.beat * self.beat_bytes - start - size + 1)
        high = min(self.beat_bytes - 1, (item.beat + 1) * self.beat_bytes - 1 - start)
        return range(-(-low // step) * step, high + 1, step)
