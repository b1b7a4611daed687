"""What the accesses of a row cost in bank cycles, as the performance contract counts them."""

from collections import Counter
from collections.abc import Iterable

from fabricgen.plan.geometry import BankGeometry

__all__ = ["RowWork", "cycle_limit"]


class RowWork:
    """Bank work of one row, without its first firing: that one only marks the start.

    Attributes
    ----------
    cycles
        Sum over firings of the largest number of distinct beats on one bank, at least one each.
    beats
        Distinct beats of each firing, summed per bank.
    """

    def __init__(self, geometry: BankGeometry, *, writes: bool) -> None:
        self._geometry = geometry
        self.writes = writes
        self.firings = 0
        self.cycles = 0
        self.beats: Counter[int] = Counter()

    def fire(self, accessed: Iterable[tuple[int, int]]) -> None:
        """Count one firing, given address and size of each of its served lanes."""
        width = self._geometry.beat_bytes
        beats = {
            beat
            for address, size in accessed
            for beat in range(address // width, (address + size - 1) // width + 1)
        }
        banks = Counter(beat % self._geometry.banks for beat in beats)
        self.firings += 1
        if self.firings > 1:
            self.cycles += max(banks.values(), default=1)
            self.beats += banks


def cycle_limit(rows: Iterable[RowWork]) -> int:
    """Fewest cycles from the first publication to the last, both included.

    A row starts at most one firing a cycle and needs one cycle per beat on its fullest bank; a
    bank reads one beat and writes one beat a cycle for all rows together.
    """
    fired = [row for row in rows if row.firings]
    reads: Counter[int] = Counter()
    writes: Counter[int] = Counter()
    for row in fired:
        (writes if row.writes else reads).update(row.beats)
    if not fired:
        return 0
    spans = [row.cycles for row in fired]
    return 1 + max(*spans, *reads.values(), *writes.values(), 0)
