"""Vector logic and selection against the oracle, lane by lane."""

# amaranth: UnusedElaboratable=no
import pytest

from fabricgen.errors import Unsupported
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.vector_params import FixedVectorIntegerParams, FixedVectorValueSelectParams
from fabricgen.rtl.providers import lanes
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import EVERY_WIDTH, FF, W, resource
from tests.support.netlist import cell_counts
from tests.support.vector_bench import wrong

LOGIC, SELECT = F.FIXED_VECTOR_INTEGER_LOGIC, F.FIXED_VECTOR_VALUE_SELECT


def test_every_function_and_element_width():
    op = resource(LOGIC, params=FixedVectorIntegerParams(EVERY_WIDTH, 128))
    assert wrong(op, 12) == []


@pytest.mark.parametrize("operation", [O.ARITH_ANDI, O.LLVM_OR_DISJOINT, O.ARITH_XORI])
def test_one_function_alone(operation):
    op = resource(LOGIC, operation, inputs=(64, 72), outputs=(80,))
    assert wrong(op, 12) == []


def test_functions_share_one_exclusive_or(tmp_path):
    counts = cell_counts(provider(resource(LOGIC)), tmp_path)
    assert counts["$xor"] == 1
    assert not counts["$add"]


def test_every_selected_element():
    assert wrong(resource(SELECT), 12) == []


@pytest.mark.parametrize(
    ("widths", "formats", "bits"),
    [((W.I1,), (), 20), ((), (FF.BF16, FF.F64), 144), ((W.I8,), (FF.F32,), 72), ((W.I32,), (), 64)],
)
def test_any_elements_and_any_payload(widths, formats, bits):
    params = FixedVectorValueSelectParams(widths, formats, bits)
    op = resource(SELECT, params=params, inputs=(bits, bits, bits), outputs=(bits,))
    assert wrong(op, 12) == []


def test_a_short_condition_limits_the_lanes():
    op = resource(SELECT, inputs=(3, 128, 128))
    assert wrong(op, 12) == []


def test_a_condition_of_the_wrong_lane_is_noticed(monkeypatch):
    def first(self, bits):
        return [bits[at // self.widths[0]] for at in self.steps]

    monkeypatch.setattr(lanes.Lanes, "spread", first)
    params = FixedVectorValueSelectParams((W.I8, W.I16), (), 64)
    assert wrong(resource(SELECT, params=params), 12)


@pytest.mark.parametrize("family", [LOGIC, SELECT])
def test_another_latency_is_unsupported(family):
    with pytest.raises(Unsupported, match="provider-timing"):
        provider(resource(family, timing=ResourceTiming(1, 2)))
