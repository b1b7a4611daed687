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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.requests import ExpectedAnswer, Requests
from fabricgen.author.workload import Workload
from fabricgen.plan.beat_request import BeatRequest
from sim.bench_documents import BenchEngine, BenchPort, BenchRow, BenchStorage
from sim.environment import SIMULATORS
from sim.report import SimulationReport
from sim.simulate import simulate

__all__ = ["PAGE", "Case", "Figure", "cases", "main", "measure", "page", "with_emission"]

#: What :mod:`tools.service_rates` measures.
_RANDOM_LOADS = (
    "",
    "## Random loads",
    "",
    "As many requesters as banks load words at uniformly random addresses. Past some load the",
    "heads of their lines meet at the same banks; the dashed limits are those of a crossbar with",
    "queues at its inputs. Written by `python -m tools.service_rates --record`.",
    "",
    "![Served loads over offered ones, for 1 to 8 banks](service-load.svg)",
)
#: What :mod:`tools.emit_bench` measures; its lines follow, and are the last of the page.
_EMISSION = (
    "",
    "## Emission",
    "",
    "Seconds of processor time of `fabricgen emit`, the least of some runs, on the machine of",
    "whoever recorded them. Emission is elaboration and writing, from the record to the files; the",
    "command also starts Python and reads the document. K and P are the rows and ports of a",
    "Temporal engine. Written by `python -m tools.emit_bench --record`.",
    "",
)
PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
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


#: Tokens of one row: of its address, and of its mask where it has one.
Tokens = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Case:
    """One design with its traffic; ``tokens[i]`` are addresses and masks of row ``i``, ``beats``
    what the one subordinate is asked for.
    """

    name: str
    engine: BenchEngine | BenchStorage
    tokens: tuple[Tokens, ...]
    figures: Callable[[str, SimulationReport], list[Figure]]
    beats: tuple[BeatRequest, ...] = ()

    @property
    def needs_cocotb(self) -> bool:
        """Whether somebody stands before a bus."""
        return isinstance(self.engine, BenchStorage) and self.engine.protocol != "stream"

    def streams(self) -> Iterator[tuple[str, int | None, tuple[int, ...]]]:
        """Endpoint, tag and tokens of every external operand."""
        if isinstance(self.engine, BenchStorage):
            return
        for number, row in enumerate(self.engine.rows):
            port, (addresses, masks) = self.engine.ports[row.port], self.tokens[number]
            count = len(addresses)
            spread = 0x9E3779B97F4A7C15F39CC0605CEDC834 & (1 << port.data_bits) - 1
            values = {
                "address": addresses,
                "mask": masks,
                "control": (0,) * count,
            }
            data = tuple(spread * (each + 1) & (1 << port.data_bits) - 1 for each in range(count))
            values |= dict.fromkeys(("data", "update", "desired", "expected"), data)
            for role in port.inputs:
                if role not in row.sources:
                    tag = self.engine.tag(number, role)
                    yield self.engine.endpoint(row.port, role), tag, values[role]


def measure(case: Case, simulator: str, directory: Path) -> list[Figure]:
    """Simulate one case and read its figures; a mismatch ends the suite."""
    name = "-".join(["bench", *re.findall("[a-z0-9]+", case.name.lower())])
    fabric = parse_fabric(case.engine.fabric_document(name))
    rows = parse_mapping(case.engine.mapping_document(name), fabric)
    names = fabric.memories[0].names.endpoints
    report = simulate(
        fabric,
        rows,
        Workload(
            {(0, names.index(endpoint), tag): tokens for endpoint, tag, tokens in case.streams()},
            ((),),
            requests={(0, 0): _unexpected(case.beats)} if case.beats else {},
        ),
        simulator=simulator,
        seed=1,
        build_dir=directory / name,
        patterns=("always",),
    )
    if not report.passed:
        raise SystemExit(f"{case.name}: {report.findings[0]}")
    return case.figures(case.name, report)


