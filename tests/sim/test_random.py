"""Random rows and tokens on the emitted hybrid memory: masks, edges of the range, leftovers."""

import random
import shutil

import pytest

from fabricgen.author.workload import Workload
from fabricgen.emit.package import emit_fabric
from fabricgen.plan.configuration import FabricConfiguration
from sim import simulate as subject
from sim.stalls import PATTERNS
from tests.support import memories as mem

pytest.importorskip("cocotb")
pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")

NAMED = mem.hybrid_memory()
FABRIC = mem.fabric(NAMED)
CAPACITY = NAMED.occurrence.local_service.capacity_bytes
HALF = CAPACITY // 2
VIEWS = (
    *(mem.view(mem.ELEMENT, element=bits) for bits in (8, 16, 32)),
    mem.view(mem.CONTIGUOUS, lanes=4),
    mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC),
)


def indices(rng, view, base, low, high, count):
    """Element indices inside ``low..high``, now and then behind the end of the memory."""
    size = view.element_bits // 8
    first, last = -(-(low - base) // size), (high - base) // size - view.lane_count
    tokens = [rng.randint(max(first, 0), last) for _ in range(count)]
    for _ in range(rng.randint(0, 3)):
        tokens[rng.randrange(count)] = rng.choice([CAPACITY // size, 2**31 // size, 2**32 - 1])
    return tokens


def row_and_streams(rng, port, schema, low, high):
    view, base = rng.choice(VIEWS), rng.randrange(low, low + 64)
    row = mem.row(port, schema, view, base=base)
    ends = NAMED.names.endpoints
    prefix, count = ("rd", "wr")[port], rng.randint(20, 60)
    extra = rng.randint(0, 4)
    streams = {
        f"{prefix}_addr": indices(rng, view, base, low, high, count + extra),
        f"{prefix}_ctrl": [0] * (count + rng.randint(0, 1)),
    }
    if view.mask_form is mem.DYNAMIC:
        streams[f"{prefix}_mask"] = [rng.choice([0, 15, rng.getrandbits(4)]) for _ in range(count)]
    if schema is mem.STORE:
        streams["wr_data"] = [rng.getrandbits(128) for _ in range(count)]
    return row, {(0, ends.index(name), None): tuple(tokens) for name, tokens in streams.items()}


def case(seed):
    """Loads of the lower half beside stores to the upper half, or one of them alone."""
    rng = random.Random(seed)
    load, loads = row_and_streams(rng, 0, mem.LOAD, 0, HALF)
    store, stores = row_and_streams(rng, 1, mem.STORE, HALF, CAPACITY)
    chosen = rng.choice([(load, store), (load, store), (load, None), (None, store)])
    streams = (loads if chosen[0] else {}) | (stores if chosen[1] else {})
    return mem.table(*chosen), Workload(streams, (((0, rng.randbytes(CAPACITY)),),))


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    return emit_fabric(FABRIC, tmp_path_factory.mktemp("rtl"))


def check(seed, design, directory, monkeypatch, patterns):
    monkeypatch.setattr(subject, "emit_fabric", lambda fabric, directory: design)
    rows, workload = case(seed)
    report = subject.simulate(
        FABRIC,
        FabricConfiguration((rows,)),
        workload,
        simulator="icarus",
        seed=seed,
        build_dir=directory,
        patterns=patterns,
    )
    assert report.passed, report.findings
    assert report.cycles >= report.cycle_limit


@pytest.mark.parametrize("seed", range(3))
def test_random_rows_agree_with_the_model(seed, design, tmp_path, monkeypatch):
    check(seed, design, tmp_path, monkeypatch, ("always", "geometric"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 125))
def test_more_random_rows_agree_with_the_model(seed, design, tmp_path, monkeypatch):
    check(seed, design, tmp_path, monkeypatch, PATTERNS)
