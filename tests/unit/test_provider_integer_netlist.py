"""What the netlists of all scalar integer providers have in common."""

import pytest

from fabricgen.emit.verilog import to_verilog
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.integer_ops import cast_op, integer_op
from tests.support.netlist import Netlist
from tests.support.verilog import lint

WIDTHS = (8, 16, 32)
OPS = {
    "add_sub": integer_op(F.SCALAR_INTEGER_ADD_SUB, widths=WIDTHS),
    "saturating": integer_op(F.SCALAR_INTEGER_SATURATING_ADD_SUB, widths=WIDTHS),
    "saturating_of_bytes": integer_op(F.SCALAR_INTEGER_SATURATING_ADD_SUB, widths=(8,)),
    "logic": integer_op(F.SCALAR_INTEGER_LOGIC, widths=(1, *WIDTHS)),
    "shift": integer_op(F.SCALAR_INTEGER_SHIFT, widths=WIDTHS),
    "shift_left": integer_op(F.SCALAR_INTEGER_SHIFT, O.ARITH_SHLI, widths=(32,)),
    "compare": integer_op(F.SCALAR_INTEGER_COMPARE_MIN_MAX, widths=WIDTHS),
    "maximum": integer_op(F.SCALAR_INTEGER_COMPARE_MIN_MAX, O.ARITH_MAXUI, widths=WIDTHS),
    "selection": integer_op(F.SCALAR_VALUE_SELECT, widths=WIDTHS),
    "reinterpreter": integer_op(F.SCALAR_BIT_REINTERPRET, widths=WIDTHS),
    "caster": cast_op(
        O.ARITH_EXTSI, O.ARITH_EXTUI, O.ARITH_TRUNCI, pairs=[(8, 32), (8, 64), (64, 8)]
    ),
    "multiplier": integer_op(F.SCALAR_INTEGER_MULTIPLY, widths=(64,), latency=3),
    "signed_pipeline": integer_op(F.SCALAR_SIGNED_INTEGER_DIV_REM, widths=(8,), latency=10),
    "signed_steps": integer_op(
        F.SCALAR_SIGNED_INTEGER_DIV_REM, widths=WIDTHS, latency=34, interval=34
    ),
    "unsigned_pipeline": integer_op(F.SCALAR_UNSIGNED_INTEGER_DIV_REM, widths=(8,), latency=9),
    "unsigned_steps": integer_op(
        F.SCALAR_UNSIGNED_INTEGER_DIV_REM, widths=WIDTHS, latency=33, interval=33
    ),
    "count_zeros": integer_op(F.SCALAR_INTEGER_COUNT_ZEROS, widths=WIDTHS),
}


@pytest.mark.parametrize("name", OPS)
def test_no_bit_is_undefined_and_no_operand_reaches_a_result_at_once(name, tmp_path):
    netlist = Netlist(provider(OPS[name]), tmp_path)
    assert netlist.undefined_bits == 0
    for output in ("out0__data", "out0__valid"):
        assert netlist.input_sources(output) <= {"configuration"}


@pytest.mark.parametrize("name", OPS)
def test_the_text_lints_clean(name, tmp_path):
    text = to_verilog(provider(OPS[name]), "integer_op")
    assert lint(text, "integer_op", tmp_path) == []
