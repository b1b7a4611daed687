"""Vector counts of zeros against the oracle, lane by lane."""

# amaranth: UnusedElaboratable=no
import pytest

from fabricgen.errors import Unsupported
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.rtl.providers import lanes
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import W, resource
from tests.support.netlist import cell_counts
from tests.support.vector_bench import wrong

COUNT = F.FIXED_VECTOR_INTEGER_COUNT_ZEROS


def test_either_end_and_every_element_width():
    assert wrong(resource(COUNT), 60) == []


@pytest.mark.parametrize(
    ("widths", "bits"),
    [((W.I8,), 8), ((W.I8,), 40), ((W.I8, W.I32), 72), ((W.I16, W.I64), 80), ((W.I64,), 64)],
)
def test_any_widths_and_any_payload(widths, bits):
    assert wrong(resource(COUNT, params=FixedVectorIntegerParams(widths, bits)), 40) == []


@pytest.mark.parametrize("operation", [O.MATH_CTLZ, O.LLVM_CTTZ])
def test_one_end_alone(operation):
    assert wrong(resource(COUNT, operation, inputs=(64,), outputs=(64,)), 40) == []


def test_a_tree_of_choices_and_no_arithmetic(tmp_path):
    counts = cell_counts(provider(resource(COUNT)), tmp_path)
    assert not counts["$add"] + counts["$sub"] + counts["$neg"]


def test_a_count_of_another_width_is_noticed(monkeypatch):
    monkeypatch.setattr(lanes.Lanes, "by_width", lambda self, choices: choices[min(choices)])
    assert wrong(resource(COUNT, params=FixedVectorIntegerParams((W.I8, W.I16), 64)), 12)


def test_another_latency_is_unsupported():
    with pytest.raises(Unsupported, match="provider-timing"):
        provider(resource(COUNT, timing=ResourceTiming(2)))
