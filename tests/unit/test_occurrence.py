import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import Active, Disabled
from tests.support import rich_memory
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    ROLE,
    STORE,
    hybrid_memory,
    row,
    view,
)
from tests.support.occurrence_harness import Job, OccurrenceRun
from tests.support.port_harness import Rates
from tests.support.rich_memory import OTHER_ROW, RICH, ROWS
from tests.support.untagged import execute

CAPACITY = 256
SMALL = hybrid_memory(capacity=CAPACITY)
RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_MASK, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(10)
ACCESSES = [
    view(ELEMENT, element=8),
    view(ELEMENT, element=16),
    view(ELEMENT, element=32),
    view(CONTIGUOUS, lanes=4),
    view(CONTIGUOUS, lanes=4, mask=DYNAMIC),
]
RATE = st.sampled_from([1.0, 0.7, 0.3])


def streams_of(rng, access, ends, count, indices):
    """Tokens for the endpoints of one row; ``indices`` draws an address token."""
    address, mask, control, *data = ends
    streams = {address: [indices() for _ in range(count)], control: [0] * count}
    if access.mask_form is DYNAMIC:
        streams[mask] = [rng.choice([0, 15, rng.getrandbits(4)]) for _ in range(count)]
    for endpoint in data:
        streams[endpoint] = [rng.getrandbits(128) for _ in range(count)]
    return streams


