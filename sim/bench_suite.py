"""The performance contract's rows, measured on the emitted Verilog: achieved against limit.

Every figure is a count of cycles in simulation, so it is the same on every machine.
"""

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.workload import StreamRef, Workload
from sim.bench_documents import BenchPort, fabric_document, mapping_document
from sim.environment import SIMULATORS
from sim.report import SimulationReport
from sim.simulate import simulate

__all__ = ["Case", "Figure", "cases", "main", "measure"]

_FIRINGS = 400


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table.

    ``limit`` is what nothing can beat, ``must`` what the contract demands.
    """

    row: str
    unit: str
    achieved: float
    limit: float
    must: float
    lower_is_better: bool

    @property
    def is_met(self) -> bool:
        """Whether the contract is kept."""
        if self.lower_is_better:
            return self.achieved <= self.must + 1e-9
        return self.achieved >= self.must - 1e-9


@dataclass(frozen=True, slots=True)
class Case:
    """One design with its traffic; ``indices[i]`` are the address tokens of port ``i``."""

    name: str
    ports: tuple[BenchPort, ...]
    banks: int
    beat_bits: int
    indices: tuple[tuple[int, ...], ...]
    figures: Callable[[str, SimulationReport], list[Figure]]
    capacity_bytes: int = 8192


def measure(case: Case, simulator: str, directory: Path) -> list[Figure]:
    """Simulate one case and read its figures; a mismatch ends the suite."""
    name = "-".join(["bench", *re.findall("[a-z0-9]+", case.name.lower())])
    text = fabric_document(
        name,
        case.ports,
        banks=case.banks,
        beat_bits=case.beat_bits,
        capacity_bytes=case.capacity_bytes,
    )
    fabric = parse_fabric(text)
    rows = parse_mapping(mapping_document(name, case.ports), fabric)
    names = fabric.memories[0].names.endpoints
    streams: dict[StreamRef, tuple[int, ...]] = {}
    for number, tokens in enumerate(case.indices):
        streams[0, names.index(f"p{number}_addr"), None] = tokens
        streams[0, names.index(f"p{number}_ctrl"), None] = (0,) * len(tokens)
        if case.ports[number].kind == "store":
            mask = (1 << case.ports[number].data_bits) - 1
            values = tuple(0x9E3779B97F4A7C15 * (i + 1) & mask for i in range(len(tokens)))
            streams[0, names.index(f"p{number}_data"), None] = values
    report = simulate(
        fabric,
        rows,
        Workload(streams, ((),)),
        simulator=simulator,
        seed=1,
        build_dir=directory / name,
        patterns=("always",),
    )
    if not report.passed:
        raise SystemExit(f"{case.name}: {report.findings[0]}")
    return case.figures(case.name, report)


def cases() -> list[Case]:
    """Every design of the suite with its traffic."""
    rng = random.Random(1)
    found = []
    for kind in ("load", "store"):
        tokens = tuple(rng.randrange(2048) for _ in range(_FIRINGS))
        port = BenchPort(kind, "element", 32)
        found.append(Case(f"Spatial element {kind}", (port,), 4, 32, (tokens,), _element))
    found += _parallel()
    found += _contiguous()
    found += _indexed(rng)
    return found


def _parallel() -> list[Case]:
    """Port ``i`` meets bank ``(n + i) % banks`` in its firing ``n``: no two meet."""
    found = []
    for count in (2, 4):
        ports = tuple(BenchPort("load", "element", 32) for _ in range(count))
        tokens = tuple(tuple((n + i) % 64 for n in range(_FIRINGS)) for i in range(count))
        name = f"{count} ports, conflict-free"
        found.append(Case(name, ports, count, 32, tokens, _all_ports))
    return found


def _contiguous() -> list[Case]:
    found = []
    for kind in ("load", "store"):
        for name, base, banks, beat_bits in (
            ("aligned, 2 beats on 4 banks", 0, 4, 64),
            ("aligned, 4 beats on 1 bank", 0, 1, 32),
            ("unaligned, 3 beats on 2 banks", 4, 2, 64),
            ("unaligned, 5 beats on 4 banks", 2, 4, 32),
        ):
            port = BenchPort(kind, "contiguous", 32, 4, in_flight=8, base=base)
            tokens = tuple(4 * (7 * n % 64) for n in range(_FIRINGS))
            title = f"contiguous {kind}, {name}"
            found.append(Case(title, (port,), banks, beat_bits, (tokens,), _per_firing))
    return found


def _indexed(rng: random.Random) -> list[Case]:
    found = []
    for kind, verb in (("load", "gather"), ("store", "scatter")):
        for name, draw in (
            ("one beat per bank", lambda lane: 4 * rng.randrange(256) + lane),
            ("all in one beat", lambda lane: 5),
            ("all on one bank", lambda lane: 4 * (8 * lane + 3)),
            ("uniform random", lambda lane: rng.randrange(1024)),
        ):
            port = BenchPort(kind, "indexed", 32, 4, in_flight=8)
            tokens = tuple(
                sum(draw(lane) << 32 * lane for lane in range(4)) for _ in range(_FIRINGS)
            )
            found.append(Case(f"{verb}, {name}", (port,), 4, 32, (tokens,), _per_firing))
    return found


def _element(name: str, report: SimulationReport) -> list[Figure]:
    (row,) = report.rows
    latency = float(row.latency_max or 0)
    return [
        Figure(name, "firings/cycle/port", row.achieved, 1.0, 1.0, False),
        Figure(f"{name}, operands to result", "cycles", latency, 2.0, 3.0, True),
    ]


def _all_ports(name: str, report: SimulationReport) -> list[Figure]:
    ports = float(len(report.rows))
    return [Figure(name, "firings/cycle", report.achieved, ports, ports, False)]


def _per_firing(name: str, report: SimulationReport) -> list[Figure]:
    (row,) = report.rows
    limit = 1 / row.limit
    return [Figure(name, "cycles/firing", 1 / row.achieved, limit, limit, True)]


def _table(figures: Sequence[Figure]) -> list[str]:
    width = max(len(figure.row) for figure in figures)
    head = f"{'row':<{width}}  {'unit':<18}  achieved / limit      must"
    lines = [head, "-" * len(head)]
    for figure in figures:
        verdict = "" if figure.is_met else "   MISSED"
        lines.append(
            f"{figure.row:<{width}}  {figure.unit:<18}  {figure.achieved:8.4f} / "
            f"{figure.limit:<8.4f}  {figure.must:8.4f}{verdict}"
        )
    return lines


def _changes(recorded: Path, figures: Sequence[Figure]) -> list[str]:
    """What differs from the figures of the last run."""
    if not recorded.is_file():
        return []
    before = {(item["row"], item["unit"]): item["achieved"] for item in _read(recorded)}
    changed = [
        f"  {figure.row}: {before[figure.row, figure.unit]:.4f} -> {figure.achieved:.4f}"
        for figure in figures
        if before.get((figure.row, figure.unit), figure.achieved) != figure.achieved
    ]
    return ["changed since the last run:", *changed] if changed else ["as in the last run"]


def _read(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text())


def _fastest() -> str:
    """Icarus, which compiles nothing, where it is installed: cycles are the same everywhere."""
    return "verilator" if shutil.which("iverilog") is None else "icarus"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure everything, print the table, write the JSON; 1 if the contract is broken."""
    parser = argparse.ArgumentParser(prog="python -m sim.bench_suite", description=__doc__)
    parser.add_argument("--simulator", choices=SIMULATORS, default=_fastest())
    parser.add_argument("--output", type=Path, default=Path("build") / "bench.json")
    options = parser.parse_args(arguments)
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="fabricgen-bench-") as directory:
        for case in cases():
            print(case.name, file=sys.stderr)
            figures += measure(case, options.simulator, Path(directory))
    print("\n".join((*_table(figures), *_changes(options.output, figures))))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps([asdict(figure) for figure in figures], indent=1) + "\n")
    return int(not all(figure.is_met for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
