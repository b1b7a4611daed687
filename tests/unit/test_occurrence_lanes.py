"""A Spatial occurrence whose vectors go whole or lane by lane, against the model."""

import random

import pytest

from fabricgen.config.codec import encode_configuration
from fabricgen.emit.package import emit_fabric
from fabricgen.plan.rows import Active
from fabricgen.records.fabric import MemoryImplementation
from fabricgen.rtl.occurrence import MemoryOccurrence
from tests.support.channel import run
from tests.support.lanes import lanes_memory
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    INDEXED,
    LOAD,
    STORE,
    fabric,
    row,
    view,
)
from tests.support.occurrence_harness import Job
from tests.support.port_harness import Rates
from tests.unit.test_occurrence import check_jobs, streams_of

CAPACITY = 256
HALF = CAPACITY // 2
VECTORS = 1
RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_MASK, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(10)
READ, WRITE = (RD_ADDR, RD_MASK, RD_CTRL), (WR_ADDR, WR_MASK, WR_CTRL, WR_DATA)


def lanes_of(issue_lanes):
    return lanes_memory(
        capacity=CAPACITY, implementation=MemoryImplementation(issue_lanes=issue_lanes)
    )


def vector_row(port, schema, access, base, pattern):
    return row(port, schema, access, base=base, alternative_ordinal=VECTORS, pattern=pattern)


def random_job(rng):
    """Loads from the lower half, stores to the upper half and beyond the end of memory."""

    def access():
        return view(
            rng.choice([CONTIGUOUS, INDEXED]),
            lanes=rng.randint(1, 4),
            mask=rng.choice([ABSENT, DYNAMIC]),
        )

    def indices(vector, span):
        lanes = vector.lane_count if vector.form is INDEXED else 1
        top = span // 4 - (vector.lane_count if vector.form is CONTIGUOUS else 0)
        return lambda: sum(rng.randrange(top) << 32 * lane for lane in range(lanes))

    read, write = access(), access()
    configuration = Active(
        (
            vector_row(0, LOAD, read, 0, rng.choice([0, 1, 1])),
            vector_row(1, STORE, write, HALF, rng.choice([0, 1, 1])),
        )
    )
    streams = streams_of(rng, read, READ, 16, indices(read, HALF))
    streams |= streams_of(rng, write, WRITE, 16, indices(write, HALF + 64))
    return Job(configuration, streams, rng.randbytes(CAPACITY), cycles=3000)


@pytest.mark.parametrize(
    ("issue_lanes", "rates"), [(1, Rates()), (2, Rates(0.7, 0.5)), (4, Rates())]
)
def test_lane_by_lane_does_what_the_model_says(issue_lanes, rates):
    rng = random.Random(issue_lanes)
    check_jobs(lanes_of(issue_lanes), [random_job(rng) for _ in range(5)], issue_lanes, rates)


def masked_loads(masks):
    """Publications and requests of masked contiguous loads of the words 0..3, lane by lane."""
    named = lanes_of(1)
    dut = MemoryOccurrence(named)
    access = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)
    configuration = Active((vector_row(0, LOAD, access, 0, 1), None))
    published, requests = [], []

    async def bench(ctx):
        ctx.set(dut.configuration, encode_configuration(named, configuration))
        for beat, bank in enumerate(dut.service.banks):
            ctx.set(bank.mem.data[0], 0x11111111_00000001 * (beat + 1))
        await ctx.tick().repeat(2)
        left = list(masks)
        for at in (RD_DATA, RD_DONE):
            ctx.set(getattr(dut, f"egress_{at}").ready, 1)
        for _ in range(40):
            ingress = [getattr(dut, f"ingress_{at}") for at in READ]
            offers = bool(left) and all(ctx.get(each.ready) for each in ingress)
            for each in ingress:
                ctx.set(each.valid, offers)
            if offers:
                ctx.set(dut.ingress_1.data, left.pop(0))
            requests.append(ctx.get(dut.engine.request_0_0.valid))
            data, done = dut.egress_7, dut.egress_8
            assert ctx.get(data.valid) == ctx.get(done.valid)
            if ctx.get(data.valid):
                published.append(ctx.get(data.data))
            await ctx.tick()

    run(dut, bench)
    return published, sum(requests)


def test_the_mask_1011_is_one_retirement_of_128_bits_with_lane_2_zero():
    # Word i of memory: beat 0 is 0x11111111_00000001, beat 1 twice that.
    published, _ = masked_loads([0b1011])
    assert published == [0x22222222_00000000_11111111_00000001]


def test_the_mask_0000_asks_for_nothing_and_completes_in_its_order():
    assert masked_loads([0, 0]) == ([0, 0], 0)
    published, _ = masked_loads([0b0001, 0, 0b0010])
    assert published == [1, 0, 0x11111111_00000000]


@pytest.mark.parametrize("issue_lanes", [1, 4])
def test_lanes_let_in_a_few_at_a_time_have_a_text(issue_lanes, tmp_path):
    emitted = emit_fabric(fabric(lanes_of(issue_lanes)), tmp_path / "out")
    names = (emitted.directory / "names.json").read_text()
    assert ("LaneWalk" in names) == (issue_lanes < 4)
