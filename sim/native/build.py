"""One resource as a native program: its emitted Verilog through Verilator, with the driver.

Verilator's runtime and the driver are compiled once per machine and kept in the user's cache
folder; a program then costs what its own model does.
"""

import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fabricgen.emit.verilog import EmittedVerilog
from sim.environment import ToolMissing, tool_version, verilator_root

__all__ = ["NativeFailed", "Program", "build"]

_HERE = Path(__file__).parent
_VERILATOR = (
    *("--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--no-timing"),
    *("-Wno-fatal", "-Wno-lint", "--output-split", "0", "--prefix", "Vdut", "--Mdir", "model"),
)
#: What Verilator's own makefile would say, and as much optimisation as pays for itself.
_COMPILER = (
    *("-O1", "-faligned-new", "-fcf-protection=none", "-fno-strict-aliasing", "-w"),
    *(f"-DVM_{name}=0" for name in ("COVERAGE", "SC", "TIMING", "TRACE", "TRACE_FST", "TRACE_VCD")),
    *("-DVERILATOR=1", "-I."),
)
#: Compiled once.
_RUNTIME = ("verilated.cpp", "verilated_threads.cpp")


class NativeFailed(Exception):
    """A tool could not build the program, or the model broke a rule of its channels."""


@dataclass(frozen=True, slots=True)
class Program:
    """A model with its driver."""

    path: Path

    def run(self, jobs: bytes, *, seed: int = 1) -> bytes:
        """Play jobs and return the file of results.

        ``seed`` decides what registers without a reset start with. ``NativeFailed`` tells the
        first cycle in which a channel breaks a rule.
        """
        with tempfile.TemporaryDirectory(dir=self.path.parent) as folder:
            given, found = Path(folder, "jobs"), Path(folder, "results")
            given.write_bytes(jobs)
            done = subprocess.run([self.path, given, found, str(seed)], capture_output=True)
            if done.returncode:
                raise NativeFailed(done.stderr.decode(errors="replace").strip() or "the model died")
            return found.read_bytes()


def build(emitted: EmittedVerilog, folder: Path) -> Program:
    """Build the program of one component in ``folder``, unless the same is there already."""
    for program, package in (("g++", "g++"), ("ar", "binutils")):
        if shutil.which(program) is None:
            raise ToolMissing(program, f"apt-get install {package}")
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    program, stamp = folder / "run", folder / "build.json"
    kept = _kept_objects()
    key = json.dumps([kept.name, hashlib.sha256(emitted.text.encode()).hexdigest()])
    if stamp.is_file() and stamp.read_text() == key:
        return Program(program)
    stamp.unlink(missing_ok=True)
    (folder / "dut.v").write_text(emitted.text)
    (folder / "main.cpp").write_text(_main(emitted))
    shutil.rmtree(folder / "model", ignore_errors=True)
    root = verilator_root()
    _call(
        [str(root / "bin" / "verilator_bin"), *_VERILATOR, "--top-module", _top(emitted), "dut.v"],
        folder,
    )
    sources = sorted(path.name for path in (folder / "model").glob("*.cpp"))
    (folder / "all.cpp").write_text(
        "".join(f'#include "model/{name}"\n' for name in sources) + '#include "main.cpp"\n'
    )
    objects = sorted(map(str, kept.glob("*.o")))
    includes = ("-include", str(kept / "runtime.h"), f"-I{_HERE}", f"-I{root / 'include'}")
    _call(
        ["g++", *_COMPILER, *includes, "-Imodel", "all.cpp", *objects, "-lpthread", "-o", "run"],
        folder,
    )
    stamp.write_text(key)
    return Program(program)


def _top(emitted: EmittedVerilog) -> str:
    """Name of the top module: the first one of the text."""
    return emitted.text.partition("\n// ")[0].split(":")[0].removeprefix("// ")


def _main(emitted: EmittedVerilog) -> str:
    """The program: which ports the model has."""
    bits = {name: width for name, _, width in emitted.ports}

    def channels(direction: str) -> list[str]:
        count = sum(name.startswith(direction) and name.endswith("_valid") for name in bits)
        names = [f"{direction}{ordinal}" for ordinal in range(count)]
        return [
            f"{{&top.{name}_valid, &top.{name}_ready, "
            + (f"&top.{name}_data, {width}}}" if (width := bits.get(f"{name}_data")) else "0, 0}")
            for name in names
        ]

    width = bits.get("configuration", 0)
    return f"""\
#include "driver.h"
#include <cstdlib>

struct Dut final : Model {{
    Vdut top;
    explicit Dut(VerilatedContext *context) : top(context) {{
        clk = &top.clk;
        rst = &top.rst;
        quiescent = &top.quiescent;
        inputs = {{{", ".join(channels("in"))}}};
        outputs = {{{", ".join(channels("out"))}}};
        configuration = {"&top.configuration" if width else "nullptr"};
        configuration_bits = {width};
    }}
    void eval() override {{ top.eval(); }}
}};

int main(int, char **arguments) {{
    VerilatedContext context;
    context.randReset(2);
    context.randSeed(std::atoi(arguments[3]));
    Dut dut(&context);
    return play(dut, arguments[1], arguments[2]);
}}
"""


def _kept_objects() -> Path:
    """Folder of the runtime, the driver and the compiled header; made where it is missing."""
    root = verilator_root()
    version = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True)
    parts = [tool_version("verilator"), str(root), version.stdout, platform.machine()]
    parts += [*_VERILATOR, *_COMPILER, _KEPT_HEADER]
    parts += [(_HERE / name).read_text() for name in ("driver.h", "driver.cpp")]
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    kept = Path(base) / "fabricgen" / f"native-{digest}"
    if not kept.is_dir():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as name:
            fresh = Path(name) / "objects"
            fresh.mkdir()
            _make_objects(fresh, root)
            try:
                fresh.rename(kept)
            except OSError:
                # Another process was first.
                if not kept.is_dir():
                    raise
    return kept


_KEPT_HEADER = "#include <verilated.h>\n"


def _make_objects(folder: Path, root: Path) -> None:
    includes = (f"-I{_HERE}", f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}")
    (folder / "runtime.h").write_text(_KEPT_HEADER)
    _call(["g++", *_COMPILER, *includes, "-x", "c++-header", "runtime.h"], folder)
    for source in (*(root / "include" / name for name in _RUNTIME), _HERE / "driver.cpp"):
        optimised = ("-O2",) if source.parent == _HERE else ()
        _call(["g++", *_COMPILER, *optimised, *includes, "-c", str(source)], folder)


def _call(command: list[str], folder: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != "VERILATOR_ROOT"}
    env["VERILATOR_ROOT"] = str(verilator_root())
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        raise NativeFailed(f"{shlex.join(command)} failed:\n{done.stdout}{done.stderr}")
