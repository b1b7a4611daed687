"""Inputs of the codes of ``tool``: commands whose simulator is absent, broken or too small."""

import os
import tempfile
from pathlib import Path
from unittest.mock import patch

from fabricgen.author.fabric import parse_fabric
from fabricgen.cli.emitting import macro_of
from fabricgen.records.fabric import Fabric, MemoryImplementation, NamedOp
from sim.environment import require_memory
from tests.support.documented_op import op_document
from tests.support.documents import changed, fabric_document, mapping_document, toml
from tests.support.hsg_ops import add_sub
from tests.support.producers import command
from tests.support.subordinates import exposed_storage

WORKLOAD = toml(
    {
        "stream": [
            {"endpoint": "mem0.rd_addr", "tokens": [0]},
            {"endpoint": "mem0.rd_ctrl", "tokens": {"count": 1}},
        ]
    }
)
LARGE = changed(fabric_document(), ("memory", 0, "local", "capacity_bytes"), 2**30)
#: A fabric of one op.
OPS = {
    "fabric": {"name": "ops"},
    "op": [op_document(NamedOp("alu", add_sub(widths=(8,))))],
}
#: A memory whose managers are AXI4.
BUSSED = changed(
    changed(fabric_document(), ("memory", 0, "manager"), [{"name": "ext0", "beat_bits": 64}]),
    ("memory", 0, "implementation"),
    {"manager_protocol": "axi4"},
)


def simulate(simulator, fabric=None):
    files = {
        "fabric.toml": toml(fabric or fabric_document()),
        "mapping.toml": toml(mapping_document()),
        "workload.toml": WORKLOAD,
    }
    return command("simulate", *files, "--simulator", simulator, files=files)


def without_programs():
    with patch.dict(os.environ, PATH=""):
        return simulate("icarus")()


def with_broken_programs():
    """Both programs of Icarus Verilog are there, and fail."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("iverilog", "vvp"):
            program = Path(folder, name)
            program.write_text("#!/bin/sh\nexit 1\n")
            program.chmod(0o755)
        with patch.dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}"):
            return simulate("icarus")()


def storage_over_axi4():
    option = MemoryImplementation(subordinate_protocol="axi4")
    return require_memory(Fabric("f", (exposed_storage(implementation=option),)), "python")


def macro_inside():
    """A macro for a fabric whose arrays are inside its banks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "macro.toml")
        path.write_text('module = "sram"\nwords = 64\nbits = 32\nmask_bits = 8\n')
        macro_of(path, parse_fabric(toml(fabric_document())))


PRODUCERS = {
    "tool-missing": without_programs,
    "simulation-capacity-limit": simulate("python", LARGE),
    "simulation-without-memory": simulate("python", OPS),
    "simulation-manager-protocol": simulate("python", BUSSED),
    "simulation-subordinate-protocol": storage_over_axi4,
    "simulation-failed": with_broken_programs,
    "macro-without-wrapper": macro_inside,
}
