"""Random races of rows and masters on one emitted memory, judged by their history.

python -m sim.races --operations 50000 --simulator verilator --seed 1
"""

import argparse
import pickle
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fabricgen.abi.image import encode_image
from fabricgen.emit.package import EmittedFabric, emit_fabric
from fabricgen.records.fabric import Fabric
from sim import run
from sim.environment import require
from sim.job import MemoryJob
from sim.linearizability import Verdict, check
from sim.make_job import programming_steps
from sim.race_documents import KINDS, ORDERINGS, RaceFabric, RaceRow
from sim.race_job import RaceJob, RaceRecord, RaceSegment, read_records
from sim.race_traffic import Addresses

__all__ = ["Judged", "drawn_rows", "main", "play", "segments"]

_PATTERNS = ("always", "alternate", "bursty", "geometric", "starved", "adversarial")
_BEAT_BYTES = 8
#: Operations that a segment has about.
_SEGMENT = 20_000


@dataclass(frozen=True, slots=True)
class Judged:
    """One segment and its verdict."""

    record: RaceRecord
    verdict: Verdict

    @property
    def faults(self) -> tuple[str, ...]:
        """Everything that is wrong, in words."""
        return (*self.record.faults, *map(str, self.verdict.violations))


def drawn_rows(design: RaceFabric, count: int, rng: random.Random) -> tuple[RaceRow, ...]:
    """So many rows of different ports, as far as there are; all five actors come up."""
    ports = rng.sample(range(design.ports), min(design.ports, count))
    ports += [rng.randrange(design.ports) for _ in range(count - len(ports))]
    actors = rng.sample(["load", "store", "rmw", "cmpxchg", "fence"], min(count, 5))
    actors += [rng.choice(["load", "store", "rmw", "cmpxchg"]) for _ in range(count - len(actors))]
    return tuple(
        _drawn_row(design, port, actor, rng) for port, actor in zip(ports, actors, strict=True)
    )


def _drawn_row(design: RaceFabric, port: int, actor: str, rng: random.Random) -> RaceRow:
    ordering = rng.choice(ORDERINGS[actor])
    if actor == "fence":
        return RaceRow(port, actor, ordering)
    is_plain = actor in ("load", "store") and rng.random() < 0.4
    lanes = 2 if design.has_lanes and rng.random() < 0.25 else 1
    size = rng.choice([2, 4] if lanes > 1 else [1, 2, 4, 4, 8, 8])
    # An atomic object lies in one beat.
    base = rng.randrange(12) if is_plain else size * rng.randrange(3)
    return RaceRow(
        port,
        actor,
        None if is_plain else ordering,
        size,
        lanes,
        base,
        rng.choice(KINDS) if actor == "rmw" else None,
        actor == "cmpxchg" and rng.random() < 0.5,
    )


def segments(
    design: RaceFabric,
    fabric: Fabric,
    operations: int,
    seed: int,
    *,
    rows: int = 4,
    most: int = _SEGMENT,
) -> Iterator[RaceSegment]:
    """Random segments with about so many operations together, and each at ``most`` so many."""
    rng = random.Random(f"races/{seed}")
    while operations > 0:
        size = min(operations, most)
        operations -= size
        drawn = drawn_rows(design, rows, rng)
        image = encode_image(fabric, design.mapping(fabric, drawn))
        masters = size // 3 // design.hosts if design.hosts else 0
        firings = (size - masters * design.hosts) // rows
        hot = rng.choice([8, 16, 32, 64])
        yield RaceSegment(
            drawn,
            programming_steps(fabric, image),
            rng.choice(_PATTERNS),
            rng.getrandbits(32),
            firings,
            masters,
            Addresses(design.capacity_bytes, hot, rng.choice([0.5, 0.8, 0.95])),
            size,
        )


def play(
    design: RaceFabric,
    emitted: EmittedFabric,
    parts: Sequence[RaceSegment],
    directory: Path,
    *,
    simulator: str,
    seed: int,
    before: bytes | None = None,
) -> Iterator[Judged]:
    """Run segments on an emitted design, then judge one after the other.

    The memory has random contents, or those of ``before``. The bench ends behind a segment in which
    something other than an order is wrong.
    """
    require(simulator)
    if before is None:
        before = random.Random(seed).randbytes(design.capacity_bytes)
    job = RaceJob(
        MemoryJob(before, before, _BEAT_BYTES, emitted.banks[0]),
        design.ports,
        tuple(f"host{number}" for number in range(design.hosts)),
        design.tag_bits,
        tuple(parts),
    )
    text = emitted.verilog.read_text()
    built = run.build(text, emitted.top, directory / simulator, simulator=simulator)
    files = [built.directory / name for name in ("races.pickle", "records.pickle")]
    files[0].write_bytes(pickle.dumps(job))
    files[1].unlink(missing_ok=True)
    env = {"FABRICGEN_RACES": str(files[0]), "FABRICGEN_RECORDS": str(files[1])}
    run.run_bench(built, "races", seed=seed, env=env)
    for record in read_records(files[1]):
        yield Judged(record, check(record.history, record.before, record.after))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and judge; the exit code tells whether everything was legal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=50_000)
    parser.add_argument("--simulator", default="verilator", choices=["verilator", "icarus"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ports", type=int, default=4)
    parser.add_argument("--contexts", type=int, default=4)
    parser.add_argument("--build-dir", type=Path)
    said = parser.parse_args(arguments)
    directory = said.build_dir or Path(tempfile.mkdtemp())
    design = RaceFabric("races", ports=said.ports, contexts=said.contexts)
    fabric = design.fabric()
    started = time.monotonic()
    emitted = emit_fabric(fabric, directory / "rtl")
    parts = list(segments(design, fabric, said.operations, said.seed))
    print(f"emitted in {time.monotonic() - started:.1f} s")
    started = time.monotonic()
    total: Counter[str] = Counter()
    failed = False
    for judged in play(design, emitted, parts, directory, simulator=said.simulator, seed=said.seed):
        if not total:
            print(f"simulated in {time.monotonic() - started:.1f} s")
        record, verdict = judged.record, judged.verdict
        kinds = Counter(each.kind.value for each in record.history)
        total.update(kinds)
        total["cycles"] += record.cycles
        print(
            f"seed {record.seed}, {record.pattern}: {len(record.history)} operations in "
            f"{record.cycles} cycles, {record.resets} resets, {verdict.epochs} epochs, at most "
            f"{verdict.most_pending} pending, {verdict.steps} steps"
        )
        for fault in judged.faults:
            print(fault)
        failed |= bool(judged.faults)
    print(f"judged after {time.monotonic() - started:.1f} s; {dict(total)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
