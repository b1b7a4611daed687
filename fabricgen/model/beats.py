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
    """One active lane inside its target: ``address`` in bytes; ``payload`` is absent for a read,
    and ``expected`` but for a compare-exchange.
    """

    lane: int
    address: int
    size: int
    payload: bytes | None
    expected: bytes | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """One request of a manager.

    Parameters
    ----------
    kind
        What it asks for.
    address
        Byte address, a multiple of the beat's bytes; 0 in a fence.
    strobe
        One bit per byte, exactly the active ones; never zero but in a fence.
    data
        What is sent, with zero in the bytes that are not active; absent for a read and a fence.
    expected
        What is compared, likewise; absent but for a compare-exchange.
    """

    kind: ServiceKind
    address: int
    strobe: int
    data: int | None
    expected: int | None = None


def child_beats(
    kind: ServiceKind, parts: Iterable[Sequence[LaneAccess]], beat_bytes: int
) -> Iterator[Beat]:
    """Beats of one firing in their order.

    Parameters
    ----------
    kind
        What they ask for; a fence is one beat that touches nothing.
    parts
        Lanes that share their beats: the whole child of a contiguous access, else each lane by
        itself.
    beat_bytes
        Beat width of the manager.
    """
    if kind is ServiceKind.MEMORY_FENCE:
        yield Beat(kind, 0, 0, None)
        return
    for lanes in parts:
        found: dict[int, Beat] = {}
        for lane in lanes:
            end = lane.address + lane.size
            for beat in range(lane.address // beat_bytes, (end - 1) // beat_bytes + 1):
                start = beat * beat_bytes
                low, high = max(lane.address, start), min(end, start + beat_bytes)
                before = found.get(start, Beat(kind, start, 0, None))
                piece = slice(low - lane.address, high - lane.address)
                found[start] = Beat(
                    kind,
                    start,
                    before.strobe | ((1 << (high - low)) - 1) << (low - start),
                    _joined(before.data, lane.payload, piece, low - start),
                    _joined(before.expected, lane.expected, piece, low - start),
                )
        for _, beat in sorted(found.items()):
            yield beat


def _joined(before: int | None, payload: bytes | None, piece: slice, place: int) -> int | None:
    """Bytes of a lane from ``place`` on beside those that the beat has; ``None`` without any."""
    if payload is None:
        return before
    return (before or 0) | int.from_bytes(payload[piece], "little") << 8 * place
