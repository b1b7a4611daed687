"""Shifts of scalar integers against Python integers."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Const

from fabricgen.rtl.providers.integer_shift import ScalarIntegerShift
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.integer_ops import integer_op
from tests.support.netlist import cell_counts, lut_count
from tests.support.provider_bench import usual, wrong

FAMILY = F.SCALAR_INTEGER_SHIFT
MEMBERS = [O.ARITH_SHLI, O.ARITH_SHRSI, O.ARITH_SHRUI]


def amounts(actor):
    """A few values by every amount below the width, and what is poison."""
    bits = actor.operands[0].bits
    values = [(1 << bits) - 1, 1 << (bits - 1), 0xA5A5A5A596969696 % (1 << bits)]
    return [(value, amount) for value in values for amount in range(bits)] + usual(30, 20)(actor)


@pytest.mark.parametrize("widths", [(8, 16, 32, 64), (8, 32), (16,)])
def test_every_member_width_and_amount_shifts_as_it_says(widths):
    assert wrong(integer_op(FAMILY, widths=widths), amounts) == []


@pytest.mark.parametrize("members", [MEMBERS[:1], MEMBERS[1:2], MEMBERS[2:], MEMBERS[1:]])
def test_members_without_the_others(members):
    assert wrong(integer_op(FAMILY, *members, widths=(8, 16)), amounts) == []


class Logical(ScalarIntegerShift):
    """Fills in zeros."""

    def is_configured(self, holds):
        if all(key.role == "ArithmeticRight" for key in self.behaviors if holds(key)):
            return Const(0, 1)
        return super().is_configured(holds)


def test_the_bench_rejects_a_mutant():
    assert wrong(integer_op(FAMILY, widths=(8,)), amounts, Logical)


def test_all_members_share_one_shifter(tmp_path):
    """A choice for each bit of the amount, and one to mirror the bits on either side of them."""
    dut = provider(integer_op(FAMILY, widths=(32,)))
    found = cell_counts(dut, tmp_path, ["opt_dff", "opt_clean"])
    assert found["$mux"] == 5 + 2
    assert not {"$shl", "$shr", "$sshr", "$shift", "$shiftx"} & set(found)


def test_the_shared_datapath_is_smaller_than_its_members_apart(tmp_path):
    apart = [provider(integer_op(FAMILY, each, widths=(16,))) for each in MEMBERS]
    shared = provider(integer_op(FAMILY, widths=(16,)))
    assert lut_count(shared, tmp_path) < sum(lut_count(each, tmp_path) for each in apart)
