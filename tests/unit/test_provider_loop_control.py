"""Carry, invariant and gate: each cycle is one transition of the actor, or nothing."""

# amaranth: UnusedElaboratable=no
import random

import pytest

from fabricgen.errors import Unsupported
from fabricgen.rtl.providers.registry import provider
from tests.support import token_actors as actors
from tests.support import token_mutants as mutants
from tests.support import token_ops as ops
from tests.support.netlist import Netlist
from tests.support.token_bench import any_traffic, check, drive, follow, full_speed, half_speed

FAMILIES = {
    "carry": (ops.carry, actors.Carry),
    "invariant": (ops.invariant, actors.Invariant),
    "gate": (ops.gate, actors.Gate),
}


def tokens(op, seed, count=40):
    """Conditions that are 1 three times in four, and any values; stray bits above a condition."""
    drawn = random.Random(seed)
    conditions = [drawn.randrange(4) > 0 for _ in range(count)]
    values = [[drawn.getrandbits(64) for _ in range(count)] for _ in op.ports.inputs[1:]]
    return [list(map(int, conditions))] + [
        [value % (1 << width) for value in row]
        for row, width in zip(values, op.ports.inputs[1:], strict=True)
    ]


@pytest.mark.parametrize("bits", [0, 8])
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_each_cycle_is_a_transition_or_nothing(name, bits, seed):
    build, actor = FAMILIES[name]
    op = build(bits)
    dut = provider(op)
    given = tokens(op, seed)
    follow(dut, actor(), given, any_traffic(dut, seed), cycles=100)
    check(provider(op), actor, given, any_traffic(dut, seed + 100))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_transition_every_cycle_without_stalls(name):
    build, actor = FAMILIES[name]
    op = build()
    given = tokens(op, 1)
    firings = actors.run_actor(actor(), given, len(op.ports.outputs)).firings
    trace = follow(provider(op), actor(), given, full_speed(provider(op)), cycles=firings)
    assert trace.outputs() == actors.run_actor(actor(), given, len(op.ports.outputs)).outputs


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("after", [1, 7, 20])
def test_reset_leads_back_to_the_first_state(name, after):
    build, actor = FAMILIES[name]
    op = build()
    dut = provider(op)
    check(dut, actor, tokens(op, 3), any_traffic(dut, 5), reset_after=after)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_condition_is_the_lowest_bit_of_its_port(name):
    build, actor = FAMILIES[name]
    op = build(8, 8)
    conditions, *values = tokens(op, 2)
    stray = [condition | 0x54 for condition in conditions]
    expected = actors.run_actor(actor(), [conditions, *values], len(op.ports.outputs))
    dut = provider(op)
    trace = drive(dut, [stray, *values], full_speed(dut), cycles=expected.firings)
    assert trace.outputs() == expected.outputs


@pytest.mark.parametrize(
    ("mutant", "name"),
    [
        (mutants.GreedyCarry, "carry"),
        (mutants.DroppingCarry, "carry"),
        (mutants.OpenInvariant, "invariant"),
        (mutants.LooseGate, "gate"),
    ],
)
def test_the_bench_rejects_a_wrong_provider(mutant, name):
    build, actor = FAMILIES[name]
    dut = mutant(build())
    with pytest.raises(AssertionError):
        follow(dut, actor(), tokens(dut.op, 0), half_speed(dut), cycles=100)


SOURCES = {
    "carry": {
        "in0__ready": {"in0__data", "in2__valid", "out0__ready"},
        "in1__ready": {"out0__ready"},
        "in2__ready": {"in0__valid", "in0__data", "out0__ready"},
        "out0__valid": {"in0__valid", "in0__data", "in1__valid", "in2__valid"},
    },
    "invariant": {
        "in0__ready": {"in0__data", "out0__ready"},
        "in1__ready": {"out0__ready"},
        "out0__valid": {"in0__valid", "in0__data", "in1__valid"},
    },
    "gate": {
        "in0__ready": {"in0__data", "in1__valid", "out0__ready", "out1__ready"},
        "in1__ready": {"in0__data", "in0__valid", "out0__ready", "out1__ready"},
    },
}


@pytest.mark.parametrize("name", SOURCES)
def test_ready_never_depends_on_its_own_valid(name, tmp_path):
    netlist = Netlist(provider(FAMILIES[name][0]()), tmp_path)
    for port, expected in SOURCES[name].items():
        assert netlist.input_sources(port) == expected


@pytest.mark.parametrize(("name", "count"), [("carry", 1), ("invariant", 9), ("gate", 1)])
def test_only_an_invariant_keeps_a_payload(name, count, tmp_path):
    netlist = Netlist(provider(FAMILIES[name][0]()), tmp_path)
    assert len(netlist.registered) == count


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("timing", [(1,), (0, 2)])
def test_no_other_timing_is_realised(name, timing):
    op = FAMILIES[name][0](timing=timing)
    with pytest.raises(Unsupported, match="latency of 0 cycles and an initiation interval of 1"):
        provider(op)
