"""Beats of a manager against a byte-by-byte oracle."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from fabricgen.model.beats import LaneAccess, child_beats
from fabricgen.vocab.dataflow import ServiceKind

READ, WRITE = ServiceKind.MEMORY_READ, ServiceKind.MEMORY_WRITE


@st.composite
def children(draw):
    """A beat width, and lanes of one size that share no byte, as one part or several."""
    beat_bytes = draw(st.sampled_from([1, 2, 4, 8, 16]))
    size = draw(st.integers(1, 9))
    places = draw(st.lists(st.integers(0, 12), min_size=1, max_size=5, unique=True))
    base = draw(st.sampled_from([0, 3, 2**64 - 13 * size]))
    payload = draw(st.binary(min_size=size, max_size=size))
    is_write = draw(st.booleans())
    lanes = [
        LaneAccess(lane, base + place * size, size, payload if is_write else None)
        for lane, place in enumerate(places)
    ]
    parts = [lanes] if draw(st.booleans()) else [[lane] for lane in lanes]
    return beat_bytes, parts, WRITE if is_write else READ


def byte_by_byte(parts, beat_bytes):
    """Per part and beat, ascending: the active bytes with their values."""
    found = []
    for lanes in parts:
        beats = defaultdict(dict)
        for lane in lanes:
            for offset in range(lane.size):
                address = lane.address + offset
                value = None if lane.payload is None else lane.payload[offset]
                beats[address - address % beat_bytes][address % beat_bytes] = value
        found += sorted(beats.items())
    return found


@given(children())
def test_beats_hold_exactly_the_active_bytes(child):
    beat_bytes, parts, kind = child
    beats = list(child_beats(kind, parts, beat_bytes))
    expected = byte_by_byte(parts, beat_bytes)
    assert [beat.address for beat in beats] == [address for address, _ in expected]
    for beat, (_, content) in zip(beats, expected, strict=True):
        assert beat.kind is kind
        assert {at for at in range(beat_bytes) if beat.strobe >> at & 1} == set(content)
        assert beat.strobe < 1 << beat_bytes
        if kind is READ:
            assert beat.data is None
        else:
            data = beat.data.to_bytes(beat_bytes, "little")
            assert [data[at] for at in range(beat_bytes)] == [
                content.get(at, 0) for at in range(beat_bytes)
            ]
