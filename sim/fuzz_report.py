"""What random engines had, as a table in the documentation: ``python -m sim.fuzz_report``.

Reads the JSON of :mod:`sim.fuzz`, of one run or of several, and writes ``docs/coverage.md`` of it.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

__all__ = ["coverage_text", "main", "together"]

_HEAD = """# What random engines had

Written by `python -m sim.fuzz_report` from `build/fuzz.json`, which `make fuzz` writes. Each engine
is a random legal record with random rows and traffic, whose Verilog was held against the model
without stalls and under three stall patterns. A point counts the rows, connections, ports or
endpoints that had it.
"""


def together(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several runs of different seeds as one; a gap is what no run met."""
    first, *_ = results
    points = {point: sum(each["points"][point] for each in results) for point in first["points"]}
    return {
        **{
            name: sum(each[name] for each in results) for name in ("engines", "mismatches", "hangs")
        },
        "seed": ", ".join(str(each["seed"]) for each in results),
        "points": points,
        "gaps": {point: reason for point, reason in first["gaps"].items() if not points[point]},
    }


def coverage_text(result: Mapping[str, Any]) -> str:
    """The page: what was run, one table for each kind of point, and what did not occur."""
    points: Mapping[str, int] = result["points"]
    gaps: Mapping[str, str] = result["gaps"]
    mismatches, hangs = result["mismatches"], result["hangs"]
    met = sum(map(bool, points.values()))
    summary = (
        f"{result['engines']} engines from seed {result['seed']} on: {mismatches} mismatches, "
        f"{hangs} hangs; {met} of {len(points)} points.\n"
    )
    parts = [_HEAD, summary]
    if gaps:
        rows = [f"| {point} | {reason} |" for point, reason in gaps.items()]
        parts.append("\n".join(["| did not occur | because |", "|---|---|", *rows]) + "\n")
    for kind, found in groupby(points, key=lambda point: point.partition(": ")[0]):
        rows = [f"| {point.partition(': ')[2]} | {points[point]} |" for point in found]
        parts.append("\n".join([f"| {kind} | times |", "|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m sim.fuzz_report", description=__doc__)
    parser.add_argument("input", type=Path, nargs="*", default=[Path("build") / "fuzz.json"])
    parser.add_argument("--output", type=Path, default=Path("docs") / "coverage.md")
    options = parser.parse_args(arguments)
    results = [json.loads(path.read_text()) for path in options.input]
    options.output.write_text(coverage_text(together(results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
