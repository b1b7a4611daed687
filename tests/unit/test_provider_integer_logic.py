"""Bitwise logic of scalar integers against Python integers."""

# amaranth: UnusedElaboratable=no
import pytest

from fabricgen.rtl.providers.integer_logic import ScalarIntegerLogic
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.integer_ops import integer_op
from tests.support.netlist import lut_count
from tests.support.provider_bench import strided, usual, wrong

FAMILY = F.SCALAR_INTEGER_LOGIC
MEMBERS = [O.ARITH_ANDI, O.ARITH_ORI, O.ARITH_XORI, O.LLVM_OR_DISJOINT]


@pytest.mark.parametrize("widths", [(1, 8, 16, 32, 64), (1,), (8, 32)])
def test_every_member_and_width_computes_what_it_says(widths):
    assert wrong(integer_op(FAMILY, widths=widths), usual(40)) == []


@pytest.mark.parametrize("member", MEMBERS)
def test_each_member_alone_on_bytes(member):
    assert wrong(integer_op(FAMILY, member, widths=(8,)), lambda _: strided(8, 97)) == []


class Swaps(ScalarIntegerLogic):
    """Xor is an or."""

    def is_configured(self, holds):
        roles = [key.role for key in self.behaviors if holds(key)]
        return super().is_configured(lambda key: "Or" in roles and key.role in ("Or", "Xor"))


def test_the_bench_rejects_a_mutant():
    assert wrong(integer_op(FAMILY, widths=(8,)), usual(0), Swaps)


def test_all_members_are_one_lookup_table_for_each_bit(tmp_path):
    shared = lut_count(provider(integer_op(FAMILY, widths=(32,))), tmp_path)
    alone = lut_count(provider(integer_op(FAMILY, O.ARITH_ANDI, widths=(32,))), tmp_path)
    assert shared == alone
