# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import ClockDomain, Module, ResetInserter, Signal
from amaranth.sim import Simulator
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.rtl.arbiter import Arbiter
from tests.support.grant import PolicyModel
from tests.support.service_mutants import HastyArbiter


def grants(dut, requests):
    """Granted ordinal (or None) in each cycle of ``requests``, sets of ordinals."""
    seen = []

    async def bench(ctx):
        for asking in requests:
            ctx.set(dut.request, sum(1 << dut.participants.index(i) for i in asking))
            grant = ctx.get(dut.grant)
            assert grant & (grant - 1) == 0
            seen.append(dut.participants[grant.bit_length() - 1] if grant else None)
            await ctx.tick()

    top = Module()
    top.domains.sync = ClockDomain()  # fixed priority has no state, so no domain of its own
    top.submodules.dut = dut
    sim = Simulator(top)
    sim.add_clock(1e-6)
    sim.add_testbench(bench)
    sim.run()
    return seen


def test_fixed_priority_takes_the_first_of_the_declared_order():
    dut = Arbiter(FixedPriority((2, 0, 1)), (0, 1, 2))
    assert grants(dut, [{0, 1, 2}, {0, 1}, {1}, set()]) == [2, 0, 1, None]


def test_round_robin_starts_at_the_declared_requester_and_goes_round_the_declared_order():
    dut = Arbiter(RoundRobin((2, 0, 1), reset_cursor=0), (0, 1, 2))
    assert grants(dut, [{0, 1, 2}] * 5) == [0, 1, 2, 0, 1]


def test_the_cursor_stays_while_nobody_is_granted():
    dut = Arbiter(RoundRobin((0, 1, 2), reset_cursor=1), (0, 1, 2))
    assert grants(dut, [set(), set(), {0, 1, 2}]) == [None, None, 1]


def test_a_cursor_on_a_requester_that_takes_no_part_means_the_next_one():
    dut = Arbiter(RoundRobin((0, 1, 2, 3), reset_cursor=1), (0, 2, 3))
    assert grants(dut, [{0, 2, 3}]) == [2]


def test_reset_restores_the_declared_cursor():
    dut = Arbiter(RoundRobin((0, 1, 2), reset_cursor=2), (0, 1, 2))
    reset, seen = Signal(), []

    async def bench(ctx):
        ctx.set(dut.request, 0b111)
        for pulled in (0, 1, 0, 0):
            ctx.set(reset, pulled)
            seen.append(ctx.get(dut.grant))
            await ctx.tick()

    sim = Simulator(ResetInserter(reset)(dut))
    sim.add_clock(1e-6)
    sim.add_testbench(bench)
    sim.run()
    assert seen == [0b100, 0b001, 0b100, 0b001]


@st.composite
def policies(draw):
    """A policy over up to six requesters, and those who take part."""
    order = tuple(draw(st.permutations(range(draw(st.integers(1, 6))))))
    part = tuple(sorted(draw(st.sets(st.sampled_from(order), min_size=1))))
    if draw(st.booleans()):
        return FixedPriority(order), part
    return RoundRobin(order, draw(st.sampled_from(order))), part


def agrees(arbiter, policy, part, data):
    asking = st.lists(st.sets(st.sampled_from(part)), min_size=1, max_size=24)
    requests = data.draw(asking)
    model = PolicyModel(policy)
    return grants(arbiter(policy, part), requests) == [model.choose(r) for r in requests]


@settings(max_examples=60, deadline=None)
@given(policies(), st.data())
def test_every_grant_is_that_of_the_declared_policy(drawn, data):
    policy, part = drawn
    assert agrees(Arbiter, policy, part, data)


def test_the_comparison_rejects_a_cursor_that_moves_without_a_grant():
    policy = RoundRobin((0, 1, 2), reset_cursor=0)
    requests = [set(), {0, 1, 2}, {0, 1, 2}]
    model = PolicyModel(policy)
    assert grants(HastyArbiter(policy, (0, 1, 2)), requests) != [model.choose(r) for r in requests]


@pytest.mark.parametrize(
    ("policy", "participants", "message"),
    [
        (None, (), r"^Participants must be distinct and not empty, not \(\)$"),
        (None, (1, 1), r"^Participants must be distinct and not empty, not \(1, 1\)$"),
        (None, (0, 1), r"^Grant policy must be declared for 2 participants, not None$"),
        (
            FixedPriority((0, 1)),
            (1, 2),
            r"^Grant policy must name participants \[2\], not only \(0, 1\)$",
        ),
    ],
)
def test_participants_and_policy_must_fit(policy, participants, message):
    with pytest.raises(ValueError, match=message):
        Arbiter(policy, participants)
