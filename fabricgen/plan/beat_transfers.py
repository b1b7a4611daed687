"""The beats that a bus in front of a subordinate makes of one request (docs/subordinates.md)."""

from collections.abc import Iterator
from dataclasses import replace

from fabricgen.plan.beat_request import BeatRequest

__all__ = ["transfers"]

_READ = 0


def transfers(beat: BeatRequest, protocol: str) -> Iterator[BeatRequest]:
    """Transfers that together touch exactly the bytes of a beat that the protocol carries.

    A transfer of a read touches the bytes from its address to the end of aligned 2**n bytes, so
    AXI4 reads some beats in parts; over AXI4-Lite, which has whole beats alone, there are no such
    ones. One of a write touches what is strobed.
    """
    if protocol != "axi4" or beat.kind != _READ:
        yield beat
        return
    strobe, at = beat.strobe, 0
    while strobe >> at:
        if not strobe >> at & 1:
            at += 1
            continue
        end = _end(strobe, at)
        yield replace(beat, strobe=(1 << end) - (1 << at))
        at = end


def _end(strobe: int, start: int) -> int:
    """End of the largest aligned piece around ``start`` that is active from there on."""
    size = 1
    end = start + 1
    while True:
        size *= 2
        further = start // size * size + size
        active = (1 << further) - (1 << start)
        if strobe & active != active:
            return end
        end = further
