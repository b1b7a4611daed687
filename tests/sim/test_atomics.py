"""Atomic accesses, fences and volatile ones at a manager, from documents to hardware.

What comes out is told by hand in each workload, so the model is held against it as well.
"""

import shutil

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.workload import parse_workload
from sim.simulate import simulate
from tests.support.atomic_text import atomic_fabric, atomic_mapping, atomic_row

pytest.importorskip("cocotb")
pytestmark = [
    pytest.mark.usefixtures("emit_once"),
    pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog"),
]

ABSENT = {"sync_scope": "system", "granularity": "absent"}
LANES = {"sync_scope": "single_thread", "granularity": "per_lane"}
FILLED = "{ fill = true }"
WEAK = {"orderings": ["seq_cst", "acquire"], "weak": True, "volatile": False}


def words(at, *values, bits=32):
    return f"memory.mem0.ext0.image = {{ words = {list(values)}, bits = {bits}, at = {at} }}\n"


def streams(kind, listed):
    rows = "\n".join(
        f'  {{ endpoint = "mem0.{end}", packed = true, tokens = {list(tokens)} }},'
        if isinstance(tokens, list)
        else f'  {{ endpoint = "mem0.{end}", tokens = {tokens} }},'
        for end, tokens in listed.items()
    )
    return f"{kind} = [\n{rows}\n]\n"


def outcome(directory, fabric_text, mapping, workload):
    """Run it with stalls and without; the bytes that the manager holds at the end."""
    fabric = parse_fabric(fabric_text)
    rows = parse_mapping(mapping, fabric)
    given = parse_workload(workload, fabric, rows.memories, directory)
    report = simulate(
        fabric,
        rows,
        given,
        simulator="icarus",
        seed=7,
        build_dir=directory,
        patterns=("always", "geometric"),
    )
    assert not report.findings
    return {
        address + at: byte
        for address, data in report.managers["mem0.ext0"]
        for at, byte in enumerate(data)
    }


def word(memory, address, size=4):
    return sum(memory.get(address + at, 0) << 8 * at for at in range(size))


