"""What the netlists of all vector providers have in common."""

import pytest

from fabricgen.emit.verilog import to_verilog
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import resource
from tests.support.netlist import Netlist
from tests.support.verilog import lint

FAMILIES = [
    F.FIXED_VECTOR_INTEGER_ADD_SUB,
    F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB,
    F.FIXED_VECTOR_INTEGER_LOGIC,
    F.FIXED_VECTOR_INTEGER_SHIFT,
    F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX,
    F.FIXED_VECTOR_VALUE_SELECT,
    F.FIXED_VECTOR_INTEGER_MULTIPLY,
    F.FIXED_VECTOR_INTEGER_COUNT_ZEROS,
    F.FIXED_VECTOR_SLICE_ALIGN_MERGE,
    F.FIXED_VECTOR_SHUFFLE,
]


@pytest.mark.parametrize("family", FAMILIES)
def test_no_bit_is_undefined_and_no_operand_reaches_a_result_at_once(family, tmp_path):
    netlist = Netlist(provider(resource(family)), tmp_path)
    assert netlist.undefined_bits == 0
    for output in ("out0__data", "out0__valid"):
        assert netlist.input_sources(output) <= {"configuration"}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_text_lints_clean(family, tmp_path):
    text = to_verilog(provider(resource(family)), "vector_op")
    assert lint(text, "vector_op", tmp_path) == []
