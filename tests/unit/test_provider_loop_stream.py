"""Streams against their actor, for every step, predicate and width."""

# amaranth: UnusedElaboratable=no
import random
from functools import partial

import pytest

from fabricgen.errors import Unsupported
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.operations import IntegerPredicate as P
from fabricgen.vocab.operations import StreamStepKind as S
from tests.support import token_actors as actors
from tests.support import token_mutants as mutants
from tests.support import token_ops as ops
from tests.support.netlist import Netlist
from tests.support.token_bench import Case, any_traffic, check, check_all, full_speed, half_speed

EVERY = tuple(each.name for each in P)
DIVISIONS = (S.SDIV, S.UDIV)


def interval(kind, bits=8):
    return bits + 2 if kind in DIVISIONS else 1


def triples(kind, predicate, bits, count, seed=0, port=None):
    """Operands of streams that end soon, most of them after a firing or more; stray bits above."""
    drawn = random.Random(f"{kind} {predicate} {bits} {seed}")
    found = []
    tries = 0
    while len(found) < count:
        tries += 1
        init, limit, step = (number(drawn, bits) for _ in range(3))
        if kind in (S.SHL, S.ASHR, S.LSHR):
            step %= bits
        if drawn.randrange(2):
            limit = init
            for _ in range(drawn.randrange(5)):
                limit = actors.step_by(kind, limit, step, bits)
        actor = actors.Stream(kind, predicate, bits)
        heads, firings = (init, limit, step), 0
        while actor.fire(heads if not firings else (None,) * 3) is not None and firings < 8:
            firings += 1
            if actor.running is None:
                break
        if actor.running is None and (firings > 1 or len(found) % 3 == 0 or tries > 200):
            found.append((init, limit, step))
    above = (port or bits) - bits
    stray = [
        [value | drawn.getrandbits(64) % (1 << above) << bits for value in each] for each in found
    ]
    return [list(row) for row in zip(*found, strict=True)], [
        list(row) for row in zip(*stray, strict=True)
    ]


def number(drawn, bits):
    """Small ones, negative ones, the ends of the range and others."""
    top = 1 << bits - 1
    small = drawn.randrange(6)
    return drawn.choice([small, small, -small % (2 * top), top - 1, top, drawn.getrandbits(bits)])


def low(bits, actor):
    """An actor of a wider port: it looks at the low bits."""

    class Low:
        def __init__(self):
            self.actor = actor()

        def fire(self, heads):
            return self.actor.fire([None if each is None else each % (1 << bits) for each in heads])

    return Low


@pytest.mark.parametrize("kind", list(S))
def test_every_step_and_every_predicate_at_one_width(kind):
    predicates = EVERY if kind is S.ADD else ("NE", "SLT")
    op = ops.stream(kind, (8,), predicates, timing=(1, interval(kind)))
    dut = provider(op)
    cases = [
        Case(
            partial(actors.Stream, kind, key.predicate, 8),
            triples(kind, key.predicate, 8, 5)[0],
            any_traffic(dut, ordinal),
            ordinal,
        )
        for ordinal, key in enumerate(dut.behaviors)
    ]
    check_all(dut, cases, [1, 1, 1])


@pytest.mark.parametrize("kind", [S.SUB, S.SDIV, S.ASHR, S.LSHR])
def test_every_width_beside_the_others_whatever_stands_above(kind):
    widths = (8, 16, 32) if kind is S.SUB else (8, 16)
    top = widths[-1]
    op = ops.stream(kind, widths, ("SLT", "ULE"), timing=(1, interval(kind, top)))
    dut = provider(op)
    cases = [
        Case(
            low(key.active_bits, partial(actors.Stream, kind, key.predicate, key.active_bits)),
            triples(kind, key.predicate, key.active_bits, 3, port=top)[1],
            any_traffic(dut, ordinal),
            ordinal,
        )
        for ordinal, key in enumerate(dut.behaviors)
    ]
    assert all(trace.outputs()[1] for trace in check_all(dut, cases, [1, 1, 1]))


