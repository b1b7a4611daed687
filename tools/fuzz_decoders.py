"""Coverage-guided fuzzing of every decoder of foreign bytes: ``make fuzz-decoders``.

Each entry runs in a process of its own until it has used SECONDS of processor time. An input that
raises anything but a refusal, that is accepted and is not its record's encoding, that takes too
long, or that takes more memory than allowed is kept in ``build/fuzz-decoders/ENTRY/failures`` and
printed as the command that reproduces it. Prints a table and writes ``build/fuzz-decoders.json``.

Corpora grow in ``build/fuzz-decoders/ENTRY/corpus`` from one run to the next; they begin with real
records and a dictionary of the atoms that stand in them.
"""

import argparse
import hashlib
import importlib
import json
import os
import resource
import shlex
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

__all__ = ["Result", "fuzz", "main"]

ROOT = Path(__file__).parent.parent
DEFAULT_TARGETS = "tools.fuzz_targets"
#: Longest input; the shipped fabrics have a few thousand bytes.
MAX_INPUT_BYTES = 32_768
#: Failing inputs after which an entry is given up.
MAX_FAILURES = 5
#: Executions between two writings of the statistics.
STATISTICS_INTERVAL = 256


@dataclass
class Result:
    """What one entry came to."""

    entry: str
    executions: int = 0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
    slowest_seconds: float = 0.0
    slowest_input: str = ""
    failures: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Limits:
    """What one run may take."""

    cpu_seconds: float
    rss_mb: int
    timeout_seconds: int
    seed: int


