"""Whole accesses against beats, byte by byte, with a manager that answers as it likes."""

import random
from dataclasses import replace
from itertools import product

import pytest

from fabricgen.plan.geometry import AccessMode
from fabricgen.plan.manager_use import ManagerUse
from fabricgen.rtl.manager.requester import ManagerRequester
from tests.support.manager_model import (
    Access,
    ManagerBench,
    Rates,
    expectation,
    random_access,
    requester,
)
from tests.support.manager_mutants import (
    ForgetfulRequester,
    GreedyRequester,
    RestlessRequester,
    SilentRequester,
)


def whole(size, lanes):
    return AccessMode(False, size, lanes)


def gather(size, lanes):
    return AccessMode(True, size, lanes)


READS = ManagerUse(reads=True, writes=False, volatile=False)
ELEMENT = (whole(1, 1), whole(2, 1), whole(4, 1), whole(8, 1))
VECTOR = (whole(1, 16), whole(4, 4), whole(8, 2))
GATHER = (gather(1, 4), gather(2, 4), gather(4, 4))
HYBRID = (whole(4, 4), whole(8, 1), gather(4, 4))
ODD = (whole(3, 5), gather(3, 3), whole(2, 3))
WIDE = (whole(8, 8), gather(8, 4))

SHAPES = {
    "element": {"modes": ELEMENT},
    "vector": {"modes": VECTOR},
    "walked vector": {"modes": VECTOR, "walks": True},
    "gather": {"modes": GATHER},
    "hybrid": {"modes": HYBRID, "walks": True, "volatile": True},
    "odd": {"modes": ODD},
    "walked odd": {"modes": ODD, "walks": True},
    "wide": {"modes": WIDE, "volatile": True},
    "bytes": {"modes": (whole(1, 1),)},
    "aligned": {"modes": HYBRID, "aligned": True, "walks": True},
    "aligned words": {"modes": (whole(4, 1),), "aligned": True},
}
DIRECTIONS = {"reads": (True, False), "writes": (False, True), "both": (True, True)}
SLOTS = {1: 1, 2: 3, 4: 4, 8: 6, 16: 8}


PRODUCT = list(product(SHAPES, DIRECTIONS, SLOTS))


def run_at_random(shape, direction, beat_bytes, kind=ManagerRequester, count=24):
    reads, writes = DIRECTIONS[direction]
    dut = requester(
        **SHAPES[shape],
        beat_bytes=beat_bytes,
        slots=SLOTS[beat_bytes],
        reads=reads,
        writes=writes,
        kind=kind,
    )
    rng = random.Random(f"{shape} {direction} {beat_bytes}")
    accesses = [random_access(rng, dut.shape.requester) for _ in range(count)]
    rates = Rates(offer=0.8, take=0.7, answer=0.6, error=0.05, latency=rng.randint(1, 6))
    bench = ManagerBench(dut, rates, seed=rng.getrandbits(32))
    bench.run(accesses)
    assert len(bench.ended) == count


# Seven and 165 have no common divisor: each shape, direction and width comes up.
@pytest.mark.parametrize(("shape", "direction", "beat_bytes"), PRODUCT[::7])
def test_each_byte_is_touched_once_and_each_access_ends_once(shape, direction, beat_bytes):
    run_at_random(shape, direction, beat_bytes)


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "direction", "beat_bytes"), PRODUCT)
def test_so_it_is_for_every_shape_direction_and_width(shape, direction, beat_bytes):
    run_at_random(shape, direction, beat_bytes, count=60)


@pytest.mark.parametrize(
    ("mutant", "shape", "complaint"),
    [
        (RestlessRequester, "vector", "must not change"),
        (GreedyRequester, "vector", None),
        (ForgetfulRequester, "hybrid", None),
        (SilentRequester, "element", None),
    ],
)
def test_the_bench_rejects_a_wrong_requester(mutant, shape, complaint):
    with pytest.raises(AssertionError, match=complaint):
        run_at_random(shape, "reads", 8, kind=mutant)


@pytest.mark.parametrize("walks", [False, True])
@pytest.mark.parametrize("mode", [whole(4, 4), whole(8, 1), gather(4, 4)])
def test_one_beat_a_cycle_over_all_borders(mode, walks):
    """Sixteen slots hide a latency of ten cycles; no cycle between the first beat and the last."""
    dut = requester((mode,), beat_bytes=8, slots=16, walks=walks)
    rng = random.Random(1)
    accesses = [random_access(rng, dut.shape.requester, end=0) for _ in range(60)]
    bench = ManagerBench(dut, Rates(latency=10, in_order=True), seed=1)
    bench.run(accesses)
    beats = sum(len(expectation(dut.shape.requester, 8, access).beats) for access in accesses)
    assert bench.taken_at == list(range(1, beats + 1))


