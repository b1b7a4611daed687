"""A hunt for deadlocks: one channel of an engine is dead, and all that does not need it goes on.

``python -m sim.deadlocks --count N --seed S`` takes the random engines of :mod:`sim.fuzz` and lets
their egresses, and the two sides of their managers, be dead one after the other: an egress is never
ready, a manager never accepts or never answers. Every row that does not depend on the channel must
publish all its results, and the report must say of every other one what it waits for.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fabricgen.abi.image import encode_image
from fabricgen.author.workload import Workload
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.records.fabric import Fabric
from sim.channels import sinks
from sim.environment import SIMULATORS
from sim.fuzz import draw_engine, run_all, without_bus
from sim.job import RunResult
from sim.make_job import make_job
from sim.simulate import model, simulate
from sim.stalls import DEAD

__all__ = ["Death", "channels", "hunt", "main"]

#: What no dead channel excuses.
_WRONG = frozenset(
    {"blocked", "capacity", "early", "joint", "program", "spurious", "token", "unknown", "unstable"}
)
#: What is missing at the end is no fault of these; what they see before is.
_WATCHED = frozenset({"manager", "subordinate"})
_CHANNELS = 6


@dataclass(frozen=True, slots=True)
class Death:
    """What became of an engine with one dead channel.

    Parameters
    ----------
    channel
        The dead one.
    waits
        What the report says of rows that wait, and of what else stands.
    problems
        What is wrong: a row that did not depend on the channel and stopped, a token that is no
        result, or a row that stopped without a word.
    """

    channel: str
    waits: tuple[str, ...]
    problems: tuple[str, ...]


def hunt(
    fabric: Fabric,
    configuration: FabricConfiguration,
    workload: Workload,
    dead: Sequence[str],
    *,
    simulator: str,
    seed: int,
    build_dir: Path,
) -> tuple[Death, ...]:
    """Run a workload once for each of these channels, which is dead meanwhile."""
    patterns = ("always", *(f"{DEAD}{channel}" for channel in dead))
    report = simulate(
        fabric,
        configuration,
        workload,
        simulator=simulator,
        seed=seed,
        build_dir=build_dir,
        patterns=patterns,
    )
    first, *runs = report.runs
    if first.findings:
        raise ValueError(f"The engine must agree with the model, not: {first.findings[0]}")
    firings = {row.row: row.firings for row in first.rows}
    return tuple(_death(channel, run, firings) for channel, run in zip(dead, runs, strict=True))


def channels(
    fabric: Fabric, configuration: FabricConfiguration, workload: Workload
) -> tuple[str, ...]:
    """Every channel of the one memory that may be dead."""
    (named,), (rows,) = fabric.memories, configuration.memories
    image = encode_image(fabric, configuration)
    return tuple(sinks(make_job(fabric, rows, *model(named, rows, workload), image, (), (), ())))


def _death(channel: str, run: RunResult, firings: Mapping[int, int]) -> Death:
    hangs = [finding for finding in run.findings if finding.kind == "hang"]
    end = max((finding.cycle for finding in hangs), default=run.cycles)
    problems = [
        str(finding)
        for finding in run.findings
        if finding.kind in _WRONG or (finding.kind in _WATCHED and finding.cycle < end)
    ]
    named = {each.row for each in hangs if each.message.startswith(f"Row {each.row} ")}
    problems += [
        f"Row {row.row} published {row.firings} of {firings[row.row]} and nothing says why"
        for row in run.rows
        if row.firings < firings[row.row] and row.row not in named
    ]
    return Death(channel, tuple(finding.message for finding in hangs), tuple(problems))


def _hunt_engine(simulator: str, seed: int) -> tuple[Death, ...]:
    """Some channels of one random engine."""
    # Of a bus, each channel would be a case of its own.
    engine = without_bus(draw_engine(seed))
    configuration = FabricConfiguration((engine.configuration,))
    every = channels(engine.fabric, configuration, engine.workload)
    dead = random.Random(seed).sample(every, min(_CHANNELS, len(every)))
    with tempfile.TemporaryDirectory(prefix="fabricgen-dead-") as directory:
        return hunt(
            engine.fabric,
            configuration,
            engine.workload,
            dead,
            simulator=simulator,
            seed=seed,
            build_dir=Path(directory),
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Hunt, print every problem with its command and what rows waited for; 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m sim.deadlocks", description=__doc__)
    parser.add_argument("--count", type=int, default=20, help="engines to run")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first one")
    parser.add_argument("--simulator", choices=SIMULATORS, default="icarus")
    parser.add_argument("--jobs", type=int, default=1, help="engines that run at once")
    parser.add_argument("--output", type=Path, default=Path("build") / "deadlocks.json")
    options = parser.parse_args(arguments)
    seeds = range(options.seed, options.seed + options.count)
    kinds: Counter[str] = Counter()
    waits: Counter[str] = Counter()
    problems = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        calls = [(options.simulator, seed) for seed in seeds]
        for (_, seed), ended in run_all(pool, _hunt_engine, calls):
            command = f"python -m sim.deadlocks --count 1 --seed {seed}"
            if isinstance(ended, BaseException):
                problems += 1
                what = f"{type(ended).__name__}: {ended}"
                print(f"FAILED {command}", what, sep="\n    ", flush=True)
                continue
            for death in ended:
                kinds[_kind(death.channel)] += 1
                waits.update(map(_without_numbers, death.waits))
                if death.problems:
                    problems += 1
                    head = f"FAILED {command}: {death.channel}"
                    print(head, *death.problems, sep="\n    ", flush=True)
    print(f"{sum(kinds.values())} dead channels of {options.count} engines, {problems} problems")
    for kind, count in sorted(kinds.items()):
        print(f"{count:6} {kind}")
    for text, count in waits.most_common():
        print(f"{count:6} {text}")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    result = {"engines": options.count, "seed": options.seed, "problems": problems}
    options.output.write_text(json.dumps(result | {"dead": kinds, "waits": waits}) + "\n")
    return int(bool(problems))


def _kind(channel: str) -> str:
    """What is dead, in words."""
    ends = {"_req": "a manager that never accepts", "_rsp": "a manager that never answers"}
    return ends.get(channel[-4:], "an egress that is never ready")


def _without_numbers(message: str) -> str:
    """A wait without the names of its engine."""
    return re.sub(r"\b(e|ext|port)?\d+\b", "N", re.sub(r"mem0_", "", message))


if __name__ == "__main__":
    sys.exit(main())
