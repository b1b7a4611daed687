import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.plan.realisation import unsupported
from fabricgen.records.connectivity import InternalConnection, ManagerEndpointTarget
from fabricgen.records.fabric import Fabric, MemoryImplementation
from fabricgen.rtl.temporal.engine import TemporalEngine
from fabricgen.rtl.temporal.engine_shape import temporal_shape
from fabricgen.rtl.temporal.port import TemporalPort
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    ROLE,
    STORE,
    hybrid_memory,
    view,
)
from tests.support.port_harness import Rates
from tests.support.temporal_engines import (
    AT,
    CONNECTIONS,
    both_ways_memory,
    engine_memory,
    engine_row,
)
from tests.support.temporal_harness import (
    TemporalRun,
    expected,
    random_tokens,
    row_outputs,
    row_streams,
)
from tests.support.temporal_mutants import EagerPublisher, OfferingPublisher

WORD = view(ELEMENT, element=32)
BYTE = view(ELEMENT, element=8)
MASKED = view(CONTIGUOUS, element=8, lanes=4, mask=DYNAMIC)

#: Connection ordinals, in record order: by source endpoint, then sink.
CHASE, COPY, AFTER_LOAD, AFTER_STORE = 0, 1, 2, 3


def contents(seed=1):
    return bytearray(random.Random(seed).randbytes(1024))


def load(context, access, first_tag, **options):
    """A load whose roles have consecutive tags; ``port`` 0 unless it is given."""
    tags = {
        ROLE.ADDRESS: first_tag,
        ROLE.CONTROL: first_tag + 1,
        ROLE.DATA: first_tag,
        ROLE.COMPLETION: first_tag + 1,
    }
    if access.mask_form is DYNAMIC:
        tags[ROLE.MASK] = first_tag
    return engine_row(context, options.pop("port", 0), LOAD, access, tags, **options)


def store(context, access, first_tag, *, port=1, **options):
    tags = dict.fromkeys((ROLE.ADDRESS, ROLE.DATA, ROLE.CONTROL, ROLE.COMPLETION), first_tag)
    return engine_row(context, port, STORE, access, tags, **options)


def stores_data(row):
    return ROLE.DATA in dict(row.sources)


def run_rows(named, rows, count, *, seed=0, memory=None, cycles=1000, **options):
    """Random tokens for every row; the trace, each row's tokens, and the memory."""
    rng = random.Random(seed)
    memory = contents() if memory is None else memory
    tokens = {
        at: random_tokens(row, count, rng, elements=20)
        for at, row in enumerate(rows)
        if row is not None
    }
    streams = {}
    for at, found in tokens.items():
        streams |= row_streams(named, rows[at], found)
    engine = TemporalRun(named, memory, seed=seed, **options)
    return engine.run(rows, streams, cycles=cycles), tokens, memory


RATE = st.sampled_from([1.0, 0.7, 0.3])

FIVE = [
    load(0, WORD, 1, base=0x000),
    store(1, WORD, 3, base=0x300),
    load(2, MASKED, 5, base=0x080),
    store(3, BYTE, 7, base=0x380),
    load(4, BYTE, 9, base=0x1FF),
]


@settings(max_examples=4)
@given(st.integers(0, 2**32), st.builds(Rates, RATE, RATE, RATE, RATE))
def test_every_row_publishes_what_its_tokens_say_in_its_order(seed, rates):
    named = engine_memory(5, in_flight=(2, 6))
    before = contents()
    trace, tokens, after = run_rows(named, FIVE, 6, seed=seed, rates=rates)
    untouched = bytearray(before)
    for at, row in enumerate(FIVE):
        wanted = expected(row, tokens[at], untouched)
        for role, key in row_outputs(named, row).items():
            assert trace.outputs[key] == (wanted if role is ROLE.DATA else [0] * 6)
        # Joint: all results of a firing in one cycle.
        assert (
            len({tuple(trace.published_at[key]) for key in row_outputs(named, row).values()}) == 1
        )
    assert after == untouched
    assert (trace.empty, trace.left, trace.unmatched) == (True, {}, 0)


