"""Beats of a manager endpoint: what each child asks of the memory behind it.

Derived here in integers, from the plan's children alone, so that a bench can hold every request
of the hardware against it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fabricgen.vocab.dataflow import ServiceKind

__all__ = ["Beat", "LaneAccess", "child_beats"]


@dataclass(frozen=True, slots=True)
class LaneAccess:
    """One active lane inside its target: ``address`` in bytes; ``payload`` is absent for a read."""

    lane: int
    address: int
    size: int
    payload: bytes | None


@dataclass(frozen=True, slots=True)
class Beat:
    """One request of a manager.

    Parameters
    ----------
    kind
        Read or write.
    address
        Byte address, a multiple of the beat's bytes.
    strobe
        One bit per byte, exactly the active ones; never zero.
    data
        Write data with zero in the bytes that are not active; absent for a read.
    """

    kind: ServiceKind
    address: int
    strobe: int
    data: int | None


def child_beats(
    kind: ServiceKind, parts: Iterable[Sequence[LaneAccess]], beat_bytes: int
) -> Iterator[Beat]:
    """Beats of one firing in their order.

    Parameters
    ----------
    kind
        Read or write.
    parts
        Lanes that share their beats: the whole child of a contiguous access, else each lane by
        itself.
    beat_bytes
        Beat width of the manager.
    """
    is_write = kind is ServiceKind.MEMORY_WRITE
    for lanes in parts:
        found: dict[int, tuple[int, int]] = {}
        for lane in lanes:
            end = lane.address + lane.size
            for beat in range(lane.address // beat_bytes, (end - 1) // beat_bytes + 1):
                start = beat * beat_bytes
                low, high = max(lane.address, start), min(end, start + beat_bytes)
                strobe, data = found.get(start, (0, 0))
                strobe |= ((1 << (high - low)) - 1) << (low - start)
                if lane.payload is not None:
                    piece = lane.payload[low - lane.address : high - lane.address]
                    data |= int.from_bytes(piece, "little") << 8 * (low - start)
                found[start] = strobe, data
        for address, (strobe, data) in sorted(found.items()):
            yield Beat(kind, address, strobe, data if is_write else None)
