"""What is dead stops what depends on it, and nothing else; the report says so."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.requests import ExpectedAnswer, Requests
from fabricgen.author.workload import Workload
from fabricgen.plan.beat_request import BeatRequest
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import RangeMatch
from fabricgen.records.fabric import Fabric
from sim import deadlocks
from sim.bench_documents import BenchEngine, BenchPort, BenchRow
from sim.bench_suite import Case
from sim.deadlocks import Death, channels, hunt, main
from tests.support.memories import ELEMENT, LOAD, STORE, row, view
from tests.support.subordinate_bench import READ
from tests.support.subordinates import decode_row, exposed_storage, exposing
from tests.support.temporal_mutants import StubbornPublisher

pytest.importorskip("amaranth")

LOCAL = BenchPort("load", "element", 32, in_flight=2)
FAR = BenchPort("load", "element", 32, in_flight=2, target="ext0")
#: Rows 0 and 2 of one port; row 1 of a manager; row 3 stores what row 2 loads.
WRITE = BenchPort("store", "element", 32, in_flight=2)
ROWS = [
    BenchRow(0),
    BenchRow(1, base=0x40),
    BenchRow(0, base=0x80),
    BenchRow(2, base=0x400, sources={"data": "row2.data"}),
]
INDICES = (tuple(range(12)), ())


def described(contexts):
    ports = [LOCAL, FAR, WRITE]
    rows = ROWS if contexts else [ROWS[0], ROWS[1], replace(ROWS[3], sources={})]
    engine = BenchEngine(ports, rows, contexts)
    case = Case("dead", engine, (INDICES,) * len(rows), None)
    fabric = parse_fabric(engine.fabric_document("dead"))
    names = fabric.memories[0].names.endpoints
    streams = {(0, names.index(end), tag): tokens for end, tag, tokens in case.streams()}
    mapping = parse_mapping(engine.mapping_document("dead"), fabric)
    return fabric, mapping, Workload(streams, ((),))


def deaths(contexts, tmp_path, *dead):
    found = hunt(*described(contexts), dead, simulator="python", seed=1, build_dir=tmp_path)
    assert [each.channel for each in found] == [*dead]
    return found


def test_every_egress_and_both_sides_of_a_manager_may_be_dead():
    assert channels(*described(4)) == (
        *("p0_data tag 0", "p0_done tag 0", "p0_done tag 2", "p1_data tag 1", "p1_done tag 1"),
        *("p2_done tag 3", "ext0_req", "ext0_rsp"),
    )


def test_a_spatial_row_waits_alone(tmp_path):
    (death,) = deaths(None, tmp_path, "p0_done")
    assert death == Death(
        "p0_done",
        (
            "Row 0 (port0) waits for its destinations: p0_done not ready",
            "Ingress p0_addr offers a token and is never ready",
            "Ingress p0_ctrl offers a token and is never ready",
        ),
        (),
    )


def test_temporal_rows_say_what_they_wait_for_and_on_whom_they_depend(tmp_path):
    found = deaths(4, tmp_path, "p0_data tag 0", "p2_done tag 3", "ext0_req", "ext0_rsp")
    assert [death.problems for death in found] == [()] * 4
    rows = [[wait for wait in death.waits if wait.startswith("Row")] for death in found]
    assert rows == [
        ["Row 0 (port0) waits for its destinations: p0_data tag 0 not ready"],
        [
            "Row 2 (port0) waits for its destinations: connection 0, still full at row 3 DATA",
            "Row 3 (port2) waits for its destinations: p2_done tag 3 not ready",
        ],
        ["Row 1 (port1) stands in front of its target ext0"],
        ["Row 1 (port1) waits for the response of ext0"],
    ]


def test_a_row_that_keeps_others_from_publishing_is_found(tmp_path, monkeypatch):
    # Rows 0 and 2 publish through one group of ports.
    monkeypatch.setattr("fabricgen.rtl.temporal.engine.Publisher", StubbornPublisher)
    (death,) = deaths(4, tmp_path, "p0_data tag 0")
    assert any("Row 2 makes no progress while nothing but p0_data" in x for x in death.problems)


def test_a_row_that_stops_without_a_word_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("sim.traffic.wait_for", lambda *args: ())
    (death,) = deaths(4, tmp_path, "ext0_rsp")
    assert death.problems == ("Row 1 published 0 of 12 and nothing says why",)


def test_rows_go_on_beside_a_subordinate_whose_answers_nobody_takes(tmp_path):
    shared = exposed_storage(engine=True)
    window = (decode_row(RangeMatch(0, 0x80)),)
    rows = (row(0, LOAD, view(ELEMENT), base=0x80), row(1, STORE, view(ELEMENT), base=0xC0))
    beats = tuple(BeatRequest(READ, 8 * at, 0xFF) for at in range(16))
    tokens = tuple(range(12))
    workload = Workload(
        streams={(0, at, None): tokens for at in (0, 3, 4)}
        | {(0, at, None): (0,) * 12 for at in (2, 6)},
        memories=(((0, bytes(range(256))),),),
        requests={(0, 0): Requests(beats, (ExpectedAnswer(None, None),) * len(beats))},
    )
    (death,) = hunt(
        Fabric("shared", (shared,)),
        FabricConfiguration((exposing(shared, window, rows=rows),)),
        workload,
        ["from0_rsp"],
        simulator="python",
        seed=1,
        build_dir=tmp_path,
    )
    assert death.waits == ("Subordinate from0 neither takes nor answers a beat",)
    assert death.problems == ()


def test_the_hunt_counts_what_was_dead_and_what_waited(tmp_path, capsys, monkeypatch):
    found = (
        Death("e3 tag 1", ("Row 2 (port0) waits for its destinations: e3 tag 1",), ()),
        Death("ext0_req", (), ("Row 1 makes no progress",)),
    )

    def hunted(simulator, seed):
        if seed == 8:
            raise ValueError("The engine must agree with the model")
        return found

    monkeypatch.setattr(deadlocks, "_hunt_engine", hunted)
    monkeypatch.setattr(deadlocks, "ProcessPoolExecutor", ThreadPoolExecutor)
    output = tmp_path / "deadlocks.json"
    assert main(["--count", "2", "--seed", "7", "--output", str(output)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "FAILED python -m sim.deadlocks --count 1 --seed 7: ext0_req",
        "    Row 1 makes no progress",
        "FAILED python -m sim.deadlocks --count 1 --seed 8",
        "    ValueError: The engine must agree with the model",
        "2 dead channels of 2 engines, 2 problems",
        "     1 a manager that never accepts",
        "     1 an egress that is never ready",
        "     1 Row N (N) waits for its destinations: N tag N",
    ]
    assert json.loads(output.read_text())["problems"] == 2


def test_one_random_engine_is_hunted(tmp_path):
    options = ["--count", "1", "--seed", "41", "--simulator", "python"]
    assert main([*options, "--output", str(tmp_path / "deadlocks.json")]) == 0
