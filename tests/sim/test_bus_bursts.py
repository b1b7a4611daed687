"""How beats become bursts: all of them in their order, and nothing that AXI4 forbids."""

import random

import pytest

from sim.axi4_rules import Axi4Rules, Transaction, transfer_bytes
from sim.bus_bursts import bursts
from sim.job import SubordinateBeat, SubordinateJob

READ, WRITE = 0, 1


def beat(kind, address, strobe=0xFF, space=0, context=0):
    return SubordinateBeat(kind, address, strobe, 0, space, context, 0, False)


def job(*beats):
    return SubordinateJob("host", 8, beats, "axi4", user=("address_space", "context"))


def joined(*beats):
    """Lengths of the bursts when the coin always falls so."""
    return [len(each.parts) for each in bursts(job(*beats), random.Random(1), 1.0)]


def some_beats(rng):
    address = 0x1000 - 0x60
    for _ in range(300):
        address = rng.choice((address + 8, address + 8, address + 8, rng.randrange(64) * 8))
        yield beat(rng.getrandbits(1), address, rng.choice((0xFF, 0xFF, rng.randint(1, 255))))


@pytest.mark.parametrize("likely", [0.0, 0.7, 1.0])
def test_bursts_carry_every_beat_in_order_and_keep_the_rules(likely):
    given = job(*some_beats(random.Random(2)))
    rules, carried, last = Axi4Rules(8), [0] * len(given.beats), 0
    for burst in bursts(given, random.Random(3), likely):
        item = Transaction(0, burst.address, len(burst.parts) - 1, burst.size, 1)
        assert list(rules._request_faults(item)) == []
        for number, (ordinal, strobe) in enumerate(burst.parts):
            wanted = given.beats[ordinal]
            assert ordinal >= last
            assert wanted.kind == burst.kind
            last = ordinal
            touched = sum(1 << at - wanted.address for at in transfer_bytes(item, number))
            # A write touches what is strobed.
            assert strobe == touched if burst.kind == READ else not strobe & ~touched
            carried[ordinal] |= strobe
    assert carried == [each.strobe for each in given.beats]


def test_whole_beats_that_follow_one_another_are_one_burst():
    assert joined(*(beat(READ, 8 * at) for at in range(20))) == [16, 4]
    assert joined(beat(WRITE, 0, 0x0F), beat(WRITE, 8, 0x11)) == [2]
    assert joined(beat(READ, 0, 0xF0), beat(READ, 8)) == [1, 1]
    assert joined(beat(READ, 0, 0x80), beat(READ, 8)) == [1, 1]


@pytest.mark.parametrize(
    "second",
    [beat(WRITE, 8), beat(READ, 16), beat(READ, 8, 0x0F), beat(READ, 8, space=1), beat(READ, 0)],
)
def test_others_are_not(second):
    assert joined(beat(READ, 0), second) == [1, 1]


def test_no_burst_crosses_4_kib():
    assert joined(beat(READ, 0xFF8), beat(READ, 0x1000)) == [1, 1]


def test_axi4_lite_has_no_bursts():
    given = SubordinateJob("host", 8, tuple(beat(WRITE, 8 * at) for at in range(4)), "axi4_lite")
    assert [len(each.parts) for each in bursts(given, random.Random(1), 1.0)] == [1] * 4


@pytest.mark.parametrize(
    ("fields", "user"),
    [
        ((), 0),
        (("address_space",), 3),
        (("context",), 2**63),
        (("address_space", "context"), 3 | 2**63 << 32),
    ],
)
def test_user_signals_say_what_is_matched_alone(fields, user):
    given = (beat(READ, 0, space=3, context=2**63),)
    (burst,) = bursts(SubordinateJob("host", 8, given, "axi4", user=fields), random.Random(1), 1.0)
    assert burst.user == user
