"""Leading and trailing zeros of scalar integers against Python integers."""

# amaranth: UnusedElaboratable=no
import pytest

from fabricgen.rtl.providers.integer_count_zeros import ScalarIntegerCountZeros
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.integer_ops import integer_op
from tests.support.netlist import lut_count
from tests.support.provider_bench import usual, wrong

FAMILY = F.SCALAR_INTEGER_COUNT_ZEROS
MEMBERS = [O.MATH_CTLZ, O.MATH_CTTZ, O.LLVM_CTLZ, O.LLVM_CTTZ]


@pytest.mark.parametrize("widths", [(8, 16, 32, 64), (8, 32), (16,)])
def test_every_member_and_width_computes_what_it_says(widths):
    def given(actor):
        bits = actor.operands[0].bits
        return [(0,), *((1 << bit,) for bit in range(bits)), *usual(60)(actor)]

    assert wrong(integer_op(FAMILY, widths=widths), given) == []


@pytest.mark.parametrize("member", MEMBERS)
def test_each_member_alone_on_all_bytes(member):
    op = integer_op(FAMILY, member, widths=(8,))
    assert wrong(op, lambda _: [(value,) for value in range(256)]) == []


class Straight(ScalarIntegerCountZeros):
    """Counts from the other side in narrow integers only."""

    def is_configured(self, holds):
        narrow = [key for key in self.behaviors if holds(key) and key.active_bits == 8]
        return super().is_configured(lambda key: holds(key) and (len(narrow) != 1))


def test_the_bench_rejects_a_mutant():
    assert wrong(integer_op(FAMILY, widths=(8, 16)), usual(0), Straight)


def test_one_tree_counts_from_both_sides(tmp_path):
    apart = [provider(integer_op(FAMILY, each, widths=(32,))) for each in MEMBERS[:2]]
    shared = provider(integer_op(FAMILY, widths=(32,)))
    assert lut_count(shared, tmp_path) < sum(lut_count(each, tmp_path) for each in apart)
