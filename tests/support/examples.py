"""The shipped examples and which workloads belong to which of their mappings."""

from importlib import resources
from pathlib import Path

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import read_mapping
from fabricgen.author.workload import parse_workload

__all__ = ["CASES", "EXAMPLES", "NAMES", "folder", "read"]

EXAMPLES = Path(str(resources.files("fabricgen.examples")))

#: Interfaces of the specification's section Schedule And Access-Geometry Examples, and our own.
NAMES = (
    "gather-local",
    "memcpy-local",
    "spatial-element",
    "spatial-hybrid",
    "spatial-local",
    "spatial-vector",
    "temporal-element",
    "temporal-hybrid",
    "temporal-local",
    "temporal-vector",
)

#: Example, and what follows "mapping" and "workload" in the names of two files that go together.
CASES = [
    (name, mapping.stem.removeprefix("mapping"))
    for name in NAMES
    for mapping in sorted((EXAMPLES / name).glob("mapping*.toml"))
]


def folder(name):
    """Folder of one example."""
    return EXAMPLES / name


def read(name, suffix="", work=None):
    """Fabric, mapping and workload of one case; ``work`` is another workload's suffix."""
    at = folder(name)
    fabric = parse_fabric((at / "fabric.toml").read_text())
    mapping = read_mapping((at / f"mapping{suffix}.toml").read_text(), fabric)
    text = (at / f"workload{suffix if work is None else work}.toml").read_text()
    return fabric, mapping, parse_workload(text, fabric, mapping.configuration.memories, at)