@pytest.mark.parametrize("cycles", [1, 2])
@pytest.mark.parametrize("bits", [8, 32, 64])
def test_a_product_takes_one_cycle_or_two(cycles, bits):
    op = ops.stream(S.MUL, (bits,), ("ULT",), timing=(1, cycles))
    given, _ = triples(S.MUL, P.ULT, bits, 6, 3)
    dut = provider(op)
    check(
        dut, partial(actors.Stream, S.MUL, P.ULT, bits), given, any_traffic(dut, 1), ahead=[1] * 3
    )


@pytest.mark.parametrize("kind", [S.ADD, S.MUL, S.SDIV])
def test_one_firing_per_interval_and_no_cycle_between_streams(kind):
    each = interval(kind)
    op = ops.stream(kind, (8,), ("NE",), timing=(1, each))
    given = {
        S.ADD: [[0, 5, 0, 250], [3, 5, 4, 4], [1, 1, 2, 2]],
        S.MUL: [[1, 1, 3], [8, 1, 27], [2, 5, 3]],
        S.SDIV: [[100, 7, 246], [1, 7, 0], [10, 1, 3]],
    }[kind]
    dut = provider(op)
    actor = partial(actors.Stream, kind, P.NE, 8)
    expected = actors.run_actor(actor(), given, 2)
    closes, goes_on = (sum(phase == want for phase in expected.outputs[1]) for want in (0, 1))
    cycles = 1 + closes + each * goes_on
    trace = check(dut, actor, given, full_speed(dut), cycles=cycles, ahead=[1, 1, 1])
    assert trace.first("given", 1) == 1


@pytest.mark.parametrize("after", [3, 11])
@pytest.mark.parametrize("kind", [S.ADD, S.UDIV])
def test_reset_makes_it_idle(kind, after):
    op = ops.stream(kind, (8,), ("ULT",), timing=(1, interval(kind)))
    given, _ = triples(kind, P.ULT, 8, 8, after)
    dut = provider(op)
    actor = partial(actors.Stream, kind, P.ULT, 8)
    check(dut, actor, given, any_traffic(dut, after), reset_after=after, ahead=[1, 1, 1])


@pytest.mark.parametrize(
    "mutant", [mutants.InclusiveStream, mutants.StutteringStream, mutants.LongStream]
)
def test_the_bench_rejects_a_wrong_stream(mutant):
    op = ops.stream(S.ADD, (8,), ("SLT",))
    given, _ = triples(S.ADD, P.SLT, 8, 12)
    dut = mutant(op)
    with pytest.raises(AssertionError):
        check(
            dut,
            partial(actors.Stream, S.ADD, P.SLT, 8),
            given,
            half_speed(dut),
            ahead=[1, 1, 1],
        )


def test_no_ready_depends_on_a_valid_and_no_valid_on_a_ready(tmp_path):
    netlist = Netlist(provider(ops.stream(predicates=("SLT", "EQ"))), tmp_path)
    for port in range(3):
        assert netlist.input_sources(f"in{port}__ready") == {
            "configuration",
            "out0__ready",
            "out1__ready",
        }
    for port in range(2):
        assert netlist.input_sources(f"out{port}__valid") <= {"configuration"}


@pytest.mark.parametrize(
    ("kind", "timing", "known"),
    [
        (S.ADD, (1, 2), "1"),
        (S.ADD, (0, 1), "1"),
        (S.ASHR, (2, 1), "1"),
        (S.MUL, (1, 3), "1, 2"),
        (S.SDIV, (1, 1), "10"),
        (S.UDIV, (1, 11), "10"),
    ],
)
def test_no_other_timing_is_realised(kind, timing, known):
    op = ops.stream(kind, timing=timing)
    with pytest.raises(Unsupported, match=f"latency of 1 cycles and an .* interval of {known},"):
        provider(op)
