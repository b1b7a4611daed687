import json
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

import pytest

from fabricgen.check.fabric import findings
from fabricgen.plan.demand import row_bindings
from fabricgen.plan.realisation import unsupported, unsupported_rows
from fabricgen.plan.row_check import configuration_findings
from fabricgen.rtl.row_decoder import RowDecoder
from fabricgen.rtl.service.address import AddressSplit
from fabricgen.schema.contract import PlainContract
from fabricgen.vocab.dataflow import OperationSchemaId, ServiceValueRole
from sim import fuzz
from sim.fuzz import draw_engine, main, without_bus
from sim.fuzz_points import EVERY, gaps, points
from sim.fuzz_rows import row_edges
from sim.simulate import model
from sim.stalls import PATTERNS

SEEDS = range(20, 60)

#: A Temporal engine of one row that is quick to simulate: it loads pointers from two banks.
SMALL = 354

#: A Temporal engine of one row, whose promise of alignment decides which regions it reaches.
ALIGNED = 101

#: Behind an AXI4-Lite subordinate of it beats are served and refused.
LITE = 130


@cache
def engines():
    return [draw_engine(seed) for seed in SEEDS]


def test_what_is_drawn_is_legal_realisable_and_free_of_races():
    for engine in engines():
        (named,) = engine.fabric.memories
        assert not findings(engine.fabric)
        assert not unsupported(engine.fabric)
        assert not configuration_findings(named, engine.configuration)
        assert not unsupported_rows(named, engine.configuration)
        # A race would be Invalid.
        model(named, engine.configuration, engine.workload)


def test_a_seed_always_draws_the_same_engine():
    assert draw_engine(7) == draw_engine(7)
    assert draw_engine(7) != draw_engine(8)


def test_forty_engines_differ_in_what_matters():
    drawn = engines()
    memories = [engine.fabric.memories[0] for engine in drawn]
    services = [named.occurrence.local_service for named in memories]
    contracts = [service.memory_service_contract for service in services if service]
    rows = [
        row for engine in drawn for row in engine.configuration.operation_rows if row and row.access
    ]
    assert {len(named.names.ports) for named in memories} == {1, 2, 3, 4}
    assert len({contract.capabilities[0].service_beat_width_bits for contract in contracts}) >= 5
    assert {type(contract.resource_contract.grant_policy) for contract in contracts} > {type(None)}
    assert {row.access.form.name for row in rows} == {"ELEMENT", "CONTIGUOUS", "INDEXED"}
    assert {row.access.mask_form.name for row in rows} == {"ABSENT", "DYNAMIC"}
    assert {len(contract.regions) for contract in contracts} >= {1, 2, 3}
    assert any(row.access.element_bits == 24 for row in rows)
    assert any(named.implementation.aligned_bases for named in memories)
    assert any(row.capability_alternative for row in rows)


def test_forty_engines_have_both_schedules_and_all_targets():
    drawn = engines()
    occurrences = [engine.fabric.memories[0].occurrence for engine in drawn]
    contexts = {
        getattr(each.engine.contract, "resident_context_count", None) for each in occurrences
    }
    assert contexts >= {None, 1, 2, 3, 4}
    assert {len(each.manager_endpoints) for each in occurrences} == {0, 1, 2}
    assert {each.local_service is None for each in occurrences} == {True, False}
    # Rows of both targets in one engine, and a port with several targets.
    dispatched = [
        targets
        for each in occurrences
        for port in each.connectivity.operation_ports
        for targets in port.capability_target_domains
    ]
    assert {len(targets) for targets in dispatched} >= {1, 2}
    options = [engine.fabric.memories[0].implementation for engine in drawn]
    assert len({option.issue_lanes for option in options}) >= 3
    assert {option.counters for option in options} == {True, False}


def test_forty_engines_feed_rows_from_rows_and_walk_lanes():
    drawn = engines()
    edges = [row_edges(engine.configuration.operation_rows) for engine in drawn]
    assert sum(map(bool, edges)) >= 8
    # Fanout of one connection, and several connections in one engine.
    assert max(map(len, edges)) >= 3
    rows = [
        (engine.fabric.memories[0].occurrence.engine.ports[row.port], row)
        for engine in drawn
        for row in engine.configuration.operation_rows
        if row
    ]
    walks = [port.operation_pattern_semantics[row.use_pattern].name for port, row in rows]
    assert len(set(walks)) == 2
    hidden = [not d.expose for _, row in rows for _, d in row.destinations]
    assert any(hidden)
    done = [
        model(engine.fabric.memories[0], engine.configuration, engine.workload)[1]
        for engine in drawn
    ]
    assert any(each.unmatched for each in done)
    assert any(any(each.held.values()) for each in done)
    assert sum(any(each.beats) for each in done) >= 10
    assert sum(sum(each.firings) == 0 for each in done) <= 4


