# amaranth: UnusedElaboratable=no
"""Drawn tables of one Temporal engine: it does what the model says, and never beats its limits."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.model.execute import execute
from fabricgen.plan.rows import Active, ResultDestination, RoleSource
from tests.support import memories as mem
from tests.support.port_harness import Rates
from tests.support.temporal import temporal_memory, temporal_row
from tests.support.temporal_harness import TemporalRun

ROLE, LOAD, STORE = mem.ROLE, mem.LOAD, mem.STORE
CAPACITY, CONTEXTS = 256, 4
CONNECTIONS = [("rd_data", "wr_data"), ("rd_done", "wr_ctrl"), ("wr_done", "rd_ctrl")]
ENDPOINTS = list(mem.ENDPOINTS)
REFUSALS = frozenset(["workload-race", "workload-unconsumed"])
PREFIX = {LOAD: "rd", STORE: "wr"}
SHORT = {ROLE.ADDRESS: "addr", ROLE.DATA: "data", ROLE.MASK: "mask", ROLE.CONTROL: "ctrl"}
SHORT[ROLE.COMPLETION] = "done"


def endpoint(row, role):
    return f"{PREFIX[row.actor.schema_id]}_{SHORT[role]}"


def draw_rows(rng, named):
    """Some loads and stores; each connection may join a producer and some consumers."""
    accesses = (
        mem.view(mem.ELEMENT, element=8),
        mem.view(mem.ELEMENT),
        mem.view(mem.CONTIGUOUS, lanes=4),
        mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC),
    )
    rows = {}
    for ordinal in rng.sample(range(CONTEXTS), rng.randint(1, CONTEXTS)):
        schema = rng.choice([LOAD, STORE])
        access, base = rng.choice(accesses), rng.choice([0, 64, 128, 192])
        port = int(schema is STORE)
        rows[ordinal] = temporal_row(ordinal, port, schema, access, base=base)
    for connection, (source, sink) in enumerate(
        (ENDPOINTS[each.source_endpoint_ordinal], ENDPOINTS[each.sink_endpoint_ordinal])
        for each in named.occurrence.connectivity.internal_connections
    ):
        makers = [(r, role) for r, row in rows.items() for role in roles(row, source)]
        takers = [(r, role) for r, row in rows.items() for role in roles(row, sink)]
        if not makers or not takers or rng.random() < 0.4:
            continue
        maker, role = rng.choice(makers)
        takers = [
            (r, taking)
            for r, taking in rng.sample(takers, rng.randint(1, len(takers)))
            if taking is ROLE.CONTROL or rows[r].access.data_bits <= rows[maker].access.data_bits
        ]
        if takers:
            exposed = rng.random() < 0.5
            inside = ResultDestination(exposed, (connection,), maker if exposed else None)
            rows[maker] = changed(rows[maker], role, inside)
        for r, taking in takers:
            rows[r] = changed(rows[r], taking, RoleSource(connection))
    return Active(tuple(rows.get(ordinal) for ordinal in range(CONTEXTS)))


def roles(row, name):
    found = [role for role, _ in (*row.sources, *row.destinations)]
    return [role for role in found if endpoint(row, role) == name]


def changed(row, role, value):
    entries = "sources" if isinstance(value, RoleSource) else "destinations"
    pairs = ((r, value if r is role else old) for r, old in getattr(row, entries))
    return replace(row, **{entries: tuple(pairs)})


def draw_streams(rng, configuration):
    """Tokens of every external role; some have a token more than the others."""
    count = rng.choice([1, 4, 24])
    streams = {}
    for row in configuration.operation_rows:
        for role, source in row.sources if row else ():
            if source.connection is None:
                bits = {ROLE.DATA: row.access.data_bits, ROLE.MASK: 4}.get(role, 0)
                at = ENDPOINTS.index(endpoint(row, role))
                tokens = [rng.getrandbits(bits) if bits else 0 for _ in range(count)]
                if role is ROLE.ADDRESS:
                    last = 64 * 8 // row.access.element_bits - row.access.lane_count
                    tokens = [rng.randint(0, last) for _ in tokens]
                streams[at, source.tag] = tokens + tokens[:1] * (rng.random() < 0.1)
    return streams


def draw(rng, named):
    """A table and its tokens without races."""
    while True:
        configuration = draw_rows(rng, named)
        streams = draw_streams(rng, configuration)
        memory = rng.randbytes(CAPACITY)
        try:
            return configuration, streams, memory, execute(named, configuration, streams, memory)
        except Invalid as error:
            if not REFUSALS.issuperset(finding.code for finding in error.diagnostics):
                raise


def check(seed, rates):
    rng = random.Random(seed)
    named = temporal_memory(
        connections=CONNECTIONS,
        capacity=CAPACITY,
        in_flight=(rng.choice([1, 2, 4]), rng.choice([4, 8])),
    )
    configuration, streams, memory, done = draw(rng, named)
    contents = bytearray(memory)
    bench = TemporalRun(named, contents, seed=seed, rates=rates)
    trace = bench.run(configuration.operation_rows, streams)
    outputs = {key: tuple(tokens) for key, tokens in trace.outputs.items()}
    assert outputs == {key: tokens for key, tokens in done.outputs.items() if tokens}
    assert contents == done.memory
    # One token of each ingress and tag may wait in its slot.
    waiting = {key: max(0, count - 1) for key, count in done.leftover.items()}
    assert trace.left == {key: count for key, count in waiting.items() if count}
    rests = any(done.held.values()) or any(done.leftover.values())
    assert trace.empty == (not rests)
    times = [cycle for cycles in trace.published_at.values() for cycle in cycles]
    if times:
        assert max(times) - min(times) + 1 >= done.cycle_limit


RATES = (Rates(), Rates(0.6, 0.7, 0.8))


@pytest.mark.parametrize(("seed", "rates"), [(1, RATES[0]), (2, RATES[1]), (3, RATES[0])])
def test_a_drawn_table_does_what_the_model_says(seed, rates):
    check(seed, rates)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from(RATES))
def test_every_drawn_table_does_what_the_model_says(seed, rates):
    check(seed, rates)
