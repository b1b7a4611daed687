"""Anchor: many logical memories share one physical service.

Spec: Validation Anchors, and Memory Spaces And Interfaces: an endpoint or a region is a path to
one service, and what a row addresses in it is its own. A mapping gives each logical memory a place
by a binding, and rows go through it.
"""

import pytest

from fabricgen.author.mapping import parse_mapping
from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.errors import Invalid
from fabricgen.plan.row_check import configuration_findings
from fabricgen.records.fabric import Fabric
from tests.support.documents import toml
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


BYTE_LOAD = {
    "form": "element",
    "element_bits": 8,
    "lanes": 1,
    "mask": "absent",
    "index_bits": 32,
    "pattern": "direct0",
}
WORD_STORE = BYTE_LOAD | {"element_bits": 32}
SAMPLES = {"name": "samples", "region": 0, "offset": 0x10, "size": 0x20}
RESULTS = {"name": "results", "region": 0, "offset": 0x80, "size": 0x40}
READ = {"name": "read", "port": "port0", "load": BYTE_LOAD, "binding": "samples"}
WRITE = {"name": "write", "port": "port1", "store": WORD_STORE, "binding": "results"}


def bound(*bindings, rows=(READ, WRITE)):
    """Rows that go through bindings of the one service."""
    memory = {"binding": list(bindings), "row": list(rows)}
    text = toml({"fabric": "shared", "memory": {"mem0": memory}})
    (configuration,) = parse_mapping(text, Fabric("shared", (NAMED,))).memories
    return configuration


def test_distinct_bindings_are_distinct_places_of_one_service():
    assert bound(SAMPLES, RESULTS) == table(
        row(0, LOAD, BYTES, base=0x10), row(1, STORE, WORDS, base=0x80)
    )


def test_a_logical_memory_moves_with_its_binding_alone():
    for offset in (0, 0x33, CAPACITY - 0x20):
        moved = bound(SAMPLES | {"offset": offset}, RESULTS)
        (read, write) = moved.operation_rows
        assert (read.base_addr, write.base_addr) == (offset, 0x80)
        assert decode_configuration(NAMED, encode_configuration(NAMED, moved)) == moved


def test_two_rows_may_share_a_logical_memory_and_their_place_in_it_is_their_own():
    rows = (READ | {"binding": "results", "base": 4}, WRITE)
    (read, write) = bound(RESULTS, rows=rows).operation_rows
    assert (read.base_addr, write.base_addr) == (0x84, 0x80)


@pytest.mark.parametrize(
    ("bindings", "rows", "code"),
    [
        ((SAMPLES, RESULTS | {"size": 0x81}), (READ, WRITE), "binding-outside-region"),
        ((SAMPLES, RESULTS | {"region": 1}), (READ, WRITE), "binding-region"),
        ((SAMPLES, RESULTS), (READ | {"base": 0x20}, WRITE), "row-outside-binding"),
        ((SAMPLES, RESULTS), (READ | {"binding": "result"}, WRITE), "unknown-name"),
        ((SAMPLES, RESULTS | {"name": "samples"}), (READ,), "duplicate-name"),
    ],
)
def test_a_row_stays_in_its_logical_memory_and_that_in_the_service(bindings, rows, code):
    with pytest.raises(Invalid) as caught:
        bound(*bindings, rows=rows)
    assert [finding.code for finding in caught.value.diagnostics] == [code]
