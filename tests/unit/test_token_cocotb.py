"""Emitted token, loop and adapter components on simulators that are not ours."""

# amaranth: UnusedElaboratable=no
import shutil
from dataclasses import replace

import pytest

from fabricgen.vocab.operations import IntegerPredicate as P
from fabricgen.vocab.operations import StreamStepKind as S
from tests.support import token_cases as cases
from tests.support import token_mutants as mutants
from tests.support import token_ops as ops
from tests.support.token_units import (
    check,
    early,
    late,
    problems,
    restless,
    simulate,
    torn,
    with_cases,
)

pytest.importorskip("cocotb")
pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")


def families(seed, count):
    """A unit of each family but the stream."""
    return {
        "constant": cases.constant(seed, count),
        "sync": cases.sync(seed, count),
        "mux": cases.mux(seed, count),
        "demux": cases.demux(seed, count),
        "carry": cases.loop("carry", seed, count),
        "invariant": cases.loop("invariant", seed, count),
        "gate": cases.loop("gate", seed, count),
        "parallelize": cases.group("parallelize", seed, count, most=7, payload=32),
        "serialize": cases.group("serialize", seed, count, most=7, payload=32),
    }


def assert_all_rows_fired(units):
    for name, unit in units.items():
        rows = {row.name for case in unit.cases for row in case.table.rows}
        fired = set().union(*(found.fired() for found in unit.machines))
        assert fired == rows, name


def test_each_family_does_what_its_table_says_under_every_stall(tmp_path):
    """What is not offered is unknown, where no ready depends on it; a reset comes in between."""
    units = {
        name: with_cases(unit, interrupted=30, idle_unknown=unit.timing != "transparent")
        for name, unit in families(1, 24).items()
    }
    check(units, tmp_path)
    assert_all_rows_fired(units)


def test_each_step_kind_does_what_its_table_says_under_every_stall(tmp_path):
    units = {kind.name.lower(): cases.stream(kind, 1, 5) for kind in S}
    units["add"] = cases.stream(S.ADD, 1, 5, predicates=[each.name for each in P], port=17)
    assert any(case.firings for case in units["add"].cases)
    shifts = (S.SHL, S.ASHR, S.LSHR)
    poison = {f"poison_{kind.name.lower()}": cases.poison(kind, 1, 9) for kind in shifts}
    check({**units, **poison}, tmp_path)
    assert_all_rows_fired(units)


#: Providers that are wrong, each beside a unit that must reject it.
MUTANTS = {
    "constant": [mutants.StuckConstant],
    "sync": [mutants.ResendingSync, mutants.HastySync],
    "mux": [mutants.EagerMux, mutants.CrossedMux],
    "demux": [mutants.CrossedDemux, mutants.BroadcastDemux],
    "carry": [mutants.GreedyCarry],
    "invariant": [mutants.OpenInvariant],
    "gate": [mutants.LooseGate],
    "parallelize": [
        mutants.ForgetfulParallelize,
        mutants.EarlyParallelize,
        mutants.DirtyParallelize,
    ],
    "serialize": [mutants.DescendingSerialize, mutants.EndlessSerialize, mutants.FullSerialize],
}


def test_the_bench_rejects_each_wrong_provider(tmp_path):
    units = families(2, 16)
    wrong = {
        mutant.__name__.lower(): replace(unit, component=mutant(unit.component.op), machines=[])
        for name, unit in units.items()
        for mutant in MUTANTS[name]
    }
    results = simulate(wrong, tmp_path)
    assert [name for name, unit in wrong.items() if not problems(unit, results[name])] == []


#: Wires of the design around one demultiplexer: what is broken, with what, and what sees it.
BROKEN_WIRES = {
    "returning": ("out0_valid", "{wire} = inner & odd", "unstable"),
    "changing": ("out0_data", "{wire} = inner ^ odd", "unstable"),
    "unknown_data": ("out0_data", "{wire} = inner | 8'bx", "unknown"),
    "unknown_valid": ("out0_valid", "{wire} = inner & 1'bx", "unknown"),
    "unknown_ready": ("in0_ready", "{wire} = inner & 1'bx", "unknown"),
    "unknown_quiescence": ("quiescent", "{wire} = inner & 1'bx", "unknown"),
    "silent": ("out0_valid", "{wire} = inner & 1'b0", "hang"),
    "losing": ("in1_valid", "inner = {wire} & odd", "token"),
    "doubling": ("out0_ready", "inner = {wire} & odd", "token"),
}