def test_ports_that_share_their_results_publish_one_firing_a_cycle_between_them():
    named = engine_memory(4, read_ports=2, in_flight=(4, 8))
    rows = [load(0, WORD, 1), load(1, WORD, 3, port=1), load(2, BYTE, 5, port=1), None]
    trace, tokens, memory = run_rows(named, rows, 8)
    for at, row in enumerate(rows[:3]):
        key = row_outputs(named, row)[ROLE.DATA]
        assert trace.outputs[key] == expected(row, tokens[at], memory)
    cycles = [
        cycle
        for key in trace.published_at
        if key[0] == AT["rd_data"]
        for cycle in trace.published_at[key]
    ]
    assert len(cycles) == len(set(cycles)) == 24


def test_one_port_loads_for_one_row_and_stores_for_another():
    named = both_ways_memory()
    schemas = [
        each.actor_contract_domain.actor_schema
        for each in named.occurrence.engine.ports[0].capability_alternatives
    ]
    rows = [
        load(0, WORD, 1, base=0, alternative_ordinal=schemas.index(LOAD)),
        store(1, WORD, 3, port=0, base=0x200, alternative_ordinal=schemas.index(STORE)),
        load(2, BYTE, 5, base=0x100, alternative_ordinal=schemas.index(LOAD)),
        store(3, BYTE, 7, port=0, base=0x300, alternative_ordinal=schemas.index(STORE)),
    ]
    untouched = contents()
    trace, tokens, memory = run_rows(named, rows, 6, rates=Rates(0.8, 0.7, 0.8, 0.7))
    for at, row in enumerate(rows):
        wanted = expected(row, tokens[at], untouched)
        assert len(published(trace, named, row)) == 6
        if row_outputs(named, row).get(ROLE.DATA):
            assert trace.outputs[AT["rd_data"], 1 + 2 * at] == wanted
    assert memory == untouched
    assert trace.empty


# Rates and latencies: rtl.md, Performance contract.


def published(trace, named, row):
    return trace.published_at[row_outputs(named, row)[ROLE.COMPLETION]]


def test_a_firing_is_published_six_cycles_after_its_last_operand():
    named = engine_memory(1, in_flight=(3, 3))
    row = load(0, WORD, 1)
    trace, _, _ = run_rows(named, [row], 1)
    assert trace.accepted_at[AT["rd_addr"], 1] == [0]
    assert published(trace, named, row) == [6]


def test_one_row_fires_in_every_second_cycle():
    named = engine_memory(2, in_flight=(3, 6))
    row = load(0, WORD, 1)
    trace, _, _ = run_rows(named, [row, None], 12)
    assert published(trace, named, row) == list(range(6, 30, 2))


@pytest.mark.parametrize("count", [2, 4])
def test_two_or_more_rows_fire_in_every_cycle(count):
    named = engine_memory(4, in_flight=(4, 12))
    rows = [load(at, WORD, 1 + 2 * at) for at in range(count)] + [None] * (4 - count)
    trace, _, _ = run_rows(named, rows, 12)
    cycles = sorted(cycle for row in rows if row for cycle in published(trace, named, row))
    assert len(cycles) == 12 * count
    # The driver shows one tag of an endpoint at a time, so the last firings may have gaps.
    steady = cycles[: 12 * count - 4]
    assert steady == list(range(steady[0], steady[0] + len(steady)))


def test_ports_fire_side_by_side():
    named = engine_memory(4, in_flight=(4, 12))
    rows = [load(0, WORD, 1), load(1, WORD, 3), store(2, WORD, 5), store(3, WORD, 7)]
    trace, _, _ = run_rows(named, rows, 12)
    for pair in (rows[:2], rows[2:]):
        cycles = sorted(cycle for row in pair for cycle in published(trace, named, row))
        assert cycles[:20] == list(range(cycles[0], cycles[0] + 20))


# Tags.


def test_roles_of_one_row_may_share_an_ingress_and_tags_count_per_ingress():
    """Row 0 and row 1 use tag 2 on different ingresses, with different meanings."""
    named = engine_memory(2)
    first = engine_row(
        0, 0, LOAD, WORD, {ROLE.ADDRESS: 2, ROLE.CONTROL: 1, ROLE.DATA: 9, ROLE.COMPLETION: 9}
    )
    second = engine_row(
        1, 0, LOAD, WORD, {ROLE.ADDRESS: 1, ROLE.CONTROL: 2, ROLE.DATA: 8, ROLE.COMPLETION: 8}
    )
    trace, tokens, memory = run_rows(named, [first, second], 5)
    assert trace.outputs[AT["rd_data"], 9] == expected(first, tokens[0], memory)
    assert trace.outputs[AT["rd_data"], 8] == expected(second, tokens[1], memory)


