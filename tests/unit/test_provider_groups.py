"""Elements to groups and back, against their actors, for every element width and lane count."""

# amaranth: UnusedElaboratable=no
import random
from functools import partial

import pytest

from fabricgen.errors import Unsupported
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.hardware import FloatFormat
from tests.support import token_actors as actors
from tests.support import token_mutants as mutants
from tests.support import token_ops as ops
from tests.support.netlist import Netlist
from tests.support.token_bench import Case, any_traffic, check, check_all, full_speed, half_speed

BUILDS = {"parallelize": ops.parallelize, "serialize": ops.serialize}
ACTORS = {"parallelize": actors.Parallelize, "serialize": actors.Serialize}
SHAPES = [
    {"payload": 32, "integers": (8,)},
    {"payload": 24, "integers": (8,), "mask": 5},
    {"payload": 40, "integers": (8, 16, 32), "mask": 3},
    {"payload": 11, "integers": (1, 8), "mask": 3},
    {"payload": 32, "integers": (16,), "floats": (FloatFormat.F16, FloatFormat.F32)},
    {"payload": 8, "integers": (8,)},
]
#: Tokens that an input may lose before the firing that needs them.
AHEAD = {"parallelize": [0, 2], "serialize": [1, 1, 2]}


def phases(drawn, count):
    """Short and long runs of ones, the end of nothing among them."""
    chance = drawn.choice([20, 60, 90])
    return [int(drawn.randrange(100) < chance) for _ in range(count - 1)] + [0]


def tokens(name, op, bits, lanes, seed, count=14, ones=None):
    """Operands with stray bits above the element and above the lanes."""
    drawn = random.Random(seed)
    ones = ones or phases(drawn, count)
    if name == "parallelize":
        return [[drawn.getrandbits(op.ports.inputs[0]) for _ in ones], ones]
    payload, width = op.ports.inputs[:2]
    dense = drawn.choice([(1 << lanes) - 1, 0, drawn.getrandbits(lanes)])
    masks = [drawn.choice([dense, drawn.getrandbits(width)]) for _ in ones]
    return [[drawn.getrandbits(payload) for _ in ones], masks, ones]


def actor_of(name, bits, lanes):
    """The actor behind the low bits of its operands."""

    class Low(ACTORS[name]):
        def fire(self, heads):
            first, *rest = heads
            if name == "parallelize" and first is not None:
                first %= 1 << bits
            return super().fire([first, *rest])

    return partial(Low, bits, lanes)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", BUILDS)
def test_every_element_width_and_lane_count(name, shape):
    op = BUILDS[name](**shape)
    dut = provider(op)
    cases = [
        Case(
            actor_of(name, key.element_bits, key.lane_count),
            tokens(name, op, key.element_bits, key.lane_count, ordinal),
            any_traffic(dut, ordinal),
            ordinal if len(dut.behaviors) > 1 else None,
        )
        for ordinal, key in enumerate(dut.behaviors)
    ]
    # What wider groups have left in the registers of narrower ones is not seen.
    check_all(dut, [*cases, *cases[::-1]], AHEAD[name])


def full_lanes(op):
    """Ordinal and lanes of the largest group."""
    behaviors = provider(op).behaviors
    return len(behaviors) - 1, behaviors[-1].lane_count


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", BUILDS)
def test_groups_under_many_stalls(name, seed):
    op = BUILDS[name]()
    ordinal, lanes = full_lanes(op)
    dut = provider(op)
    given = tokens(name, op, 8, lanes, seed, 24)
    traffic = any_traffic(dut, seed)
    check(
        dut,
        actor_of(name, 8, lanes),
        given,
        traffic,
        configuration=ordinal,
        ahead=AHEAD[name],
    )


@pytest.mark.parametrize("lanes", [1, 2, 4])
@pytest.mark.parametrize("runs", [[4, 4], [1, 1], [0, 0], [5, 3, 0, 1, 6]])
def test_elements_are_gathered_without_a_bubble(lanes, runs):
    """A firing takes one cycle; two where a partial group and its end are published."""
    ones = [phase for run in runs for phase in [1] * run + [0]]
    cycles = len(ones) + sum(run % lanes > 0 for run in runs)
    dut = provider(ops.parallelize())
    trace = check(
        dut,
        partial(actors.Parallelize, 8, lanes),
        [list(range(1, sum(ones) + 1)), ones],
        full_speed(dut),
        configuration=lanes - 1,
        # The first phase is there in cycle 0, its firing in 1, what that publishes in 2.
        cycles=cycles + 2,
        ahead=[0, 2],
    )
    assert trace.first("taken", 1) == 0


