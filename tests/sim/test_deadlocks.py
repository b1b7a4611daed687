"""What is dead stops what depends on it, and nothing else; the report says so."""

import json
import re
import shutil
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
from fabricgen.records.fabric import Fabric, MemoryImplementation
from sim import deadlocks
from sim.bench_documents import BenchEngine, BenchPort, BenchRow
from sim.bench_suite import Case
from sim.deadlocks import Death, channels, hunt, main
from sim.subordinate_agent import SubordinateAgent
from tests.support.axi4_mutants import WaitingSubordinate
from tests.support.memories import ELEMENT, LOAD, STORE, row, view
from tests.support.memories import LOCAL as LOCAL_SERVICE
from tests.support.subordinate_bench import READ, WRITE
from tests.support.subordinate_mutants import ClosingAdmission, ClosingOccurrence
from tests.support.subordinates import (
    NONE,
    RANGE,
    decode_row,
    dispatch,
    exposed_storage,
    exposing,
)
from tests.support.temporal_mutants import StubbornPublisher

pytest.importorskip("amaranth")
icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")

LOCAL = BenchPort("load", "element", 32, in_flight=2)
FAR = BenchPort("load", "element", 32, in_flight=2, target="ext0")
#: Rows 0 and 2 of one port; row 1 of a manager; row 3 stores what row 2 loads.
STORES = BenchPort("store", "element", 32, in_flight=2)
ROWS = [
    BenchRow(0),
    BenchRow(1, base=0x40),
    BenchRow(0, base=0x80),
    BenchRow(2, base=0x400, sources={"data": "row2.data"}),
]
INDICES = (tuple(range(12)), ())


def described(contexts):
    ports = [LOCAL, FAR, STORES]
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
    assert [*channels(*described(4))] == [
        *("p0_data tag 0", "p0_done tag 0", "p0_done tag 2", "p1_data tag 1", "p1_done tag 1"),
        *("p2_done tag 3", "ext0_req", "ext0_rsp"),
    ]


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


#: Bytes of the service behind each of two subordinates; the rows have the rest.
WINDOWS = [(decode_row(RangeMatch(0x40 * at, 0x40)),) for at in range(2)]


def exposed(protocol):
    """A load and a store beside two subordinates, each with writes and reads of its own bytes.

    The writes of a subordinate touch other bytes than its reads, so no master makes them wait.
    """
    named = exposed_storage(
        *(dispatch(1, (RANGE,), NONE, (LOCAL_SERVICE,)) for _ in WINDOWS),
        engine=True,
        implementation=MemoryImplementation(subordinate_protocol=protocol),
    )
    rows = (row(0, LOAD, view(ELEMENT), base=0x80), row(1, STORE, view(ELEMENT), base=0xC0))
    tokens = tuple(range(12))
    reads = [BeatRequest(READ, 8 * at, 0xFF) for at in (0, 1, 2, 3)]
    writes = [BeatRequest(WRITE, 8 * at, 0xFF, at) for at in (4, 5, 6, 7)]
    # Adapters hold sixteen of each direction, which a dead channel must fill.
    beats = [*(writes + reads) * 5, *writes, *reads]
    requests = {
        (0, at): Requests(
            tuple(replace(beat, address=beat.address + 0x40 * at) for beat in beats),
            (ExpectedAnswer(None, None),) * len(beats),
        )
        for at in range(len(WINDOWS))
    }
    workload = Workload(
        streams={(0, at, None): tokens for at in (0, 3, 4)}
        | {(0, at, None): (0,) * 12 for at in (2, 6)},
        memories=(((0, bytes(range(256))),),),
        requests=requests,
    )
    configuration = FabricConfiguration((exposing(named, *WINDOWS, rows=rows),))
    return Fabric("shared", (named,)), configuration, workload


def stopped(protocol, tmp_path, dead, *, simulator):
    """What becomes of the exposed engine with each of these channels dead."""
    return hunt(*exposed(protocol), dead, simulator=simulator, seed=1, build_dir=tmp_path)


@pytest.mark.parametrize(
    ("protocol", "first"),
    [
        ("stream", ["from0_req", "from0_rsp", "from0_rsp after 1"]),
        (
            "axi4",
            [
                *("from0_axi_ar", "from0_axi_r", "from0_axi_aw", "from0_axi_w", "from0_axi_b"),
                *("from0_axi_r after 1", "from0_axi_w after 1", "from0_axi_b after 1"),
            ],
        ),
        (
            # It has no bursts to break off.
            "axi4_lite",
            [
                *("from0_axi_ar", "from0_axi_r", "from0_axi_aw", "from0_axi_w", "from0_axi_b"),
                *("from0_axi_r after 1", "from0_axi_b after 1"),
            ],
        ),
    ],
)
def test_every_channel_of_every_subordinate_may_be_dead(protocol, first):
    found = [name for name, kind in channels(*exposed(protocol)).items() if "subordinate" in kind]
    assert found == [*first, *(name.replace("from0", "from1") for name in first)]


