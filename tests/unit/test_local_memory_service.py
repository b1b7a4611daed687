# amaranth: UnusedElaboratable=no
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.plan.geometry import BankGeometry
from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.rtl.service import atomic_bank, requester
from fabricgen.rtl.service import bank as bank_module
from fabricgen.rtl.service import service as service_module
from fabricgen.rtl.service.admission import Admission
from fabricgen.rtl.service.channel import ServiceChannelShape
from fabricgen.rtl.service.lane_walk import LaneWalk
from fabricgen.rtl.service.service import LocalMemoryService
from tests.support import service_mutants as mutants
from tests.support.service_model import Bench, random_streams
from tests.support.services import (
    ATOMIC,
    ATOMIC_LANES,
    ATOMIC_SIZES,
    ATOMIC_VECTOR,
    COUNTER,
    FENCES,
    GATHER,
    HALVES,
    LOAD,
    LOOSE,
    LOOSE_GATHER,
    LOOSE_VECTOR,
    LOOSE_WALK,
    STORE,
    SUBWORD,
    VECTOR,
    WALK,
    WORD,
    service,
    shape,
)

SERVICES = {
    "words": lambda: service(WORD, WORD, WORD, WORD),
    "words-fixed-priority": lambda: service(WORD, WORD, WORD, policy=FixedPriority((2, 0, 1))),
    "words-cursor": lambda: service(WORD, WORD, WORD, policy=RoundRobin((1, 2, 0), 2)),
    "one-bank": lambda: service(WORD, WORD, banks=1, capacity=64),
    "subwords": lambda: service(SUBWORD, SUBWORD, slots=3),
    "subwords-wide-beat": lambda: service(SUBWORD, SUBWORD, beat=16, banks=2),
    "loose": lambda: service(LOOSE, LOOSE, beat=4, banks=2),
    "loose-byte-beat": lambda: service(LOOSE, beat=1, banks=2, capacity=64),
    "loose-wide-beat": lambda: service(LOOSE, WORD, beat=16, banks=4),
    "vector": lambda: service(VECTOR, VECTOR, banks=4),
    "vector-one-bank": lambda: service(VECTOR, WORD, banks=1),
    "vector-two-banks": lambda: service(VECTOR, VECTOR, banks=2, slots=4),
    "loose-vector": lambda: service(LOOSE_VECTOR, LOOSE_VECTOR, beat=8, banks=4),
    "loose-vector-one-bank": lambda: service(LOOSE_VECTOR, WORD, beat=4, banks=1),
    "loose-vector-narrow-beat": lambda: service(LOOSE_VECTOR, beat=2, banks=2),
    "gather": lambda: service(GATHER, GATHER),
    "gather-eight-banks": lambda: service(GATHER, WORD, banks=8),
    "gather-wide-beat": lambda: service(GATHER, WORD, beat=16, banks=2),
    "loose-gather": lambda: service(LOOSE_GATHER, LOOSE_GATHER, beat=4, banks=2),
    "loose-gather-byte-beat": lambda: service(LOOSE_GATHER, beat=1, banks=8, capacity=100),
    "less-than-one-row-of-banks": lambda: service(LOOSE_GATHER, beat=16, banks=8, capacity=60),
    "loads-and-stores": lambda: service(LOAD, STORE, WORD),
    "loads-only": lambda: service(LOAD, LOAD),
    "stores-only": lambda: service(STORE, STORE),
    "odd-capacity": lambda: service(LOOSE, WORD, capacity=200, banks=2),
    "regions": lambda: service(HALVES, HALVES, regions=((8, 60), (100, 28))),
    "tiny": lambda: service(WORD, capacity=8, banks=4),
    "three-byte-elements": lambda: service(shape((False, 3, 2), (True, 3, 2)), beat=4, banks=2),
    "queue-of-one": lambda: service(WORD, VECTOR, queue=1),
    "outstanding-one": lambda: service(WORD, WORD, WORD, outstanding=1),
    "outstanding-three": lambda: service(
        WORD, VECTOR, WORD, outstanding=3, policy=RoundRobin((2, 0, 1), 0)
    ),
    "outstanding-two-fixed": lambda: service(
        WORD, WORD, WORD, outstanding=2, policy=FixedPriority((1, 2, 0))
    ),
    "lane-by-lane": lambda: service(WALK, WALK, slots=4),
    "two-lanes-at-once": lambda: service(WALK, WORD, issue_lanes=2, banks=2, queue=1),
    "all-lanes-at-once": lambda: service(WALK, issue_lanes=4),
    "loose-lane-by-lane": lambda: service(LOOSE_WALK, LOOSE_WALK, beat=2, banks=2, outstanding=1),
    "counter": lambda: service(COUNTER, banks=1, capacity=16),
    "atomics": lambda: service(ATOMIC, ATOMIC, WORD, capacity=64),
    "atomics-fixed-priority": lambda: service(ATOMIC, LOAD, policy=FixedPriority((1, 0)), banks=1),
    "atomics-of-every-size": lambda: service(ATOMIC_SIZES, SUBWORD, beat=8, banks=2, slots=2),
    "atomic-lanes": lambda: service(ATOMIC_LANES, LOOSE, beat=4, banks=2, slots=2),
    "atomic-lanes-at-once": lambda: service(ATOMIC_LANES, STORE, issue_lanes=3, banks=1, queue=1),
    "atomic-vector": lambda: service(ATOMIC_VECTOR, ATOMIC_VECTOR, issue_lanes=2, queue=1),
    "atomic-vector-wide-beat": lambda: service(ATOMIC_VECTOR, WORD, beat=16, banks=2, slots=2),
    "fences-alone-on-a-port": lambda: service(FENCES, ATOMIC, WORD, outstanding=2),
    "loose-two-lanes-at-once": lambda: service(LOOSE_WALK, LOOSE_WALK, issue_lanes=2, banks=2),
}


