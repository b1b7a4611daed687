"""Which transfers of a bus carry the bytes of a beat, against the rules of AXI4."""

import pytest

from fabricgen.plan.beat_request import BeatRequest
from fabricgen.plan.beat_transfers import transfers
from sim.axi4_rules import Transaction, transfer_bytes

READ, WRITE = 0, 1


def touched(start, size):
    """Bytes of a single transfer from ``start`` on."""
    return sum(1 << at for at in transfer_bytes(Transaction(0, start, 0, size, 1), 0))


@pytest.mark.parametrize("strobe", range(1, 256))
def test_reads_touch_exactly_the_bytes_of_the_beat(strobe):
    """Every part is one transfer of some size, and no fewer transfers would do."""
    single = {touched(start, size) for start in range(8) for size in range(4)}
    parts = [each.strobe for each in transfers(BeatRequest(READ, 64, strobe), "axi4")]
    assert set(parts) <= single
    assert sum(parts) == strobe
    fewest = {0: 0}
    for mask in range(1, strobe + 1):
        inside = [part for part in single if part & ~mask == 0]
        fewest[mask] = 1 + min(fewest[mask & ~part] for part in inside)
    assert len(parts) == fewest[strobe]


def test_what_needs_no_parts_stays_as_it_is():
    write = BeatRequest(WRITE, 64, 0b1010, 5, 1, 2)
    assert list(transfers(write, "axi4")) == [write]
    read = BeatRequest(READ, 64, 0b1010)
    assert list(transfers(read, "stream")) == [read]


def test_parts_keep_what_the_beat_says():
    beat = BeatRequest(READ, 64, 0b101, 0, 3, 4)
    first, second = transfers(beat, "axi4")
    assert first == BeatRequest(READ, 64, 0b001, 0, 3, 4)
    assert second == BeatRequest(READ, 64, 0b100, 0, 3, 4)