def test_the_bench_rejects_each_broken_wire(tmp_path):
    """One of them is right but for its time: its selector takes part in every second cycle."""

    def rewired(text, name, port, assignment):
        connection = f".{port}({name}_{port})"
        assert text.count(connection) == 1
        inner = f"{name}_{port}_inner"
        assignment = assignment.format(wire=f"{name}_{port}").replace("inner", inner)
        wires = f"wire [7:0] {inner}; assign {assignment};\nendmodule"
        return text.replace(connection, f".{port}({inner})").replace("endmodule", wires, 1)

    def broken(text):
        for name, (port, assignment, _) in BROKEN_WIRES.items():
            text = rewired(text, name, port, assignment)
        text = rewired(text, "late", "in0_valid", "inner = {wire} & odd")
        text = rewired(text, "late", "in0_ready", "{wire} = inner & odd")
        odd = "reg odd; always @(posedge clk) odd <= !rst && !odd;\nendmodule"
        return text.replace("endmodule", odd, 1)

    def unit():
        return cases.demux(3, 24, lanes=(8, 8), repeat=3)

    units = {name: unit() for name in BROKEN_WIRES}
    units["late"] = with_cases(unit(), stalled="outputs")
    results = simulate(units, tmp_path, edit=broken)
    for name, (_, _, kind) in BROKEN_WIRES.items():
        assert kind in {each.kind for result in results[name] for each in result.findings}, name
    assert not any(result.findings for result in results["late"])
    assert len(problems(units["late"], results["late"])) >= len(units["late"].cases)


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """Units whose outputs alone stall, and the results of their passes."""
    units = {
        **families(5, 24),
        **{kind.name.lower(): cases.stream(kind, 5, 5, widths=(8,)) for kind in S},
        "product": cases.stream(S.MUL, 5, 5, widths=(32,), interval=2),
    }
    units = {name: with_cases(unit, stalled="outputs") for name, unit in units.items()}
    return units, simulate(units, tmp_path_factory.mktemp("traces"))


def passes(traces, name):
    units, results = traces
    unit = units[name]
    return [*zip(unit.cases, unit.machines, results[name], strict=True)]


def test_stalled_outputs_cost_no_cycle_but_their_own(traces):
    units, results = traces
    assert {name: problems(unit, results[name]) for name, unit in units.items()} == {
        name: [] for name in units
    }


def test_a_trace_that_is_shifted_by_a_cycle_has_the_wrong_time(traces):
    for name, unit in traces[0].items():
        for _, done, result in passes(traces, name):
            for shift in (-1, 1) if any(result.given) else ():
                moved = [[(cycle + shift, token) for cycle, token in row] for row in result.given]
                assert late(unit, done, replace(result, given=moved)), name


def test_the_bench_rejects_wrong_quiescence(traces):
    for name, unit in traces[0].items():
        for case, _, result in passes(traces, name):
            always = replace(result, quiescent=range(result.cycles))
            never = replace(result, quiescent=[])
            if unit.timing == "transparent":
                assert len(result.quiescent) < result.cycles
            else:
                assert restless(unit, case, never), name
            if any(result.given):
                assert restless(unit, case, always), name


def test_the_bench_rejects_wrong_tables(traces):
    """Traces of right components, judged by tables that are not theirs."""

    def judged(judge, name, changed, *rest):
        return [
            bool(judge(replace(case, table=changed(case.table)), result, len(done.outputs), *rest))
            for case, done, result in passes(traces, name)
        ]

    def same(table):
        return table

    def eager(table):
        *rows, close = table.rows
        return replace(table, rows=[*rows, replace(close, needs={0: 0, 1: None})])

    def waiting(table):
        (row,) = table.rows
        return replace(table, rows=[replace(row, guard=lambda kept, heads: False)])

    assert not any(judged(torn, "carry", same))
    assert all(judged(torn, "carry", eager))
    assert not any(judged(early, "sync", same, 1))
    assert all(judged(early, "sync", waiting, 1))