def test_all_else_goes_on_beside_a_subordinate_with_a_dead_channel(tmp_path):
    (death,) = stopped("stream", tmp_path, ["from0_rsp"], simulator="python")
    assert death.problems == ()
    assert death.waits == (
        "Subordinate from0 waits for from0_rsp, not ready, and takes nothing on from0_req",
    )


def test_answers_that_keep_the_service_from_others_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.service.service.Admission", ClosingAdmission)
    monkeypatch.setattr("fabricgen.rtl.fabric_top.MemoryOccurrence", ClosingOccurrence)
    (death,) = stopped("stream", tmp_path, ["from0_rsp"], simulator="python")
    blocked = [problem for problem in death.problems if "blocked" in problem]
    for what in ("Row 0", "Row 1", "Subordinate from1"):
        message = f"{what} makes no progress while nothing but from0_rsp is dead"
        assert sum(message in problem for problem in blocked) == 1
    assert "Subordinate from1 does not answer on from1_rsp, and takes nothing on from1_req" in (
        death.waits
    )


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("waits", "is stuck", "nothing names from0_rsp"),
        pytest.param("is_done", True, "nothing says why", marks=pytest.mark.slow),
    ],
)
def test_a_subordinate_that_stops_without_a_word_is_found(
    name, value, problem, tmp_path, monkeypatch
):
    monkeypatch.setattr(SubordinateAgent, name, value)
    (death,) = stopped("stream", tmp_path, ["from0_rsp after 1"], simulator="python")
    assert death.problems == (f"Subordinate from0 answered 1 of 48 beats and {problem}",)


AXI4 = {
    "from0_axi_ar": "from0_axi_ar, which offers nothing",
    "from0_axi_r": "from0_axi_r, not ready, and takes nothing on from0_axi_ar",
    "from0_axi_aw": (
        "from0_axi_aw: transfers without an address came, and takes nothing on from0_axi_w"
    ),
    "from0_axi_w": "from0_axi_w: 0 of 4 transfers came",
    "from0_axi_b": "from0_axi_b, not ready",
    # The master lets one more transfer pass, or does not.
    "from0_axi_w after 1": r"from0_axi_w: [12] of 4 transfers came",
}


@icarus
def test_all_else_goes_on_beside_a_bus_with_a_dead_channel(tmp_path):
    found = stopped("axi4", tmp_path, [*AXI4], simulator="icarus")
    for death, text in zip(found, AXI4.values(), strict=True):
        (said,) = death.waits
        assert re.fullmatch(f"Subordinate from0 waits for {text}", said)
    assert [death.problems for death in found] == [()] * len(found)


@icarus
@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["stream", "axi4", "axi4_lite"])
def test_every_channel_of_every_subordinate_is_dead_in_turn(protocol, tmp_path):
    dead = [n for n, kind in channels(*exposed(protocol)).items() if "subordinate" in kind]
    found = stopped(protocol, tmp_path, dead, simulator="icarus")
    assert [death.problems for death in found] == [()] * len(dead)
    for death in found:
        (said,) = death.waits
        assert f"waits for {death.channel.partition(' ')[0]}" in said


@icarus
@pytest.mark.slow
def test_read_data_that_keeps_writes_from_their_subordinate_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "fabricgen.rtl.axi4.subordinate_adapters.Axi4Subordinate", WaitingSubordinate
    )
    (death,) = stopped("axi4", tmp_path, ["from0_axi_r"], simulator="icarus")
    (problem,) = [problem for problem in death.problems if "blocked" in problem]
    assert "Writes of subordinate from0 makes no progress" in problem


def test_the_hunt_counts_what_was_dead_and_what_waited(tmp_path, capsys, monkeypatch):
    found = (
        Death("e3 tag 1", ("Row 2 (port0) waits for its destinations: e3 tag 1",), ()),
        Death("ext0_req", (), ("Row 1 makes no progress",)),
    )

    def hunted(simulator, seed):
        if seed == 8:
            raise ValueError("The engine must agree with the model")
        return tuple(zip(("egress of a row", "req of stream manager"), found, strict=True))

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
        "     1 egress of a row",
        "     1 req of stream manager",
        "     1 Row N (N) waits for its destinations: N tag N",
    ]
    assert json.loads(output.read_text())["problems"] == 2


@icarus
def test_one_random_engine_is_hunted(tmp_path):
    options = ["--count", "1", "--seed", "118", "--simulator", "icarus"]
    assert main([*options, "--output", str(tmp_path / "deadlocks.json")]) == 0


@icarus
@pytest.mark.slow
@pytest.mark.parametrize("seed", [35, 50, 108])
def test_random_engines_whose_managers_and_subordinates_are_buses_are_hunted(seed, tmp_path):
    options = ["--count", "1", "--seed", str(seed)]
    assert main([*options, "--output", str(tmp_path / "deadlocks.json")]) == 0
