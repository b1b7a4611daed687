"""The emitted loader against an AXI4-Lite master that we did not write."""

import json

import pytest

from fabricgen.emit.verilog import to_verilog
from fabricgen.rtl.commit_sequencer import CommitSequencer
from sim.run import SimulationFailed, build, run_bench
from tests.unit.test_loader import IDENTITY, UNIT, loader

pytestmark = pytest.mark.slow

JOB = {
    "words": UNIT.word_count,
    "bits": UNIT.payload_bits,
    "storable": UNIT.storable_mask,
    "identity": IDENTITY,
    "identity_word": UNIT.registers.identity,
    "commit": UNIT.registers.commit,
    "status": UNIT.registers.status,
    "beyond": UNIT.registers.words["out_of_range_address"] + 4,
}


def bench(folder, simulator, seed):
    built = build(to_verilog(loader(), "loader"), "loader", folder, simulator=simulator)
    run_bench(built, "loader", seed=seed, env={"FABRICGEN_LOADER": json.dumps(JOB)})


@pytest.mark.parametrize("seed", [1, 2])
def test_an_independent_master_programs_the_loader(seed, tmp_path):
    bench(tmp_path, "icarus", seed)


def test_the_bench_sees_a_commit_that_forgets_the_identity(monkeypatch, tmp_path):
    class Careless(CommitSequencer):
        def elaborate(self, platform):
            self.permitted = self.request
            return super().elaborate(platform)

    monkeypatch.setattr("fabricgen.rtl.loader.CommitSequencer", Careless)
    with pytest.raises(SimulationFailed):
        bench(tmp_path, "icarus", 1)