#: Left to the slow tests; each has a relative among the others.
LESS_OFTEN = {
    "words-fixed-priority",
    "subwords-wide-beat",
    "loose-byte-beat",
    "loose-wide-beat",
    "vector",
    "vector-one-bank",
    "loose-vector-one-bank",
    "loose-vector-narrow-beat",
    "gather-eight-banks",
    "gather-wide-beat",
    "all-lanes-at-once",
    "lane-by-lane",
    "loose-gather-byte-beat",
    "loose-lane-by-lane",
    "outstanding-one",
    "outstanding-two-fixed",
    "atomics-fixed-priority",
    "atomic-lanes-at-once",
    "atomic-vector-wide-beat",
}


def run(dut, seed, length=60):
    rng = random.Random(seed)
    bench = Bench(dut, rng)
    bench.run(random_streams(rng, dut, length))
    return bench


def run_seeds(name, seeds, length=60):
    for seed in seeds:
        assert any(run(SERVICES[name](), seed, length).done)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in LESS_OFTEN else []) for n in SERVICES]
)
def test_every_cycle_and_every_byte_is_that_of_the_model(name):
    run_seeds(name, [1], length=30)


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVICES)
def test_the_same_in_long_runs(name):
    run_seeds(name, range(2, 5), length=150)


@st.composite
def shapes(draw):
    aligned = draw(st.booleans())
    element = st.sampled_from([1, 2, 4, 8])
    mode = st.tuples(st.booleans(), element, st.integers(1, 4))
    modes = draw(st.sets(mode, min_size=1, max_size=3))
    reads, writes = draw(st.sampled_from([(True, True), (True, False), (False, True)]))
    walks = draw(st.booleans())
    return shape(*modes, aligned=aligned, reads=reads, writes=writes, walks=walks)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(shapes(), min_size=1, max_size=3),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4, 8, 16]),
    st.integers(1, 6),
    st.integers(1, 2),
    st.sampled_from([33, 60, 200, 256]),
    st.integers(1, 3),
    st.integers(0, 2**32),
)
def test_any_geometry_agrees_with_the_model(
    drawn, banks, beat, outstanding, queue, size, issue_lanes, seed
):
    dut = service(
        *drawn,
        banks=banks,
        beat=beat,
        capacity=size,
        outstanding=outstanding,
        queue=queue,
        slots=2,
        issue_lanes=issue_lanes,
    )
    run(dut, seed)


# Wrong parts: the same comparison must see each of them.