def test_two_loops_of_providers_do_what_python_does(tmp_path):
    """Beside the right fabric, one with an iteration too many."""
    long = mutants.InclusiveStream(ops.stream())
    units = {"nest": cases.nest(1, 6), "long": cases.nest(1, 3, inner_stream=long)}
    results = simulate(units, tmp_path)
    assert problems(units["nest"], results["nest"]) == []
    assert problems(units["long"], results["long"]) != []


def wide_families(seed):
    """Lanes of other widths, without payload or beyond the result, and every image of them."""
    count = 20
    return {
        "bit": cases.constant(seed, count, 1),
        "wide_constant": cases.constant(seed, count, 64, 8),
        "pair": cases.sync(seed, count, inputs=(8, 8), outputs=(8, 8), repeat=7),
        "bare_sync": cases.sync(seed, count, inputs=(0, 8, 0), outputs=(0, 8, 8), repeat=3),
        "four_sync": cases.sync(seed, count, inputs=(8, 4, 2, 8), outputs=(8, 4, 8, 1)),
        "bare_mux": cases.mux(seed, count, lanes=(0, 0), result=0, repeat=7),
        "four_mux": cases.mux(seed, count, lanes=(8, 4, 8, 2), result=6),
        "bare_demux": cases.demux(seed, count, lanes=(0, 8, 0), repeat=2),
        "four_demux": cases.demux(seed, count, lanes=(8, 4, 8, 2)),
        **{
            f"{name}_{bits}": cases.loop(name, seed, count, bits=bits, width=width)
            for name in ("carry", "invariant", "gate")
            for bits, width in ((0, 1), (1, 8), (64, 1))
        },
    }


GROUPS = [
    {"payload": 64, "integers": (8, 16, 32, 64)},
    {"payload": 24, "integers": (8,), "mask": 5},
    {"payload": 40, "integers": (8, 16, 32), "mask": 3},
    {"payload": 11, "integers": (1, 8), "mask": 3},
    {"payload": 8, "integers": (8,)},
]


@pytest.mark.slow
@pytest.mark.parametrize("stalled", ["all", "inputs", "outputs"])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_lane_image_and_payload(seed, stalled, tmp_path):
    units = wide_families(seed)
    check({name: with_cases(unit, stalled=stalled) for name, unit in units.items()}, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("stalled", ["all", "outputs"])
@pytest.mark.parametrize("name", ["parallelize", "serialize"])
def test_every_element_and_lane_count(name, stalled, tmp_path):
    units = {f"group_{at}": cases.group(name, at, 30, **shape) for at, shape in enumerate(GROUPS)}
    check({name: with_cases(unit, stalled=stalled) for name, unit in units.items()}, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("stalled", ["all", "outputs"])
@pytest.mark.parametrize("kind", list(S))
def test_every_width_and_predicate_of_a_step(kind, stalled, tmp_path):
    predicates = [each.name for each in P]
    unit = cases.stream(kind, 3, 6, widths=(8, 16, 32, 64), predicates=predicates)
    check({"stream": with_cases(unit, stalled=stalled)}, tmp_path)


@pytest.mark.slow
def test_a_product_of_two_cycles_at_every_width(tmp_path):
    units = {
        f"product_{bits}": cases.stream(S.MUL, 4, 20, widths=(bits,), interval=2)
        for bits in (8, 16, 32, 64)
    }
    check(units, tmp_path)


@pytest.mark.slow
def test_many_loop_nests(tmp_path):
    check({f"nest_{seed}": cases.nest(10 * seed, 12) for seed in range(1, 5)}, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_what_starts_at_random_changes_nothing(seed, tmp_path):
    """Verilator, where registers without a reset start with any bits."""
    units = {
        **families(seed, 60),
        **wide_families(seed),
        **{kind.name.lower(): cases.stream(kind, seed, 8) for kind in S},
        "nest": cases.nest(seed, 10),
    }
    units = {name: with_cases(unit, interrupted=40) for name, unit in units.items()}
    check(units, tmp_path, "verilator")
