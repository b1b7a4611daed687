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


def test_stalled_outputs_cost_no_cycle_but_their_own(tmp_path):
    units = {
        **families(5, 24),
        **{kind.name.lower(): cases.stream(kind, 5, 5, widths=(8,)) for kind in S},
        "product": cases.stream(S.MUL, 5, 5, widths=(32,), interval=2),
    }
    check({name: with_cases(unit, stalled="outputs") for name, unit in units.items()}, tmp_path)


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
    "an offer is taken back": ("out0_valid", "demux_out0_valid = inner & odd", "unstable"),
    "a waiting token changes": ("out0_data", "demux_out0_data = inner ^ odd", "unstable"),
    "a payload is unknown": ("out0_data", "demux_out0_data = inner | 8'bx", "unknown"),
    "a valid is unknown": ("out0_valid", "demux_out0_valid = inner & 1'bx", "unknown"),
    "a ready is unknown": ("in0_ready", "demux_in0_ready = inner & 1'bx", "unknown"),
    "nothing is offered": ("out0_valid", "demux_out0_valid = inner & 1'b0", "hang"),
    "a token is lost": ("in1_valid", "inner = demux_in1_valid & odd", "token"),
    "a token comes twice": ("out0_ready", "inner = demux_out0_ready & odd", "token"),
}


@pytest.mark.parametrize("fault", BROKEN_WIRES)
def test_the_bench_rejects_each_broken_wire(fault, tmp_path):
    port, assignment, kind = BROKEN_WIRES[fault]

    def broken(text):
        connection = f".{port}(demux_{port})"
        assert text.count(connection) == 1
        wires = (
            f"wire [7:0] inner; reg odd; assign {assignment};\n"
            "always @(posedge clk) odd <= !rst && !odd;\nendmodule"
        )
        return text.replace(connection, f".{port}(inner)").replace("endmodule", wires, 1)

    units = {"demux": cases.demux(3, 24, lanes=(8, 8), repeat=3)}
    results = simulate(units, tmp_path, edit=broken)["demux"]
    assert kind in {each.kind for result in results for each in result.findings}


def test_the_bench_rejects_wrong_tables(tmp_path):
    """Traces of right components, judged by tables that are not theirs."""
    units = {"carry": cases.loop("carry", 4, 16), "sync": cases.sync(4, 16)}
    results = check(units, tmp_path)

    def judged(judge, name, table, *rest):
        unit = units[name]
        judged = [
            judge(replace(case, table=table(case)), result, len(done.outputs), *rest)
            for case, done, result in zip(unit.cases, unit.machines, results[name], strict=True)
        ]
        return [bool(each) for each in judged]

    def eager(case):
        *rows, close = case.table.rows
        return replace(case.table, rows=[*rows, replace(close, needs={0: 0, 1: None})])

    assert not any(judged(torn, "carry", lambda case: case.table))
    assert all(judged(torn, "carry", eager))
    assert not any(judged(early, "sync", lambda case: case.table, 1))

    def waiting(case):
        (row,) = case.table.rows
        return replace(case.table, rows=[replace(row, guard=lambda kept, heads: False)])

    assert all(judged(early, "sync", waiting, 1))


def test_the_bench_rejects_a_lost_cycle(tmp_path):
    """An input that takes part in every second cycle only: nothing is wrong but the time."""

    def halved(text):
        wires = (
            "wire half_valid, half_ready; reg odd;\n"
            "assign half_valid = demux_in0_valid & odd;\n"
            "assign demux_in0_ready = half_ready & odd;\n"
            "always @(posedge clk) odd <= !rst && !odd;\nendmodule"
        )
        for port in ("valid", "ready"):
            assert f".in0_{port}(demux_in0_{port})" in text
            text = text.replace(f".in0_{port}(demux_in0_{port})", f".in0_{port}(half_{port})")
        return text.replace("endmodule", wires, 1)

    unit = with_cases(cases.demux(3, 24, lanes=(8, 8), repeat=7), stalled="outputs")
    results = simulate({"demux": unit}, tmp_path, edit=halved)["demux"]
    assert not any(result.findings for result in results)
    assert len(problems(unit, results)) >= len(unit.cases)


def test_a_trace_that_is_shifted_by_a_cycle_has_the_wrong_time(tmp_path):
    units = {**families(6, 12), "sdiv": cases.stream(S.SDIV, 6, 3, widths=(8,))}
    units = {name: with_cases(unit, pattern="always") for name, unit in units.items()}
    results = check(units, tmp_path)
    for name, unit in units.items():
        for done, result in zip(unit.machines, results[name], strict=True):
            if not any(result.given):
                continue
            assert late(unit, done, result) == [], name
            for shift in (-1, 1):
                moved = [[(cycle + shift, token) for cycle, token in row] for row in result.given]
                assert late(unit, done, replace(result, given=moved)), name


def test_the_bench_rejects_wrong_quiescence(tmp_path):
    units = families(7, 12)
    results = check(units, tmp_path)
    for name, unit in units.items():
        for case, result in zip(unit.cases, results[name], strict=True):
            always = replace(result, quiescent=range(result.cycles))
            never = replace(result, quiescent=[])
            assert restless(unit, case, result) == [], name
            if unit.timing == "transparent":
                assert len(result.quiescent) < result.cycles
            else:
                assert restless(unit, case, never), name
            if any(result.given):
                assert restless(unit, case, always), name


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
