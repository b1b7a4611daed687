"""Which transfers of a bus carry the bytes of a beat."""

import pytest

from fabricgen.plan.beat_request import BeatEndpoint, BeatRequest, beat_findings
from fabricgen.plan.beat_transfers import transfers

READ, WRITE = 0, 1


def touched(start, size):
    """Bytes of a single transfer: from its address to the end of the aligned 2**size around it."""
    return sum(1 << at for at in range(8) if at >= start and at >> size == start >> size)


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


@pytest.mark.parametrize(
    ("beat", "where", "message"),
    [
        (BeatRequest(2, 0, 1), "kind", "Over axi4 a beat here must be a read or a write, not 2"),
        (
            BeatRequest(READ, 0x1004, 1),
            "address",
            "Over axi4 a beat must be at a multiple of its 8 bytes, not at 0x1004",
        ),
        (BeatRequest(WRITE, 0, 0), "strobe", "Over axi4 a beat must have a byte, not none"),
    ],
)
def test_what_no_transfer_can_ask_for_is_refused(beat, where, message):
    assert [
        (each.where, each.message) for each in beat_findings(beat, BeatEndpoint(8, "axi4"))
    ] == [(where, message)]
    assert list(beat_findings(beat, BeatEndpoint(8, "stream"))) == []


@pytest.mark.parametrize("strobe", range(1, 256))
def test_axi4_lite_reads_all_bytes_from_one_on(strobe):
    """A transfer is as wide as the bus, and touches no byte below its address."""
    carried = strobe in [touched(start, 3) for start in range(8)]
    found = list(beat_findings(BeatRequest(READ, 64, strobe), BeatEndpoint(8, "axi4_lite")))
    assert [(each.code, each.where) for each in found] == (
        [] if carried else [("beat-protocol", "strobe")]
    )
    assert list(beat_findings(BeatRequest(WRITE, 64, strobe), BeatEndpoint(8, "axi4_lite"))) == []
    beat = BeatRequest(READ, 64, strobe)
    assert list(transfers(beat, "axi4_lite")) == [beat]


def test_a_bus_has_no_channels_for_what_is_not_served():
    reader = BeatEndpoint(8, "axi4", kinds=(READ,))
    (finding,) = beat_findings(BeatRequest(WRITE, 0, 1), reader)
    assert finding.where == "kind"
    assert finding.message == "Over axi4 a beat here must be a read, not a write"
    assert list(beat_findings(BeatRequest(READ, 0, 1), reader)) == []
    assert list(beat_findings(BeatRequest(WRITE, 0, 1), BeatEndpoint(8, "stream", (READ,)))) == []
