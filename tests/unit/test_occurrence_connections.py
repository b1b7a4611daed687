"""Spatial rows that feed one another over internal connections, against the model."""

import random
from itertools import pairwise

import pytest
from amaranth.back import rtlil

from fabricgen.rtl.spatial.engine import SpatialEngine
from tests.support import memories as mem
from tests.support.networks import net
from tests.support.occurrence_harness import OccurrenceRun
from tests.support.port_harness import Rates
from tests.support.untagged import execute

CAPACITY = 256
COUNT = 16


def streams_of(found, **tokens):
    return {end: stream for (end, _), stream in found.streams(**tokens).items()}


def check(found, streams, *, seed=0, rates=None, memory=None, cycles=4000):
    """Run the hardware and the model; return the trace of the hardware."""
    memory = random.Random(seed).randbytes(CAPACITY) if memory is None else memory
    expected = execute(found.named, found.configuration, streams, memory)
    trace = OccurrenceRun(found.named, seed=seed, rates=rates).run(
        found.configuration, streams, memory, cycles=cycles
    )
    assert {at: tuple(tokens) for at, tokens in trace.outputs.items()} == expected.outputs
    assert trace.memory == expected.memory
    return trace


def words(rng, low, high, count=COUNT):
    return [rng.randrange(low, high) for _ in range(count)]


COPY = [("0.data", "1.data")]
ROLES = {
    "address": "addr",
    "data": "data",
    "mask": "mask",
    "control": "ctrl",
    "completion": "done",
}
SWEEPS = [pytest.param(1, None, marks=pytest.mark.slow), (2, Rates(0.6, 0.4))]


@pytest.mark.parametrize(("seed", "rates"), SWEEPS)
def test_a_load_feeds_a_store(seed, rates):
    rng = random.Random(seed)
    found = net("LS", COPY)
    streams = streams_of(
        found,
        a0=words(rng, 0, 32),
        c0=[0] * COUNT,
        a1=words(rng, 32, 64),
        c1=[0] * COUNT,
    )
    trace = check(found, streams, seed=seed, rates=rates)
    assert trace.quiescent


@pytest.mark.parametrize(("seed", "rates"), SWEEPS)
def test_data_and_completion_go_to_several_consumers_and_to_their_endpoint(seed, rates):
    rng = random.Random(seed)
    edges = [("0.data", "1.data"), ("0.data", "2.data"), ("0.done", "2.ctrl")]
    found = net("LSS", edges, exposed={"0.data"})
    streams = streams_of(
        found,
        a0=words(rng, 0, 20),
        c0=[0] * COUNT,
        a1=words(rng, 20, 40),
        c1=[0] * COUNT,
        a2=words(rng, 40, 64),
    )
    trace = check(found, streams, seed=seed, rates=rates)
    assert trace.quiescent


@pytest.mark.parametrize(("seed", "rates"), SWEEPS)
def test_masked_vectors_pass_whole_and_a_mask_may_come_from_a_load(seed, rates):
    rng = random.Random(seed)
    access = mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC)
    element = mem.view(mem.ELEMENT, element=8)
    edges = [("0.data", "1.data"), ("2.data", "1.mask")]
    found = net("LSL", edges, accesses=[access, access, element])
    streams = streams_of(
        found,
        a0=words(rng, 0, 28),
        m0=words(rng, 0, 16),
        c0=[0] * COUNT,
        a1=words(rng, 32, 60),
        c1=[0] * COUNT,
        a2=words(rng, 0, 100),
        c2=[0] * COUNT,
    )
    trace = check(found, streams, seed=seed, rates=rates)
    assert trace.quiescent


CHASE = [("0.data", "0.addr")]


def test_a_row_that_feeds_itself_from_nothing_never_starts():
    found = net("L", CHASE, exposed={"0.data"})
    trace = check(found, streams_of(found, c0=[0] * 4), cycles=60)
    assert trace.outputs[found.at["0.data"]] == []


def test_a_load_whose_store_orders_the_next_load():
    # The store's completion is the control of the load that reads back what was copied.
    rng = random.Random(5)
    edges = [("0.data", "1.data"), ("1.done", "2.ctrl")]
    found = net("LSL", edges)
    targets = rng.sample(range(32, 64), COUNT)
    streams = streams_of(
        found, a0=words(rng, 0, 32), c0=[0] * COUNT, a1=targets, c1=[0] * COUNT, a2=targets
    )
    assert check(found, streams, seed=5).quiescent


def steady(times):
    """Cycles between neighbours, without the ramp."""
    return {after - before for before, after in pairwise(times[4:])}


def test_a_copy_passes_one_token_in_two_cycles():
    found = net("LS", COPY, in_flight=8)
    indices = list(range(16))
    streams = streams_of(
        found, a0=indices, c0=[0] * 16, a1=[32 + each for each in indices], c1=[0] * 16
    )
    trace = check(found, streams, memory=bytes(range(CAPACITY)))
    assert steady(trace.published_at[found.at["1.done"]]) == {2}


def test_a_loaded_address_is_taken_three_cycles_after_the_one_before_it():
    found = net("LL", [("0.data", "1.addr")])
    memory = (7).to_bytes(4, "little") * (CAPACITY // 4)
    trace = check(found, streams_of(found, a0=[3], c0=[0], c1=[0]), memory=memory)
    (taken,) = trace.accepted_at[found.at["0.addr"]]
    (published,) = trace.published_at[found.at["1.data"]]
    # Operand taken to published is 3 cycles, and publication is when the next one is taken.
    assert published - taken == 3 + 3


def test_a_chase_through_two_loads_and_back_runs_at_the_round_trip():
    # Each load's data is the other's address; their completions leave. Nothing starts the walk,
    # so nothing happens, and nothing hangs in between.
    found = net("LL", [("0.data", "1.addr"), ("1.data", "0.addr")])
    trace = check(found, streams_of(found, c0=[0] * 3, c1=[0] * 3), cycles=60)
    assert trace.outputs[found.at["0.done"]] == trace.outputs[found.at["1.done"]] == []


def test_a_configuration_without_connections_leaves_them_idle():
    linked = net("LS", COPY)
    plain = net("LS")
    rows = plain.configuration
    found = type(linked)(linked.named, rows, linked.at)
    streams = streams_of(found, a0=[1, 2, 3], c0=[0] * 3, a1=[40, 41, 42], d1=[5, 6, 7], c1=[0] * 3)
    assert check(found, streams, seed=8).quiescent


def test_a_connection_may_lead_from_a_port_to_itself():
    """The data of a port that loads and stores is a result of the one, an operand of the other."""
    roles = {name: f"{{}}_{short}" for name, short in ROLES.items()}
    loads = {name: end.format("rd") for name, end in roles.items()}
    stores = {name: end.format("wr") for name, end in roles.items()}
    named = mem.memory(
        mem.ENDPOINTS,
        7,
        [
            mem.port(
                mem.alternative(mem.LOAD, loads, mem.hybrid_classes(mem.LOAD)),
                mem.alternative(mem.STORE, stores, mem.hybrid_classes(mem.STORE)),
                inputs=4,
            )
        ],
        mem.service(
            mem.capability(mem.LOAD, mem.hybrid_classes(mem.LOAD), (0,)),
            mem.capability(mem.STORE, mem.hybrid_classes(mem.STORE), (0,)),
            requesters=1,
        ),
        connections=[("rd_data", "wr_data")],
    )
    engine = SpatialEngine(named)
    assert {"data_link_0", "data_feed_0"} <= set(engine.ports[0].signature.members)
    assert "module" in rtlil.convert(engine)
