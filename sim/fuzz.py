"""Random engines: legal fabrics, rows and traffic, simulated and held against the model.

``python -m sim.fuzz --count N --seed S`` runs the engines of seeds S to S+N-1; one seed is one
engine, so every failure is printed with the command that repeats it alone.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from fabricgen.author.workload import Workload
from fabricgen.errors import Invalid
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import MemoryConfiguration
from fabricgen.records.fabric import Fabric
from fabricgen.records.fabric_codec import decode, encode
from sim.environment import SIMULATORS, ToolMissing, require
from sim.fuzz_fabric import draw_fabric
from sim.fuzz_points import EVERY, NOT_DRAWN, gaps, points
from sim.fuzz_rows import draw_configuration
from sim.fuzz_work import draw_workload
from sim.run import SimulationFailed
from sim.simulate import model, simulate
from sim.stalls import PATTERNS

__all__ = ["Engine", "Outcome", "draw_engine", "main", "run_all", "run_engine", "without_bus"]

_T = TypeVar("_T")

#: Verilator compiles for seconds what Icarus only reads, so one engine in twenty goes there.
_VERILATED = 20
_FIRINGS = 40
_SHOWN = 4
_ATTEMPTS = 4
#: Stall patterns of one engine beside no stall at all: many engines find more than many patterns.
_STALLED = 3

#: What the model refuses because its outcome depends on time, or on what another row has read.
_UNORDERED = frozenset(
    {
        "workload-race",
        "workload-unconsumed",
        "workload-output-order",
        "workload-atomic-alignment",
    }
)


@dataclass(frozen=True, slots=True)
class Engine:
    """One random engine with its rows and its traffic."""

    fabric: Fabric
    configuration: MemoryConfiguration
    workload: Workload


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one engine ended; no problems means that hardware and model agree. ``points`` counts
    what it has, as :mod:`sim.fuzz_points` names it.
    """

    seed: int
    simulator: str
    firings: int
    hangs: bool
    problems: tuple[str, ...]
    points: Counter[str] = field(default_factory=Counter)

    @property
    def command(self) -> str:
        """What repeats this engine alone."""
        return f"python -m sim.fuzz --count 1 --seed {self.seed} --simulator {self.simulator}"


def draw_engine(seed: int) -> Engine:
    """Everything follows from the seed; rows and traffic that race are drawn again."""
    rng = random.Random(seed)
    fabric = draw_fabric(rng, f"fuzz-{seed}")
    while True:
        (named,) = fabric.memories
        configuration = draw_configuration(rng, named)
        if configuration is None:
            fabric = draw_fabric(rng, f"fuzz-{seed}")
            continue
        for _ in range(_ATTEMPTS):
            workload = draw_workload(rng, named, configuration, _FIRINGS)
            try:
                model(named, configuration, workload)
            except Invalid as error:
                if not {diagnostic.code for diagnostic in error.diagnostics} <= _UNORDERED:
                    raise
                continue
            return Engine(fabric, configuration, workload)


def without_bus(engine: Engine) -> Engine:
    """The engine with managers and subordinates of beats: whoever stands at a bus needs cocotb."""
    (named,) = engine.fabric.memories
    options = replace(
        named.implementation, manager_protocol="stream", subordinate_protocol="stream"
    )
    fabric = replace(engine.fabric, memories=(replace(named, implementation=options),))
    return replace(engine, fabric=fabric)


def stall_patterns(seed: int) -> tuple[str, ...]:
    """Patterns under which the engine of a seed runs; the first one never stalls."""
    first, *others = PATTERNS
    return (first, *random.Random(f"patterns/{seed}").sample(others, _STALLED))


def run_engine(seed: int, simulator: str) -> Outcome:
    """Draw one engine and run it without stalls and under some stall patterns of its seed."""
    engine = draw_engine(seed)
    if simulator == "python":
        engine = without_bus(engine)
    problems: list[str] = []
    if decode(encode(engine.fabric)) != engine.fabric:
        problems.append("The fabric file does not give the fabric back")
    hangs, firings = False, 0
    with tempfile.TemporaryDirectory(prefix="fabricgen-fuzz-") as directory:
        try:
            report = simulate(
                engine.fabric,
                FabricConfiguration((engine.configuration,)),
                engine.workload,
                simulator=simulator,
                seed=seed,
                build_dir=Path(directory),
                patterns=None if simulator == "python" else stall_patterns(seed),
            )
        except SimulationFailed as error:
            problems.append(str(error))
        else:
            firings = report.firings
            hangs = any(finding.kind == "hang" for finding in report.findings)
            for run in report.runs:
                problems += [f"{run.pattern}: {finding}" for finding in run.findings[:_SHOWN]]
            # Rows that publish equal tokens on one endpoint with one tag cannot be told apart.
            is_told = all(row.cycles for row in report.rows if row.firings)
            if not problems and is_told and report.cycles < report.cycle_limit:
                problems.append(f"{report.cycles} cycles, and at least {report.cycle_limit} needed")
    (named,) = engine.fabric.memories
    met = points(named, engine.configuration)
    return Outcome(seed, simulator, firings, hangs, tuple(problems), met)


