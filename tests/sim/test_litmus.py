"""Litmus tests over rows at the local service: outcomes that declared orderings forbid never come.

What is forbidden was worked out by hand. The reference gives each object one modification order,
all seq_cst actions one order, and makes a release visible to the acquire that finds it; a thread is
a chain of completions and controls. Orderings are those of LLVM, whose memory model says which
outcomes of monotonic, acquire and release accesses are left.
"""

import itertools
import shutil
from collections import Counter
from dataclasses import replace

import pytest

from fabricgen.emit.package import emit_fabric
from fabricgen.rtl.service import service
from sim.litmus import SPATIAL, TEMPORAL, Access, Litmus, counted, histogram, outcomes, rounds
from sim.races import play
from sim.stalls import PATTERNS
from tests.support import service_mutants as mutants

pytest.importorskip("cocotb")
needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog")

RLX, ACQ, REL, SC = "monotonic", "acquire", "release", "seq_cst"
STALLS = tuple(each for each in PATTERNS if each != "shut")


def store(ordering, place, value=1):
    return Access("store", ordering, place, value)


def load(ordering, place):
    return Access("load", ordering, place)


def fence(ordering):
    return Access("fence", ordering)


#: Each test with the outcomes that its orderings forbid.
TABLE: dict[Litmus, set[tuple[int, ...]]] = {}


def add(name, *threads, forbids, finals=()):
    """One line of the table."""
    TABLE[Litmus(name, threads, finals)] = set(forbids)


# Store buffering: each thread stores to its object, then loads the other's. Only one order of all
# seq_cst accesses, or seq_cst fences, keep both from missing the other's store.
for name, stores, loads, forbids in (
    ("monotonic", RLX, RLX, []),
    ("release acquire", REL, ACQ, []),
    ("seq_cst", SC, SC, [(0, 0)]),
):
    add(
        f"store buffering, {name}",
        (store(stores, "x"), load(loads, "y")),
        (store(stores, "y"), load(loads, "x")),
        forbids=forbids,
    )
for name, order, forbids in (("acq_rel", "acq_rel", []), ("seq_cst", SC, [(0, 0)])):
    add(
        f"store buffering, fences {name}",
        (store(RLX, "x"), fence(order), load(RLX, "y")),
        (store(RLX, "y"), fence(order), load(RLX, "x")),
        forbids=forbids,
    )

# Message passing: who finds the flag y finds the message x, if the flag's store releases it and the
# flag's load acquires it, by themselves or by fences.
for name, stores, loads, forbids in (
    ("monotonic", RLX, RLX, []),
    ("release alone", REL, RLX, []),
    ("acquire alone", RLX, ACQ, []),
    ("release acquire", REL, ACQ, [(1, 0)]),
    ("seq_cst", SC, SC, [(1, 0)]),
):
    add(
        f"message passing, {name}",
        (store(RLX, "x"), store(stores, "y")),
        (load(loads, "y"), load(RLX, "x")),
        forbids=forbids,
    )
add(
    "message passing, fences",
    (store(RLX, "x"), fence(REL), store(RLX, "y")),
    (load(RLX, "y"), fence(ACQ), load(RLX, "x")),
    forbids=[(1, 0)],
)

# Load buffering: both loads find what the other thread stores only afterwards. A release cannot be
# found before what comes ahead of it is over.
for name, stores, loads, forbids in (
    ("monotonic", RLX, RLX, []),
    ("release acquire", REL, ACQ, [(1, 1)]),
    ("seq_cst", SC, SC, [(1, 1)]),
):
    add(
        f"load buffering, {name}",
        (load(loads, "x"), store(stores, "y")),
        (load(loads, "y"), store(stores, "x")),
        forbids=forbids,
    )

# Independent reads of independent writes: two readers disagree on which store came first. That
# takes one order of all, which only seq_cst has.
for name, stores, loads, forbids in (
    ("monotonic", RLX, RLX, []),
    ("release acquire", REL, ACQ, []),
    ("seq_cst", SC, SC, [(1, 0, 1, 0)]),
):
    add(
        f"independent reads, {name}",
        (store(stores, "x"),),
        (store(stores, "y"),),
        (load(loads, "x"), load(loads, "y")),
        (load(loads, "y"), load(loads, "x")),
        forbids=forbids,
    )
add(
    "independent reads, fences seq_cst",
    (store(RLX, "x"),),
    (store(RLX, "y"),),
    (load(RLX, "x"), fence(SC), load(RLX, "y")),
    (load(RLX, "y"), fence(SC), load(RLX, "x")),
    forbids=[(1, 0, 1, 0)],
)

# Coherence: one object has one modification order, which every ordering obeys.
for order_of_stores, order_of_loads in ((RLX, RLX), (REL, ACQ), (SC, SC)):
    st, ld, name = order_of_stores, order_of_loads, f"{order_of_stores} {order_of_loads}"
    add(
        f"coherence of two loads, {name}",
        (store(st, "x"),),
        (load(ld, "x"), load(ld, "x")),
        forbids=[(1, 0)],
    )
    # Outcomes are two loads and what stays: the stores come in their order, so 2 stays.
    add(
        f"coherence of two stores, {name}",
        (store(st, "x", 1), store(st, "x", 2)),
        (load(ld, "x"), load(ld, "x")),
        finals=("x",),
        forbids=[
            each
            for each in itertools.product(range(3), repeat=3)
            if each[2] != 2 or each[0] > each[1]
        ],
    )
    # A load does not find what its thread stores later; what it finds is overwritten by that.
    add(
        f"coherence of a load and a store, {name}",
        (load(ld, "x"), store(st, "x", 1)),
        (store(st, "x", 2),),
        finals=("x",),
        forbids=[(1, 1), (1, 2), (2, 2), (0, 0), (1, 0), (2, 0)],
    )
    # A load finds its thread's store or one that overwrote it, which then stays.
    add(
        f"coherence of a store and a load, {name}",
        (store(st, "x", 1), load(ld, "x")),
        (store(st, "x", 2),),
        finals=("x",),
        forbids=[(0, 0), (0, 1), (0, 2), (2, 1), (1, 0), (2, 0)],
    )


