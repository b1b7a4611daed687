"""Cost and clock of the datapath on ECP5-85F, measured as the rivals were: ``make qor``.

Writes ``build/qor.json``, and prints what changed since the figures recorded in ``docs/qor.json``;
``--record`` makes the new ones the recorded ones, and writes ``docs/qor.md`` of them.

Datapath providers are measured with one seed, and beside their members built apart.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from importlib import resources
from pathlib import Path

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from fabricgen.author.fabric import parse_fabric
from fabricgen.config.storable import storable_mask
from fabricgen.emit.verilog import to_verilog
from fabricgen.plan.atomic_use import FLOAT_RMW_KINDS, NO_LOCAL_ATOMICS, LocalAtomics
from fabricgen.plan.geometry import AccessMode, BankGeometry, RequesterShape
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.axi4.lite_subordinate import LiteSubordinate
from fabricgen.rtl.port_shape import port_shape
from fabricgen.rtl.providers.registry import provider
from fabricgen.rtl.service.channel import ServiceChannelShape
from fabricgen.rtl.service.service import LocalMemoryService
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.rtl.subordinate.stream import SubordinateStreamShape
from fabricgen.rtl.temporal.engine import TemporalEngine
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.shape import FrontEndShape, RoleShape
from fabricgen.vocab.dataflow import AtomicRmwKind
from sim.axi4_bench import make_manager, make_subordinate
from tools import ooc
from tools.bus_storage import BusStorage
from tools.engines import temporal_fabric
from tools.qor_ops import SCALAR_OPS, OpCase, members_alone
from tools.qor_table import Identity, changes, identity, table
from tools.qor_token_ops import TOKEN_OPS
from tools.qor_vector_ops import VECTOR_OPS

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "docs" / "qor.json"
SEEDS = ("1", "2", "3")
INTEGER_KINDS = tuple(kind for kind in AtomicRmwKind if kind not in FLOAT_RMW_KINDS)
#: Larger blocks are synthesised only: the router takes minutes beyond it.
PLACE_LIMIT_LUT4 = 6000


@dataclass(frozen=True)
class Case:
    """One design to measure; a datapath provider if it has an ``op``."""

    name: str
    parameters: str
    build: Callable[[], wiring.Component]
    seeds: tuple[str, ...] = SEEDS
    op: OpCase | None = None


def crossbar(
    mode: AccessMode,
    *,
    beat_bytes: int,
    aligned: bool,
    local: LocalAtomics = NO_LOCAL_ATOMICS,
    banks: int = 4,
) -> LocalMemoryService:
    """Four requesters that read and write, 16 KiB in banks."""
    requesters = 4
    geometry = BankGeometry(16384, beat_bytes, banks)
    shape = ServiceChannelShape(
        RequesterShape(
            reads=True,
            writes=True,
            modes=(mode,),
            region_sets=((0,),),
            aligned=aligned,
            local=local,
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


def histogram() -> LocalMemoryService:
    """One requester that counts in bins of 32 bits, in one bank of 4 KiB."""
    geometry = BankGeometry(4096, 4, 1)
    bins = LocalAtomics(kinds=(AtomicRmwKind.ADD,), element_bytes=(4,))
    shape = RequesterShape(
        reads=False,
        writes=False,
        modes=(AccessMode(False, 4, 1),),
        region_sets=((0,),),
        aligned=True,
        local=bins,
    )
    return LocalMemoryService(
        geometry,
        requesters=(ServiceChannelShape(shape, geometry.address_bits, slots=1),),
        regions=((0, geometry.capacity_bytes),),
        queues=(2,),
        outstanding=2,
        policy=None,
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


class ConfiguredEngine(wiring.Component):
    """A Temporal engine in whose carriers bits that no configuration has are 0, as in a fabric.

    Members
    -------
    Those of :class:`TemporalEngine`.
    """

    configuration: Signal
    following: Signal

    def __init__(self, named: NamedMemory) -> None:
        self.inner = TemporalEngine(named)
        self.mask = storable_mask(named)
        super().__init__(self.inner.signature)

    def elaborate(self, platform: object) -> Module:
        """Mask the carriers, and wire everything else through."""
        m = Module()
        m.submodules.engine = engine = self.inner
        for name, member in self.signature.members.items():
            outer, inner = getattr(self, name), getattr(engine, name)
            if name in ("configuration", "following"):
                m.d.comb += inner.eq(outer & self.mask)
            elif member.is_signature:
                wiring.connect(m, wiring.flipped(outer), inner)
            elif member.flow is wiring.In:
                m.d.comb += inner.eq(outer)
            else:
                m.d.comb += outer.eq(inner)
        return m


def temporal_engine(rows: int, ports: int) -> ConfiguredEngine:
    """A whole Temporal engine, its configuration and its targets as ports."""
    (named,) = temporal_fabric(rows, ports).memories
    return ConfiguredEngine(named)


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
        "service_crossbar_atomics",
        "service_crossbar with every integer read-modify-write, and compare-exchange",
        lambda: crossbar(
            AccessMode(False, 4, 1),
            beat_bytes=4,
            aligned=True,
            local=LocalAtomics(INTEGER_KINDS, exchange=True, element_bytes=(4,)),
        ),
    ),
    *(
        Case(
            "service_banks",
            f"4 requesters, 16 KiB in {banks} of 64-bit beats, 64-bit elements, aligned_bases",
            partial(crossbar, AccessMode(False, 8, 1), beat_bytes=8, aligned=True, banks=banks),
        )
        for banks in (1, 2, 4, 8)
    ),
    Case(
        "service_histogram",
        "1 requester, 1 bank x 4 KiB x 32-bit beats, additions of 32 bits, aligned_bases",
        histogram,
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
            "temporal_engine",
            f"K={rows}, P={ports}, T=6, 32-bit elements, each role on its own endpoint, round robin",
            partial(temporal_engine, rows, ports),
            SEEDS if rows <= 16 and ports <= 2 else (),
        )
        for rows in (4, 16, 64)
        for ports in (1, 2, 4)
    ),
    Case(
        "axi4_manager",
        "64-bit beats, two ports of 4 rows and 2 slots, 3 beats an access, 48 outstanding",
        lambda: make_manager(8, (8, 8), rows=4, beat_bits=2, more_bits=2, outstanding=48),
    ),
    Case(
        "axi4_subordinate",
        "32-bit beats, 4-bit identifiers, reads and writes, 16 outstanding",
        lambda: make_subordinate(4, id_bits=4),
    ),
    Case(
        "axi4_lite_subordinate",
        "32-bit beats, reads and writes, 8 outstanding",
        lambda: LiteSubordinate(SubordinateStreamShape(4, True, True), outstanding=8),
    ),
    Case(
        "axi4_storage",
        "16 KiB in 4 banks behind AXI4, 32-bit beats, 4-bit identifiers, reads and writes",
        BusStorage,
    ),
    *(
        Case(each.name, each.parameters, partial(provider, each.op), SEEDS[:1], each)
        for each in (*SCALAR_OPS, *VECTOR_OPS, *TOKEN_OPS)
    ),
)


def emitted(name: str, design: wiring.Component, folder: Path) -> ooc.Design:
    """The design as a module of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}.v"
    source.write_text(to_verilog(design, name))
    return ooc.Design([str(source)], name)


