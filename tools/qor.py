"""Cost and clock of the datapath on ECP5-85F, measured as the rivals were: ``make qor``.

Writes ``build/qor.json`` and ``docs/qor.md``, and prints what changed since the figures recorded
in ``docs/qor.json``; ``--record`` makes the new ones the recorded ones.

Datapath providers are measured with one seed, and beside their members built apart.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path

from amaranth.lib import wiring

from fabricgen.author.fabric import parse_fabric
from fabricgen.emit.verilog import to_verilog
from fabricgen.plan.geometry import AccessMode, BankGeometry, RequesterShape
from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.port_shape import port_shape
from fabricgen.rtl.providers.registry import provider
from fabricgen.rtl.service.channel import ServiceChannelShape
from fabricgen.rtl.service.service import LocalMemoryService
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.shape import FrontEndShape, RoleShape
from tools import ooc
from tools.qor_ops import OPS, members_alone

ROOT = Path(__file__).parent.parent
SEEDS = ("1", "2", "3")
#: Larger blocks are synthesised only: the router takes minutes beyond it.
PLACE_LIMIT_LUT4 = 3000
FIGURES = ("lut4", "lut_sum", "comb", "ff", "ram", "mult", "fmax_mhz")
LABELS = ("LUT4", "with LUT RAM", "COMB", "FF", "block RAM", "MULT18", "Fmax MHz")


@dataclass(frozen=True)
class Case:
    """One design to measure, and what it does in parts built apart."""

    name: str
    parameters: str
    build: Callable[[], wiring.Component]
    seeds: tuple[str, ...] = SEEDS
    apart: tuple[Callable[[], wiring.Component], ...] = ()
    rival: str = ""


def crossbar(mode: AccessMode, *, beat_bytes: int, aligned: bool) -> LocalMemoryService:
    """Four requesters that read and write, four banks of 4 KiB."""
    requesters = 4
    geometry = BankGeometry(16384, beat_bytes, 4)
    shape = ServiceChannelShape(
        RequesterShape(
            reads=True, writes=True, modes=(mode,), region_sets=((0,),), aligned=aligned
        ),
        geometry.address_bits,
        slots=1,
    )
    return LocalMemoryService(
        geometry,
        requesters=(shape,) * requesters,
        regions=((0, geometry.capacity_bytes),),
        queues=(2,) * requesters,
        outstanding=2 * requesters,
        policy=RoundRobin(tuple(range(requesters)), reset_cursor=0),
    )


def engine_port(example: str, port: int) -> SpatialPort:
    """One operation port of a shipped example, its configuration as inputs."""
    text = resources.files("fabricgen.examples").joinpath(example, "fabric.toml").read_text()
    return SpatialPort(port_shape(parse_fabric(text).memories[0], port))


def row_front_end(rows: int) -> RowFrontEnd:
    """Rows of a Temporal port with three 32-bit roles on three ingresses, 4-bit tags."""
    return RowFrontEnd(
        FrontEndShape(
            rows=rows,
            tag_width=4,
            roles=tuple(RoleShape(32, (ingress,)) for ingress in range(3)),
            ingress_widths=tuple((ingress, 32) for ingress in range(3)),
            connection_widths=(),
            targets=1,
            policy=RoundRobin(tuple(range(rows)), reset_cursor=0),
        )
    )


CASES = (
    Case(
        "service_crossbar",
        "4 requesters x 4 banks x 4 KiB x 32-bit beats, 32-bit elements, aligned_bases",
        lambda: crossbar(AccessMode(False, 4, 1), beat_bytes=4, aligned=True),
    ),
    Case(
        "service_crossbar_bytes",
        "the same, unaligned",
        lambda: crossbar(AccessMode(False, 4, 1), beat_bytes=4, aligned=False),
    ),
    Case(
        "engine_port_read",
        "read0 of spatial-local: 128-bit data, element and contiguous, 4 in flight",
        lambda: engine_port("spatial-local", 0),
    ),
    Case(
        "engine_port_write",
        "write0 of spatial-local: 128-bit data, element and contiguous, 4 in flight",
        lambda: engine_port("spatial-local", 1),
    ),
    Case(
        "engine_port_gather",
        "gather0 of gather-local: four 32-bit lanes, indexed",
        lambda: engine_port("gather-local", 0),
    ),
    *(
        Case(
            "row_front_end",
            f"K={rows}, T=4, three 32-bit roles on three ingresses, round robin",
            partial(row_front_end, rows),
        )
        for rows in (4, 8, 16)
    ),
    *(
        Case(
            case.name,
            case.parameters,
            partial(provider, case.op),
            SEEDS[:1],
            tuple(partial(provider, each) for each in members_alone(case.op)),
            case.rival,
        )
        for case in OPS
    ),
)


def figures(case: Case, folder: Path) -> dict:
    """Emit one design and measure it."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{case.name}.v"
    source.write_text(to_verilog(case.build(), case.name))
    design = ooc.Design([str(source)], case.name)
    found = ooc.measure(design, [], folder)
    if found["LUT4"] <= PLACE_LIMIT_LUT4:
        found = ooc.measure(design, list(case.seeds), folder)
    return found