def mixed_traffic(seed, read, write, count):
    """Loads from the lower half, stores to the upper half: no race between the rows."""
    rng = random.Random(seed)
    size = read.element_bits // 8

    def low():
        return rng.randrange(CAPACITY // 2 // size - read.lane_count)

    def high():
        # Some stores run over the end of the memory.
        return rng.choice([rng.randrange(CAPACITY // 2), rng.getrandbits(32)])

    return {
        **streams_of(rng, read, (RD_ADDR, RD_MASK, RD_CTRL), count, low),
        **streams_of(rng, write, (WR_ADDR, WR_MASK, WR_CTRL, WR_DATA), count, high),
    }


def random_job(rng):
    read, write = rng.choice(ACCESSES), rng.choice(ACCESSES)
    configuration = Active(
        (row(0, LOAD, read, base=1), row(1, STORE, write, base=CAPACITY // 2 + 3))
    )
    streams = mixed_traffic(rng.getrandbits(32), read, write, 16)
    return Job(configuration, streams, rng.randbytes(CAPACITY), cycles=2000)


def check_jobs(named, jobs, seed, rates):
    """Hold every job of one run against the model."""
    bench_run = OccurrenceRun(named, seed=seed, rates=rates)
    span = 1 << bench_run.dut.geometry.address_bits
    for job, trace in zip(jobs, bench_run.run_all(jobs), strict=True):
        expected = execute(named, job.configuration, job.streams, job.memory)
        assert {at: tuple(tokens) for at, tokens in trace.outputs.items()} == expected.outputs
        assert trace.memory == expected.memory
        assert trace.quiescent
        first_seen = {}
        for fault_row, address in trace.faults:
            first_seen.setdefault(fault_row, address)
        first = {fault.row: fault.address % span for fault in expected.out_of_range}
        assert first_seen == first


@pytest.mark.parametrize(("seed", "rates"), [(1, Rates()), (2, Rates(0.7, 0.5))])
def test_both_ports_do_what_the_model_says_through_reconfigurations(seed, rates):
    rng = random.Random(seed)
    check_jobs(SMALL, [random_job(rng) for _ in range(6)], seed, rates)


def rich_job(rng, chosen=None):
    """One row of the rich memory, its indices mostly inside the regions."""
    chosen = chosen or rng.choice([*ROWS, OTHER_ROW])
    port = RICH.occurrence.engine.ports[chosen.port]
    access, count = chosen.access, 12
    inputs, _ = active_roles(
        port.capability_alternatives[chosen.capability_alternative], chosen.actor, access
    )
    limit = rich_memory.CAPACITY // (access.element_bits // 8)

    def address():
        indices = [
            rng.choice([rng.randrange(limit), rng.getrandbits(access.address_lane_bits)])
            for _ in range(access.address_count)
        ]
        return sum(index << access.address_lane_bits * lane for lane, index in enumerate(indices))

    draw = {
        ROLE.ADDRESS: address,
        ROLE.DATA: lambda: rng.getrandbits(128),
        ROLE.MASK: lambda: rng.choice([0, 15, rng.getrandbits(4)]),
        ROLE.CONTROL: lambda: 0,
    }
    streams = {endpoint: [draw[role]() for _ in range(count)] for role, endpoint in inputs}
    rows = (chosen, None) if chosen.port == 0 else (None, chosen)
    return Job(Active(rows), streams, rng.randbytes(rich_memory.CAPACITY), cycles=2000)


@pytest.mark.parametrize(("seed", "rates"), [(1, Rates()), (2, Rates(0.5, 0.7))])
def test_every_form_alternative_and_shared_endpoint_does_what_the_model_says(seed, rates):
    rng = random.Random(seed)
    order = [OTHER_ROW, *rng.sample(ROWS, len(ROWS)), OTHER_ROW]
    check_jobs(RICH, [rich_job(rng, chosen) for chosen in order], seed, rates)


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 2**32), st.builds(Rates, RATE, RATE), st.booleans())
def test_no_pattern_of_gaps_makes_a_difference(seed, rates, is_rich):
    rng = random.Random(seed)
    named, job = (RICH, rich_job) if is_rich else (SMALL, random_job)
    check_jobs(named, [job(rng) for _ in range(8)], seed, rates)


def test_after_a_reset_in_mid_traffic_it_starts_again():
    read = write = ACCESSES[4]
    configuration = Active(
        (row(0, LOAD, read, base=1), row(1, STORE, write, base=CAPACITY // 2 + 3))
    )
    streams = mixed_traffic(5, read, write, 16)
    memory = random.Random(5).randbytes(CAPACITY)
    jobs = [Job(configuration, streams, memory, 2000, pulled) for pulled in (3, 7, 20)]
    expected = execute(SMALL, configuration, streams, memory)
    for trace in OccurrenceRun(SMALL, seed=5, rates=Rates(0.8, 0.8)).run_all(jobs):
        assert {at: tuple(tokens) for at, tokens in trace.outputs.items()} == expected.outputs
        assert trace.memory == expected.memory


def test_element_loads_and_stores_sustain_one_firing_a_cycle_each():
    access = view(ELEMENT, element=32)
    configuration = Active((row(0, LOAD, access, base=0), row(1, STORE, access, base=128)))
    count = 24
    streams = {
        RD_ADDR: list(range(count)),
        RD_CTRL: [0] * count,
        WR_ADDR: list(range(count)),
        WR_CTRL: [0] * count,
        WR_DATA: list(range(count)),
    }
    trace = OccurrenceRun(SMALL).run(configuration, streams, bytes(CAPACITY), cycles=40)
    assert trace.accepted_at[RD_ADDR] == list(range(count))
    # Operands in cycle n, data and done in cycle n + 3.
    assert trace.published_at[RD_DATA] == trace.published_at[RD_DONE] == list(range(3, 3 + count))
    assert trace.published_at[WR_DONE] == list(range(3, 3 + count))


def test_the_lowest_row_is_reported_when_two_leave_the_regions_together():
    access = view(ELEMENT, element=32)
    configuration = Active((row(0, LOAD, access, base=0), row(1, STORE, access, base=4)))
    streams = {RD_ADDR: [64, 0], RD_CTRL: [0, 0], WR_ADDR: [64, 65], WR_CTRL: [0] * 2}
    streams[WR_DATA] = [1, 2]
    trace = OccurrenceRun(SMALL).run(configuration, streams, bytes(CAPACITY), cycles=40)
    # Byte 256 and 260, then 264 alone, each modulo the 256 bytes of an address.
    assert trace.faults == [(0, 0), (1, 8)]
    assert trace.outputs[RD_DATA] == [0, 0]
    assert trace.memory == bytes(CAPACITY)


def test_a_disabled_occurrence_takes_and_publishes_nothing():
    streams = {at: [1 if at in (RD_ADDR, WR_ADDR) else 0] for at in (RD_ADDR, RD_CTRL, WR_ADDR)}
    trace = OccurrenceRun(SMALL).run(Disabled(), streams, bytes(CAPACITY), cycles=10)
    assert not any(trace.accepted_at.values())
    assert not any(trace.outputs.values())
    assert trace.quiescent


def test_hold_closes_every_ingress_at_once_and_what_is_inside_drains():
    access = view(ELEMENT, element=32)
    bench_run = OccurrenceRun(SMALL)
    dut, drive = bench_run.dut, bench_run._drive
    configuration = Active((row(0, LOAD, access, base=0), row(1, STORE, access, base=128)))
    shown, cycle = [], 0

    def drive_with_hold(ctx, pending):
        nonlocal cycle
        drive(ctx, pending)
        ctx.set(dut.hold, cycle >= 5)
        shown.append(
            (
                [ctx.get(channel.ready) for channel in bench_run.ingress.values()],
                ctx.get(dut.quiescent),
            )
        )
        cycle += 1

    bench_run._drive = drive_with_hold
    streams = {
        RD_ADDR: [1] * 20,
        RD_CTRL: [0] * 20,
        WR_ADDR: [2] * 20,
        WR_CTRL: [0] * 20,
        WR_DATA: [3] * 20,
    }
    trace = bench_run.run(configuration, streams, bytes(CAPACITY), cycles=12)
    assert any(shown[4][0])
    assert not any(ready for readies, _ in shown[5:] for ready in readies)
    assert trace.accepted_at[RD_ADDR] == list(range(5))
    assert len(trace.outputs[RD_DATA]) == len(trace.outputs[WR_DONE]) == 5
    assert [quiescent for _, quiescent in shown] == [1] + [0] * 7 + [1] * 4


def test_a_lone_operand_keeps_the_occurrence_busy():
    trace = OccurrenceRun(SMALL).run(
        Active((row(0, LOAD, view(ELEMENT), base=0), None)),
        {RD_ADDR: [1]},
        bytes(CAPACITY),
        cycles=10,
    )
    assert trace.accepted_at[RD_ADDR] == [0]
    assert not trace.quiescent
