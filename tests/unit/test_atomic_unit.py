# amaranth: UnusedElaboratable=no
import random

import pytest
from amaranth.sim import Simulator

from fabricgen.plan.atomic_use import LocalAtomics
from fabricgen.rtl.service import atomic_unit
from fabricgen.rtl.service.atomic_unit import EXCHANGE, STORE, AtomicUnit
from fabricgen.vocab.dataflow import AtomicRmwKind as K
from tests.support.rmw_oracle import updated
from tests.support.services import INTEGER_KINDS


def objects(beat, size, count):
    """Objects of a beat, lowest first."""
    return [beat >> 8 * size * i & (1 << 8 * size) - 1 for i in range(count // size)]


def beat_of(values, size):
    return sum(value << 8 * size * i for i, value in enumerate(values))


def drawn(rng, size, beat_bytes):
    """Contents, operands and expectations that are often equal, next to each other, or ends."""
    found = ([], [], [])
    for _ in range(beat_bytes // size):
        top = (1 << 8 * size) - 1
        old = rng.choice([0, 1, top, top // 2, top // 2 + 1, rng.getrandbits(8 * size)])
        near = rng.choice([old, old + 1 & top, old - 1 & top, 0, top, rng.getrandbits(8 * size)])
        found[0].append(old)
        found[1].append(near)
        found[2].append(rng.choice([old, rng.getrandbits(8 * size), old ^ 1 << 8 * size - 1]))
    return [beat_of(values, size) for values in found]


def run(unit, beat_bytes, seed, count):
    """Compare every object of ``count`` beats with the oracle, a beat in every cycle."""
    rng, atomics = random.Random(seed), unit.atomics
    ops = [STORE, *(kind.value for kind in atomics.kinds)] + [EXCHANGE] * atomics.exchange
    expected = []

    async def bench(ctx):
        for _ in range(count):
            op, size = rng.choice(ops), rng.choice(atomics.element_bytes)
            old, operand, wanted = drawn(rng, size, beat_bytes)
            ctx.set(unit.op, op)
            ctx.set(unit.old, old)
            ctx.set(unit.operand, operand)
            if hasattr(unit, "scale"):
                ctx.set(unit.scale, atomics.element_bytes.index(size))
            if hasattr(unit, "expected"):
                ctx.set(unit.expected, wanted)
            await ctx.tick()
            parts = (objects(each, size, beat_bytes) for each in (old, operand, wanted))
            for place, (before, value, guess) in enumerate(zip(*parts, strict=True)):
                after = value
                if op == EXCHANGE:
                    after = value if before == guess else before
                elif op != STORE:
                    after = updated(K(op).name.lower(), before, value, 8 * size)
                expected.append((op, size, before, value, after))
                shown = objects(ctx.get(unit.result), size, beat_bytes)[place]
                assert shown == after, (op, size, before, value, after, shown)
            assert ctx.get(unit.held) == old

    sim = Simulator(unit)
    sim.add_clock(1e-6)
    sim.add_testbench(bench)
    sim.run()
    return expected


@pytest.mark.parametrize(
    ("sizes", "beat_bytes"), [((1, 2, 4, 8), 8), ((4,), 4), ((2, 8), 16), ((1,), 1)]
)
def test_every_operation_makes_what_the_reference_says(sizes, beat_bytes):
    unit = AtomicUnit(LocalAtomics(INTEGER_KINDS, exchange=True, element_bytes=sizes), beat_bytes)
    seen = run(unit, beat_bytes, seed=1, count=600)
    assert {op for op, *_ in seen} == {STORE, EXCHANGE, *(kind.value for kind in INTEGER_KINDS)}
    # Both outcomes of an exchange were met.
    swaps = [before == after for op, _, before, value, after in seen if op == EXCHANGE]
    assert any(swaps)
    assert not all(swaps)


@pytest.mark.parametrize("kind", INTEGER_KINDS)
def test_a_unit_of_one_kind(kind):
    run(AtomicUnit(LocalAtomics((kind,), element_bytes=(1, 4)), 4), 4, seed=2, count=100)


def test_a_unit_of_exchanges_alone():
    run(AtomicUnit(LocalAtomics(exchange=True, element_bytes=(2,)), 4), 4, seed=3, count=100)


def test_the_comparison_sees_a_wrong_outcome(monkeypatch):
    # Mutant: a decrement of zero does not wrap.
    without = atomic_unit.AtomicUnit._conditions
    monkeypatch.setattr(
        atomic_unit.AtomicUnit,
        "_conditions",
        lambda self, m, at_least, nonzero, unequal: without(
            self, m, at_least, [~(each ^ each) for each in nonzero], unequal
        ),
    )
    with pytest.raises(AssertionError):
        run(AtomicUnit(LocalAtomics((K.UDEC_WRAP,), element_bytes=(1,)), 4), 4, seed=4, count=100)


@pytest.mark.parametrize(
    ("atomics", "message"),
    [
        (LocalAtomics(fence=True), "^AtomicUnit atomics must compute something, not "),
        (
            LocalAtomics((K.ADD, K.FADD), element_bytes=(4,)),
            r"^AtomicUnit kinds must be those of integers, not \['FADD'\]$",
        ),
        (
            LocalAtomics((K.ADD,), element_bytes=(8,)),
            r"^AtomicUnit element_bytes must be at most the 4 of a beat and not empty, "
            r"not \(8,\)$",
        ),
        (
            LocalAtomics((K.ADD,)),
            r"^AtomicUnit element_bytes must be at most the 4 of a beat and not empty, not \(\)$",
        ),
    ],
)
def test_arguments_must_fit(atomics, message):
    with pytest.raises(ValueError, match=message):
        AtomicUnit(atomics, 4)