def test_as_many_beats_are_outstanding_as_slots_have():
    dut = requester((whole(8, 2),), beat_bytes=8, slots=3)
    access = Access(False, 0, False, False, (0x100,), 0b11, 0)
    bench = ManagerBench(dut, Rates(latency=20, in_order=True), seed=1)
    bench.run([access] * 6)
    # Three accesses of two beats in six cycles. The last answer to the first one arrives in cycle
    # 2 + 20 and shows in 23; its slot is asked for again in 24, and the beat offered in 25.
    assert bench.taken_at[:7] == [1, 2, 3, 4, 5, 6, 25]


def test_holes_and_ragged_ends_have_exact_strobes():
    """Lanes 0, 1 and 5 of eight 16-bit lanes at byte 3 of a 32-bit beat, worked out by hand."""
    dut = requester((whole(2, 8),), beat_bytes=4, slots=1, reads=False, writes=True)
    access = Access(True, 0, False, False, (0x1003,), 0b0010_0011, 0xBBAA << 80 | 0x04030201)
    seen = expectation(dut.shape.requester, 4, access).beats
    # Bytes 3-6 and 13-14: beats 0 and 1 follow each other, beat 2 has no active byte.
    assert [(b.address, b.strobe, b.data, b.more) for b in seen] == [
        (0x1000, 0b1000, 0x01000000, 1),
        (0x1004, 0b0111, 0x00040302, 0),
        (0x100C, 0b0110, 0x00BBAA00, 0),
    ]
    ManagerBench(dut, Rates(), seed=1).run([access])


@pytest.mark.parametrize(
    ("address", "lanes", "fault"),
    [
        ((1 << 64) - 8, 0b0111, 0),
        ((1 << 64) - 6, 0b1111, (1 << 64) - 2),
        ((1 << 64) - 3, 0b0010, 1),
        ((1 << 64) + 20, 0b1100, 28),
    ],
)
def test_lanes_beyond_the_last_address_are_faults(address, lanes, fault):
    dut = requester((whole(4, 4),), beat_bytes=8, slots=4)
    access = Access(False, 0, False, False, (address,), lanes, 0)
    assert expectation(dut.shape.requester, 8, access).fault_address == fault
    other = Access(False, 0, False, False, (0x40,), 0b1111, 0)
    ManagerBench(dut, Rates(latency=5), seed=2).run([other, access, other, access, access])


def test_errors_are_kept_by_access_and_by_arrival():
    dut = requester((whole(4, 4), gather(4, 4)), beat_bytes=8, slots=8)
    rng = random.Random(3)
    accesses = [random_access(rng, dut.shape.requester) for _ in range(80)]
    bench = ManagerBench(dut, Rates(latency=4, answer=0.8, error=0.3), seed=3)
    bench.run(accesses)


def test_a_channel_must_be_managed():
    shape = requester((whole(4, 4),), beat_bytes=8, slots=1).shape
    with pytest.raises(TypeError, match=r"^ManagerRequester channel must be that of a manager,"):
        ManagerRequester(replace(shape, managed=False), 8, READS)
    with pytest.raises(TypeError, match=r"^ManagerRequester beat_bytes must be a power of two"):
        ManagerRequester(shape, 12, READS)
    with pytest.raises(TypeError, match=r"^ManagerRequester use must be within Man"):
        ManagerRequester(shape, 8, replace(READS, writes=True))


@pytest.mark.parametrize("direction", ["reads", "writes"])
def test_a_port_may_ask_less_of_a_manager_than_of_others(direction):
    """The channel reads, writes and is volatile; nothing of that is built that never comes."""
    reads, writes = DIRECTIONS[direction]
    asked = replace(
        requester(HYBRID, beat_bytes=8, slots=4, walks=True, volatile=True).shape.requester,
        writes=True,
    )
    dut = requester(
        HYBRID, beat_bytes=8, slots=4, reads=reads, writes=writes, walks=True, asked=asked
    )
    assert hasattr(dut.stream, "req_data") == writes
    assert hasattr(dut.stream, "rsp_data") == reads
    assert not hasattr(dut.stream, "req_volatile")
    rng = random.Random(direction)
    shape = replace(asked, reads=reads, writes=writes, volatile=False)
    bench = ManagerBench(dut, Rates(take=0.8, answer=0.8, latency=3), seed=1)
    bench.run([random_access(rng, shape) for _ in range(20)])
