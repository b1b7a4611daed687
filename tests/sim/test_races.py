"""Rows and AXI4 masters race at one service, and every history has a legal order."""

import shutil
from collections import Counter

import pytest

from fabricgen.emit.package import emit_fabric
from fabricgen.rtl.service import service
from sim.history import Kind
from sim.race_documents import RaceFabric
from sim.races import play, segments
from tests.support import service_mutants as mutants

pytest.importorskip("cocotb")
needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog")

LARGE = RaceFabric("races", ports=4, contexts=4, hosts=2)
SMALL = RaceFabric("races", ports=2, contexts=4, hosts=2, has_lanes=False)


def judged(design, directory, *, operations, seed, simulator="icarus", most=1000):
    fabric = design.fabric()
    emitted = emit_fabric(fabric, directory / "rtl")
    parts = list(segments(design, fabric, operations, seed, most=most))
    return play(design, emitted, parts, directory, simulator=simulator, seed=seed)


@needs_icarus
def test_rows_and_masters_race_in_a_legal_order(tmp_path):
    found = list(judged(SMALL, tmp_path, operations=2000, seed=7))
    assert [each.faults for each in found] == [(), ()]
    history = [each for segment in found for each in segment.record.history]
    kinds = Counter(each.kind for each in history)
    assert kinds.total() >= 1800
    assert all(kinds[kind] for kind in Kind), kinds
    assert len({each.source for each in history}) > 8
    assert all(each.record.resets for each in found)
    assert all(each.verdict.most_pending >= 6 for each in found)


@needs_icarus
@pytest.mark.parametrize(
    "bank",
    [
        mutants.DividedBank,
        pytest.param(mutants.ForgottenLastBank, marks=pytest.mark.slow),
        pytest.param(mutants.BufferedBank, marks=pytest.mark.slow),
        pytest.param(mutants.TearingBank, marks=pytest.mark.slow),
        pytest.param(mutants.HastyBank, marks=pytest.mark.slow),
        pytest.param(mutants.TrustingBank, marks=pytest.mark.slow),
    ],
)
def test_a_wrong_bank_is_found_out(bank, tmp_path, monkeypatch):
    # The storage of a bank is looked for under this name.
    monkeypatch.setattr(service, "AtomicBank", type("AtomicBank", (bank,), {}))
    (found,) = judged(SMALL, tmp_path, operations=1000, seed=3)
    assert not found.record.faults
    assert {each.code for each in found.verdict.violations} == {"order"}


@pytest.mark.slow
def test_a_million_operations_have_a_legal_order(tmp_path, record_property):
    seed, total, epochs = 1, Counter(), 0
    for found in judged(
        LARGE, tmp_path, operations=1_000_000, seed=seed, simulator="verilator", most=20_000
    ):
        record, verdict = found.record, found.verdict
        assert not found.faults, (seed, record.seed, found.faults)
        total.update(each.kind.value for each in record.history)
        total["cycles"] += record.cycles
        total["resets"] += record.resets
        epochs += verdict.epochs
        record_property(
            "said",
            f"seed {record.seed}, {record.pattern}: {verdict.operations} "
            f"operations in {record.cycles} cycles, {verdict.epochs} epochs",
        )
    kinds = [total[kind.value] for kind in Kind]
    record_property("said", f"seed {seed}: {dict(total)}, {epochs} epochs")
    assert sum(kinds) >= 1_000_000
    assert min(kinds) > 30_000
    assert total["resets"] > 500
