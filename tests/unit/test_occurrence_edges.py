"""The occurrence where its memory is small, its traffic hostile, or its reset untimely."""

import random

from fabricgen.plan.rows import Active
from tests.support import memories as mem
from tests.support.occurrence_harness import Job, OccurrenceRun
from tests.support.port_harness import Rates
from tests.support.untagged import execute

LANES = 4


def scatter_gather_memory(capacity, *, banks, beat):
    """One port that gathers and one that scatters four 16-bit lanes."""
    endpoints = {
        "load_index": 32,
        "load_control": 0,
        "store_index": 32,
        "store_data": 64,
        "store_control": 0,
        "load_data": 64,
        "load_done": 0,
        "store_done": 0,
    }
    at = {name: ordinal for ordinal, name in enumerate(endpoints)}

    def side(schema, prefix):
        classes = (
            mem.access_class(mem.INDEXED, schema, elements=(16,), lanes=(LANES,), index=(8,)),
        )
        roles = {
            "address": at[f"{prefix}_index"],
            "data": at[f"{prefix}_data"],
            "control": at[f"{prefix}_control"],
            "completion": at[f"{prefix}_done"],
        }
        return classes, mem.alternative(schema, roles, classes)

    loads, load = side(mem.LOAD, "load")
    stores, store = side(mem.STORE, "store")
    local = mem.service(
        mem.capability(mem.LOAD, loads, (0,), beat=beat),
        mem.capability(mem.STORE, stores, (1,), beat=beat),
        requesters=2,
        banks=banks,
        capacity=capacity,
    )
    ports = (mem.port(load, inputs=2), mem.port(store, inputs=3))
    return mem.memory(endpoints, 5, ports, local), at


def test_a_memory_smaller_than_one_row_of_banks_gathers_and_scatters():
    # 7 address bits, of which a beat's offset and its bank would take 8.
    named, at = scatter_gather_memory(100, banks=8, beat=256)
    rng = random.Random(1)
    view = mem.view(mem.INDEXED, element=16, lanes=LANES, index=8)
    rows = (mem.row(0, mem.LOAD, view, base=0), mem.row(1, mem.STORE, view, base=51))
    configuration = Active(rows)

    def index_tokens(count):
        lanes = [[rng.randrange(24) for _ in range(LANES)] for _ in range(count)]
        return [sum(index << 8 * lane for lane, index in enumerate(each)) for each in lanes]

    streams = {
        at["load_index"]: index_tokens(12),
        at["load_control"]: [0] * 12,
        at["store_index"]: index_tokens(12),
        at["store_data"]: [rng.getrandbits(64) for _ in range(12)],
        at["store_control"]: [0] * 12,
    }
    memory = rng.randbytes(100)
    (trace,) = OccurrenceRun(named, seed=1, rates=Rates(0.8, 0.8)).run_all(
        [Job(configuration, streams, memory, 1000)]
    )
    expected = execute(named, configuration, streams, memory)
    assert {end: tuple(tokens) for end, tokens in trace.outputs.items()} == expected.outputs
    assert trace.memory == expected.memory
