"""The checker of histories, against orders that were worked out by hand and by trying all."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.vocab.dataflow import AtomicRmwKind
from sim.history import Kind, Operation
from sim.linearizability import check
from tests.support.history_oracle import has_order, leads_to_the_end
from tests.support.rmw_oracle import updated

ZERO = bytes(16)


def load(source, number, times, found, address=0, size=4, **more):
    return Operation(source, number, Kind.LOAD, *times, address, size, observed=found, **more)


def store(source, number, times, value, address=0, size=4, **more):
    return Operation(source, number, Kind.STORE, *times, address, size, value=value, **more)


def add(source, number, times, found, value=1, address=0, size=4):
    return Operation(
        source,
        number,
        Kind.RMW,
        *times,
        address,
        size,
        value=value,
        observed=found,
        rmw_kind=AtomicRmwKind.ADD,
    )


def swap(source, number, times, expected, value, found, done, **more):
    return Operation(
        source,
        number,
        Kind.EXCHANGE,
        *times,
        0,
        4,
        value=value,
        expected=expected,
        observed=found,
        success=done,
        **more,
    )


def codes(history, before=ZERO, after=None):
    return [found.code for found in check(history, before, after).violations]


LEGAL = {
    "a load beside a store finds either": [
        store("a", 0, (0, 9), 5),
        load("b", 0, (1, 4), 0),
        load("b", 1, (4, 8), 5),
    ],
    "stores side by side may end either way": [
        store("a", 0, (0, 9), 5),
        store("b", 0, (0, 7), 6),
        load("c", 0, (9, 10), 5),
    ],
    "a store that is late is found before an earlier one is over": [
        store("a", 0, (0, 20), 5),
        store("b", 0, (2, 18), 6),
        load("c", 0, (3, 5), 6),
        load("c", 1, (5, 7), 5),
    ],
    "stores that meet for one edge may end either way": [
        store("a", 0, (0, 5), 5),
        store("b", 0, (4, 9), 6),
        load("c", 0, (9, 10), 5),
    ],
    "additions count": [add("a", 0, (0, 9), 1), add("b", 0, (0, 9), 0), add("a", 1, (1, 12), 2)],
    "one of two exchanges succeeds": [
        swap("a", 0, (0, 5), 0, 7, 0, True),
        swap("b", 0, (0, 5), 0, 8, 7, False),
    ],
    "a weak exchange may fail": [swap("a", 0, (0, 5), 0, 7, 0, False, weak=True)],
    "lanes of one access have no order": [
        add("a", 0, (0, 9), 1),
        add("a", 0, (0, 9), 0),
        add("a", 1, (0, 9), 3),
        add("a", 1, (0, 9), 2),
    ],
    "beats of one access are seen one by one": [
        store("a", 0, (0, 9), 1, address=0),
        store("a", 0, (0, 9), 1, address=4),
        load("b", 0, (1, 3), 1, address=4),
        load("b", 1, (4, 6), 0, address=0),
    ],
    "strobes leave the other bytes": [
        store("a", 0, (0, 2), 0xAABBCCDD, strobe=0b0101),
        load("b", 0, (2, 3), 0x00BB00DD),
        load("b", 1, (3, 4), 0xDEADBEDD, strobe=0b0001),
    ],
    "a fence has no bytes": [Operation("a", 0, Kind.FENCE, 3, 4), load("b", 0, (0, 1), 0)],
}

ILLEGAL = {
    "a lost read-modify-write": [
        add("a", 0, (0, 5), 0),
        add("b", 0, (1, 5), 0),
        load("c", 0, (5, 6), 1),
    ],
    "a doubled read-modify-write": [add("a", 0, (0, 5), 0), load("c", 0, (5, 6), 2)],
    "a stale load": [
        store("a", 0, (0, 3), 5),
        load("b", 0, (3, 6), 0),
    ],
    "a load that goes back": [
        store("a", 0, (0, 9), 5),
        load("b", 0, (1, 3), 5),
        load("c", 0, (3, 6), 0),
    ],
    "stores of one source in the other order": [
        store("a", 0, (0, 9), 5),
        store("a", 1, (1, 10), 6),
        load("b", 0, (10, 11), 5),
    ],
    "loads of one source in the other order": [
        store("a", 0, (0, 9), 5),
        load("b", 0, (1, 8), 5),
        load("b", 1, (1, 8), 0),
    ],
    "a torn value": [
        store("a", 0, (0, 9), 0x11111111),
        store("b", 0, (0, 9), 0x22222222),
        load("c", 0, (9, 12), 0x11112222),
    ],
    "a value from nowhere": [load("a", 0, (0, 4), 3)],
    "a value from the future": [load("a", 0, (0, 4), 5), store("b", 0, (4, 9), 5)],
    "two exchanges that succeed": [
        swap("a", 0, (0, 5), 0, 7, 0, True),
        swap("b", 0, (0, 5), 0, 8, 0, True),
    ],
    "an exchange that fails and stores": [
        swap("a", 0, (0, 5), 1, 7, 0, False),
        load("b", 0, (5, 6), 7),
    ],
    "a store between the halves of a read-modify-write": [
        add("a", 0, (0, 9), 0),
        store("b", 0, (1, 5), 7),
        load("b", 1, (5, 6), 7),
        load("c", 0, (9, 12), 1),
    ],
    "a strobe that reaches too far": [
        store("a", 0, (0, 2), 0xAABBCCDD, strobe=0b0101),
        load("b", 0, (2, 3), 0xAABBCCDD),
    ],
    "an access between the lanes of the one before it": [
        add("a", 0, (0, 9), 0),
        add("a", 0, (0, 9), 2),
        add("a", 1, (0, 9), 1),
    ],
    "an access of lanes behind the next one": [
        add("a", 0, (0, 9), 3),
        add("a", 0, (0, 9), 2),
        add("a", 1, (0, 9), 1),
        add("a", 1, (0, 9), 0),
    ],
}


@pytest.mark.parametrize("history", LEGAL.values(), ids=LEGAL)
def test_a_history_with_an_order_is_legal(history):
    assert not codes(history)


@pytest.mark.parametrize("history", ILLEGAL.values(), ids=ILLEGAL)
def test_a_history_without_an_order_is_not(history):
    assert codes(history) == ["order"]


def test_what_is_found_at_the_end_is_part_of_the_history():
    history = [store("a", 0, (0, 3), 5)]
    assert not codes(history, after=bytes([5]) + bytes(15))
    assert codes(history, after=bytes(16)) == ["order"]
    assert codes(history, after=bytes([5]) + bytes(14) + b"\1") == ["untouched"]


def test_answers_that_never_come_or_come_too_early_are_named():
    assert codes([load("a", 0, (3, None), 0)]) == ["unanswered"]
    assert codes([load("a", 0, (3, 3), 0)]) == ["interval"]
    assert codes([Operation("a", 0, Kind.FENCE, 3, 2)]) == ["interval"]


def test_success_tells_whether_found_is_expected():
    assert codes([swap("a", 0, (0, 5), 0, 7, 0, False)]) == ["exchange"]
    assert codes([swap("a", 0, (0, 5), 1, 7, 0, True)]) == ["exchange"]
    assert codes([swap("a", 0, (0, 5), 1, 7, 0, True, weak=True)]) == ["exchange"]


def test_a_violation_shows_what_fits_nowhere():
    (found,) = check([store("a", 0, (0, 3), 5), load("b", 7, (3, 6), 0)], ZERO).violations
    assert str(found) == (
        "order: Bytes 0x0 to 0x3 must have one order of their 2 operations; none goes further than "
        "1, where they are 05 00 00 00 and one of these must be next:\n"
        "  b 7: load of 4 bytes at 0x0, found 0x0, edges 3 to 6"
    )


def test_a_search_that_takes_too_long_is_no_verdict():
    # Bytes that are stored in some order, each by itself, and found together as nobody left them.
    history = [
        store(f"s{at}{n}", 0, (0, 100), 10 + n, address=at, size=1)
        for at in range(2)
        for n in range(4)
    ]
    history.append(load("l", 0, (100, 101), 0x0102, size=2))
    assert codes(history) == ["order"]
    (found,) = check(history, ZERO, effort=0.0).violations
    assert found.code == "undecided"


# Histories as a memory makes them, and with one thing changed.


def drawn(rng, count, size=4, hurry=1.0):
    """A legal history: operations take effect at drawn instants of one memory.

    The less of them there is between those of a source, the more are pending together.
    """
    sources = ["a", "b", "c"]
    now = dict.fromkeys(sources, 0)
    number = dict.fromkeys(sources, 0)
    planned = []
    for _ in range(count):
        source = rng.choice(sources)
        invoked = now[source] + rng.randrange(3)
        instant = invoked + rng.random() * 4 * hurry + 0.01
        # Later accesses of one source take effect later, and may begin before.
        now[source] = instant
        invoked = max(0, int(invoked) - rng.randrange(3))
        responded = int(instant) + 1 + rng.randrange(int(4 / hurry))
        planned.append((instant, source, number[source], invoked, responded))
        number[source] += 1
    memory = bytearray(size)
    history = []
    for _, source, order, invoked, responded in sorted(planned):
        width = rng.choice([1, 2, 4])
        at = rng.randrange(size // width) * width
        found = int.from_bytes(memory[at : at + width], "little")
        kind = rng.choice([Kind.LOAD, Kind.STORE, Kind.RMW, Kind.EXCHANGE])
        value, expected = rng.randrange(3), rng.choice([found, rng.randrange(3)])
        left, strobe = None, -1
        if kind is Kind.RMW:
            left = updated("add", found, value, 8 * width)
        elif kind is Kind.EXCHANGE and found == expected:
            left = value
        elif kind is Kind.STORE:
            strobe = rng.randrange(1, 1 << width)
            left = sum(
                (value if strobe >> each & 1 else found) & 0xFF << 8 * each for each in range(width)
            )
        if left is not None:
            memory[at : at + width] = left.to_bytes(width, "little")
        history.append(
            Operation(
                source,
                order,
                kind,
                invoked,
                responded,
                at,
                width,
                strobe,
                value,
                expected,
                found if kind is not Kind.STORE else 0,
                kind is Kind.EXCHANGE and found == expected,
                rmw_kind=AtomicRmwKind.ADD if kind is Kind.RMW else None,
            )
        )
    return history, bytes(memory)


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.integers(1, 6))
def test_small_histories_are_judged_as_by_trying_every_order(seed, count):
    rng = random.Random(seed)
    history, after = drawn(rng, count)
    rng.shuffle(history)
    assert check(history, bytes(4), after).is_legal
    at = rng.randrange(count)
    each = history[at]
    if each.kind in (Kind.LOAD, Kind.RMW):
        history[at] = each._replace(observed=each.observed ^ 1)
    else:
        history[at] = each._replace(value=each.value ^ 1)
    assert check(history, bytes(4), after).is_legal == has_order(history, bytes(4), after)
    history[at] = each
    moved = each.invoked + rng.randint(-6, 6)
    history[at] = each._replace(invoked=moved, responded=moved + rng.randint(1, 3))
    assert check(history, bytes(4), after).is_legal == has_order(history, bytes(4), after)


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.integers(7, 12))
def test_longer_histories_are_judged_as_by_following_every_state(seed, count):
    rng = random.Random(seed)
    history, after = drawn(rng, count, hurry=0.3)
    assert check(history, bytes(4), after).is_legal
    at = rng.randrange(count)
    each = history[at]
    if each.kind in (Kind.LOAD, Kind.RMW) and rng.random() < 0.7:
        history[at] = each._replace(
            observed=each.observed ^ 1 << 8 * rng.randrange(each.size_bytes)
        )
    else:
        history[at] = each._replace(value=each.value ^ 1)
    found = check(history, bytes(4), after)
    assert found.is_legal == leads_to_the_end(history, bytes(4), after)


@pytest.mark.parametrize("seed", range(4))
def test_long_histories_of_one_hot_word_are_decided(seed):
    history, after = drawn(random.Random(seed), 3000)
    verdict = check(history, bytes(4), after)
    assert verdict.is_legal
    assert verdict.steps < 40 * len(history)
    assert verdict.groups == 1
    assert verdict.epochs >= 1
    loads = [at for at, each in enumerate(history) if each.kind is Kind.RMW]
    at = loads[len(loads) // 2]
    history[at] = history[at]._replace(observed=history[at].observed ^ 0x80)
    assert not check(history, bytes(4), after).is_legal
