#!/usr/bin/env python3
"""List the test modules in which no hardware is built: those that `make coverage` runs.

    python -m tools.covered_tests

A module is listed if neither it nor what it imports of ``tests`` imports the HDL, the RTL, what
emits it, or a simulator. Tests of commands stay, whatever a command does.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("unit", "codes", "anchors")
#: Whoever imports one of these, or a part of it, builds hardware.
HARDWARE = ("amaranth", "fabricgen.rtl", "fabricgen.emit", "sim", "cocotb")
#: Modules of ``tests`` whose importers are judged by their other imports.
_BESIDE = "tests."


def main() -> None:
    """Print one path per line."""
    for path in listed():
        print(path.relative_to(ROOT))


def listed() -> list[Path]:
    """Paths of the modules, sorted."""
    found = [path for folder in FOLDERS for path in (ROOT / "tests" / folder).glob("test_*.py")]
    return [path for path in sorted(found) if not builds_hardware(path)]


@cache
def builds_hardware(path: Path) -> bool:
    """Tell whether a module of the tests reaches the HDL by its imports."""
    for name in _imports(path):
        if any(name == each or name.startswith(f"{each}.") for each in HARDWARE):
            return True
        inner = ROOT / Path(*name.split(".")).with_suffix(".py")
        if name.startswith(_BESIDE) and inner.is_file() and builds_hardware(inner):
            return True
    return False


def _imports(path: Path) -> Iterator[str]:
    """Dotted names of the modules, and of the members, that a module imports at its top."""
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{each.name}" for each in names)
            case _:
                pass


if __name__ == "__main__":
    main()
