"""Atomic accesses and fences against beats, with a manager that answers as it likes."""

import random

import pytest

from fabricgen.plan.atomic_use import AtomicUse
from fabricgen.plan.geometry import AccessMode
from fabricgen.rtl.manager.requester import ManagerRequester
from tests.support.manager_model import ManagerBench, Rates, random_atomic, requester
from tests.support.manager_mutants import FirstLaneRequester, UnkindRequester


def whole(size, lanes):
    return AccessMode(False, size, lanes)


def gather(size, lanes):
    return AccessMode(True, size, lanes)


#: Shapes whose elements fit a beat of 8 bytes; one of fences alone has one byte of which nothing is
#: used.
ATOMIC_SHAPES = {
    "every kind": {"modes": (whole(4, 2), whole(8, 1), gather(2, 3)), "walks": True},
    "objects alone": {"modes": (whole(1, 1), whole(4, 1)), "reads": False, "aligned": True},
    "lanes alone": {"modes": (whole(2, 4),), "reads": False, "aligned": True, "walks": True},
    "stores and fences": {
        "modes": (whole(4, 2),),
        "reads": False,
        "writes": True,
        "walks": True,
        "atomics": AtomicUse(fence=True, ordered=True),
    },
    "gathers and fences": {
        "modes": (gather(4, 2), gather(8, 2)),
        "writes": False,
        "atomics": AtomicUse(fence=True, ordered=True),
    },
    "fences alone": {
        "modes": (whole(1, 1),),
        "reads": False,
        "atomics": AtomicUse(fence=True, ordered=True),
    },
}


def run_at_random(shape, slots, kind=ManagerRequester):
    every = {"writes": "alone" not in shape, "volatile": "alone" not in shape}
    if "fences" in shape:
        every["volatile"] = False
    every["atomics"] = AtomicUse(rmw=True, exchange=True, fence=True, ordered=True, weak=True)
    dut = requester(**every | ATOMIC_SHAPES[shape], beat_bytes=8, slots=slots, kind=kind)
    rng = random.Random(f"{shape} {slots}")
    accesses = [random_atomic(rng, dut.shape.requester) for _ in range(30)]
    rates = Rates(offer=0.8, take=0.7, answer=0.6, error=0.05, latency=3)
    bench = ManagerBench(dut, rates, seed=rng.getrandbits(32))
    bench.run(accesses)
    assert len(bench.ended) == len(accesses)


@pytest.mark.parametrize("slots", [1, 3])
@pytest.mark.parametrize("shape", ATOMIC_SHAPES)
def test_atomic_accesses_and_fences_reach_the_manager_as_they_are(shape, slots):
    run_at_random(shape, slots)


@pytest.mark.parametrize("mutant", [UnkindRequester, FirstLaneRequester])
def test_the_bench_rejects_a_wrong_requester(mutant):
    with pytest.raises(AssertionError):
        run_at_random("every kind", 3, mutant)