def _unexpected(beats: tuple[BeatRequest, ...]) -> Requests:
    """The beats; what they are answered with is the model's business."""
    return Requests(beats, (ExpectedAnswer(None, None),) * len(beats))


def cases() -> list[Case]:
    """Every design of the suite with its traffic."""
    rng = random.Random(1)
    return [
        *_spatial(rng),
        *_temporal(),
        *_connections(),
        *_contiguous(),
        *_indexed(rng),
        *_active_lanes(rng),
        *_managers(),
        *_subordinates(),
        *_atomics(),
    ]


def _spatial(rng: random.Random) -> Iterator[Case]:
    for kind in ("load", "store"):
        tokens = tuple(rng.randrange(2048) for _ in range(_FIRINGS))
        engine = BenchEngine([BenchPort(kind, "element", 32)], [BenchRow()])
        yield Case(f"Spatial element {kind}", engine, ((tokens, ()),), _element)
    # Port i meets bank (n + i) % banks in its firing n: no two meet.
    for count in (2, 4):
        ports = [BenchPort("load", "element", 32)] * count
        engine = BenchEngine(ports, [BenchRow(i) for i in range(count)], banks=count)
        figures = _all_rows(count, count)
        yield Case(f"{count} ports, conflict-free", engine, _apart(count), figures)


def _apart(count: int) -> tuple[Tokens, ...]:
    return tuple((tuple((n + i) % 64 for n in range(_FIRINGS)), ()) for i in range(count))


def _temporal() -> Iterator[Case]:
    port = BenchPort("load", "element", 32)
    one = BenchEngine([port], [BenchRow()], contexts=2)
    yield Case("Temporal, one row", one, _apart(1), _all_rows(0.5))
    for kind, count in (("load", 2), ("store", 2), ("load", 4)):
        engine = BenchEngine(
            [BenchPort(kind, "element", 32)], [BenchRow() for _ in range(count)], contexts=count
        )
        # Rows of stores write apart: no two of them may touch one byte.
        tokens = tuple((tuple(256 * i + n % 64 for n in range(_FIRINGS)), ()) for i in range(count))
        yield Case(f"Temporal {kind}, {count} rows on one port", engine, tokens, _all_rows(1))
    shared = BenchPort("store", "element", 32, shared={"data": "address"})
    engine = BenchEngine([shared], [BenchRow(), BenchRow(base=4096)], contexts=2)
    name = "Temporal store, 2 rows, 2 roles on one ingress"
    yield Case(name, engine, _apart(2), _all_rows(0.5))
    rows = [BenchRow(0), BenchRow(1), BenchRow(0), BenchRow(1)]
    engine = BenchEngine([port, port], rows, contexts=4, banks=4)
    # Firing n of a port goes to its rows in turn; the two ports stay two banks apart.
    tokens = tuple((tuple((n + 2 * (i % 2)) % 64 for n in range(_FIRINGS)), ()) for i in range(4))
    yield Case("Temporal, 2 ports, conflict-free", engine, tokens, _all_rows(2, 2))


def _connections() -> Iterator[Case]:
    load, store = BenchPort("load", "element", 32), BenchPort("store", "element", 32)
    for schedule, contexts, limit in (("Spatial", None, 4.0), ("Temporal", 2, 6.0)):
        rows = [BenchRow(0), BenchRow(1, 4096, {"data": "row0.data"})]
        copy = BenchEngine([load, store], rows, contexts)
        name = f"{schedule} internal connection, load to store"
        yield Case(name, copy, _apart(2), _second_row(0.5))
        once = tuple((addresses[:1], masks) for addresses, masks in _apart(2))
        yield Case(f"{name}, round trip", copy, once, _round_trip(limit))
        ports, chase = [load, load], [BenchRow(0), BenchRow(1, 0, {"address": "row0.data"})]
        if contexts is not None:
            ports, chase = [load], [BenchRow(0), BenchRow(0, 0, {"address": "row0.data"})]
        engine = BenchEngine(ports, chase, contexts)
        yield Case(f"{schedule} pointer chase, round trip", engine, once, _round_trip(limit))


