"""Time of ``fabricgen emit``, and how it grows: ``python -m tools.emit_bench [--record]``.

Emits every shipped example, then Temporal engines of K rows and P ports, each several times, and
takes the least: seconds of processor time, since those on a clock depend on what else the machine
does, and even those of a processor grow where it shares a core. ``emission`` is elaboration and
writing, ``command`` the whole command with the start of Python. The exponent is that of the growth
of emission with P * K. Writes ``build/emit.json``, and with ``--record`` its part of
``docs/performance.md``.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from sim.bench_suite import PAGE, with_emission
from tools.engines import temporal_document

__all__ = ["Figure", "exponent", "main", "measure", "section"]

ROOT = Path(__file__).parent.parent

#: The command itself, which also prints the seconds of processor time from the record to the files.
_TIMED = """
import sys, time
from fabricgen.cli.main import main
from fabricgen.emit import package

def timed(*inputs, emit=package.emit_fabric):
    start = time.process_time()
    emitted = emit(*inputs)
    print(time.process_time() - start)
    return emitted

package.emit_fabric = timed
main()
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """Seconds of one design; ``size`` is P * K of an engine, and 0 of an example."""

    design: str
    size: int
    emission: float
    command: float


def measure(design: str, size: int, document: Path, folder: Path, repeats: int) -> Figure:
    """Least times of so many emissions of one document."""
    emission, command = [], []
    words = [sys.executable, "-c", _TIMED, "emit", str(document), "-o", str(folder)]
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        emission.append(float(done.stdout))
        command.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return Figure(design, size, min(emission), min(command))


def exponent(taken: Sequence[tuple[int, float]]) -> float:
    """Slope of the line through the logarithms of sizes and seconds, with least squares."""
    points = [(math.log(size), math.log(value)) for size, value in taken]
    x, y = (sum(each) / len(points) for each in zip(*points, strict=True))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def section(figures: Sequence[Figure], growth: float | None) -> list[str]:
    """Lines of the documentation."""
    lines = [
        "| design | P * K | emission, s | command, s |",
        "|---|---|---|---|",
        *(
            f"| {each.design} | {each.size or ''} | {each.emission:.2f} | {each.command:.2f} |"
            for each in figures
        ),
    ]
    if growth is not None:
        lines += ["", f"Emission grows with the power {growth:.2f} of P * K."]
    return lines


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _documents(
    rows: Sequence[int], ports: Sequence[int], folder: Path
) -> Iterator[tuple[str, int, Path]]:
    for example in sorted(resources.files("fabricgen.examples").iterdir(), key=str):
        if (document := Path(str(example)) / "fabric.toml").exists():
            yield document.parent.name, 0, document
    for row_count in rows:
        for port_count in ports:
            document = folder / "fabric.toml"
            document.write_text(temporal_document(row_count, port_count))
            yield f"K={row_count} P={port_count}", row_count * port_count, document


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m tools.emit_bench", description=__doc__)
    parser.add_argument("--rows", type=_numbers, default=[4, 16, 64], metavar="K,...")
    parser.add_argument("--ports", type=_numbers, default=[1, 2, 4, 8], metavar="P,...")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "emit.json")
    parser.add_argument("--record", action="store_true", help="write docs/performance.md")
    args = parser.parse_args(arguments)
    figures: list[Figure] = []
    print(f"{'design':24}{'emission':>10}{'command':>10}")
    with TemporaryDirectory() as name:
        for design, size, document in _documents(args.rows, args.ports, Path(name)):
            figures.append(measure(design, size, document, Path(name) / "out", args.repeats))
            print(
                f"{design:24}{figures[-1].emission:>8.2f} s{figures[-1].command:>8.2f} s",
                flush=True,
            )
    engines = [(each.size, each.emission) for each in figures if each.size]
    growth = exponent(engines) if len({size for size, _ in engines}) > 1 else None
    if growth is not None:
        print(f"{'exponent':24}{growth:>8.2f}")
    args.output.parent.mkdir(exist_ok=True)
    args.output.write_text(json.dumps([asdict(each) for each in figures], indent=1) + "\n")
    if args.record:
        PAGE.write_text(with_emission(PAGE.read_text(), section(figures, growth)))


if __name__ == "__main__":
    main()