def seen(design, directory, chosen, *, simulator, patterns, seed=1, bins=()):
    """Outcomes of each test, what the checker says, and records of histograms."""
    fabric = design.fabric()
    emitted = emit_fabric(fabric, directory / "rtl")
    parts = [
        (each, part) for each in chosen for part in rounds(design, fabric, each, patterns, seed)
    ]
    parts += [
        (None, histogram(design, fabric, count, pattern, order, seed))
        for count, pattern, order in bins
    ]
    played = play(
        design,
        emitted,
        [part for _, part in parts],
        directory,
        simulator=simulator,
        seed=seed,
        before=bytes(design.capacity_bytes),
    )
    found, codes, records = {}, set(), []
    for (each, _), judged in zip(parts, played, strict=True):
        assert not judged.record.faults
        codes |= {violation.code for violation in judged.verdict.violations}
        if each is None:
            records.append(judged.record)
        else:
            found.setdefault(each, Counter()).update(outcomes(design, each, judged.record))
    return found, codes, records


def assert_counts(record):
    """Each addition finds another number, and none is lost."""
    found = counted(record)
    total = sum(map(len, found))
    assert sorted(each for row in found for each in row) == list(range(total))
    assert all(row == sorted(row) for row in found)
    assert int.from_bytes(record.after[:4], "little") == total


def told(found):
    """Lines with what came of each test."""
    return [f"{each.name}: {dict(sorted(counts.items()))}" for each, counts in found.items()]


def named(*names):
    """Tests of these names."""
    found = [each for each in TABLE if each.name in names]
    assert len(found) == len(names)
    return found


BINS = [(40, "geometric", RLX)]


@needs_icarus
def test_no_forbidden_outcome_over_rows_of_a_temporal_engine(tmp_path, record_property):
    design = replace(TEMPORAL, contexts=6, capacity_bytes=512)
    chosen = named(
        "store buffering, fences seq_cst",
        "message passing, release acquire",
        "load buffering, seq_cst",
        "independent reads, seq_cst",
        "coherence of two stores, monotonic monotonic",
        "coherence of a load and a store, monotonic monotonic",
    )
    found, codes, (record,) = seen(
        design, tmp_path, chosen, simulator="icarus", patterns=["bursty"], bins=BINS
    )
    assert not codes
    for line in told(found):
        record_property("said", line)
    for each, counts in found.items():
        assert not counts.keys() & TABLE[each], each.name
        assert len(counts) > 1, f"{each.name} has one outcome alone: its threads never meet"
    assert_counts(record)


@pytest.mark.slow
@pytest.mark.parametrize("design", [TEMPORAL, SPATIAL], ids=["temporal", "spatial"])
def test_no_forbidden_outcome_under_many_stalls(design, tmp_path, record_property):
    chosen = [each for each in TABLE if each.fits(design)]
    found, codes, records = seen(
        design,
        tmp_path,
        chosen,
        simulator="verilator",
        patterns=STALLS * 6,
        bins=[(500, pattern, order) for pattern in STALLS for order in (RLX, "acq_rel", SC)],
    )
    assert not codes
    for line in told(found):
        record_property("said", line)
    for each, counts in found.items():
        assert not counts.keys() & TABLE[each], each.name
        assert len(counts) > 1
    for record in records:
        assert_counts(record)


@needs_icarus
@pytest.mark.slow
def test_a_store_buffer_shows_what_seq_cst_forbids(tmp_path, monkeypatch):
    # The storage of a bank is looked for under this name.
    monkeypatch.setattr(service, "AtomicBank", type("AtomicBank", (mutants.BufferedBank,), {}))
    chosen = named("store buffering, seq_cst", "store buffering, fences seq_cst")
    found, codes, _ = seen(
        TEMPORAL, tmp_path, chosen, simulator="icarus", patterns=["always", "bursty"]
    )
    assert codes == {"order"}
    assert all(counts[0, 0] for counts in found.values()), told(found)


@needs_icarus
@pytest.mark.slow
def test_a_bank_that_is_behind_another_one_shows_what_release_and_acquire_forbid(
    tmp_path, monkeypatch
):
    bank = type("AtomicBank", (mutants.OneLateBank,), {"made": itertools.count()})
    monkeypatch.setattr(service, "AtomicBank", bank)
    chosen = named("message passing, release acquire", "message passing, fences")
    found, codes, _ = seen(
        TEMPORAL, tmp_path, chosen, simulator="icarus", patterns=["always", "bursty"]
    )
    assert codes == {"order"}
    assert all(counts[1, 0] for counts in found.values()), told(found)


@needs_icarus
@pytest.mark.slow
def test_a_bank_that_forgets_what_it_computes_loses_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(service, "AtomicBank", type("AtomicBank", (mutants.DividedBank,), {}))
    _, codes, (record,) = seen(TEMPORAL, tmp_path, [], simulator="icarus", patterns=[], bins=BINS)
    assert codes == {"order"}
    with pytest.raises(AssertionError):
        assert_counts(record)