def _alone(
    name: str, engine: BenchEngine, addresses: tuple[int, ...], masks: tuple[int, ...] = ()
) -> Case:
    """One row, and its cycles per firing."""
    tokens = (addresses, masks)
    return Case(name, engine, (tokens,), _per_firing(engine, tokens))


def _contiguous() -> Iterator[Case]:
    for kind in ("load", "store"):
        for name, base, banks, beat_bits in (
            ("aligned, 2 beats on 4 banks", 0, 4, 64),
            ("aligned, 4 beats on 1 bank", 0, 1, 32),
            ("unaligned, 3 beats on 2 banks", 4, 2, 64),
            ("unaligned, 5 beats on 4 banks", 2, 4, 32),
        ):
            port = BenchPort(kind, "contiguous", 32, 4, in_flight=8)
            tokens = tuple(4 * (7 * n % 64) for n in range(_FIRINGS))
            engine = BenchEngine([port], [BenchRow(0, base)], banks=banks, beat_bits=beat_bits)
            yield _alone(f"contiguous {kind}, {name}", engine, tokens)


def _indexed(rng: random.Random) -> Iterator[Case]:
    for kind, verb in (("load", "gather"), ("store", "scatter")):
        for name, draw in (
            ("one beat per bank", lambda lane: 4 * rng.randrange(256) + lane),
            ("all in one beat", lambda lane: 5),
            ("all on one bank", lambda lane: 4 * (8 * lane + 3)),
            ("uniform random", lambda lane: rng.randrange(1024)),
        ):
            port = BenchPort(kind, "indexed", 32, 4, in_flight=8)
            engine = BenchEngine([port], [BenchRow()])
            yield _alone(f"{verb}, {name}", engine, _lanes(draw))


def _lanes(draw: Callable[[int], int]) -> tuple[int, ...]:
    """Address tokens of four lanes."""
    return tuple(sum(draw(lane) << 32 * lane for lane in range(4)) for _ in range(_FIRINGS))


def _active_lanes(rng: random.Random) -> Iterator[Case]:
    """Lanes one by one, or as many per cycle as the option lets in."""
    for kind, verb in (("load", "gather"), ("store", "scatter")):
        for name, draw, issue_lanes, masked in (
            ("one beat per bank, 1 lane a cycle", _each_bank, 1, False),
            ("one beat per bank, 2 lanes a cycle", _each_bank, 2, False),
            ("one beat per bank, 4 lanes a cycle", _each_bank, 4, False),
            ("all on one bank, 4 lanes a cycle", lambda lane: 4 * (8 * lane + 3), 4, False),
            ("random masks, 2 lanes a cycle", _each_bank, 2, True),
        ):
            port = BenchPort(kind, "indexed", 32, 4, masked, 8, "active_lanes")
            engine = BenchEngine([port], [BenchRow()], issue_lanes=issue_lanes)
            masks = tuple(rng.randrange(1, 16) for _ in range(_FIRINGS)) if masked else ()
            title = f"{verb}, active lanes, {name}"
            yield _alone(title, engine, _lanes(draw), masks)
    port = BenchPort("load", "contiguous", 32, 4, False, 8, "active_lanes")
    tokens = tuple(4 * (7 * n % 64) for n in range(_FIRINGS))
    engine = BenchEngine([port], [BenchRow()], issue_lanes=2)
    name = "contiguous load, active lanes, 2 lanes a cycle"
    yield _alone(name, engine, tokens)


def _each_bank(lane: int) -> int:
    return 4 * (5 * lane + 1) + lane


