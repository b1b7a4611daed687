"""Transactions of a bus that carry the beats of one subordinate."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fabricgen.plan.beat_request import BeatRequest
from fabricgen.plan.beat_transfers import transfers
from sim.job import SubordinateBeat, SubordinateJob

__all__ = ["Burst", "bursts"]

_READ = 0
#: Transfers of one burst, at most; none crosses 4 KiB.
_LONGEST, _BLOCK = 16, 4096
_USER_BITS = {"address_space": 32, "context": 64}


@dataclass(eq=False)
class Burst:
    """Consecutive beats in one transaction.

    Parameters
    ----------
    kind
        0 read, 1 write.
    address, size
        Of the first transfer, and log2 of the bytes of each.
    user
        Value of the user signals.
    parts
        For each transfer the beat that it belongs to, by its ordinal, and its bytes as a strobe.
    """

    kind: int
    address: int
    size: int
    user: int
    parts: list[tuple[int, int]] = field(default_factory=list)


def bursts(job: SubordinateJob, rng: random.Random, likely: float) -> Iterator[Burst]:
    """Transactions that carry the beats of a job in their order.

    Whole beats that follow one another become one burst; where they could, a coin that falls so
    with probability ``likely`` decides. AXI4-Lite has no bursts of more than one.
    """
    last: Burst | None = None
    full = job.beat_bytes.bit_length() - 1
    for ordinal, beat in enumerate(job.beats):
        for part in transfers(_request(beat), job.protocol):
            start = (part.strobe & -part.strobe).bit_length() - 1 if beat.kind == _READ else 0
            size = _size(part.strobe) if beat.kind == _READ else full
            begun = Burst(beat.kind, beat.address + start, size, _user(beat, job.user))
            goes_on = last is not None and not start and _follows(last, begun, job)
            if last is None or not goes_on or rng.random() >= likely:
                if last is not None:
                    yield last
                last = begun
            last.parts.append((ordinal, part.strobe))
    if last is not None:
        yield last


def _request(beat: SubordinateBeat) -> BeatRequest:
    return BeatRequest(beat.kind, beat.address, beat.strobe, beat.data)


def _user(beat: SubordinateBeat, fields: Sequence[str]) -> int:
    value, at = 0, 0
    for name in fields:
        value |= getattr(beat, name) << at
        at += _USER_BITS[name]
    return value


def _size(strobe: int) -> int:
    """Log2 of the smallest aligned piece that ends with a run of bytes, and holds it."""
    end, start = strobe.bit_length(), (strobe & -strobe).bit_length() - 1
    size = 0
    while (end - 1) >> size != start >> size:
        size += 1
    return size


def _follows(last: Burst, begun: Burst, job: SubordinateJob) -> bool:
    """Whether a transfer of a whole beat may be the next one of a burst of whole beats."""
    alike = (last.kind, last.size, last.user) == (begun.kind, begun.size, begun.user)
    size = job.beat_bytes
    next_address = last.address // size * size + size * len(last.parts)
    return (
        job.protocol == "axi4"
        and alike
        and 1 << last.size == size
        and len(last.parts) < _LONGEST
        and next_address == begun.address
        and next_address % _BLOCK != 0
    )
