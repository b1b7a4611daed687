"""AXI4 adapters on Icarus, with peers on both sides."""

import json
from dataclasses import asdict
from pathlib import Path

from fabricgen.emit.verilog import to_verilog
from fabricgen.rtl.axi4.manager import Axi4Manager
from fabricgen.rtl.axi4.origins import BeatOrigins
from fabricgen.rtl.axi4.subordinate import Axi4Subordinate
from fabricgen.rtl.manager.stream import ManagerStreamShape
from fabricgen.rtl.subordinate.stream import SubordinateStreamShape
from sim.beat_traffic import StreamWidths
from sim.run import build, run_bench


def make_manager(
    beat_bytes: int,
    slots: tuple[int, ...],
    *,
    rows: int = 1,
    beat_bits: int = 3,
    more_bits: int = 3,
    reads: bool = True,
    writes: bool = True,
    volatile: bool = True,
    outstanding: int = 40,
    kind: type[Axi4Manager] = Axi4Manager,
) -> Axi4Manager:
    """An adapter of these widths."""
    origins = BeatOrigins(slots, rows)
    stream = ManagerStreamShape(
        beat_bytes, reads, writes, volatile, origins.origin_bits, beat_bits, more_bits
    )
    return kind(stream, origins, outstanding=outstanding)


def widths_of(dut: Axi4Manager) -> StreamWidths:
    """What its stream carries."""
    shape, origins = dut.shape, dut.origins
    places = [
        port << origins.slot_bits | slot
        for port, count in enumerate(origins.slots)
        for slot in range(count)
    ]
    return StreamWidths(
        shape.beat_bytes,
        shape.beat_bits,
        shape.more_bits,
        tuple(places),
        shape.reads,
        shape.writes,
        shape.volatile,
    )


def manager_bench(dut: Axi4Manager, folder: Path, *jobs: dict[str, object]) -> list[dict]:
    """Emit one adapter and run each job on it, those of our memory first; figures of each run.

    The keys of a job are those of :class:`sim.benches.axi4_manager.Job` but for the widths.
    """
    text = to_verilog(dut, "adapter")
    built = build(text, "adapter", folder, simulator="icarus")
    listed = [{"widths": asdict(widths_of(dut)), **job} for job in jobs]
    # A foreign memory drives its pins to the end of the simulation.
    foreign = [[job] for job in listed if job["pace"] is None]
    own = [[job for job in listed if job["pace"] is not None]] if len(foreign) < len(jobs) else []
    found: list[dict] = []
    for group in own + foreign:
        figures = folder / "figures.json"
        env = {"FABRICGEN_AXI4": json.dumps(group), "FABRICGEN_FIGURES": str(figures)}
        run_bench(built, "axi4_manager", seed=1, env=env)
        found += json.loads(figures.read_text())
    return found


def make_subordinate(
    beat_bytes: int,
    *,
    id_bits: int = 3,
    reads: bool = True,
    writes: bool = True,
    outstanding: int = 16,
    kind: type[Axi4Subordinate] = Axi4Subordinate,
) -> Axi4Subordinate:
    """An adapter of these widths, whose decode looks at addresses alone."""
    shape = SubordinateStreamShape(beat_bytes, reads, writes)
    return kind(shape, id_bits=id_bits, outstanding=outstanding)


def subordinate_bench(dut: Axi4Subordinate, folder: Path, *jobs: dict[str, object]) -> list[dict]:
    """Emit one adapter and run each job on it, random transactions first; figures of each run."""
    built = build(to_verilog(dut, "adapter"), "adapter", folder, simulator="icarus")
    own = [job for job in jobs if "traffic" in job]
    # A foreign master drives its pins to the end of the simulation.
    groups = [own] * bool(own) + [[job] for job in jobs if "traffic" not in job]
    found: list[dict] = []
    for group in groups:
        figures = folder / "figures.json"
        env = {"FABRICGEN_AXI4": json.dumps(group), "FABRICGEN_FIGURES": str(figures)}
        run_bench(built, "axi4_subordinate", seed=1, env=env)
        found += json.loads(figures.read_text())
    return found