#: Row, image, operands, results, and words of memory afterwards by address (size in bytes).
SPATIAL = {
    "rmw adds and returns what was there": (
        atomic_row(
            "r",
            "rmw",
            base=0x100,
            kind="add",
            ordering="acq_rel",
            volatile=False,
            alignment=4,
            **ABSENT,
        ),
        words(0x100, 10, 20, 0xFFFF_FFFF),
        {"addr": [0, 1, 2], "data": [1, 2, 3], "ctrl": FILLED},
        {"read": [10, 20, 0xFFFF_FFFF], "done": FILLED},
        {0x100: 11, 0x104: 22, 0x108: 2},
        4,
    ),
    "a volatile row counts one after the other": (
        atomic_row(
            "r",
            "rmw",
            bits=16,
            kind="add",
            ordering="acq_rel",
            volatile=True,
            alignment=2,
            **ABSENT,
        ),
        words(8, 0xFFFF, bits=16),
        {"addr": [4, 4, 5, 4], "data": [1, 1, 7, 1], "ctrl": FILLED},
        {"read": [0xFFFF, 0, 0, 1], "done": FILLED},
        {8: 2, 10: 7},
        2,
    ),
    "an object beyond 64 bits has no effect": (
        atomic_row(
            "r",
            "rmw",
            base=2**64 - 4,
            kind="xchg",
            ordering="acq_rel",
            volatile=False,
            alignment=4,
            **ABSENT,
        ),
        words(2**64 - 4, 77),
        {"addr": [0, 1], "data": [5, 6], "ctrl": FILLED},
        {"read": [77, 0], "done": FILLED},
        {2**64 - 4: 5, 0: 0},
        4,
    ),
    "each lane of a compare-exchange succeeds or fails alone": (
        atomic_row(
            "r",
            "cmpxchg",
            form="contiguous",
            bits=16,
            lanes=2,
            mask="dynamic",
            alignment=2,
            **LANES,
            **WEAK,
        ),
        words(0, 1, 2, 3, 4, bits=16),
        {
            "addr": [0, 2, 4, 0],
            "expected": [0x0002_0001, 0x0004_0009, 0x0000_0001, 0x0002_0001],
            "data": [0x0006_0005, 0x0008_0007, 0x000A_0009, 0x0001_0001],
            "mask": [3, 2, 3, 0],
            "ctrl": FILLED,
        },
        {"read": [0x0002_0001, 0x0004_0000, 0, 0], "success": [3, 2, 2, 0], "done": FILLED},
        {0: 5, 2: 6, 4: 3, 6: 8, 8: 0, 10: 10},
        2,
    ),
    "a whole object is exchanged once": (
        atomic_row(
            "r",
            "cmpxchg",
            bits=8,
            alignment=1,
            orderings=["monotonic", "monotonic"],
            weak=False,
            volatile=True,
            sync_scope="system",
            granularity="whole_payload",
        ),
        words(0x21, 3, bits=8),
        {"addr": [0x21, 0x21], "expected": [3, 3], "data": [4, 5], "ctrl": FILLED},
        {"read": [3, 4], "success": [1, 0], "done": FILLED},
        {0x21: 4, 0x22: 0},
        1,
    ),
    "lanes store where they point": (
        atomic_row(
            "r",
            "store",
            form="indexed",
            bits=8,
            lanes=2,
            mask="dynamic",
            alignment=1,
            volatile=False,
            atomic={"ordering": "release", **LANES},
        ),
        words(0, 0x04030201),
        {
            "addr": [3, 1 | 7 << 32, 9],
            "data": [0x55AA, 0x1234, 0x99],
            "mask": [1, 3, 0],
            "ctrl": FILLED,
        },
        {"done": FILLED},
        {0: 0xAA03_3401, 4: 0x1200_0000, 8: 0},
        4,
    ),
    "an element is loaded": (
        atomic_row(
            "r",
            "load",
            base=2,
            bits=16,
            alignment=2,
            volatile=True,
            atomic={"ordering": "seq_cst", **ABSENT},
        ),
        words(0, 1, 2, 3, bits=16),
        {"addr": [1, 0, 2], "ctrl": FILLED},
        {"read": [3, 2, 0], "done": FILLED},
        {0: 1},
        2,
    ),
    "a fence waits for its answer alone": (
        atomic_row("r", "fence", ordering="release", sync_scope="system"),
        "",
        {"ctrl": "{ count = 3 }"},
        {"done": "{ count = 3 }"},
        {},
        4,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", SPATIAL)
def test_a_spatial_row(case, tmp_path):
    row, image, operands, results, after, size = SPATIAL[case]
    workload = image + streams("stream", operands) + streams("expect", results)
    memory = outcome(tmp_path, atomic_fabric(), atomic_mapping(row), workload)
    assert {at: word(memory, at, size) for at in after} == after


def temporal_row(number, roles, results, row):
    """The row with its number as the tag of each role."""
    tags = {"tag": number}
    return row | {"inputs": dict.fromkeys(roles, tags), "outputs": dict.fromkeys(results, tags)}


#: Four rows at once; the tag of each is its number.
TEMPORAL = [
    temporal_row(
        0,
        ["address", "update", "control"],
        ["old", "completion"],
        atomic_row(
            "count", "rmw", kind="add", ordering="acq_rel", volatile=True, alignment=4, **ABSENT
        ),
    ),
    temporal_row(
        1,
        ["address", "expected", "desired", "mask", "control"],
        ["old", "success", "completion"],
        atomic_row(
            "swap",
            "cmpxchg",
            base=0x100,
            form="contiguous",
            bits=16,
            lanes=2,
            mask="dynamic",
            alignment=2,
            **LANES,
            **WEAK,
        ),
    ),
    temporal_row(
        2,
        ["address", "control"],
        ["data", "completion"],
        atomic_row(
            "look",
            "load",
            base=0x200,
            form="indexed",
            bits=8,
            lanes=2,
            alignment=1,
            volatile=False,
            atomic={"ordering": "acquire", **LANES},
        ),
    ),
    temporal_row(
        3,
        ["control"],
        ["completion"],
        atomic_row("order", "fence", ordering="seq_cst", sync_scope="system"),
    ),
]

_TEMPORAL_IMAGE = (
    "memory.mem0.ext0.image = [\n"
    "  { words = [5, 6], bits = 32, at = 0 },\n"
    "  { words = [1, 2, 3, 4], bits = 16, at = 0x100 },\n"
    "  { words = [7, 8, 9], bits = 8, at = 0x200 },\n"
    "]\n"
)

#: Tokens by endpoint and tag, of operands and of results.
_OFFERED = {
    ("addr", 0): [0, 0, 1],
    ("data", 0): [10, 20, 30],
    ("addr", 1): [0, 2, 0],
    ("expected", 1): [0x0002_0001, 0x0004_0000, 0],
    ("data", 1): [0x0006_0005, 0x0008_0007, 0],
    ("mask", 1): [3, 3, 0],
    ("addr", 2): [2, 1 << 32],
}
_PUBLISHED = {
    ("read", 0): [5, 15, 6],
    ("read", 1): [0x0002_0001, 0x0004_0003, 0],
    ("success", 1): [3, 2, 0],
    ("read", 2): [0x0709, 0x0807],
}


def test_temporal_rows_of_every_kind(tmp_path):
    counts = {0: 3, 1: 3, 2: 2, 3: 4}
    lines = {
        "stream": _OFFERED | {("ctrl", row): [0] * count for row, count in counts.items()},
        "expect": _PUBLISHED | {("done", row): [0] * count for row, count in counts.items()},
    }
    workload = _TEMPORAL_IMAGE
    for kind, listed in lines.items():
        workload += f"{kind} = [\n"
        for (end, tag), tokens in listed.items():
            workload += f'  {{ endpoint = "mem0.{end}", tag = {tag}, packed = true, '
            workload += f"tokens = {tokens} }},\n"
        workload += "]\n"
    memory = outcome(tmp_path, atomic_fabric(4), atomic_mapping(*TEMPORAL), workload)
    assert [word(memory, at) for at in (0, 4)] == [35, 36]
    assert [word(memory, 0x100 + at, 2) for at in (0, 2, 4, 6)] == [5, 6, 3, 8]
