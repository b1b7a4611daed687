# amaranth: UnusedElaboratable=no
"""Drawn fabrics: whatever is legal and realised does in hardware what the model says."""

import random

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.plan.admission import admissions
from fabricgen.plan.geometry import bank_geometry, requester_shape
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import Active
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAddressForm
from tests.support.fabrics import fabrics
from tests.support.memories import ROLE, row
from tests.support.occurrence_harness import Job, OccurrenceRun
from tests.support.port_harness import Rates
from tests.support.untagged import execute

FIRINGS = 8


#: Beats of one access; the simulator's nesting of generated code has a limit.
WIDEST = 16


def port_count(named):
    return len(named.occurrence.engine.ports)


def widest_access(named, port):
    return requester_shape(named, port).data_bytes // bank_geometry(named).beat_bytes


def member(rng, domain):
    interval = rng.choice(domain.intervals)
    return rng.randint(interval.lower, interval.upper)


def random_row(rng, named, port):
    """One legal row of a port; its base is a multiple of every element size."""
    chosen = rng.choice(admissions(named.occurrence, port))
    access = CanonicalMemoryAccessView(
        chosen.form,
        MemoryAddressForm.ROOT_RELATIVE,
        member(rng, chosen.element_widths),
        member(rng, chosen.lane_counts),
        rng.choice(chosen.mask_forms),
        member(rng, chosen.index_widths),
    )
    capacity = named.occurrence.local_service.capacity_bytes
    size = access.element_bits // 8
    step = size if named.implementation.aligned_bases else 1
    base = rng.randrange(capacity // 2 // step) * step
    return row(port, chosen.schema, access, base=base, alternative_ordinal=chosen.alternative)


def random_streams(rng, named, chosen):
    port = named.occurrence.engine.ports[chosen.port]
    alternative = port.capability_alternatives[chosen.capability_alternative]
    access = chosen.access
    limit = named.occurrence.local_service.capacity_bytes // (access.element_bits // 8)

    def index():
        bits = access.address_lane_bits
        return rng.choice([rng.randrange(min(limit, 1 << bits)), rng.getrandbits(bits)])

    def token(role, width):
        match role:
            case ROLE.ADDRESS:
                parts = [index() for _ in range(access.address_count)]
                bits = access.address_lane_bits
                low = sum(part << bits * lane for lane, part in enumerate(parts))
                return (
                    low | rng.getrandbits(width + 1) >> 1 << access.address_bits & (1 << width) - 1
                )
            case ROLE.MASK:
                return rng.choice([0, (1 << width) - 1, rng.getrandbits(width)])
            case _:
                return rng.getrandbits(width) if width else 0

    inputs, _ = active_roles(alternative, chosen.actor, access)
    widths = {end: named.occurrence.endpoints[end].payload_width for _, end in inputs}
    return {end: [token(role, widths[end]) for _ in range(FIRINGS)] for role, end in inputs}


def races(named, configuration, streams, memory):
    try:
        execute(named, configuration, streams, memory)
    except Invalid as error:
        codes = {finding.code for finding in error.diagnostics}
        if codes != {"workload-race"}:
            raise
        return True
    return False


def random_job(rng, named):
    """Rows of some ports; only the first of them where they would race."""
    count = port_count(named)
    ports = rng.sample(range(count), rng.randint(1, count))
    memory = rng.randbytes(named.occurrence.local_service.capacity_bytes)
    while True:
        rows = {port: random_row(rng, named, port) for port in ports}
        configuration = Active(tuple(rows.get(port) for port in range(count)))
        streams = {}
        for each in rows.values():
            streams |= random_streams(rng, named, each)
        if not races(named, configuration, streams, memory):
            return Job(configuration, streams, memory, cycles=4000)
        ports = ports[:1]


def check(fabric, seed, rates):
    (named,) = fabric.memories
    assume(not unsupported(fabric))
    assume(all(widest_access(named, port) <= WIDEST for port in range(port_count(named))))
    rng = random.Random(seed)
    jobs = [random_job(rng, named) for _ in range(3)]
    bench = OccurrenceRun(named, seed=seed, rates=rates)
    span = 1 << bench.dut.geometry.address_bits
    for job, trace in zip(jobs, bench.run_all(jobs), strict=True):
        expected = execute(named, job.configuration, job.streams, job.memory)
        assert trace.quiescent
        assert {at: tuple(tokens) for at, tokens in trace.outputs.items()} == expected.outputs
        assert trace.memory == expected.memory
        # Rows may leave the regions in one cycle, and one of them is reported then.
        first = {(fault.row, fault.address % span) for fault in expected.out_of_range}
        assert first.issuperset(trace.faults[:1])
        assert bool(trace.faults) == bool(first)


RATE = st.sampled_from([1.0, 0.6])


# Without shrinking: a smaller fabric takes as long to simulate.
@pytest.mark.slow
@settings(max_examples=30, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(fabrics(), st.integers(0, 2**32), st.builds(Rates, RATE, RATE))
def test_a_drawn_fabric_does_what_the_model_says(fabric, seed, rates):
    check(fabric, seed, rates)
