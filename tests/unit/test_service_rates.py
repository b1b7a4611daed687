"""Cycles from the first request to the last grant; answers follow one cycle behind."""

import random

import pytest

from tests.support.service_model import Bench, Request
from tests.support.services import GATHER, LOAD, VECTOR, WALK, WORD, service
from tools.service_rates import served


def cycles(dut, *streams):
    return Bench(dut, random.Random(4)).run([list(stream) for stream in streams]) - 1


def word(address, *, write=False, data=0):
    return Request(write, 0, 0, (address,), 1, data)


def test_requests_that_never_meet_are_served_one_per_cycle_and_requester():
    streams = [[word(16 * row + 4 * r, write=r % 2 == 1) for row in range(16)] for r in range(4)]
    assert cycles(service(WORD, WORD, WORD, WORD), *streams) == 16


def test_a_bank_serves_a_read_and_a_write_in_one_cycle():
    loads = [word(16 * row) for row in range(16)]
    stores = [word(16 * row, write=True, data=row) for row in range(16)]
    assert cycles(service(WORD, WORD), loads, stores) == 16


def test_a_store_and_the_load_of_the_same_word_follow_each_other_at_full_rate():
    both = [word(8, write=n % 2 == 0, data=n) for n in range(20)]
    assert cycles(service(WORD), both) == 20


@pytest.mark.parametrize(("banks", "per_request"), [(1, 4), (2, 2), (4, 1), (8, 1)])
def test_a_contiguous_vector_takes_as_many_cycles_as_beats_on_one_bank(banks, per_request):
    vectors = [Request(False, 0, 0, (16 * n,), 0b1111) for n in range(8)]
    assert cycles(service(VECTOR, banks=banks), vectors) == 8 * per_request


def test_beats_without_an_active_lane_are_not_asked_for():
    vectors = [Request(False, 0, 0, (16 * n,), 0b0001) for n in range(8)]
    assert cycles(service(VECTOR, banks=1), vectors) == 8


@pytest.mark.parametrize(
    ("addresses", "per_request"),
    [
        ((0, 20, 40, 60), 1),  # four banks
        ((8, 8, 8, 8), 1),  # one beat
        ((0, 16, 0, 16), 2),  # two beats of one bank, each shared by two lanes
        ((0, 16, 32, 48), 4),  # four beats of one bank
        ((0, 4, 16, 20), 2),  # two banks, two beats each
        ((0, 64, 64, 4), 2),
    ],
)
def test_a_gather_takes_as_many_cycles_as_distinct_beats_on_one_bank(addresses, per_request):
    indexed = next(i for i, mode in enumerate(GATHER.modes) if mode.indexed)
    gathers = [Request(False, indexed, 0, addresses, 0b1111)] * 8
    assert cycles(service(GATHER), gathers) == 8 * per_request


@pytest.mark.parametrize(
    ("size", "limit"),
    [
        (2, 0.75),
        pytest.param(4, 0.655, marks=pytest.mark.slow),
        pytest.param(8, 0.618, marks=pytest.mark.slow),
    ],
)
def test_uniform_random_loads_reach_the_limit_of_fifo_inputs(size, limit):
    assert served(size, 1.0, cycles=4000) >= 0.98 * limit


WALKING = next(i for i, mode in enumerate(WALK.modes) if mode.indexed)


def walk(addresses, *, write=False, lanes=0b1111):
    mode = WALKING if len(addresses) > 1 else 1 - WALKING
    return Request(write, mode, 0, tuple(addresses), lanes, data=7, walk=True)


def cost(request, issue_lanes):
    """The performance contract: distinct beats on one bank, and windows of lanes."""
    lanes = [lane for lane in range(4) if request.lanes >> lane & 1]
    at = request.addresses
    words = {(at[lane] if len(at) > 1 else at[0] + 4 * lane) // 4 for lane in lanes}
    fullest = max(sum(1 for word in words if word % 4 == bank) for bank in range(4))
    return max(fullest, -(-len(lanes) // issue_lanes))


@pytest.mark.parametrize(
    ("issue_lanes", "write"),
    [
        (2, False),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in ((1, False), (1, True), (2, True), (4, False), (4, True))
        ),
    ],
)
@pytest.mark.parametrize(
    ("addresses", "lanes"),
    [
        ((0,), 0b1111),  # contiguous: four banks
        ((4,), 0b1011),
        ((0, 20, 40, 60), 0b1111),  # four banks
        ((8, 8, 8, 8), 0b1111),  # one beat
        ((0, 16, 0, 16), 0b1111),  # two beats of one bank, each shared by two lanes
        ((0, 16, 32, 48), 0b1111),  # four beats of one bank
        ((0, 4, 24, 40), 0b1111),  # the later two lanes want one bank
        ((0, 4, 24, 40), 0b1101),
        ((0, 16, 4, 20), 0b0110),
    ],
)
def test_lane_by_lane_takes_the_beats_of_one_bank_or_the_windows(
    addresses, lanes, write, issue_lanes
):
    request = walk(addresses, write=write, lanes=lanes)
    ideal = 12 * cost(request, issue_lanes)
    # The windows of the first one are the ramp.
    ramp = -(-lanes.bit_count() // issue_lanes) - 1
    assert ideal <= cycles(service(WALK, issue_lanes=issue_lanes), [request] * 12) <= ideal + ramp


@pytest.mark.parametrize("issue_lanes", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_random_gathers_lane_by_lane_sustain_the_contract(issue_lanes):
    rng = random.Random(issue_lanes)
    gathers = [walk([4 * rng.randrange(64) for _ in range(4)]) for _ in range(100)]
    limit = sum(cost(request, issue_lanes) for request in gathers)
    # The windows of the first one are the ramp.
    assert cycles(service(WALK, issue_lanes=issue_lanes), gathers) <= limit + 4


def test_windows_ask_for_a_beat_once_however_many_lanes_share_it():
    # Lane by lane the same beat four times: the other requester finds its bank free.
    shared = [walk((8, 8, 8, 8))] * 8
    words = [word(8)] * 24
    assert cycles(service(WALK, LOAD, issue_lanes=1), shared, words) == 8 * 4