def measure(case: Case, folder: Path) -> dict:
    """Figures of one design; Fmax is the median of the seeds."""
    design = emitted(case.name, case.build(), folder)
    found = ooc.measure(design, list(case.seeds), folder, place_limit_lut4=PLACE_LIMIT_LUT4)
    row = {
        "design": case.name,
        "parameters": case.parameters,
        "device": "LFE5U-85F-6",
        "lut4": found["LUT4"],
        "lut_sum": found["lut_sum"],
        "comb": found["comb"],
        "ff": found["TRELLIS_FF"],
        "ram": found["DP16KD"],
        "mult": found["MULT18X18D"],
        "fmax_mhz": found.get("fmax_mhz_median"),
        "seeds": found.get("fmax_mhz", []),
        "critical": found.get("critical"),
    }
    if case.op is None:
        return row
    return row | provider_figures(case.op, row, design, folder)


def provider_figures(case: OpCase, row: dict, design: ooc.Design, folder: Path) -> dict:
    """What a provider has beside its own figures.

    ``shared`` and ``apart`` are packed COMB of bare modules: of the provider, and of its members
    alone in sum.
    """
    parts = [
        emitted(f"{case.name}_{at}", provider(each), folder)
        for at, each in enumerate(members_alone(case.op))
    ]
    target = case.target
    return {
        "latency": case.op.timing.latency_cycles,
        "interval": case.op.timing.initiation_interval_cycles,
        "shared": ooc.packed_again(design, folder),
        "apart": sum(ooc.packed(each, folder) for each in parts) if parts else None,
        "rival": case.rival,
        "target": None if target is None else str(target),
        "met": target and target.is_met(row["comb"], row["fmax_mhz"], row["mult"]),
    }


