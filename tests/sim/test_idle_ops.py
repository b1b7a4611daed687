"""``fabricgen simulate`` of a memory with datapath resources beside it."""

import json

import pytest
from typer.testing import CliRunner

from fabricgen.cli.main import app
from fabricgen.records.fabric import NamedOp
from fabricgen.vocab.families import ImplementationFamilyId as F
from sim import environment
from tests.support.documented_op import op_document
from tests.support.documents import fabric_document, mapping_document, toml
from tests.support.family_ops import SMALL

WORKLOAD = {
    "stream": [
        {"endpoint": "mem0.wr_addr", "tokens": [0]},
        {"endpoint": "mem0.wr_data", "tokens": [1, 2, 3, 4]},
        {"endpoint": "mem0.wr_mask", "tokens": [[1, 1, 1, 1]]},
        {"endpoint": "mem0.wr_ctrl", "tokens": {"fill": True}},
    ]
}


@pytest.mark.parametrize("simulator", ["python", "icarus"])
def test_ops_beside_the_memory_are_idle(simulator, tmp_path):
    """A carry shows what it is offered, so that an input without a driver would be seen."""
    try:
        environment.require(simulator)
    except environment.ToolMissing as missing:
        pytest.skip(str(missing))
    ops = [NamedOp("loop", SMALL[F.LOOP_CARRY]), NamedOp("alu", SMALL[F.SCALAR_INTEGER_ADD_SUB])]
    documents = {
        "fabric": fabric_document() | {"op": list(map(op_document, ops))},
        "mapping": mapping_document(),
        "workload": WORKLOAD,
    }
    for name, document in documents.items():
        (tmp_path / f"{name}.toml").write_text(toml(document))
    files = [str(tmp_path / f"{name}.toml") for name in documents]
    options = ["--build-dir", str(tmp_path / "build"), "--simulator", simulator, "--json"]
    result = CliRunner().invoke(app, ["simulate", *files, *options])
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["passed"], report["firings"]) == (True, 1)
