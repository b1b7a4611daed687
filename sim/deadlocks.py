"""A hunt for deadlocks: one channel of an engine is dead, and all that does not need it goes on.

``python -m sim.deadlocks --count N --seed S`` takes the random engines of :mod:`sim.fuzz` and lets
their channels be dead one after the other: an egress is never ready, a manager never accepts or
never answers, who stands before a subordinate takes no answer, or gives an address and no data.
Every row that does not depend on the channel must publish all its results, every other
subordinate, and the other direction of the same bus, must answer all that is asked, and the report
must say of every row and subordinate that stops what it waits for.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fabricgen.abi.image import encode_image
from fabricgen.author.workload import Workload
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.records.fabric import Fabric
from sim.channels import deaths
from sim.environment import SIMULATORS
from sim.findings import Finding
from sim.fuzz import draw_engine, run_all, without_bus
from sim.job import RunResult
from sim.make_job import make_job
from sim.simulate import model, simulate
from sim.stalls import AFTER, DEAD

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
        What is wrong: a row or subordinate that did not depend on the channel and stopped, a token
        or answer that is none, or one that stopped and of which the report does not say why.
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
    return tuple(_death(channel, run, first) for channel, run in zip(dead, runs, strict=True))


def channels(
    fabric: Fabric, configuration: FabricConfiguration, workload: Workload
) -> dict[str, str]:
    """Every channel of the one memory that may be dead, and what that is in words."""
    (named,), (rows,) = fabric.memories, configuration.memories
    image = encode_image(fabric, configuration)
    return deaths(make_job(fabric, rows, *model(named, rows, workload), image, (), (), ()))


def _death(channel: str, run: RunResult, first: RunResult) -> Death:
    """Hold a run against the first one, in which nothing is dead."""
    hangs = [finding for finding in run.findings if finding.kind == "hang"]
    end = max((finding.cycle for finding in hangs), default=run.cycles)
    problems = [
        str(finding)
        for finding in run.findings
        if finding.kind in _WRONG or (finding.kind in _WATCHED and finding.cycle < end)
    ]
    named = {each.row for each in hangs if each.message.startswith(f"Row {each.row} ")}
    problems += [
        f"Row {row.row} published {row.firings} of {whole.firings} and nothing says why"
        for row, whole in zip(run.rows, first.rows, strict=True)
        if row.firings < whole.firings and row.row not in named
    ]
    problems += _silent(channel.partition(AFTER)[0], run, first, hangs)
    return Death(channel, tuple(finding.message for finding in hangs), tuple(problems))


def _silent(
    channel: str, run: RunResult, first: RunResult, hangs: Sequence[Finding]
) -> Iterator[str]:
    """Subordinates that stopped without a word, or without one of their own dead channel."""
    for served, whole in zip(run.served, first.served, strict=True):
        said = " ".join(finding.message for finding in hangs if finding.role == served.name)
        if served.beats < whole.beats:
            asked = f"Subordinate {served.name} answered {served.beats} of {whole.beats} beats"
            if not said:
                yield f"{asked} and nothing says why"
            elif channel.startswith(f"{served.name}_") and channel not in re.findall(r"\w+", said):
                yield f"{asked} and nothing names {channel}"


def _hunt_engine(simulator: str, seed: int) -> tuple[tuple[str, Death], ...]:
    """Some channels of one random engine, and all of its subordinates; each with its kind."""
    engine = draw_engine(seed)
    if simulator == "python":
        engine = without_bus(engine)
    configuration = FabricConfiguration((engine.configuration,))
    every = channels(engine.fabric, configuration, engine.workload)
    exposed = [channel for channel, kind in every.items() if "subordinate" in kind]
    others = [channel for channel in every if channel not in exposed]
    dead = random.Random(seed).sample(others, min(_CHANNELS, len(others))) + exposed
    with tempfile.TemporaryDirectory(prefix="fabricgen-dead-") as directory:
        found = hunt(
            engine.fabric,
            configuration,
            engine.workload,
            dead,
            simulator=simulator,
            seed=seed,
            build_dir=Path(directory),
        )
    return tuple((every[death.channel], death) for death in found)


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
            for kind, death in ended:
                kinds[kind] += 1
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


def _without_numbers(message: str) -> str:
    """A wait without the names of its engine."""
    message = re.sub(r"(from)\d+", r"\1N", message.replace("mem0_", ""))
    return re.sub(r"\b(e|ext|port)?\d+\b", "N", message)


if __name__ == "__main__":
    sys.exit(main())