def is_named(case: Case, names: list[str]) -> bool:
    """Whether one of the patterns fits the design's name, alone or with its parameters."""
    whole = (case.name, f"{case.name}, {case.parameters}")
    return any(fnmatchcase(each, name) for each in whole for name in names)


def case_identity(case: Case) -> Identity:
    """What tells the case from the others, as its row does."""
    timing = case.op and case.op.op.timing
    if timing is None:
        return case.name, case.parameters, None, None
    cycles = timing.latency_cycles, timing.initiation_interval_cycles
    return case.name, case.parameters, *cycles


def merged(rows: list[dict], recorded: list[dict]) -> list[dict]:
    """Recorded figures of the designs that exist, with these in place of older ones."""
    known = {identity(row): row for row in (*recorded, *rows)}
    return [known[each] for each in map(case_identity, CASES) if each in known]


def measure_all(cases: list[Case], jobs: int) -> Iterator[dict]:
    """Figures of all cases in their order, each as soon as it is there."""
    with ThreadPoolExecutor(jobs) as pool:
        # Cases of one name differ in what they are built from.
        folders = [ROOT / "build" / "qor" / f"{case.name}_{at}" for at, case in enumerate(cases)]
        yield from pool.map(measure, cases, folders)


def recorded_rows() -> list[dict]:
    """The recorded figures; none if there is no record."""
    return json.loads(RECORD.read_text()) if RECORD.exists() else []


def record(rows: list[dict]) -> None:
    """Make figures the recorded ones of their designs."""
    rows = merged(rows, recorded_rows())
    RECORD.write_text(json.dumps(rows, indent=2) + "\n")
    (ROOT / "docs" / "qor.md").write_text(table(rows))


def main() -> None:
    """Measure every case, or those named; what is recorded is so even if a later one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="make these the recorded figures")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="designs at a time")
    parser.add_argument(
        "names",
        nargs="*",
        help="designs to measure, by name or by 'name, parameters', * stands for anything; all "
        "without any",
    )
    args = parser.parse_args()
    cases = [case for case in CASES if not args.names or is_named(case, args.names)]
    if not cases:
        parser.error(f"no design is named {' or '.join(args.names)}")
    before = recorded_rows()
    began = time.monotonic()
    rows: list[dict] = []
    for row in measure_all(cases, args.jobs):
        minutes = (time.monotonic() - began) / 60
        rows.append(row)
        told = f"[{len(rows)} of {len(cases)}, {minutes:.1f} min] {json.dumps(row)}"
        print(told, file=sys.stderr, flush=True)
        if args.record:
            record([row])
    (ROOT / "build" / "qor.json").write_text(json.dumps(rows, indent=2) + "\n")
    print(table(rows))
    if before:
        print("\n".join(changes(rows, before)) or "nothing changed since the recorded run")


if __name__ == "__main__":
    main()