def test_forty_engines_have_pointers_beside_indices():
    drawn = engines()
    rows = [
        row for engine in drawn for row in engine.configuration.operation_rows if row and row.access
    ]
    pointed = [row for row in rows if row.access.address_pointer_format]
    assert {row.access.form.name for row in pointed} == {"ELEMENT", "CONTIGUOUS", "INDEXED"}
    assert {type(row.service_target) for row in pointed} == {
        type(row.service_target) for row in rows
    }
    widths = {row.access.address_pointer_format for row in pointed}
    # Some have bits that are no address; some data are pointers, behind either form of address.
    assert any(each.address_bits < each.representation_bits for each in widths)
    assert any(row.access.data_pointer_format for row in pointed)
    assert any(row.access.data_pointer_format for row in rows if row not in pointed)
    forms = [
        {
            each.address_form
            for alternative in port.capability_alternatives
            for each in alternative.access_classes
        }
        for engine in drawn
        for port in engine.fabric.memories[0].occurrence.engine.ports
    ]
    assert sum(len(each) == 2 for each in forms) >= 2


def test_forty_engines_synchronise_in_every_way():
    rows = [row for engine in engines() for row in engine.configuration.operation_rows if row]
    atomic = [row for row in rows if not isinstance(row.actor.contract, PlainContract)]
    assert {row.actor.schema_id.name.removeprefix("DATAFLOW_") for row in atomic} == {
        *("LOAD", "STORE", "ATOMIC_RMW", "CMPXCHG", "FENCE")
    }
    assert {row.access.form.name for row in atomic if row.access} == {
        *("ELEMENT", "CONTIGUOUS", "INDEXED")
    }
    assert {row.actor.contract.volatile for row in atomic} == {True, False}
    successes = [
        token
        for engine in engines()
        for named in engine.fabric.memories
        for row in engine.configuration.operation_rows
        if row and row.actor.schema_id is OperationSchemaId.DATAFLOW_CMPXCHG
        for tokens in [model(named, engine.configuration, engine.workload)[1].outputs]
        for role, end in row_bindings(named.occurrence, row)[1]
        if role is ServiceValueRole.SUCCESS
        for token in tokens.get((end, dict(row.destinations)[role].tag), ())
    ]
    assert any(successes)
    assert not all(successes)


def test_engines_have_subordinates_of_every_protocol():
    """Of those with one some beats are served, and some are answered with errors."""
    answers: dict[str, list[bool]] = {}
    strobes, kinds = set(), Counter()
    for engine in (*engines(), draw_engine(LITE)):
        (named,) = engine.fabric.memories
        if not named.names.subordinates:
            assert not engine.workload.requests
            continue
        _, done = model(named, engine.configuration, engine.workload)
        found = answers.setdefault(named.implementation.subordinate_protocol, [])
        found += [answer.error for listed in done.answers.values() for answer in listed]
        for requests in engine.workload.requests.values():
            strobes |= {beat.strobe for beat in requests.beats}
            kinds.update(beat.kind for beat in requests.beats)
    assert answers.keys() == {"stream", "axi4", "axi4_lite"}
    assert all(set(found) == {True, False} for found in answers.values())
    assert min(kinds[0], kinds[1], kinds[5]) > 0
    assert len(strobes) > 20


def test_without_a_bus_beats_stay():
    bussed = next(
        engine
        for engine in engines()
        if engine.fabric.memories[0].implementation.subordinate_protocol == "axi4"
    )
    plain = without_bus(bussed)
    assert plain.fabric.memories[0].implementation.subordinate_protocol == "stream"
    assert plain.workload is bussed.workload


def test_an_engine_that_agrees_is_counted(tmp_path, capsys):
    output = tmp_path / "new" / "fuzz.json"
    chosen = ["--count", "1", "--seed", str(SMALL), "--simulator", "python"]
    assert main([*chosen, "--output", str(output)]) == 0
    result = json.loads(output.read_text())
    met = {
        "row: temporal local load contiguous",
        "address: local contiguous by pointers",
        "pointers as data: local",
        "projection: temporal direct contiguous",
        "mask: contiguous absent",
        "subword: read zero_extend",
        "alignment: port accepts every",
        "alignment: service accepts every",
        "contexts: alike",
        "tags: several bits",
        "ingress: control alone",
        "policy: port none",
        "policy: service none",
        "destination: temporal data outside",
        "destination: temporal completion outside",
    }
    found = result.pop("points")
    assert {point for point, count in found.items() if count} == met
    assert result.pop("gaps").keys() == found.keys() - met
    assert result == {"engines": 1, "mismatches": 0, "hangs": 0, "seed": SMALL}
    shown = capsys.readouterr().out
    assert shown.startswith("1 engines, ")
    assert "     1 row: temporal local load contiguous\n" in shown
    assert "     0 rmw: local fadd: a local service computes with integers alone\n" in shown
    assert "     0 row: spatial manager fence: not drawn\n" in shown