@pytest.mark.parametrize("masks", [[15] * 5, [5, 10, 1, 15, 8], [1] * 6])
def test_groups_are_taken_apart_without_a_bubble(masks):
    op = ops.serialize()
    ordinal, lanes = full_lanes(op)
    ones = [1] * len(masks) + [0, 0]
    given = [[0x04030201 * at for at in range(1, len(masks) + 1)], masks, ones]
    dut = provider(op)
    results = sum(mask.bit_count() for mask in masks) + 2
    # The phase is there in cycle 0, its group in 1, what that publishes in 2.
    trace = check(
        dut,
        partial(actors.Serialize, 8, lanes),
        given,
        full_speed(dut),
        configuration=ordinal,
        cycles=results + 2,
        ahead=[1, 1, 2],
    )
    assert trace.first("given", 1) == 2


def test_an_end_alone_is_published_in_the_next_cycle():
    for name, port in (("parallelize", 2), ("serialize", 1)):
        dut = provider(BUILDS[name]())
        inputs = [[] for _ in dut.inputs[:-1]] + [[0, 0, 0]]
        trace = check(dut, actor_of(name, 8, 4), inputs, full_speed(dut), cycles=4, configuration=3)
        assert [row[port] for row in trace.given] == [None, 0, 0, 0]


@pytest.mark.parametrize("after", [4, 9])
@pytest.mark.parametrize("name", BUILDS)
def test_reset_clears_slot_and_continuation(name, after):
    op = BUILDS[name]()
    ordinal, lanes = full_lanes(op)
    dut = provider(op)
    given = tokens(name, op, 8, lanes, after)
    check(
        dut,
        actor_of(name, 8, lanes),
        given,
        half_speed(dut),
        configuration=ordinal,
        reset_after=after,
        ahead=AHEAD[name],
    )


@pytest.mark.parametrize(
    ("mutant", "name"),
    [
        (mutants.ForgetfulParallelize, "parallelize"),
        (mutants.EarlyParallelize, "parallelize"),
        (mutants.DirtyParallelize, "parallelize"),
        (mutants.DescendingSerialize, "serialize"),
        (mutants.EndlessSerialize, "serialize"),
        (mutants.FullSerialize, "serialize"),
    ],
)
def test_the_bench_rejects_a_wrong_adapter(mutant, name):
    op = BUILDS[name]()
    ordinal, lanes = full_lanes(op)
    dut = mutant(op)
    given = tokens(name, op, 8, lanes, 1, ones=[1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 0])
    with pytest.raises(AssertionError):
        check(
            dut,
            actor_of(name, 8, lanes),
            given,
            half_speed(dut),
            configuration=ordinal,
            ahead=AHEAD[name],
        )


@pytest.mark.parametrize("name", BUILDS)
def test_no_ready_depends_on_a_valid_and_no_valid_on_a_ready(name, tmp_path):
    netlist = Netlist(provider(BUILDS[name]()), tmp_path)
    sides = {port: netlist.ports[port]["direction"] for port in netlist.ports}
    for port, side in sides.items():
        if side == "output" and port.endswith("__ready"):
            sources = netlist.input_sources(port)
            assert not {each for each in sources if "valid" in each or "data" in each}
        if side == "output" and port.endswith("__valid"):
            assert not {each for each in netlist.input_sources(port) if "ready" in each}
    phase = f"in{len(BUILDS[name]().ports.inputs) - 1}__ready"
    assert netlist.input_sources(phase) == set()


@pytest.mark.parametrize("name", BUILDS)
def test_no_other_timing_is_realised(name):
    for timing in ((0,), (2,), (1, 4)):
        with pytest.raises(Unsupported, match="latency of 1 cycles and an initiation interval"):
            provider(BUILDS[name](timing=timing))