def fuzz(entry: str, targets: str, folder: Path, limits: Limits) -> Result:
    """Fuzz one entry until its time is used up; the time of a failed process counts."""
    at = folder / entry
    (at / "failures").mkdir(parents=True, exist_ok=True)
    result = Result(entry)
    while result.cpu_seconds < limits.cpu_seconds and len(result.failures) < MAX_FAILURES:
        before = set((at / "failures").iterdir())
        statistics = at / "statistics.json"
        statistics.unlink(missing_ok=True)
        used = _children_seconds()
        left = limits.cpu_seconds - result.cpu_seconds
        seed = limits.seed + len(result.failures)
        with (at / "log.txt").open("wb") as log:
            code = subprocess.run(
                _child_command(entry, targets, at, limits, left, seed),
                cwd=ROOT,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode
        result.cpu_seconds += _children_seconds() - used
        _add(result, statistics)
        new = sorted(set((at / "failures").iterdir()) - before)
        result.failures += [str(path) for path in new]
        if code and not new:
            raise RuntimeError(f"{entry} ended with {code} and no input; see {at / 'log.txt'}")
    return result


def _child_command(
    entry: str, targets: str, at: Path, limits: Limits, seconds: float, seed: int
) -> list[str]:
    return [
        sys.executable,
        "-m",
        "tools.fuzz_decoders",
        *("--child", entry, "--targets", targets, "--folder", str(at)),
        *("--seconds", str(seconds), "--rss-mb", str(limits.rss_mb)),
        *("--timeout", str(limits.timeout_seconds), "--seed", str(seed)),
    ]


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _add(result: Result, statistics: Path) -> None:
    if not statistics.exists():
        return
    found = json.loads(statistics.read_text())
    result.executions += found["executions"]
    result.peak_mb = max(result.peak_mb, found["peak_mb"])
    if found["slowest_seconds"] > result.slowest_seconds:
        result.slowest_seconds = found["slowest_seconds"]
        result.slowest_input = found["slowest_input"]


class _Child:
    """The process that atheris drives: counts, times, and ends when its time is used up."""

    def __init__(self, entry: str, targets: str, folder: Path, limits: Limits) -> None:
        import atheris

        with atheris.instrument_imports(include=["fabricgen", targets]):
            module = importlib.import_module(targets)
        self._target, self._check = module.TARGETS[entry], module.check
        self._tokens = module.tokens()
        self._folder, self._limits = folder, limits
        self._executions, self._slowest = 0, 0.0
        # Instrumentation takes seconds, which are no part of the time to fuzz.
        self._end = time.process_time() + limits.cpu_seconds

    def run(self) -> None:
        """Write seeds and dictionary, and fuzz; does not return."""
        import atheris

        corpus, seeds = self._folder / "corpus", self._folder / "seeds"
        corpus.mkdir(parents=True, exist_ok=True)
        seeds.mkdir(parents=True, exist_ok=True)
        for data in self._target.seeds():
            (seeds / hashlib.sha1(data).hexdigest()).write_bytes(data)
        dictionary = self._folder / "tokens.dict"
        lines = ('"' + "".join(f"\\x{byte:02x}" for byte in token) + '"' for token in self._tokens)
        dictionary.write_text("\n".join(lines) + "\n")
        limits = self._limits
        arguments = [
            sys.argv[0],
            str(corpus),
            str(seeds),
            f"-artifact_prefix={self._folder / 'failures'}/",
            f"-dict={dictionary}",
            f"-max_len={MAX_INPUT_BYTES}",
            f"-rss_limit_mb={limits.rss_mb}",
            f"-timeout={limits.timeout_seconds}",
            f"-seed={limits.seed}",
            "-print_final_stats=1",
        ]
        atheris.Setup(arguments, self._one)
        atheris.Fuzz()

    def _one(self, data: bytes) -> None:
        started = time.process_time()
        self._check(self._target, data)
        ended = time.process_time()
        self._executions += 1
        if ended - started > self._slowest:
            self._slowest = ended - started
            (self._folder / "slowest").write_bytes(data)
        over = ended > self._end
        # libFuzzer looks at the memory once a second, and a peak may be shorter.
        if (peak := _peak_mb()) > self._limits.rss_mb:
            raise MemoryError(
                f"One input must take at most {self._limits.rss_mb} MB, not {peak:.0f}"
            )
        if over or self._executions % STATISTICS_INTERVAL == 0:
            self._write_statistics()
        if over:
            # libFuzzer knows wall time alone, and never returns.
            os._exit(0)

    def _write_statistics(self) -> None:
        statistics = {
            "executions": self._executions,
            "peak_mb": _peak_mb(),
            "slowest_seconds": self._slowest,
            "slowest_input": str(self._folder / "slowest"),
        }
        (self._folder / "statistics.json").write_text(json.dumps(statistics))


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _replay(entry: str, targets: str, path: Path) -> None:
    """Run one input without the fuzzer: its traceback, its hang, or nothing."""
    module = importlib.import_module(targets)
    module.check(module.TARGETS[entry], path.read_bytes())


def _print(results: list[Result], targets: str) -> None:
    head = ("entry", "executions", "CPU s", "peak MB", "failures", "slowest input")
    print("{:10}{:>12}{:>10}{:>10}{:>10}{:>16}".format(*head))
    for each in results:
        print(
            f"{each.entry:10}{each.executions:>12,}{each.cpu_seconds:>10.1f}{each.peak_mb:>10.0f}"
            f"{len(each.failures):>10}{each.slowest_seconds:>14.3f} s"
        )
    for each in results:
        for path in each.failures:
            again = ["python", "-m", "tools.fuzz_decoders", "--targets", targets]
            print(shlex.join([*again, "--replay", each.entry, path]))


def main(arguments: list[str] | None = None) -> int:
    """Fuzz the named entries, or all; 1 where an input failed, 2 where no entry has a name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entries", nargs="*", help="entries to fuzz; all where none is named")
    parser.add_argument("--seconds", type=float, default=600.0, help="processor time per entry")
    parser.add_argument("--rss-mb", type=int, default=1024, help="memory of the whole process")
    parser.add_argument("--timeout", type=int, default=30, help="seconds that one input may take")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", default=DEFAULT_TARGETS, help="module with TARGETS")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz-decoders")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "fuzz-decoders.json")
    parser.add_argument("--replay", nargs=2, metavar=("ENTRY", "FILE"), help="run one input")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    limits = Limits(options.seconds, options.rss_mb, options.timeout, options.seed)
    if options.child:
        _Child(options.child, options.targets, options.folder, limits).run()
    known = importlib.import_module(options.targets).TARGETS
    for entry in options.replay[:1] if options.replay else options.entries:
        if entry not in known:
            parser.error(f"An entry must be one of {', '.join(known)}, not {entry!r}")
    if options.replay:
        _replay(options.replay[0], options.targets, Path(options.replay[1]))
        return 0
    entries = options.entries or list(known)
    folder = options.folder.resolve()
    results = [fuzz(entry, options.targets, folder, limits) for entry in entries]
    _print(results, options.targets)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps([asdict(each) for each in results], indent=2) + "\n")
    return 1 if any(each.failures for each in results) else 0


if __name__ == "__main__":
    sys.exit(main())