def _managers() -> Iterator[Case]:
    """Beats of 64 bits, of a memory that answers a cycle after it took them."""
    tokens = tuple(4 * (7 * n % _FIRINGS) for n in range(_FIRINGS))
    for schedule, contexts in (("Spatial", None), ("Temporal", 2)):
        for kind in ("load", "store"):
            port = BenchPort(kind, "contiguous", 32, 4, in_flight=8, target="ext0")
            rows = [BenchRow(base=65536 * i) for i in range(contexts or 1)]
            engine = BenchEngine([port], rows, contexts)
            name = f"{schedule} contiguous {kind} at a manager, 2 beats"
            yield Case(name, engine, ((tokens, ()),) * len(rows), _beats(2))
        port = BenchPort("load", "element", 32, in_flight=8, target="ext0")
        rows = [BenchRow(base=65536 * i) for i in range(contexts or 1)]
        engine = BenchEngine([port], rows, contexts)
        name = f"{schedule} element load at a manager"
        yield Case(name, engine, ((tokens, ()),) * len(rows), _beats(1))


def _subordinates() -> Iterator[Case]:
    """Words of 16 KiB over a bus, one after the other in bursts, or every second one alone."""
    for kind, verb in enumerate(("reads", "writes")):
        for name, protocol, step, must in (
            ("AXI4 subordinate over 16 KiB, {} in 16-beat bursts", "axi4", 4, 1.0),
            ("AXI4 subordinate over 16 KiB, {} in single beats", "axi4", 8, 0.9),
            ("AXI4-Lite subordinate over 16 KiB, {}", "axi4_lite", 4, 0.9),
        ):
            beats = tuple(
                BeatRequest(kind, step * at, 0xF, 0x9E3779B1 * at & 0xFFFFFFFF)
                for at in range(_FIRINGS)
            )
            yield Case(name.format(verb), BenchStorage(protocol), (), _served(must), beats)


def _served(must: float) -> Callable[[str, SimulationReport], list[Figure]]:
    def figures(name: str, report: SimulationReport) -> list[Figure]:
        (served,) = report.runs[0].served
        return [Figure(name, "data beats/cycle", served.rate, 1.0, must, False)]

    return figures


def _atomics() -> Iterator[Case]:
    """One object, or one beat, for all of the time."""
    same = ((5,) * _FIRINGS, ())
    for kind, name, rate in (("rmw", "read-modify-write", 1), ("cmpxchg", "compare-exchange", 0.5)):
        engine = BenchEngine([BenchPort(kind, "element", 32, in_flight=6)], [BenchRow()])
        yield Case(f"Spatial {name}, one address", engine, (same,), _all_rows(rate))
        # The rows count apart, since nothing orders them, but in one beat.
        rows = [BenchRow(base=4 * i) for i in range(2)]
        port = BenchPort(kind, "element", 32, in_flight=8)
        engine = BenchEngine([port], rows, contexts=2, banks=1, beat_bits=64)
        even = ((4,) * _FIRINGS, ())
        yield Case(f"Temporal {name}, 2 rows, one beat", engine, (even, even), _all_rows(rate))


def _element(name: str, report: SimulationReport) -> list[Figure]:
    (row,) = report.rows
    latency = float(row.latency_max or 0)
    return [
        Figure(name, "firings/cycle/port", row.achieved, 1.0, 1.0, False),
        Figure(f"{name}, operands to result", "cycles", latency, 2.0, 3.0, True),
    ]


def _all_rows(limit: float, ports: int = 1) -> Callable[[str, SimulationReport], list[Figure]]:
    """Firings of all rows together, without their ramp."""

    def figures(name: str, report: SimulationReport) -> list[Figure]:
        return [Figure(name, "firings/cycle", _steady(report, ports), limit, limit, False)]

    return figures


def _steady(report: SimulationReport, ports: int = 1) -> float:
    """Firings per cycle after the first one of each port, which marks the start."""
    return (report.firings - ports) / (report.cycles - 1)


def _second_row(limit: float) -> Callable[[str, SimulationReport], list[Figure]]:
    def figures(name: str, report: SimulationReport) -> list[Figure]:
        return [Figure(name, "tokens/cycle", report.rows[1].achieved, limit, limit, False)]

    return figures


def _round_trip(must: float) -> Callable[[str, SimulationReport], list[Figure]]:
    """Cycles from a token on the connection to the publication of the row that takes it."""

    def figures(name: str, report: SimulationReport) -> list[Figure]:
        latency = float(report.rows[1].latency_max or 0)
        return [Figure(name, "cycles", latency, 2.0, must, True)]

    return figures