def test_engines_are_searched_for_what_none_had(tmp_path, capsys, monkeypatch):
    has = {1: {"a"}, 2: {"a", "b"}, 3: {"a"}, 4: {"b"}, 5: {"c", "excused"}}

    def run(seed, simulator):
        return fuzz.Outcome(seed, simulator, 1, False, (), Counter(has[seed]))

    def missing(counts):
        reasons = dict.fromkeys("abc", fuzz.NOT_DRAWN) | {"excused": "it cannot be"}
        return {point: reason for point, reason in reasons.items() if not counts.get(point)}

    monkeypatch.setattr(fuzz, "run_engine", run)
    monkeypatch.setattr(fuzz, "drawn_points", lambda seed: frozenset(has[seed]))
    monkeypatch.setattr(fuzz, "gaps", missing)
    monkeypatch.setattr(fuzz, "ProcessPoolExecutor", ThreadPoolExecutor)
    options = ["--count", "1", "--search", "4", "--simulator", "python"]
    assert main([*options, "--output", str(tmp_path / "fuzz.json")]) == 0
    shown = capsys.readouterr()
    # 3 has nothing new, and 4 nothing that 2 has not.
    assert shown.err.split() == ["1", "python", "1", "2", "python", "1", "5", "python", "1"]
    assert shown.out.startswith("3 engines, 3 firings, 0 mismatches")


def test_engines_differ_in_what_is_alike_elsewhere():
    met = Counter()
    for seed in (38, 44, 68, 75, SMALL):
        engine = draw_engine(seed)
        (named,) = engine.fabric.memories
        assert not findings(engine.fabric)
        met += points(named, engine.configuration)
    kinds = ("alignment: ", "contexts: ", "tags: ", "ingress: ", "subword: write byte")
    assert met.keys() >= {point for point in EVERY if point.startswith(kinds)}


@pytest.mark.slow
def test_a_row_that_reaches_the_regions_of_another_alignment_fails(monkeypatch):
    # Mutant: a row meets every capability that differs from its own in alignments alone.
    monkeypatch.setattr(RowDecoder, "_alignments", lambda self, *_: ())
    assert fuzz.run_engine(ALIGNED, "python").problems


def test_every_point_that_an_engine_has_is_a_legal_one():
    met = Counter()
    for engine in engines():
        met += points(engine.fabric.memories[0], engine.configuration)
    assert met.keys() <= set(EVERY)
    assert len(set(EVERY)) == len(EVERY)
    # What has a reason not to occur never does.
    excused = {point for point, reason in gaps({}).items() if reason != "not drawn"}
    assert excused
    assert not excused & met.keys()
    assert gaps(met).keys() == set(EVERY) - met.keys()


def test_a_fabric_that_serves_no_row_is_drawn_again():
    # No row of the first fabric of these seeds was found to be legal.
    for seed in (697, 739):
        assert any(draw_engine(seed).configuration.operation_rows)


def test_a_wrong_engine_fails_with_the_command_that_repeats_it(monkeypatch):
    right = AddressSplit.bank
    # Mutant: the banks are numbered from the other end, so beats come from elsewhere.
    monkeypatch.setattr(AddressSplit, "bank", lambda self, address: ~right(self, address))
    outcome = fuzz.run_engine(SMALL, "python")
    assert outcome.problems
    assert outcome.command == f"python -m sim.fuzz --count 1 --seed {SMALL} --simulator python"


class _Broken:
    """An executor in which every engine fails."""

    def __init__(self, jobs):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def submit(self, run, seed, simulator):
        future = Future()
        future.set_exception(ValueError(f"no text for engine {seed}"))
        return future


def test_an_engine_that_raises_is_a_failure_beside_the_others(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(fuzz, "ProcessPoolExecutor", _Broken)
    output = ["--simulator", "python", "--output", str(tmp_path / "fuzz.json")]
    assert main(["--count", "2", "--seed", "5", *output]) == 1
    shown = capsys.readouterr().out
    for seed in (5, 6):
        assert (
            f"--seed {seed} --simulator python\n    ValueError: no text for engine {seed}" in shown
        )


def test_cycles_of_rows_that_publish_as_one_are_not_compared():
    # Both rows of this engine complete on one endpoint with one tag.
    assert not fuzz.run_engine(23, "python").problems


def test_a_simulation_that_breaks_is_a_failure_of_its_engine(monkeypatch):
    def broken(*args, **kwargs):
        raise fuzz.SimulationFailed("vvp fell over")

    monkeypatch.setattr(fuzz, "simulate", broken)
    outcome = fuzz.run_engine(SMALL, "icarus")
    assert outcome.problems == ("vvp fell over",)
    assert not outcome.hangs


@pytest.mark.slow
def test_ten_engines_agree(tmp_path):
    options = ["--count", "10", "--simulator", "python", "--output", str(tmp_path / "fuzz.json")]
    assert main(options) == 0


def test_each_engine_never_stalls_first_and_all_engines_have_all_patterns():
    drawn = [fuzz.stall_patterns(seed) for seed in range(40)]
    assert {patterns[0] for patterns in drawn} == {"always"}
    assert all(len(set(patterns)) == 4 for patterns in drawn)
    assert {each for patterns in drawn for each in patterns} == set(PATTERNS)
