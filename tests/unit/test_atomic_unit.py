# amaranth: UnusedElaboratable=no
import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from fabricgen.emit.verilog import to_verilog
from fabricgen.plan.atomic_use import LocalAtomics
from fabricgen.rtl.service import atomic_unit
from fabricgen.rtl.service.atomic_unit import STORE, AtomicUnit, op_of
from fabricgen.vocab.dataflow import AtomicRmwKind as K
from tests.support.rmw_oracle import updated
from tests.support.services import INTEGER_KINDS
from tests.support.verilog import simulated


def objects(beat, size, count):
    """Objects of a beat, lowest first."""
    return [beat >> 8 * size * i & (1 << 8 * size) - 1 for i in range(count // size)]


def beat_of(values, size):
    return sum(value << 8 * size * i for i, value in enumerate(values))


def drawn(rng, size, beat_bytes):
    """Contents and operands that are often equal, next to each other, or ends."""
    found = ([], [])
    for _ in range(beat_bytes // size):
        top = (1 << 8 * size) - 1
        old = rng.choice([0, 1, top, top // 2, top // 2 + 1, rng.getrandbits(8 * size)])
        near = rng.choice([old, old + 1 & top, old - 1 & top, 0, top, rng.getrandbits(8 * size)])
        found[0].append(old)
        found[1].append(near)
    return [beat_of(values, size) for values in found]


#: As the wire tags of the reference follow one another, without those of floats.
CODES = {kind: code for code, kind in enumerate(INTEGER_KINDS, 1)}


def code(kind):
    """Operation of a kind; None is a store."""
    return STORE if kind is None else CODES[kind]


def run(unit, beat_bytes, seed, count):
    """Compare every object of ``count`` beats with the oracle, a beat in every cycle."""
    rng, atomics = random.Random(seed), unit.atomics
    ops = [None, *atomics.kinds]
    expected = []

    async def bench(ctx):
        for _ in range(count):
            kind, size = rng.choice(ops), rng.choice(atomics.element_bytes)
            old, operand = drawn(rng, size, beat_bytes)
            # Some bytes of the contents are those of the result of this cycle.
            meets = rng.choice([0, rng.getrandbits(beat_bytes)])
            whole = sum(0xFF << 8 * byte for byte in range(beat_bytes) if meets >> byte & 1)
            ctx.set(unit.op, code(kind))
            ctx.set(unit.old, old)
            ctx.set(unit.meets, meets)
            ctx.set(unit.operand, operand)
            last = ctx.get(unit.result)
            old = old & ~whole | last & whole
            if hasattr(unit, "scale"):
                ctx.set(unit.scale, atomics.element_bytes.index(size))
            await ctx.tick()
            # Whatever comes while it is held is not looked at.
            for _ in range(rng.randrange(3)):
                ctx.set(unit.hold, 1)
                for name in ("op", "old", "meets", "operand"):
                    ctx.set(getattr(unit, name), rng.getrandbits(len(getattr(unit, name))))
                await ctx.tick()
            ctx.set(unit.hold, 0)
            parts = (objects(each, size, beat_bytes) for each in (old, operand))
            for place, (before, value) in enumerate(zip(*parts, strict=True)):
                after = value
                if kind is not None:
                    after = updated(kind.name.lower(), before, value, 8 * size)
                expected.append((kind, size, before, value, after))
                shown = objects(ctx.get(unit.result), size, beat_bytes)[place]
                assert shown == after, (kind, size, before, value, after, shown)
            assert ctx.get(unit.held) == old
            assert ctx.get(unit.last) == last

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
    assert {kind for kind, *_ in seen} == {None, *INTEGER_KINDS}


@pytest.mark.parametrize("kind", INTEGER_KINDS)
def test_a_unit_of_one_kind(kind):
    run(AtomicUnit(LocalAtomics((kind,), element_bytes=(1, 4)), 4), 4, seed=2, count=100)


def test_a_unit_of_exchanges_alone():
    run(AtomicUnit(LocalAtomics(exchange=True, element_bytes=(2,)), 4), 4, seed=3, count=100)


def test_the_comparison_sees_a_wrong_outcome(monkeypatch):
    # Mutant: a decrement of zero does not wrap.
    plain = atomic_unit.AtomicUnit._condition
    monkeypatch.setattr(
        atomic_unit.AtomicUnit,
        "_condition",
        lambda self, m, lanes, at_least, nonzero: plain(
            self, m, lanes, at_least, [~(each ^ each) for each in nonzero]
        ),
    )
    with pytest.raises(AssertionError):
        run(AtomicUnit(LocalAtomics((K.UDEC_WRAP,), element_bytes=(1,)), 4), 4, seed=4, count=100)


@pytest.mark.parametrize("kind", INTEGER_KINDS)
def test_each_wire_tag_has_an_operation_of_its_own(kind):
    tag, op = Signal(5), Signal(4)
    m = Module()
    m.d.comb += op.eq(op_of(tag))

    async def bench(ctx):
        ctx.set(tag, kind.value)
        assert ctx.get(op) == CODES[kind]

    sim = Simulator(m)
    sim.add_testbench(bench)
    sim.run()


BLIND = """
module bench;
  reg clk = 0, hold = 0;
  reg [3:0] op = OP, meets = 0;
  reg [31:0] old = 32'bx, operand = 32'h600df00d;
  wire [31:0] held, result, last;
  unit dut (.clk(clk), .rst(1'b0), .hold(hold), .op(op), .old(old), .operand(operand),
    .meets(meets), .held(held), .result(result), .last(last));
  initial begin
    #1 clk = 1;
    #1 $display("%h", result);
    $finish;
  end
endmodule
"""


def written_blindly(op, cwd):
    """What a simulator of four states makes of unknown contents."""
    unit = to_verilog(AtomicUnit(LocalAtomics(INTEGER_KINDS, element_bytes=(4,)), 4), "unit")
    (shown,) = simulated(unit + BLIND.replace("OP", str(op)), cwd)
    return shown


@pytest.mark.parametrize("kind", [None, K.XCHG])
def test_what_does_not_look_at_the_contents_is_known_though_they_are_not(kind, tmp_path):
    assert written_blindly(code(kind), tmp_path) == "600df00d"


def test_what_adds_to_unknown_contents_is_unknown(tmp_path):
    assert written_blindly(code(K.ADD), tmp_path) == "xxxxxxxx"


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
