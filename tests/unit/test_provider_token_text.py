"""Every token, loop and adapter resource has Verilog text."""

import pytest

from fabricgen.emit.verilog import to_verilog
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.operations import StreamStepKind as S
from tests.support import token_ops as ops

RESOURCES = {
    "constant": ops.constant(),
    "sync": ops.sync((8, 0), (8, 0)),
    "mux": ops.mux((8, 4, 0), selector=32),
    "bare_mux": ops.mux((0, 0), result=0),
    "demux": ops.demux((8, 4, 0), selector=32),
    "carry": ops.carry(0),
    "invariant": ops.invariant(),
    "gate": ops.gate(),
    "product": ops.stream(S.MUL, (32,), timing=(1, 2)),
    "quotient": ops.stream(S.SDIV, (8, 16), timing=(1, 18)),
    "parallelize": ops.parallelize(40, (8, 16), mask=3),
    "serialize": ops.serialize(40, (8, 16), mask=3),
}


@pytest.mark.parametrize("name", RESOURCES)
def test_a_resource_is_emitted_under_its_own_names(name):
    text = to_verilog(provider(RESOURCES[name]), name)
    assert f"module {name} (" in text
    assert "[-1:0]" not in text
