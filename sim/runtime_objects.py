"""Verilator's own runtime, compiled once per machine instead of once per design.

Some nine CPU seconds of every build compile the same files with the same flags. Their objects
are kept in the user's cache folder under a key of everything that decides their content.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from sim.environment import MAKEFLAGS, tool_version, verilator_root

__all__ = ["keep", "kept_folder"]

#: Not cocotb's ``verilator.o``: it holds the size of the design's own class.
_OBJECTS = (
    "verilated.o",
    "verilated_dpi.o",
    "verilated_threads.o",
    "verilated_vcd_c.o",
    "verilated_vpi.o",
)


def kept_folder(waves: bool) -> Path:
    """Folder of the objects for this compiler, wheel and kind of build; it may not exist yet."""
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True)
    key = "\n".join(
        (
            tool_version("verilator"),
            str(verilator_root()),
            MAKEFLAGS,
            compiler.stdout,
            platform.machine(),
            f"waves={waves}",
        )
    )
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    return Path(base) / "fabricgen" / f"verilator-{digest}"


def keep(build_dir: Path, kept: Path) -> None:
    """Keep the objects of a finished build, unless they are kept already."""
    if kept.is_dir():
        return
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as name:
            fresh = Path(name) / "objects"
            fresh.mkdir()
            for path in (build_dir / name for name in _OBJECTS):
                if path.is_file():
                    shutil.copyfile(path, fresh / path.name)
            fresh.rename(kept)
    except OSError:
        # The folder cannot be written, or another process was first: builds work without.
        return
