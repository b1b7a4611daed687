"""Vector comparison, minimum and maximum against the oracle, lane by lane."""

# amaranth: UnusedElaboratable=no
import pytest

from fabricgen.errors import Unsupported
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.vector_params import FixedVectorIntegerCompareMinMaxParams
from fabricgen.rtl.providers import lanes
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import IntegerPredicate as P
from tests.support.hsg import ORDINARY, W, resource
from tests.support.netlist import cell_counts
from tests.support.vector_bench import wrong

COMPARE = F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX


def params(widths, predicates, bits):
    return FixedVectorIntegerCompareMinMaxParams(widths, predicates, bits)


def test_every_relation_and_element_width():
    assert wrong(resource(COMPARE), 16) == []


@pytest.mark.parametrize("predicate", list(P))
def test_one_predicate_alone(predicate):
    op = resource(COMPARE, O.ARITH_CMPI, params=params(ORDINARY, (predicate,), 64), outputs=(8,))
    assert wrong(op) == []


@pytest.mark.parametrize(
    ("widths", "bits"),
    [((W.I8,), 40), ((W.I8, W.I32), 72), ((W.I16, W.I64), 80), ((W.I64,), 64)],
)
def test_any_widths_and_any_payload(widths, bits):
    assert wrong(resource(COMPARE, params=params(widths, (P.EQ, P.SLE), bits))) == []


@pytest.mark.parametrize("operation", [O.ARITH_MINSI, O.ARITH_MAXUI])
def test_one_extreme_alone(operation):
    assert wrong(resource(COMPARE, operation, params=params(ORDINARY, (), 64))) == []


def test_a_short_result_limits_the_lanes_of_a_comparison():
    op = resource(COMPARE, params=params(ORDINARY, tuple(P), 128), outputs=(64,))
    assert wrong(op, 6) == []


def test_one_subtractor_serves_all(tmp_path):
    counts = cell_counts(provider(resource(COMPARE)), tmp_path)
    arithmetic = ("$add", "$sub", "$alu", "$neg", "$lt", "$le", "$gt", "$ge")
    assert sum(counts[each] for each in arithmetic) == 1


def test_a_flag_of_the_wrong_lane_is_noticed(monkeypatch):
    monkeypatch.setattr(lanes.Lanes, "dense", lambda self, flags: flags[0])
    op = resource(COMPARE, O.ARITH_CMPI, params=params((W.I8, W.I16), (P.ULT,), 64))
    assert wrong(op)


def test_a_carry_across_a_boundary_is_noticed(monkeypatch):
    monkeypatch.setattr(lanes.Lanes, "cut", lambda self, at: self.is_at_most(self.widths[0]))
    op = resource(COMPARE, O.ARITH_CMPI, params=params((W.I8, W.I16), (P.ULT,), 64))
    assert wrong(op, 40)


def test_flags_behind_a_register():
    assert wrong(resource(COMPARE, timing=ResourceTiming(2)), 16) == []


@pytest.mark.parametrize("latency", [0, 3])
def test_another_latency_is_unsupported(latency):
    with pytest.raises(Unsupported, match="provider-timing"):
        provider(resource(COMPARE, timing=ResourceTiming(latency)))