def measure(case: Case, folder: Path) -> dict:
    """Figures of one design; Fmax is the median of the seeds, ``apart`` the COMB of all parts."""
    found = figures(case, folder)
    apart = [
        figures(Case(f"{case.name}_{at}", "", build, case.seeds), folder)
        for at, build in enumerate(case.apart)
    ]
    return {
        "design": case.name,
        "parameters": case.parameters,
        "device": "LFE5U-85F-6",
        "lut4": found["LUT4"],
        "lut_sum": found["lut_sum"],
        "comb": found.get("comb"),
        "ff": found["TRELLIS_FF"],
        "ram": found["DP16KD"],
        "mult": found["MULT18X18D"],
        "fmax_mhz": found.get("fmax_mhz_median"),
        "seeds": found.get("fmax_mhz", []),
        **({"apart": sum(each["comb"] for each in apart) if apart else None} if case.rival else {}),
        **({"rival": case.rival} if case.rival else {}),
    }


def table(rows: list[dict]) -> str:
    """Markdown of the figures."""
    lines = [
        "# Cost and clock",
        "",
        "Written by `make qor`. ECP5-85F, speed grade 6, Yosys and nextpnr from the Python package",
        "index. Cells are of the bare module; COMB and Fmax (median of three seeds) are of the module",
        "inside a ring of registers, the ring's own LUTs subtracted. A 16x4 LUT RAM counts six LUT4.",
        "",
        f"| design | {' | '.join(LABELS)} | what |",
        f"|---|{'---|' * len(LABELS)}---|",
    ]
    for row in rows:
        if "rival" not in row:
            numbers = " | ".join("-" if row[f] is None else str(row[f]) for f in FIGURES)
            lines.append(f"| `{row['design']}` | {numbers} | {row['parameters']} |")
    return "\n".join([*lines, *provider_lines(rows)]) + "\n"


def provider_lines(rows: list[dict]) -> list[str]:
    """Table of the datapath providers."""
    lines = [
        "",
        "## Datapath providers",
        "",
        "One seed, handshake and operand slots included. *Apart* is the COMB of as many resources",
        "as there are members, each with one of them alone. Rivals are COMB and clock of circuits",
        "that do the same, measured with the same tools; theirs stand between registers, without a",
        "handshake where it says so.",
        "",
        "| design | COMB | apart | smaller by | FF | MULT18 | Fmax MHz | rivals | what |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        if "rival" in row:
            comb, apart = row["comb"], row["apart"]
            saved = "-" if None in (comb, apart) else f"{100 * (apart - comb) // apart} %"
            cells = [comb, apart, saved, row["ff"], row["mult"], row["fmax_mhz"], row["rival"]]
            texts = ["-" if cell is None else str(cell) for cell in cells]
            lines.append(f"| `{row['design']}` | {' | '.join(texts)} | {row['parameters']} |")
    return lines


def by_design(rows: list[dict]) -> dict[tuple[str, str], dict]:
    """Figures by name and parameters."""
    return {(row["design"], row["parameters"]): row for row in rows}


def changes(rows: list[dict], recorded: list[dict]) -> list[str]:
    """What differs from the recorded figures, one line each."""
    before = by_design(recorded)
    return [
        f"{design} ({parameters}) {label}: {was[figure]} -> {row[figure]}"
        for (design, parameters), row in by_design(rows).items()
        if (was := before.get((design, parameters)))
        for figure, label in zip(FIGURES, LABELS, strict=True)
        if row[figure] != was[figure]
    ]


def merged(rows: list[dict], recorded: list[dict]) -> list[dict]:
    """Recorded figures of the designs that exist, with these in place of older ones."""
    known = by_design(recorded) | by_design(rows)
    return [
        known[case.name, case.parameters] for case in CASES if (case.name, case.parameters) in known
    ]


def main() -> None:
    """Measure every case, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="make these the recorded figures")
    parser.add_argument("names", nargs="*", help="designs to measure; all without any")
    args = parser.parse_args()
    cases = [case for case in CASES if not args.names or case.name in args.names]
    rows = []
    for case in cases:
        rows.append(measure(case, ROOT / "build" / "qor"))
        print(json.dumps(rows[-1]), flush=True)
    (ROOT / "build" / "qor.json").write_text(json.dumps(rows, indent=2) + "\n")
    record = ROOT / "docs" / "qor.json"
    recorded = json.loads(record.read_text()) if record.exists() else []
    print(table(rows))
    if recorded:
        print("\n".join(changes(rows, recorded)) or "nothing changed since the recorded run")
    if args.record:
        rows = merged(rows, recorded)
        record.write_text(json.dumps(rows, indent=2) + "\n")
        (ROOT / "docs" / "qor.md").write_text(table(rows))


if __name__ == "__main__":
    main()
