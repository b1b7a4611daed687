"""Comparison, minimum and maximum of scalar integers against Python integers."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Const

from fabricgen.rtl.providers.integer_compare import ScalarIntegerCompareMinMax
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import IntegerPredicate as P
from tests.support.integer_ops import integer_op
from tests.support.netlist import adders, lut_count
from tests.support.provider_bench import strided, usual, wrong

FAMILY = F.SCALAR_INTEGER_COMPARE_MIN_MAX
EXTREMES = [O.ARITH_MINSI, O.ARITH_MAXSI, O.ARITH_MINUI, O.ARITH_MAXUI]


@pytest.mark.parametrize("widths", [(8, 32), (16, 64), (16,)])
def test_every_member_predicate_and_width_computes_what_it_says(widths):
    assert wrong(integer_op(FAMILY, widths=widths), usual(10, 50)) == []


@pytest.mark.parametrize("predicate", list(P))
def test_each_predicate_alone_on_bytes(predicate):
    op = integer_op(FAMILY, O.ARITH_CMPI, widths=(8,), predicates=(predicate,))
    assert wrong(op, lambda _: strided(8, 197)) == []


@pytest.mark.parametrize("member", EXTREMES)
def test_each_extreme_alone_on_bytes(member):
    assert wrong(integer_op(FAMILY, member, widths=(8,)), lambda _: strided(8, 197)) == []


class Unsigned(ScalarIntegerCompareMinMax):
    """No number has a sign."""

    def is_configured(self, holds):
        if all(key.active_bits is not None for key in self.behaviors if holds(key)):
            return Const(0, 1)
        return super().is_configured(holds)


class Exclusive(ScalarIntegerCompareMinMax):
    """Equal numbers are never less or equal."""

    def is_configured(self, holds):
        found = {key.predicate for key in self.behaviors if holds(key)}
        inclusive = found == {P.SLE, P.SGT, P.ULE, P.UGT}
        return Const(0, 1) if inclusive else super().is_configured(holds)


@pytest.mark.parametrize("mutant", [Unsigned, Exclusive])
def test_the_bench_rejects_a_mutant(mutant):
    assert wrong(integer_op(FAMILY, widths=(8, 16)), usual(0, 80), mutant)


def test_all_members_share_one_subtractor(tmp_path):
    assert adders(provider(integer_op(FAMILY, widths=(8, 16))), tmp_path) == 1


def test_the_shared_datapath_is_smaller_than_its_members_apart(tmp_path):
    members = [O.ARITH_CMPI, *EXTREMES]
    apart = [provider(integer_op(FAMILY, each, widths=(8,))) for each in members]
    shared = provider(integer_op(FAMILY, widths=(8,)))
    assert lut_count(shared, tmp_path) < sum(lut_count(each, tmp_path) for each in apart)
