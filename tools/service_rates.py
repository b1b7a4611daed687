"""Served beats over offered ones of the banked memory: ``python -m tools.service_rates --record``.

As many requesters as banks read words at uniformly random addresses; each begins a load in a cycle
with the offered probability, and keeps what is not yet taken in a line of its own. Past some load
the heads of the lines meet at the same banks: the limit is that of a crossbar with queues at its
inputs. Every figure is a count of cycles, so it is the same on every machine.
"""

import argparse
import json
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from amaranth.sim import Simulator, SimulatorContext

from fabricgen.plan.geometry import AccessMode, BankGeometry, RequesterShape
from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.service.channel import ServiceChannelShape
from fabricgen.rtl.service.service import LocalMemoryService

__all__ = ["LIMITS", "OFFERED", "plot", "served", "service"]

DOCS = Path(__file__).parent.parent / "docs"
#: Banks, and beats a cycle and bank that queues at the inputs allow (reference: Performance).
LIMITS: Mapping[int, float] = {1: 1.0, 2: 0.75, 4: 0.655, 8: 0.618}
OFFERED = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_CYCLES, _WARM = 3000, 500
_COLOURS = ("#888888", "#1f77b4", "#d95f02", "#1b9e77")
#: Width and height of the axes, and where they begin.
_WIDTH, _HEIGHT, _LEFT, _TOP = 480, 320, 60, 20


def service(banks: int) -> LocalMemoryService:
    """A memory of words with a loading requester for each bank."""
    geometry = BankGeometry(64 * banks, 4, banks)
    load = RequesterShape(
        reads=True,
        writes=False,
        modes=(AccessMode(False, 4, 1),),
        region_sets=((0,),),
        aligned=True,
    )
    return LocalMemoryService(
        geometry,
        requesters=(ServiceChannelShape(load, geometry.address_bits, slots=1),) * banks,
        regions=((0, geometry.capacity_bytes),),
        queues=(2,) * banks,
        outstanding=2 * banks,
        policy=RoundRobin(tuple(range(banks)), reset_cursor=0) if banks > 1 else None,
    )


def served(banks: int, offered: float, cycles: int = _CYCLES) -> float:
    """Loads that are taken in each cycle for each bank, behind a warm start."""
    dut, rng = service(banks), random.Random(banks)
    ports = [getattr(dut, f"requester_{r}") for r in range(banks)]
    lines = [0] * banks
    taken = 0

    async def bench(ctx: SimulatorContext) -> None:
        nonlocal taken
        for port in ports:
            ctx.set(port.lanes, 1)
            ctx.set(port.address, 4 * rng.randrange(16 * banks))
        for cycle in range(_WARM + cycles):
            for r, port in enumerate(ports):
                lines[r] += rng.random() < offered
                ctx.set(port.valid, lines[r] > 0)
            ready = [ctx.get(port.ready) for port in ports]
            await ctx.tick()
            for r, port in enumerate(ports):
                if lines[r] and ready[r]:
                    lines[r] -= 1
                    taken += cycle >= _WARM
                    ctx.set(port.address, 4 * rng.randrange(16 * banks))

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return taken / cycles / banks


def plot(figures: Mapping[int, Sequence[float]]) -> str:
    """Lines of all bank counts, and their limits, as SVG."""
    bottom, right = _TOP + _HEIGHT, _LEFT + _WIDTH
    root = ElementTree.Element("svg", xmlns="http://www.w3.org/2000/svg")
    root.attrib |= {"width": str(right + 150), "height": str(bottom + 50)}
    root.attrib |= {"font-family": "sans-serif", "font-size": "12"}

    def add(tag: str, text: str = "", **attributes: object) -> None:
        named = {key.replace("_", "-"): str(value) for key, value in attributes.items()}
        ElementTree.SubElement(root, tag, named).text = text

    add("rect", x=_LEFT, y=_TOP, width=_WIDTH, height=_HEIGHT, fill="none", stroke="black")
    for step in range(6):
        at = step / 5
        x, y = _place(at, at)
        add("text", f"{at:.1f}", x=x, y=bottom + 18, text_anchor="middle")
        add("text", f"{at:.1f}", x=_LEFT - 8, y=y, text_anchor="end")
    names = {"x": _LEFT + _WIDTH // 2, "text_anchor": "middle"}
    add("text", "offered loads a cycle and bank", y=bottom + 40, **names)
    turned = f"rotate(-90 15 {_TOP + _HEIGHT // 2})"
    names |= {"x": 15, "y": _TOP + _HEIGHT // 2, "transform": turned}
    add("text", "served loads a cycle and bank", **names)
    for number, (banks, found) in enumerate(sorted(figures.items())):
        colour, limit = _COLOURS[number], LIMITS[banks]
        line = " ".join(f"{x},{y}" for x, y in map(_place, OFFERED, found))
        add("polyline", points=line, fill="none", stroke=colour, stroke_width=2)
        (left, high), (end, _) = _place(0, limit), _place(1, limit)
        add("line", x1=left, x2=end, y1=high, y2=high, stroke=colour, stroke_dasharray="4 4")
        label = f"{banks} bank{'s' if banks > 1 else ''}, limit {limit}"
        add("text", label, x=right + 10, y=_TOP + 20 + 20 * number, fill=colour)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _place(offered: float, found: float) -> tuple[float, float]:
    return round(_LEFT + _WIDTH * offered, 1), round(_TOP + _HEIGHT * (1 - found), 1)


def table(figures: Mapping[int, Sequence[float]]) -> list[str]:
    """Markdown of the figures."""
    head = " | ".join(f"{offered:.1f}" for offered in OFFERED)
    lines = [
        f"| banks | {head} | limit |",
        f"|---|{'---|' * (len(OFFERED) + 1)}",
    ]
    for banks, found in sorted(figures.items()):
        shown = " | ".join(f"{each:.3f}" for each in found)
        lines.append(f"| {banks} | {shown} | {LIMITS[banks]} |")
    return lines


def main() -> None:
    """Measure, print; with ``--record`` write the plot and the figures of the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write docs/service-load.*")
    options = parser.parse_args()
    figures: dict[int, list[float]] = {}
    for banks in LIMITS:
        print(f"{banks} banks", file=sys.stderr)
        figures[banks] = [served(banks, offered) for offered in OFFERED]
    print("\n".join(table(figures)))
    if options.record:
        (DOCS / "service-load.svg").write_text(plot(figures))
        (DOCS / "service-load.json").write_text(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
