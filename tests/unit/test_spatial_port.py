import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from tests.support.mutants import EagerPort
from tests.support.port_harness import PortRun, Rates, expected_results

CAPACITY = 4096
VIEWS = [
    view(ELEMENT, element=8),
    view(ELEMENT, element=16),
    view(ELEMENT, element=32),
    view(CONTIGUOUS, lanes=4),
    view(CONTIGUOUS, lanes=4, mask=DYNAMIC),
]


def random_tokens(schema, access, count, seed):
    """Tokens of every active role, with some indices at and over the end of the memory."""
    rng = random.Random(seed)
    last = CAPACITY // (access.element_bits // 8)

    def index():
        return rng.choice([rng.randrange(64), rng.randrange(last), last - 3, rng.getrandbits(32)])

    tokens = {
        ROLE.ADDRESS: [index() for _ in range(count)],
        ROLE.CONTROL: [0] * count,
    }
    if schema is STORE:
        tokens[ROLE.DATA] = [rng.getrandbits(128) for _ in range(count)]
    if access.mask_form is DYNAMIC:
        tokens[ROLE.MASK] = [rng.choice([0, 15, rng.getrandbits(4)]) for _ in range(count)]
    return tokens


def contents(seed):
    return bytearray(random.Random(seed).randbytes(CAPACITY))


RATE = st.sampled_from([1.0, 0.8, 0.5, 0.2])


@settings(max_examples=25)
@given(
    st.sampled_from(VIEWS),
    st.sampled_from([LOAD, STORE]),
    st.integers(0, 2**32),
    st.builds(Rates, RATE, RATE, RATE, RATE),
)
def test_every_firing_publishes_what_the_lanes_say(access, schema, seed, rates):
    port = 0 if schema is LOAD else 1
    tokens = random_tokens(schema, access, 12, seed)
    memory, expected_memory = contents(seed), contents(seed)
    chosen = row(port, schema, access, base=0x108)
    outcome = PortRun(hybrid_memory(), chosen, memory, seed=seed, rates=rates).run(tokens)

    expected = expected_results(access, schema is LOAD, 0x108, tokens, expected_memory)
    assert outcome.results[ROLE.COMPLETION] == [None] * 12
    if schema is LOAD:
        assert outcome.results[ROLE.DATA] == expected
    assert memory == expected_memory
    assert outcome.empty


@pytest.mark.parametrize(("schema", "port"), [(LOAD, 0), (STORE, 1)])
def test_one_firing_a_cycle_published_three_cycles_after_its_operands(schema, port):
    access = view(ELEMENT, element=32)
    tokens = random_tokens(schema, access, 20, 1)
    outcome = PortRun(hybrid_memory(), row(port, schema, access), contents(1)).run(tokens)
    assert outcome.accepted_at[ROLE.ADDRESS] == list(range(20))
    assert outcome.published_at == list(range(3, 23))


def test_an_empty_mask_completes_without_a_request():
    access = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)
    tokens = {
        ROLE.ADDRESS: [1, 2, 3],
        ROLE.CONTROL: [0] * 3,
        ROLE.MASK: [0b0000, 0b0110, 0b0000],
    }
    memory = bytearray(range(256)) + bytearray(CAPACITY - 256)
    outcome = PortRun(hybrid_memory(), row(0, LOAD, access, base=0), memory).run(tokens)
    assert outcome.requests == 1
    assert outcome.results[ROLE.DATA] == [0, 0x13121110_0F0E0D0C_00000000, 0]


def test_a_late_answer_holds_back_the_younger_empty_one():
    """Firings retire in their order, whatever completes first."""
    access = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)
    tokens = {ROLE.ADDRESS: [0, 0], ROLE.CONTROL: [0, 0], ROLE.MASK: [0b0001, 0]}
    memory = bytearray([7] * CAPACITY)
    rates = Rates(answer=0.1)
    outcome = PortRun(hybrid_memory(), row(0, LOAD, access), memory, rates=rates).run(tokens)
    assert outcome.results[ROLE.DATA] == [0x07070707, 0]


def test_an_unmasked_row_takes_no_mask_token():
    access = view(CONTIGUOUS, lanes=4)
    tokens = random_tokens(LOAD, access, 3, 0)
    port_run = PortRun(hybrid_memory(), row(0, LOAD, access), contents(0))
    mask = port_run._channel(ROLE.MASK, 1)
    shown = []
    observe = port_run._observe

    def observe_mask(ctx, *rest):
        ctx.set(mask.valid, 1)
        shown.append(ctx.get(mask.ready))
        observe(ctx, *rest)

    port_run._observe = observe_mask
    assert len(port_run.run(tokens).published_at) == 3
    assert not any(shown)


def test_hold_closes_every_operand_at_once_and_the_rest_drains():
    access = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)
    tokens = random_tokens(STORE, access, 12, 3)
    port_run = PortRun(hybrid_memory(), row(1, STORE, access), contents(3))
    drive, cycle = port_run._drive, 0

    def drive_with_hold(ctx, pending):
        nonlocal cycle
        ctx.set(port_run.port.hold, cycle >= 4)
        drive(ctx, pending)
        cycle += 1

    port_run._drive = drive_with_hold
    outcome = port_run.run(tokens, firings=4)
    assert outcome.accepted_at == {role: list(range(4)) for role in port_run.sources}
    assert len(outcome.published_at) == 4
    assert outcome.empty


def test_the_monitor_rejects_a_port_that_publishes_each_role_when_it_can():
    access = view(ELEMENT, element=32)
    tokens = random_tokens(LOAD, access, 12, 0)
    port_run = PortRun(
        hybrid_memory(),
        row(0, LOAD, access),
        contents(0),
        rates=Rates(accept=0.5),
        port_class=EagerPort,
    )
    with pytest.raises(AssertionError, match=r"^one packet must be published together"):
        port_run.run(tokens)
