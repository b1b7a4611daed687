"""Emitted fabrics whose managers are AXI4, before the memory of another maker."""

import shutil

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.workload import Workload
from fabricgen.rtl.axi4.manager import Axi4Manager
from sim.bench_documents import BenchEngine, BenchPort, BenchRow
from sim.bench_suite import Case
from sim.run import SimulationFailed
from sim.simulate import simulate
from tests.support.axi4_mutants import (
    CrossingReads,
    EndlessWrites,
    StrobelessWrites,
    WithdrawingReads,
    manager_of,
)

pytest.importorskip("cocotb")
icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")

#: Three elements of 32 bits from anywhere, in beats of 64 bits.
LOAD = BenchPort("load", "contiguous", 32, 3, in_flight=4, target="ext0")
STORE = BenchPort("store", "contiguous", 32, 3, masked=True, in_flight=4, target="ext0")
LOADS = (*range(8), *range(8, 1200, 29))
STORES = tuple(range(0, 3 * len(LOADS), 3))
MASKS = tuple((7, 5, 2, 0, 6)[at % 5] for at in range(len(STORES)))
#: Blocks of 4 KiB of which what is stored crosses one border, and what is loaded another.
FROM, TO = 0x0FE8, 0x1_0FE4


def described(contexts):
    rows = [BenchRow(0, base=FROM), BenchRow(1, base=TO)]
    if contexts:
        rows.append(BenchRow(0, base=FROM + 4))
    engine = BenchEngine([LOAD, STORE], rows, contexts)
    tokens = [(LOADS, ()), (STORES, MASKS), (LOADS[::-1], ())][: len(rows)]
    case = Case("axi4", engine, tuple(tokens), None)
    text = engine.fabric_document("axi4-rows")
    bus = text.replace("issue_lanes = 1", 'issue_lanes = 1, manager_protocol = "axi4"')
    fabric = parse_fabric(bus)
    assert fabric.memories[0].implementation.manager_protocol == "axi4"
    names = fabric.memories[0].names.endpoints
    streams = {(0, names.index(end), tag): values for end, tag, values in case.streams()}
    contents = bytes((at * 37 + (at >> 8)) & 0xFF for at in range(0x2400))
    workload = Workload(streams, ((),), managers=({0: ((0, contents),)},))
    return fabric, parse_mapping(engine.mapping_document("axi4-rows"), fabric), workload


def run(tmp_path, contexts=None, simulator="icarus", patterns=("always", "geometric", "shut")):
    options = {"simulator": simulator, "seed": 4, "patterns": patterns}
    return simulate(*described(contexts), build_dir=tmp_path, **options)


@icarus
@pytest.mark.parametrize("contexts", [None, 3])
def test_rows_of_a_bus_are_those_of_the_model(contexts, tmp_path):
    report = run(tmp_path, contexts)
    assert report.passed, report.findings
    rows = 3 if contexts else 2
    assert [row.firings for row in report.rows] == [len(LOADS)] * rows


def wrong(monkeypatch, **parts):
    mutant = manager_of(
        parts.get("reads", Axi4Manager.READS), parts.get("writes", Axi4Manager.WRITES)
    )
    monkeypatch.setattr("fabricgen.rtl.axi4.manager.Axi4Manager", mutant)


@icarus
@pytest.mark.parametrize(
    ("parts", "kind"),
    [({"reads": WithdrawingReads}, "manager"), ({"writes": StrobelessWrites}, "memory")],
)
def test_a_wrong_adapter_is_told_by_its_kind(parts, kind, tmp_path, monkeypatch):
    wrong(monkeypatch, **parts)
    report = run(tmp_path, 3, patterns=("always", "geometric"))
    assert kind in {finding.kind for finding in report.findings}


@icarus
@pytest.mark.parametrize("parts", [{"reads": CrossingReads}, {"writes": EndlessWrites}])
def test_the_other_memory_refuses_what_is_no_axi4(parts, tmp_path, monkeypatch):
    wrong(monkeypatch, **parts)
    with pytest.raises(SimulationFailed):
        run(tmp_path, patterns=("always",))
    assert "AssertionError" in (tmp_path / "icarus" / "run.log").read_text()