def run_all(
    pool: Executor, run: Callable[..., _T], calls: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[tuple[Any, ...], _T | BaseException]]:
    """Each call with its result, in order; or with what it raised: the others are run."""
    started = [pool.submit(run, *call) for call in calls]
    for call, future in zip(calls, started, strict=True):
        yield call, future.exception() or future.result()


def _simulators(count: int, first: int, chosen: str | None) -> list[str]:
    """Simulator of each engine; it follows from the seed and from what is installed."""
    if chosen is not None:
        require(chosen)
        return [chosen] * count
    usual = "icarus" if shutil.which("iverilog") else "python"
    try:
        require("verilator")
    except ToolMissing:
        return [usual] * count
    seeds = range(first, first + count)
    return ["verilator" if seed % _VERILATED == 0 else usual for seed in seeds]


@dataclass
class _Tally:
    """What all engines came to."""

    engines: int = 0
    firings: int = 0
    failed: list[Outcome] = field(default_factory=list)
    covered: Counter[str] = field(default_factory=Counter)

    def run(self, pool: Executor, calls: Sequence[tuple[int, str]]) -> None:
        """Run engines by seed and simulator; print every failure with its command."""
        for (seed, simulator), ended in run_all(pool, run_engine, calls):
            if isinstance(ended, BaseException):
                what = f"{type(ended).__name__}: {ended}"
                outcome = Outcome(seed, simulator, 0, False, (what,))
            else:
                outcome = ended
            self.engines += 1
            self.firings += outcome.firings
            self.covered.update(outcome.points)
            print(f"{seed} {simulator} {outcome.firings}", file=sys.stderr)
            if outcome.problems:
                self.failed.append(outcome)
                print(f"FAILED {outcome.command}", *outcome.problems, sep="\n    ", flush=True)

    def search(self, pool: Executor, seeds: Sequence[int]) -> list[int]:
        """Seeds of engines that have points which were not met, the first of each."""
        missing = {point for point, reason in gaps(self.covered).items() if reason == NOT_DRAWN}
        found: list[int] = []
        for (seed,), drawn in run_all(pool, drawn_points, [(seed,) for seed in seeds]):
            if not isinstance(drawn, BaseException) and drawn & missing:
                missing -= drawn
                found.append(seed)
        return found


def drawn_points(seed: int) -> frozenset[str]:
    """Points of an engine that is not run."""
    engine = draw_engine(seed)
    return frozenset(points(engine.fabric.memories[0], engine.configuration))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the engines, print every failure with its command, write the JSON; 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m sim.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="engines to run")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first one")
    parser.add_argument(
        "--search",
        type=int,
        default=0,
        help="further engines to draw; those are run that have points which none had before",
    )
    parser.add_argument("--simulator", choices=SIMULATORS, help="one simulator for all engines")
    parser.add_argument("--jobs", type=int, default=1, help="engines that run at once")
    parser.add_argument("--output", type=Path, default=Path("build") / "fuzz.json")
    options = parser.parse_args(arguments)
    seeds = range(options.seed, options.seed + options.count)
    simulators = _simulators(options.count, options.seed, options.simulator)
    tally = _Tally()
    with ProcessPoolExecutor(options.jobs) as pool:
        tally.run(pool, list(zip(seeds, simulators, strict=True)))
        found = tally.search(pool, range(seeds.stop, seeds.stop + options.search))
        # One that is no multiple of the verilated ones' number.
        (usual,) = _simulators(1, 1, options.simulator)
        tally.run(pool, [(seed, usual) for seed in found])
    hangs = sum(outcome.hangs for outcome in tally.failed)
    mismatches = len(tally.failed) - hangs
    total = f"{tally.engines} engines, {tally.firings} firings"
    print(f"{total}, {mismatches} mismatches, {hangs} hangs")
    missing = gaps(tally.covered)
    for point in EVERY:
        reason = f": {missing[point]}" if point in missing else ""
        print(f"{tally.covered[point]:6} {point}{reason}")
    result = {
        "engines": tally.engines,
        "mismatches": mismatches,
        "hangs": hangs,
        "seed": options.seed,
        "points": {point: tally.covered[point] for point in EVERY},
        "gaps": missing,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result) + "\n")
    return int(bool(tally.failed))


if __name__ == "__main__":
    sys.exit(main())
