"""Scalar addition and subtraction, modular and saturating, against Python integers."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Const

from fabricgen.rtl.providers.integer_add_sub import (
    ScalarIntegerAddSub,
    ScalarIntegerSaturatingAddSub,
)
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.integer_ops import integer_op
from tests.support.netlist import adders, lut_count
from tests.support.provider_bench import strided, usual, wrong

ADD_SUB, SATURATING = F.SCALAR_INTEGER_ADD_SUB, F.SCALAR_INTEGER_SATURATING_ADD_SUB
MEMBERS = {
    ADD_SUB: [O.ARITH_ADDI, O.ARITH_SUBI],
    SATURATING: [O.LLVM_SADD_SAT, O.LLVM_UADD_SAT, O.LLVM_SSUB_SAT, O.LLVM_USUB_SAT],
}


@pytest.mark.parametrize("family", [ADD_SUB, SATURATING])
@pytest.mark.parametrize("widths", [(8, 16, 32, 64), (8, 32), (16,)])
def test_every_member_and_width_computes_what_it_says(family, widths):
    assert wrong(integer_op(family, widths=widths), usual(40)) == []


@pytest.mark.parametrize("member", [*MEMBERS[ADD_SUB], *MEMBERS[SATURATING]])
def test_each_member_alone_on_bytes(member):
    family = ADD_SUB if member in MEMBERS[ADD_SUB] else SATURATING
    assert wrong(integer_op(family, member, widths=(8,)), lambda _: strided(8, 97)) == []


class Wraps(ScalarIntegerSaturatingAddSub):
    """Never signed: overflow is that of unsigned numbers."""

    def is_configured(self, holds):
        found = super().is_configured(holds)
        signed = [holds(key) for key in self.behaviors] == [
            key.role.startswith("Signed") for key in self.behaviors
        ]
        return Const(0, 1) if signed else found


class Adds(ScalarIntegerAddSub):
    """Adds whatever is configured."""

    def is_configured(self, holds):
        return Const(0, 1)


@pytest.mark.parametrize(("family", "mutant"), [(ADD_SUB, Adds), (SATURATING, Wraps)])
def test_the_bench_rejects_a_mutant(family, mutant):
    assert wrong(integer_op(family, widths=(8, 16)), usual(0), mutant)


@pytest.mark.parametrize("family", [ADD_SUB, SATURATING])
def test_all_members_share_one_adder(family, tmp_path):
    shared = provider(integer_op(family, widths=(8, 16)))
    assert adders(shared, tmp_path) == 1


@pytest.mark.parametrize("family", [ADD_SUB, SATURATING])
def test_the_shared_datapath_is_smaller_than_its_members_apart(family, tmp_path):
    apart = [provider(integer_op(family, each, widths=(8, 16))) for each in MEMBERS[family]]
    shared = provider(integer_op(family, widths=(8, 16)))
    assert lut_count(shared, tmp_path) < sum(lut_count(each, tmp_path) for each in apart)
