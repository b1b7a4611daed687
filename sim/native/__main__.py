"""``python -m sim.native``: the table of what was computed on the native programs, and how fast."""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from sim.native.bench import Row, run
from sim.native.build import NativeFailed
from sim.native.resources import resources
from sim.native.scalars import FULL, QUICK

__all__ = ["main"]

_COLUMNS = "{:<44} {:<26} {:>12} {:>12} {:>13} {:>10}"


def main(arguments: list[str] | None = None) -> int:
    """Run the bench; the exit code is 1 where anything differs."""
    parser = argparse.ArgumentParser(prog="python -m sim.native", description=__doc__)
    parser.add_argument("--full", action="store_true", help="all resources, 100,000 random points")
    parser.add_argument("--only", default="", help="resources whose name contains this")
    parser.add_argument("--json", type=Path, help="write the rows there, too")
    parser.add_argument("--build", type=Path, help="where programs are kept; forgotten if absent")
    options = parser.parse_args(arguments)
    volume = FULL if options.full else QUICK
    print(_COLUMNS.format("resource", "member", "points", "poison", "results/cycle", "mismatches"))
    rows: list[Row] = []
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.build or Path(temporary)
        for each in resources():
            if options.only not in each.name or (each.is_large and not options.full):
                continue
            started = time.monotonic()
            try:
                found = run(each.name, each.op, each.cases(each.op, volume), folder / each.folder)
            except NativeFailed as error:
                failures += 1
                print(f"{each.name}: {error}")
                continue
            rows += found
            for row in found:
                numbers = (row.points, row.poisonous, f"{row.rate:.4f}", row.mismatches)
                print(_COLUMNS.format(row.resource, row.member, *numbers))
                if row.example:
                    print(f"  {row.example}")
            print(f"  {time.monotonic() - started:.1f} s", flush=True)
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")
    points, wrong = sum(row.points for row in rows), sum(row.mismatches for row in rows)
    print(f"{len(rows)} rows, {points} points, {wrong} mismatches, {failures} failures")
    return 1 if wrong or failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
