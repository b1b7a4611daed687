import pytest

from fabricgen.rtl.operand_queue import OperandQueue
from tests.support.mutants import BypassQueue
from tests.support.netlist import comb_sources


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_ingress_ready_depends_on_registers_only(depth, tmp_path):
    assert comb_sources(OperandQueue(8, depth), "i__ready", tmp_path) == set()


def test_the_check_sees_a_bypass(tmp_path):
    assert comb_sources(BypassQueue(8, 1), "i__ready", tmp_path) == {"o__ready"}