def test_a_token_whose_tag_nobody_takes_stays_outside_and_is_reported():
    named = engine_memory(2)
    row = load(0, WORD, 1)
    streams = row_streams(named, row, {ROLE.ADDRESS: [3], ROLE.CONTROL: [0]})
    streams[AT["rd_ctrl"], 7] = [0]
    trace = TemporalRun(named, contents()).run([row, None], streams, cycles=40)
    assert trace.left == {(AT["rd_ctrl"], 7): 1}
    assert trace.unmatched == 1 << AT["rd_ctrl"]
    assert len(published(trace, named, row)) == 1


# Retirement.


def test_a_row_whose_destination_is_dead_blocks_no_other_row():
    named = engine_memory(4, in_flight=(2, 5))
    rows = [load(at, WORD, 1 + 2 * at) for at in range(4)]
    dead = AT["rd_done"], 4

    def accepts(endpoint, tag, cycle):
        return (endpoint, tag) != dead

    trace, tokens, memory = run_rows(named, rows, 10, accepts=accepts, cycles=150)
    for at in (0, 2, 3):
        assert trace.outputs[AT["rd_data"], 1 + 2 * at] == expected(rows[at], tokens[at], memory)
    assert published(trace, named, rows[1]) == []
    assert not trace.empty
    assert {(row, destinations) for _, row, destinations in trace.unpublished} == {
        (1, 1 << AT["rd_done"] - AT["rd_data"])
    }


