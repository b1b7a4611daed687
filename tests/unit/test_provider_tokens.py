"""Constant, synchronised, routed and copied tokens against their actors."""

# amaranth: UnusedElaboratable=no
import random
from functools import partial

import pytest

from fabricgen.errors import Unsupported
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support import token_actors as actors
from tests.support import token_mutants as mutants
from tests.support import token_ops as ops
from tests.support.netlist import Netlist
from tests.support.token_bench import Case, any_traffic, check, check_all, full_speed, half_speed

COUNT = 12


def words(drawn, width, count=COUNT):
    return [drawn.getrandbits(width) if width else 0 for _ in range(count)]


def images(op):
    """Ordinal, if there is a choice, and image of each behaviour."""
    dut = provider(op)
    many = len(dut.behaviors) > 1
    return [(at if many else None, key.lanes) for at, key in enumerate(dut.behaviors)]


CONSTANTS = [(8, 8, 0), (5, 8, 0), (16, 8, 3), (1, 1, 0)]


@pytest.mark.parametrize(("payload", "port", "control"), CONSTANTS)
def test_a_constant_is_published_once_for_each_control_token(payload, port, control):
    dut = provider(ops.constant(payload, port, control))
    bits = min(payload, port)
    for value in {0, (1 << bits) - 1, 0xA5 % (1 << bits)}:
        check(
            dut,
            partial(actors.Constant, value),
            [words(random.Random(1), control)],
            any_traffic(dut, value),
            configuration=value,
        )


SYNCS = [
    ops.sync(),
    ops.sync((8, 0, 8), (8, 0, 8)),
    ops.sync((4, 8), (8, 4, 8), payload=6),
    ops.sync((8,), (8,)),
    ops.sync((8, 8, 8), (8, 8, 8), fan=2),
]


@pytest.mark.parametrize("op", SYNCS)
def test_a_sync_passes_the_lanes_of_its_image_together(op):
    dut = provider(op)
    for ordinal, lanes in images(op):
        drawn = random.Random(ordinal)
        given = [words(drawn, dut.lanes.get(at, 1)) for at in range(len(dut.inputs))]
        check(
            dut,
            partial(actors.Sync, lanes),
            given,
            any_traffic(dut, len(lanes)),
            configuration=ordinal,
            ahead=[int(at in lanes) for at in range(len(dut.inputs))],
        )


MUXES = [
    ops.mux(),
    ops.mux((8, 4, 0), selector=32),
    ops.mux((4, 8), selector=8, result=6),
    ops.mux((8, 8, 8, 8), selector=32),
]


def selectors(drawn, lanes, width):
    """Names of lanes; of a pair with any bits above the lowest."""
    named = [drawn.randrange(len(lanes)) for _ in range(COUNT)]
    pair = len(lanes) == 2
    stray = [drawn.getrandbits(width) & ~1 if pair else 0 for _ in named]
    return named, [name | bits for name, bits in zip(named, stray, strict=True)]


def routed(actor):
    """An actor that looks at the lowest bits of the selector of a pair."""

    class Lowest(actor):
        def fire(self, heads):
            first = heads[0]
            if first is not None and len(self.lanes) == 2:
                first &= 1
            return super().fire([first, *heads[1:]])

    return Lowest


@pytest.mark.parametrize("op", MUXES)
def test_a_mux_takes_the_selected_lane_alone(op):
    dut = provider(op)
    cases = []
    for ordinal, lanes in images(op):
        drawn = random.Random(ordinal)
        _, offered = selectors(drawn, lanes, op.ports.inputs[0])
        given = [offered, *(words(drawn, dut.lanes[at]) for at in range(1, len(dut.inputs)))]
        actor = partial(routed(actors.Mux), lanes)
        cases.append(Case(actor, given, any_traffic(dut, sum(lanes)), ordinal))
    check_all(dut, cases, [2] + [0] * (len(dut.inputs) - 1))


DEMUXES = [
    ops.demux(),
    ops.demux((8, 4, 0), selector=32),
    ops.demux((8, 8), selector=8, operand=6),
    ops.demux((8, 8, 8, 8), selector=32),
]


@pytest.mark.parametrize("op", DEMUXES)
def test_a_demux_gives_to_the_selected_lane_alone(op):
    dut = provider(op)
    cases = []
    for ordinal, lanes in images(op):
        drawn = random.Random(ordinal)
        named, offered = selectors(drawn, lanes, op.ports.inputs[0])
        values = [words(drawn, dut.lanes[lanes[name]], 1)[0] for name in named]
        actor = partial(routed(actors.Demux), lanes)
        cases.append(Case(actor, [offered, values], any_traffic(dut, sum(lanes)), ordinal))
    check_all(dut, cases, [1, 1])


