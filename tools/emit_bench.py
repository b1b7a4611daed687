"""Time of ``fabricgen emit``, and how it grows: ``python -m tools.emit_bench [--rows 4,16] [--ports 1,2]``.

Runs the command on every shipped example, then on Temporal engines of K rows and P ports, and
prints the seconds of processor time of the command and its Yosys together: those on a clock depend
on what else the machine does. The exponent is that of the growth with P * K. Writes
``build/emit.json``.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.engines import temporal_document

__all__ = ["exponent", "main", "seconds"]

ROOT = Path(__file__).parent.parent


def seconds(document: Path, folder: Path) -> float:
    """Processor time of one emission, start of the program included."""
    command = [sys.executable, "-m", "fabricgen.cli.main", "emit", str(document), "-o", str(folder)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def exponent(taken: Sequence[tuple[int, float]]) -> float:
    """Slope of the line through the logarithms of sizes and seconds, with least squares."""
    points = [(math.log(size), math.log(value)) for size, value in taken]
    x, y = (sum(each) / len(points) for each in zip(*points, strict=True))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=_numbers, default=[4, 16, 64], metavar="K,...")
    parser.add_argument("--ports", type=_numbers, default=[1, 2, 4, 8], metavar="P,...")
    args = parser.parse_args()
    report: dict[str, float] = {}
    engines: list[tuple[int, float]] = []
    with TemporaryDirectory() as name:
        folder = Path(name)

        def measure(what: str, document: Path) -> float:
            taken = report[what] = seconds(document, folder / "out")
            print(f"{what:24}{taken:>8.2f} s", flush=True)
            return taken

        for example in sorted(resources.files("fabricgen.examples").iterdir(), key=str):
            if (document := Path(str(example)) / "fabric.toml").exists():
                measure(document.parent.name, document)
        for rows in args.rows:
            for ports in args.ports:
                document = folder / "fabric.toml"
                document.write_text(temporal_document(rows, ports))
                engines.append((rows * ports, measure(f"K={rows} P={ports}", document)))
    if len({size for size, _ in engines}) > 1:
        report["exponent"] = exponent(engines)
        print(f"{'exponent':24}{report['exponent']:>8.2f}")
    output = ROOT / "build" / "emit.json"
    output.parent.mkdir(exist_ok=True)
    output.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
