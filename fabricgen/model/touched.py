"""Which firings touched which bytes of one target, and which of them race.

Two accesses of one byte, of which one writes, race unless they are ordered. Firing *n* of row *p*
comes before firing *m* of row *q* exactly if tokens of *p* reach *q* and ``n <= m``: this is what
vector clocks give where each edge carries one token per firing. Accesses of one row linearise in
their order at the Local Memory Service, and at a manager if they are volatile, since then one
waits for the other; otherwise nothing orders them there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from fabricgen.errors import Diagnostic

__all__ = ["RowAccesses", "race_findings"]


@dataclass(slots=True)
class RowAccesses:
    """What one row touched of its target.

    Parameters
    ----------
    row
        Row ordinal.
    is_write
        Whether all of it was written, or all of it read.
    orders_firings, orders_lanes
        Whether the row's firings, and the lanes of one firing, take effect in their order.
    accesses
        Firing, byte address and size of each lane, firings ascending.
    """

    row: int
    is_write: bool
    orders_firings: bool
    orders_lanes: bool
    accesses: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    def add(self, firing: int, address: int, size: int) -> None:
        """Note one lane."""
        self.accesses.append((firing, address, size))

    def first(self) -> dict[int, int]:
        """First firing that touched each byte."""
        return _latest(reversed(self.accesses))

    def last(self) -> dict[int, int]:
        """Last firing that touched each byte."""
        return _latest(iter(self.accesses))

    def overlap(self) -> tuple[int, int, int] | None:
        """First byte touched twice in no order, with the two firings; ``None`` without one."""
        if self.orders_lanes:
            return None
        seen: dict[int, int] = {}
        current = None
        for firing, address, size in self.accesses:
            if self.orders_firings and firing != current:
                seen.clear()
            current = firing
            lane = range(address, address + size)
            if not seen.keys().isdisjoint(lane):
                byte = next(byte for byte in lane if byte in seen)
                return byte, seen[byte], firing
            seen.update(dict.fromkeys(lane, firing))
        return None


def race_findings(
    target: str, rows: Sequence[RowAccesses], precedes: Callable[[int, int], bool]
) -> Iterator[Diagnostic]:
    """Report each row and each pair of rows that races on one target, with its first byte.

    Parameters
    ----------
    target
        How the message calls the target; empty for the Local Memory Service.
    rows
        Rows that reached it, in row order.
    precedes
        Whether tokens of the first row reach the second.
    """
    if not any(row.is_write for row in rows):
        return
    for row in rows:
        if row.is_write and (overlap := row.overlap()):
            byte, first, second = overlap
            writers = (
                f"two lanes of firing {first}"
                if first == second
                else f"firings {first} and {second}"
            )
            yield Diagnostic(
                "workload-race",
                f"operation_rows[{row.row}]",
                f"Writes of one byte must be ordered, but {writers} of row {row.row} both write "
                f"byte {byte:#x}{target}, and nothing orders them there",
            )
    spans = {row.row: (row.first(), row.last()) for row in rows} if len(rows) > 1 else {}
    for position, later in enumerate(rows):
        for earlier in rows[:position]:
            if (earlier.is_write or later.is_write) and (
                racing := _racing(spans[earlier.row], spans[later.row], earlier, later, precedes)
            ):
                yield Diagnostic(
                    "workload-race",
                    f"operation_rows[{later.row}]",
                    "Rows that share a byte must only read it or be ordered by tokens, but rows "
                    f"{earlier.row} and {later.row} both touch byte {min(racing):#x}{target} and "
                    "one of them writes it",
                )


_Span = tuple[dict[int, int], dict[int, int]]


def _racing(
    left: _Span,
    right: _Span,
    left_row: RowAccesses,
    right_row: RowAccesses,
    precedes: Callable[[int, int], bool],
) -> list[int]:
    """Bytes that both rows touch, and not all firings of one before all firings of the other."""
    common = left[0].keys() & right[0].keys()
    if precedes(left_row.row, right_row.row):
        return [byte for byte in common if left[1][byte] > right[0][byte]]
    if precedes(right_row.row, left_row.row):
        return [byte for byte in common if right[1][byte] > left[0][byte]]
    return list(common)


def _latest(accesses: Iterator[tuple[int, int, int]]) -> dict[int, int]:
    """Firing that comes last in the given order, per byte."""
    found: dict[int, int] = {}
    for firing, address, size in accesses:
        if size == 1:
            found[address] = firing
        else:
            found.update(dict.fromkeys(range(address, address + size), firing))
    return found