def _beats(per_firing: int) -> Callable[[str, SimulationReport], list[Figure]]:
    def figures(name: str, report: SimulationReport) -> list[Figure]:
        return [Figure(name, "beats/cycle", _steady(report) * per_firing, 1.0, 1.0, False)]

    return figures


def _per_firing(
    engine: BenchEngine, tokens: Tokens
) -> Callable[[str, SimulationReport], list[Figure]]:
    """Cycles of a firing of the one row; the first one only marks the start."""
    cycles = [_bank_cycles(engine, *each) for each in zip_longest(*tokens, fillvalue=-1)]
    limit = sum(cycles[1:]) / (len(cycles) - 1)

    def figures(name: str, report: SimulationReport) -> list[Figure]:
        (row,) = report.rows
        return [Figure(name, "cycles/firing", 1 / row.achieved, limit, limit, True)]

    return figures


def _bank_cycles(engine: BenchEngine, token: int, mask: int) -> int:
    """Distinct beats on the fullest bank; where lanes are walked, at least as they are let in."""
    (port,), (row,) = engine.ports, engine.rows
    size, beat = port.element_bits // 8, engine.beat_bits // 8
    lanes = [lane for lane in range(port.lanes) if mask >> lane & 1]
    starts = (
        [token >> 32 * lane & 0xFFFFFFFF for lane in lanes]
        if port.form == "indexed"
        else [token + lane for lane in lanes]
    )
    beats = {(row.base + start * size + byte) // beat for start in starts for byte in (0, size - 1)}
    cycles = max(Counter(each % engine.banks for each in beats).values(), default=1)
    walks = port.projection == "active_lanes"
    return max(cycles, -(-len(lanes) // engine.issue_lanes) if walks else 0)


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


def page(figures: Sequence[Figure]) -> str:
    """The table as a page of the documentation."""
    lines = [
        "# Performance",
        "",
        "Written by `python -m sim.bench_suite --record`, which is `make bench` and this page.",
        "Counts of cycles in simulation of the emitted Verilog, so they are the same on every",
        "machine. Nothing can beat a limit; what a figure must be is the performance contract.",
        "",
        "| what | unit | achieved | limit | must be | |",
        "|---|---|---|---|---|---|",
    ]
    for each in figures:
        must = f"{'at most' if each.lower_is_better else 'at least'} {each.must:.4f}"
        verdict = "" if each.is_met else "**missed**"
        numbers = f"{each.achieved:.4f} | {each.limit:.4f} | {must}"
        lines.append(f"| {each.row} | {each.unit} | {numbers} | {verdict} |")
    return "\n".join([*lines, *_RANDOM_LOADS]) + "\n"


def with_emission(text: str, lines: Sequence[str]) -> str:
    """The page ``text`` with these lines about emission."""
    head = "\n".join(_EMISSION)
    return f"{text.partition(head)[0]}{head}\n" + "".join(f"{line}\n" for line in lines)


def _emission(text: str) -> list[str]:
    """Lines about emission of a page."""
    return text.partition("\n".join(_EMISSION))[2].strip("\n").splitlines()


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
    parser.add_argument("--record", action="store_true", help="write docs/performance.md")
    options = parser.parse_args(arguments)
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="fabricgen-bench-") as directory:
        for case in cases():
            if case.needs_cocotb and options.simulator == "python":
                print(f"{case.name}: not on the simulator python", file=sys.stderr)
                continue
            print(case.name, file=sys.stderr)
            figures += measure(case, options.simulator, Path(directory))
    print("\n".join((*_table(figures), *_changes(options.output, figures))))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps([asdict(figure) for figure in figures], indent=1) + "\n")
    if options.record:
        emission = _emission(PAGE.read_text()) if PAGE.exists() else []
        PAGE.write_text(with_emission(page(figures), emission) if emission else page(figures))
    return int(not all(figure.is_met for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