@pytest.mark.parametrize(
    ("name", "place", "part", "mutant"),
    [
        ("vector", service_module, "Bank", mutants.ForgetfulBank),
        ("words", requester, "BeatReader", mutants.ForgetfulReader),
        ("atomics", service_module, "AtomicBank", mutants.DividedBank),
        ("atomics", service_module, "AtomicBank", mutants.ForgottenLastBank),
        ("atomics", atomic_bank, "PairArbiter", mutants.StickyPairArbiter),
        ("atomics", atomic_bank, "PairArbiter", mutants.HalfPairArbiter),
        ("words", bank_module, "Arbiter", mutants.HastyArbiter),
        ("loose-gather", requester, "WriteAligner", mutants.FirstLaneAligner),
        ("regions", requester, "RangeCheck", mutants.OpenRangeCheck),
        ("vector-two-banks", requester, "FrontEnd", mutants.ForgetfulFrontEnd),
        ("lane-by-lane", requester, "LaneWalk", mutants.GreedyWalk),
        ("loose-two-lanes-at-once", requester, "LaneWalk", mutants.TardyWalk),
        ("outstanding-one", service_module, "Admission", mutants.OpenAdmission),
        ("queue-of-one", service_module, "Admission", mutants.OpenAdmission),
    ],
)
def test_the_comparison_sees_a_wrong_part(monkeypatch, name, place, part, mutant):
    monkeypatch.setattr(place, part, mutant)
    with pytest.raises(AssertionError):
        run_seeds(name, range(8))


@pytest.mark.parametrize("name", ["words", "vector", "loose", "gather", "atomics"])
def test_what_the_storage_returns_on_a_collision_does_not_matter(monkeypatch, name):
    monkeypatch.setattr(service_module, "Bank", mutants.GarblingBank)
    monkeypatch.setattr(service_module, "AtomicBank", mutants.GarblingAtomicBank)
    run(SERVICES[name](), seed=2)


@pytest.mark.parametrize(
    "name", ["words", "loose-gather", "outstanding-three", "queue-of-one", "lane-by-lane"]
)
def test_after_a_reset_in_the_middle_of_traffic_it_serves_as_after_the_first_one(name):
    rng, dut = random.Random(3), SERVICES[name]()
    bench = Bench(dut, rng)
    bench.run(random_streams(rng, dut, 40), resets={7, 8, 20, 33})
    assert any(bench.done)


# Constructor.


def build(**changes):
    geometry = changes.pop("geometry", BankGeometry(256, 4, 4))
    arguments = {
        "requesters": (ServiceChannelShape(WORD, 8, 1),) * 2,
        "regions": ((0, 256),),
        "queues": (2, 2),
        "outstanding": 4,
        "policy": RoundRobin((0, 1), 0),
    }
    return LocalMemoryService(geometry, **(arguments | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"queues": (2,)},
            r"^LocalMemoryService has 1 queues, which is not the same as its 2 requesters "
            r"\(each has one\)$",
        ),
        (
            {"policy": None},
            r"^LocalMemoryService policy must be declared for 2 requesters, not None$",
        ),
        ({"issue_lanes": 0}, r"^LocalMemoryService issue_lanes must be at least 1, not 0$"),
        (
            {"geometry": BankGeometry(256, 4, 3)},
            r"^LocalMemoryService banks must be a power of two, not 3$",
        ),
        (
            {"geometry": BankGeometry(256, 6, 4)},
            r"^LocalMemoryService beat_bytes must be a power of two, not 6$",
        ),
        (
            {"geometry": BankGeometry(512, 4, 4)},
            r"^LocalMemoryService requester 0 has 8 address bits, which is not the same as the 9 "
            r"of its capacity$",
        ),
    ],
)
def test_arguments_must_fit_together(changes, message):
    with pytest.raises(ValueError, match=message):
        build(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"queues": (2, 0)}, r"^Admission queue must be at least 1, not 0$"),
        ({"outstanding": 0}, r"^Admission outstanding must be at least 1, not 0$"),
    ],
)
def test_capacities_must_hold_a_request(changes, message):
    arguments = {"queues": (2, 2), "outstanding": 4} | changes
    with pytest.raises(ValueError, match=message):
        Admission(RoundRobin((0, 1), 0), **arguments)


def test_a_walk_needs_more_lanes_than_it_lets_in_at_once():
    with pytest.raises(
        ValueError,
        match=r"^LaneWalk issue_lanes must be below the 4 lanes of a requester that walks, not 4$",
    ):
        LaneWalk(ServiceChannelShape(WALK, 8, 1), 4)
