"""Anchor: many logical memories share one physical service.

Spec: Validation Anchors, and Memory Spaces And Interfaces: an endpoint or a region is a path to
one service, and what a row addresses in it is its own.
"""

from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.plan.row_check import configuration_findings
from tests.support.memories import ELEMENT, LOAD, STORE, hybrid_memory, row, table, view
from tests.support.occurrence_harness import OccurrenceRun

CAPACITY = 256
NAMED = hybrid_memory(capacity=CAPACITY)
BYTES, WORDS = view(ELEMENT, element=8), view(ELEMENT, element=32)
RD_ADDR, _, RD_CTRL, WR_ADDR, WR_DATA, _, WR_CTRL, RD_DATA, _, _ = range(10)


def test_two_rows_own_two_places_of_one_service():
    rows = table(row(0, LOAD, BYTES, base=0x10), row(1, STORE, WORDS, base=0x80))
    assert configuration_findings(NAMED, rows) == ()
    assert decode_configuration(NAMED, encode_configuration(NAMED, rows)) == rows
    streams = {
        RD_ADDR: [0, 1, 2],
        RD_CTRL: [0] * 3,
        WR_ADDR: [0, 1, 2],
        WR_DATA: [0x1111, 0x2222, 0x3333],
        WR_CTRL: [0] * 3,
    }
    memory = bytes(range(CAPACITY))
    trace = OccurrenceRun(NAMED).run(rows, streams, memory, cycles=60)
    assert trace.outputs[RD_DATA] == [0x10, 0x11, 0x12]
    written = b"".join(value.to_bytes(4, "little") for value in streams[WR_DATA])
    assert trace.memory == memory[:0x80] + written + memory[0x8C:]


def test_the_base_is_the_rows_own():
    for base in (0, 0x33, CAPACITY - 1):
        rows = table(row(0, LOAD, BYTES, base=base), None)
        (decoded, _) = decode_configuration(NAMED, encode_configuration(NAMED, rows)).operation_rows
        assert decoded.base_addr == base
