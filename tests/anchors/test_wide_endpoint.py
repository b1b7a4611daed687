"""Anchor: a wide endpoint over narrower beats, assembled row-major, with one retirement.

Spec: Validation Anchors, Endpoint Width Ownership And Vector Admission. The beat changes how long
an access takes, and nothing of what is seen.
"""

import pytest

from fabricgen.plan.rows import Active
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    LOAD,
    STORE,
    capability,
    hybrid_classes,
    hybrid_memory,
    replaced,
    row,
    service,
    view,
)
from tests.support.occurrence_harness import OccurrenceRun

CAPACITY = 256
RAMP = bytes(range(CAPACITY))
MASKED = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)
RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_MASK, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(10)


def over(beat, banks):
    """The hybrid ports of 128 bits over banks of this beat."""
    served = service(
        capability(LOAD, hybrid_classes(LOAD), (0,), beat=beat),
        capability(STORE, hybrid_classes(STORE), (1,), beat=beat),
        requesters=2,
        banks=banks,
        capacity=CAPACITY,
    )
    return replaced(hybrid_memory(), local_service=served)


@pytest.mark.parametrize(("beat", "banks"), [(8, 1), (16, 4), (32, 1), (64, 2), (128, 1)])
def test_one_vector_is_one_packet_whatever_the_beat_is(beat, banks):
    masks = [0b1111, 0b1011, 0b0000, 0b1000]
    rows = Active((row(0, LOAD, MASKED, base=1), row(1, STORE, MASKED, base=129)))
    payload = int.from_bytes(bytes(range(16)), "little")
    streams = {
        RD_ADDR: [0, 4, 5, 8],
        RD_MASK: masks,
        RD_CTRL: [0] * 4,
        WR_ADDR: [0, 4, 8, 12],
        WR_DATA: [payload] * 4,
        WR_MASK: masks,
        WR_CTRL: [0] * 4,
    }
    trace = OccurrenceRun(over(beat, banks)).run(rows, streams, RAMP, cycles=400)

    def words(*addresses):
        parts = [bytes(4) if at is None else RAMP[at : at + 4] for at in addresses]
        return int.from_bytes(b"".join(parts), "little")

    # Lane 0 lies lowest; addresses are 1 + 4 * index, so lanes cross every beat boundary.
    assert trace.outputs[RD_DATA] == [
        words(1, 5, 9, 13),
        words(17, 21, None, 29),
        0,
        words(None, None, None, 45),
    ]
    # One completion per firing, in the cycle of its data.
    assert trace.published_at[RD_DONE] == trace.published_at[RD_DATA]
    assert trace.outputs[RD_DONE] == trace.outputs[WR_DONE] == [0] * 4
    expected = bytearray(RAMP)
    for index, mask in zip((0, 4, 8, 12), masks, strict=True):
        for lane in range(4):
            if mask >> lane & 1:
                at = 129 + 4 * (index + lane)
                expected[at : at + 4] = bytes(range(4 * lane, 4 * lane + 4))
    assert trace.memory == bytes(expected)