@pytest.mark.parametrize("name", [3, 7])
def test_a_selector_that_names_no_lane_stalls_nothing(name):
    op = ops.mux((8, 8, 8), selector=32)
    ordinal = next(at for at, lanes in images(op) if len(lanes or ()) == 3)
    dut = provider(op)
    check(
        dut,
        partial(actors.Mux, [1, 2, 3, 1, 1, 1, 1, 1]),
        [[name, 1, name, 2], *(words(random.Random(at), 8) for at in range(3))],
        any_traffic(dut, 1),
        configuration=ordinal,
    )


@pytest.mark.parametrize("family", [F.FIXED_VECTOR_PACK, F.FIXED_VECTOR_UNPACK])
def test_a_vector_and_its_integer_have_the_same_bits(family):
    for payload, port in ((32, 32), (24, 32)):
        dut = provider(ops.copy(family, payload, port))
        given = [words(random.Random(1), min(payload, port))]
        check(dut, actors.Copy, given, any_traffic(dut, 3))


EACH = {
    "constant": (ops.constant(), partial(actors.Constant, 0)),
    "sync": (ops.sync(), partial(actors.Sync, [0, 1])),
    "mux": (ops.mux(), partial(actors.Mux, [1, 2])),
    "demux": (ops.demux(), partial(actors.Demux, [0, 1])),
    "copy": (ops.copy(), actors.Copy),
}


def given_to(name, op, seed=0):
    drawn = random.Random(seed)
    return [words(drawn, width) for width in op.ports.inputs], (1 if name == "sync" else None)


@pytest.mark.parametrize("name", EACH)
def test_a_result_every_cycle_one_cycle_after_its_last_operand(name):
    op, actor = EACH[name]
    given, ordinal = given_to(name, op)
    dut = provider(op)
    firings = actors.run_actor(actor(), given, len(op.ports.outputs)).firings
    # A lane is taken behind its selector.
    start = 1 if name == "mux" else 0
    trace = check(
        dut,
        actor,
        given,
        full_speed(dut),
        configuration=ordinal,
        cycles=firings + 1 + start,
        ahead=[2] * len(given),
    )
    first = min(trace.first("given", at) for at, tokens in enumerate(trace.outputs()) if tokens)
    assert first == start + 1


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("after", [5, 12])
def test_reset_empties_every_slot(name, after):
    op, actor = EACH[name]
    given, ordinal = given_to(name, op, after)
    dut = provider(op)
    check(
        dut,
        actor,
        given,
        any_traffic(dut, after),
        configuration=ordinal,
        reset_after=after,
        ahead=[2] * len(given),
    )


@pytest.mark.parametrize(
    ("mutant", "name"),
    [
        (mutants.StuckConstant, "constant"),
        (mutants.ResendingSync, "sync"),
        (mutants.HastySync, "sync"),
        (mutants.EagerMux, "mux"),
        (mutants.CrossedMux, "mux"),
        (mutants.CrossedDemux, "demux"),
        (mutants.BroadcastDemux, "demux"),
        (mutants.SwappingCopy, "copy"),
    ],
)
def test_the_bench_rejects_a_wrong_provider(mutant, name):
    op, actor = EACH[name]
    given, ordinal = given_to(name, op)
    if name == "constant":
        actor, ordinal = partial(actors.Constant, 2), 2
    dut = mutant(op)
    with pytest.raises(AssertionError):
        check(dut, actor, given, half_speed(dut), configuration=ordinal, ahead=[2] * len(given))


@pytest.mark.parametrize("name", EACH)
def test_no_ready_depends_on_a_valid_and_no_valid_on_a_ready(name, tmp_path):
    op, _ = EACH[name]
    netlist = Netlist(provider(op), tmp_path)
    for port in netlist.ports:
        if port.endswith("__ready") and netlist.ports[port]["direction"] == "output":
            assert not {each for each in netlist.input_sources(port) if "valid" in each}
        if port.endswith("__valid") and netlist.ports[port]["direction"] == "output":
            assert netlist.input_sources(port) <= {"configuration"}


def test_ready_of_a_selector_is_a_register(tmp_path):
    assert Netlist(provider(ops.mux()), tmp_path).input_sources("in0__ready") == set()


@pytest.mark.parametrize("name", EACH)
def test_no_other_timing_is_realised(name):
    build = getattr(ops, name)
    for timing in ((0,), (2,), (1, 2)):
        with pytest.raises(Unsupported, match="latency of 1 cycles and an initiation interval"):
            provider(build(timing=timing))