def test_the_harness_rejects_an_engine_that_offers_before_all_are_ready(monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.engine.Publisher", OfferingPublisher)
    named = engine_memory(2)
    with pytest.raises(AssertionError, match=r"^egress \d must be ready when it is valid"):
        run_rows(named, [load(0, WORD, 1), None], 4, rates=Rates(accept=0.3))


def test_the_harness_rejects_an_engine_that_publishes_each_part_when_it_can(monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.engine.Publisher", EagerPublisher)
    named, row = engine_memory(2), load(0, WORD, 1)
    trace, _, _ = run_rows(named, [row, None], 4, rates=Rates(accept=0.3), cycles=60)
    times = {tuple(trace.published_at[key]) for key in row_outputs(named, row).values()}
    assert len(times) == 2


def test_responses_in_any_order_leave_each_row_its_own():
    named = engine_memory(3, in_flight=(4, 10))
    rows = [load(at, WORD, 1 + 2 * at) for at in range(3)]
    trace, tokens, memory = run_rows(named, rows, 10, seed=4, rates=Rates(answer=0.4))
    order = [row for _, _, _, row in trace.responses]
    assert order != sorted(order)
    for at, row in enumerate(rows):
        assert trace.outputs[row_outputs(named, row)[ROLE.DATA]] == expected(
            row, tokens[at], memory
        )


def test_an_empty_mask_sends_nothing_and_keeps_its_place():
    named = engine_memory(2, in_flight=(4, 8))
    row = load(0, MASKED, 1, base=0)
    tokens = {ROLE.ADDRESS: [0, 1, 2, 3], ROLE.CONTROL: [0] * 4, ROLE.MASK: [0, 6, 0, 1]}
    memory = bytearray(range(256)) * 4
    trace = TemporalRun(named, memory, rates=Rates(answer=0.2)).run(
        [row, None], row_streams(named, row, tokens)
    )
    assert [seen["lanes"] for _, _, _, seen in trace.requests] == [6, 1]
    assert trace.outputs[AT["rd_data"], 1] == [0, 0x00030200, 0, 3]


def test_an_access_beyond_the_memory_reads_zero_and_names_its_row():
    named = engine_memory(4)
    row = load(2, WORD, 1, base=0x3FC)
    tokens = {ROLE.ADDRESS: [0, 1, 2**32 - 1], ROLE.CONTROL: [0] * 3}
    memory = contents()
    trace = TemporalRun(named, memory).run([None, None, row, None], row_streams(named, row, tokens))
    assert trace.outputs[AT["rd_data"], 1] == [int.from_bytes(memory[-4:], "little"), 0, 0]
    assert [row for _, _, _, row in trace.responses] == [2] * 3


def test_hold_closes_every_ingress_at_once_and_the_rest_drains():
    named = engine_memory(2, in_flight=(3, 6))
    row = load(0, WORD, 1)
    engine = TemporalRun(named, contents())
    engine.hold_from = 5
    tokens = random_tokens(row, 12, random.Random(0), elements=20)
    trace = engine.run([row, None], row_streams(named, row, tokens), cycles=60)
    assert trace.accepted_at[AT["rd_addr"], 1] == [0, 2, 4]
    assert len(published(trace, named, row)) == 3
    assert trace.empty


def test_a_reset_empties_every_row_and_another_table_follows_behind_hold():
    """The second table has the same rows on other ports, tags and bases."""
    named = engine_memory(3, in_flight=(2, 5), connections=CONNECTIONS)
    tables = [
        [load(0, MASKED, 1), store(1, WORD, 3, base=0x300), load(2, BYTE, 5)],
        [store(0, WORD, 9, base=0x380), load(1, WORD, 1, base=0), load(2, MASKED, 7)],
    ]
    rng = random.Random(6)
    tokens = [[random_tokens(row, 6, rng, elements=20) for row in rows] for rows in tables]
    jobs = []
    for rows, found in zip(tables, tokens, strict=True):
        streams = {}
        for row, each in zip(rows, found, strict=True):
            streams |= row_streams(named, row, each)
        jobs.append((rows, streams))
    memory, untouched = contents(), contents()
    rates = Rates(accept=0.5, answer=0.5)
    traces = TemporalRun(named, memory, rates=rates).run_all(jobs, cycles=400, reset_at=11)
    for rows, found, trace in zip(tables, tokens, traces, strict=True):
        for row, each in zip(rows, found, strict=True):
            wanted = expected(row, each, untouched)
            for role, key in row_outputs(named, row).items():
                assert trace.outputs[key] == (wanted if role is ROLE.DATA else [0] * 6)
        assert trace.empty
    assert memory == untouched


# Internal connections.


def copying(*, load_options=None, store_options=None):
    """A load whose data feeds a store, both counting through 20 words."""
    source = load(0, WORD, 1, base=0, to={ROLE.DATA: [COPY]}, **(load_options or {}))
    sink = store(1, WORD, 3, base=0x200, sources={ROLE.DATA: COPY}, **(store_options or {}))
    return [source, sink]


def copy_streams(named, rows, count):
    addresses = list(range(count))
    streams = {}
    for row in rows:
        tokens = {ROLE.ADDRESS: addresses, ROLE.CONTROL: [0] * count}
        streams |= row_streams(named, row, tokens)
    return streams


def test_a_copy_moves_one_token_in_two_cycles_and_stores_what_was_loaded():
    named = engine_memory(2, in_flight=(4, 8), connections=CONNECTIONS)
    rows, memory = copying(), contents()
    before = bytes(memory)
    trace = TemporalRun(named, memory).run(rows, copy_streams(named, rows, 20))
    assert memory[0x200 : 0x200 + 80] == before[:80]
    assert trace.empty
    done = published(trace, named, rows[1])
    # The forwarded token is taken in the cycle of the load's publication.
    taken = published(trace, named, rows[0])
    assert taken[-10:] == list(range(taken[-10], taken[-10] + 20, 2))
    assert [after - before for before, after in zip(taken, done, strict=True)] == [6] * 20


def test_a_completion_that_is_consumed_and_exposed_goes_to_both_at_once_or_to_none():
    """The store's control is the load's completion, which an endpoint sees as well."""
    named = engine_memory(2, in_flight=(4, 8), connections=CONNECTIONS)
    source = load(0, WORD, 1, base=0, to={ROLE.DATA: [COPY], ROLE.COMPLETION: [AFTER_LOAD]})
    sink = store(1, WORD, 3, base=0x200, sources={ROLE.DATA: COPY, ROLE.CONTROL: AFTER_LOAD})
    streams = row_streams(named, source, {ROLE.ADDRESS: list(range(9)), ROLE.CONTROL: [0] * 9})
    streams[AT["wr_addr"], 3] = list(range(9))
    memory = contents()
    before = bytes(memory)
    trace = TemporalRun(named, memory, seed=3, rates=Rates(0.8, 0.4, 0.7, 0.6)).run(
        [source, sink], streams
    )
    assert memory[0x200 : 0x200 + 36] == before[:36]
    assert len(published(trace, named, source)) == len(published(trace, named, sink)) == 9
    assert trace.empty


def test_a_pointer_chase_takes_its_addresses_from_loaded_data():
    """Two hops through one port: row 1 is told where to begin, row 0 follows."""
    named = engine_memory(2, in_flight=(2, 4), connections=CONNECTIONS)
    chase = load(0, WORD, 1, base=0, sources={ROLE.ADDRESS: CHASE})
    feed = load(1, WORD, 3, base=0, to={ROLE.DATA: [CHASE]})
    memory = contents()
    for at in range(0, 1024, 4):
        memory[at : at + 4] = ((at // 4 * 7 + 3) % 256).to_bytes(4, "little")
    streams = row_streams(named, feed, {ROLE.ADDRESS: [5, 9], ROLE.CONTROL: [0, 0]})
    streams |= row_streams(named, chase, {ROLE.CONTROL: [0, 0]})
    trace = TemporalRun(named, memory).run([chase, feed], streams)
    assert trace.outputs[AT["rd_data"], 3] == [38, 66]
    assert trace.outputs[AT["rd_data"], 1] == [(38 * 7 + 3) % 256, (66 * 7 + 3) % 256]
    assert trace.empty


def test_one_connection_feeds_several_rows_together():
    """Two stores take the same data; the load waits until both are empty."""
    named = engine_memory(3, in_flight=(4, 12), connections=CONNECTIONS)
    source = load(0, WORD, 1, base=0, to={ROLE.DATA: [COPY]})
    sinks = [
        store(1, WORD, 3, base=0x200, sources={ROLE.DATA: COPY}),
        store(2, WORD, 5, base=0x300, sources={ROLE.DATA: COPY}),
    ]
    memory = contents()
    before = bytes(memory)
    trace = TemporalRun(named, memory, seed=2, rates=Rates(offer=0.6)).run(
        [source, *sinks], copy_streams(named, [source, *sinks], 10)
    )
    assert memory[0x200 : 0x200 + 40] == memory[0x300 : 0x300 + 40] == before[:40]
    assert trace.empty


# Several targets.

EXT = ManagerEndpointTarget(0)


def two_targets(rows=4, **options):
    return engine_memory(rows, managers={"ext0": 64}, **options)


def test_rows_of_one_port_go_to_the_targets_that_they_name():
    """A manager has 64 address bits; what lies beyond the local service stays beyond it."""
    named = two_targets(in_flight=(2, 6))
    rows = [
        load(0, WORD, 1),
        load(1, WORD, 3, target=EXT),
        load(2, WORD, 5, base=0x300),
        store(3, WORD, 7, base=0x200, target=EXT),
    ]
    memory, outside = contents(1), contents(2)
    untouched = bytearray(outside)
    trace, tokens, _ = run_rows(
        named,
        rows,
        8,
        memory=memory,
        managers=[outside],
        rates=Rates(answer=0.6, serve=0.7),
    )
    assert trace.outputs[AT["rd_data"], 1] == expected(rows[0], tokens[0], memory)
    assert trace.outputs[AT["rd_data"], 3] == expected(rows[1], tokens[1], untouched)
    assert trace.outputs[AT["rd_data"], 5] == expected(rows[2], tokens[2], memory)
    expected(rows[3], tokens[3], untouched)
    assert outside == untouched
    assert {(target, row) for _, _, target, row in trace.responses} == {
        (0, 0), (1, 1), (0, 2), (1, 3)
    }  # fmt: skip


def test_an_address_above_those_of_the_local_service_is_no_address_below():
    """The port computes 64 bits for its manager; 2**30 words are 2**32 bytes."""
    named = two_targets(2)
    rows = [load(0, WORD, 1, base=0), load(1, WORD, 3, base=0, target=EXT)]
    streams = {}
    for row in rows:
        streams |= row_streams(named, row, {ROLE.ADDRESS: [2**30, 1], ROLE.CONTROL: [0, 0]})
    trace = TemporalRun(named, contents(), managers=[contents(2)]).run(rows, streams)
    sent = {(target, seen["address"], seen["beyond"]) for _, _, target, seen in trace.requests}
    assert sent == {(0, 0, 1), (0, 4, 0), (1, 2**32, 0), (1, 4, 0)}
    assert trace.outputs[AT["rd_data"], 1] == [0, int.from_bytes(contents()[4:8], "little")]


def test_a_target_that_takes_nothing_does_not_block_the_others():
    named = two_targets(in_flight=(2, 6))
    rows = [load(0, WORD, 1, target=EXT), load(1, WORD, 3), load(2, WORD, 5, target=EXT), None]
    trace, tokens, memory = run_rows(named, rows, 20, managers=[contents(2)], dead=(1,), cycles=200)
    assert trace.outputs[AT["rd_data"], 3] == expected(rows[1], tokens[1], memory)
    assert [target for _, _, target, _ in trace.requests] == [0] * 20


def test_an_error_of_a_manager_retires_its_row_with_zeros():
    named = two_targets(in_flight=(2, 6))
    rows = [load(0, MASKED, 1, target=EXT), load(1, WORD, 3, target=EXT), None, None]
    outside = contents(2)
    trace, tokens, _ = run_rows(named, rows, 6, managers=[outside], failing=(0,))
    assert trace.outputs[AT["rd_data"], 1] == [0] * 6
    assert trace.outputs[AT["rd_data"], 3] == expected(rows[1], tokens[1], outside)


def test_a_volatile_row_of_a_manager_has_one_access_outstanding():
    named = two_targets(in_flight=(2, 8), volatile=(False, True))
    rows = [
        load(0, WORD, 1, target=EXT, volatile=True),
        load(1, WORD, 3, target=EXT),
        load(2, WORD, 5, volatile=True),
        None,
    ]
    trace, tokens, memory = run_rows(
        named, rows, 8, managers=[contents(2)], rates=Rates(answer=0.3), seed=5
    )
    assert trace.outputs[AT["rd_data"], 5] == expected(rows[2], tokens[2], memory)
    most = {}
    for row in range(3):
        sent = [cycle for cycle, _, _, seen in trace.requests if seen["slot"] >> 1 == row]
        ends = [cycle for cycle, _, _, at in trace.responses if at == row]
        assert len(sent) == len(ends) == 8
        most[row] = max(
            sum(at <= cycle for at in sent) - sum(at <= cycle for at in ends) for cycle in sent
        )
    assert most == {0: 1, 1: 2, 2: 2}
    flags = {seen["slot"] >> 1: seen["volatile"] for _, _, target, seen in trace.requests if target}
    assert flags == {0: 1, 1: 0}


def test_operands_keep_the_bits_that_a_firing_can_use_and_controls_none():
    """All roles come over one channel of 100 bits; indices have 32, payloads 32, masks 4."""
    named = engine_memory(2)
    ends = list(named.occurrence.endpoints)
    for name in ("rd_addr", "rd_mask", "rd_ctrl", "wr_addr", "wr_data", "wr_ctrl"):
        ends[AT[name]] = replace(ends[AT[name]], payload_width=100)
    pairs = (("rd_data", "wr_data"), ("rd_done", "rd_ctrl"), ("rd_done", "wr_ctrl"))
    joined = tuple(InternalConnection(AT[source], AT[sink]) for source, sink in pairs)
    connectivity = replace(named.occurrence.connectivity, internal_connections=joined)
    occurrence = replace(named.occurrence, endpoints=tuple(ends), connectivity=connectivity)
    named = replace(named, occurrence=occurrence)
    read, write = (temporal_shape(named, port).front_end() for port in range(2))
    assert [role.width for role in read.roles] == [32, 4, 0]
    assert [role.width for role in write.roles] == [32, 32, 0]
    # Connection 0 brings data, the others are events.
    assert (read.connection_widths, write.connection_widths) == (((1, 0),), ((0, 32), (2, 0)))


# What can be watched.


def test_waits_say_what_each_row_has():
    """Per row: address, data, mask, control present; then claim, issued, held, complete."""
    counted = MemoryImplementation(counters=True)
    named = engine_memory(2, in_flight=(1, 2), implementation=counted)
    rows = [load(0, WORD, 1), load(1, WORD, 3)]
    streams = row_streams(named, rows[0], {ROLE.ADDRESS: [1], ROLE.CONTROL: []})
    streams |= row_streams(named, rows[1], {ROLE.ADDRESS: [1, 2], ROLE.CONTROL: [0, 0]})

    def accepts(endpoint, tag, cycle):
        return tag != 4

    trace = TemporalRun(named, contents(), accepts=accepts).run(rows, streams, cycles=40)
    first, second = trace.waits[-1] & 0xFF, trace.waits[-1] >> 8
    assert first == 0b0001_0001, "an address, and claims to take"
    assert second == 0b1010_1001, "a complete firing holds the claims; the next one stands behind"
    seen = {waits >> 8 for waits in trace.waits}
    assert any(bits & 0b0110_0000 == 0b0110_0000 for bits in seen), "it stood before its target"


def test_every_firing_in_front_of_a_target_is_told_whichever_stands_first():
    counted = MemoryImplementation(counters=True)
    named = two_targets(3, in_flight=(1, 3), implementation=counted)
    rows = [load(0, WORD, 1, target=EXT), load(1, WORD, 3, target=EXT), load(2, WORD, 5)]
    trace, _, _ = run_rows(named, rows, 1, managers=[contents(2)], dead=(1,), cycles=60)
    # Rows 0 and 1: claims taken, issued, held; row 2 has gone through the local service.
    assert [trace.waits[-1] >> 8 * row & 0xFF for row in range(3)] == [
        0b0110_0000,
        0b0110_0000,
        0b0001_0000,
    ]


@pytest.mark.parametrize("depth", [1, 3])
def test_an_engine_of_one_row_has_no_row_to_choose(depth):
    named = engine_memory(1, in_flight=(depth, depth))
    row = store(0, WORD, 1, base=0)
    trace, tokens, memory = run_rows(named, [row], 6, seed=8)
    assert len(published(trace, named, row)) == 6
    untouched = contents()
    expected(row, tokens[0], untouched)
    assert memory == untouched


def test_an_engine_is_built_for_a_temporal_schedule():
    with pytest.raises(
        ValueError, match=r"^Memory mem0 must have a Temporal engine, not Spatial\(\)$"
    ):
        TemporalEngine(hybrid_memory())
    with pytest.raises(TypeError, match=r"^TemporalPort shape must be a TemporalShape, not 3$"):
        TemporalPort(3)


@pytest.mark.parametrize("depth", [1, 3])
def test_an_operand_takes_a_token_only_while_it_is_empty_whatever_its_depth(depth):
    named = engine_memory(depth=depth)
    assert unsupported(Fabric("deep", (named,))) == ()
    row = load(0, WORD, 1)
    streams = row_streams(named, row, {ROLE.ADDRESS: [0, 1, 2], ROLE.CONTROL: []})
    trace = TemporalRun(named, contents()).run([row, None, None, None], streams, cycles=20)
    assert trace.left == {(AT["rd_addr"], 1): 2}
    streams = row_streams(named, row, {ROLE.ADDRESS: [0, 1, 2], ROLE.CONTROL: [0, 0, 0]})
    trace = TemporalRun(named, contents()).run([row, None, None, None], streams)
    first, second, third = trace.accepted_at[AT["rd_addr"], 1]
    assert second - first >= 2
    assert third - second >= 2


UNEVEN = (1, 3, 2)


def test_each_row_has_as_many_firings_inside_as_its_own_context_may():
    named = engine_memory(3, in_flight=(UNEVEN, 8))
    assert unsupported(Fabric("uneven", (named,))) == ()
    rows = [load(at, WORD, 1 + 2 * at) for at in range(3)]

    def never(endpoint, tag, cycle):
        return False

    stuck, _, _ = run_rows(named, rows, 8, accepts=never, cycles=100)
    requested = [seen["slot"] >> 2 for _, _, _, seen in stuck.requests]
    assert tuple(requested.count(at) for at in range(3)) == UNEVEN


@settings(max_examples=3)
@given(st.integers(0, 2**32), st.builds(Rates, RATE, RATE, RATE, RATE))
def test_and_publishes_them_in_its_order(seed, rates):
    named = engine_memory(3, in_flight=(UNEVEN, 5))
    rows = [load(0, WORD, 1), load(1, MASKED, 3), store(2, WORD, 5, base=0x300)]
    trace, tokens, after = run_rows(named, rows, 8, seed=seed, rates=rates)
    untouched = contents()
    for at, row in enumerate(rows):
        wanted = expected(row, tokens[at], untouched)
        for role, key in row_outputs(named, row).items():
            assert trace.outputs[key] == (wanted if role is ROLE.DATA else [0] * 8)
    assert after == untouched
    assert (trace.empty, trace.left) == (True, {})
