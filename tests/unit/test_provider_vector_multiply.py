"""Vector multiplication against the oracle, lane by lane."""

# amaranth: UnusedElaboratable=no
import pytest

from fabricgen.errors import Unsupported
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.rtl.providers import lanes
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import ORDINARY, W, resource
from tests.support.netlist import cell_counts
from tests.support.vector_bench import wrong

MULTIPLY = F.FIXED_VECTOR_INTEGER_MULTIPLY


@pytest.mark.parametrize("latency", [1, 2, 3, 4])
def test_every_element_width_at_every_latency(latency):
    assert wrong(resource(MULTIPLY, timing=ResourceTiming(latency)), 40) == []


@pytest.mark.parametrize("latency", [1, 3, 4])
@pytest.mark.parametrize(
    ("widths", "bits"),
    [
        ((W.I8,), 40),
        ((W.I16,), 48),
        ((W.I32,), 96),
        ((W.I64,), 64),
        ((W.I8, W.I16), 56),
        ((W.I8, W.I32), 104),
        ((W.I16, W.I32), 112),
        ((W.I8, W.I64), 72),
        ((W.I32, W.I64), 96),
        ((W.I8, W.I16, W.I32), 64),
    ],
)
def test_any_widths_and_any_payload(widths, bits, latency):
    params = FixedVectorIntegerParams(widths, bits)
    assert wrong(resource(MULTIPLY, params=params, timing=ResourceTiming(latency)), 30) == []


@pytest.mark.parametrize(
    ("widths", "bits", "multipliers"),
    [
        (ORDINARY, 128, 20),
        ((W.I64,), 128, 20),
        ((W.I8, W.I64), 64, 10),
        ((W.I16, W.I32, W.I64), 64, 10),
        ((W.I16, W.I32), 64, 6),
        ((W.I32,), 64, 6),
        ((W.I8, W.I32), 32, 4),  # three of 32 bits, one more for the fourth byte
        ((W.I16,), 64, 4),
        ((W.I8,), 64, 8),
    ],
)
def test_the_widest_element_says_how_many_multipliers_there_are(
    widths, bits, multipliers, tmp_path
):
    op = resource(MULTIPLY, params=FixedVectorIntegerParams(widths, bits))
    assert cell_counts(provider(op), tmp_path)["$mul"] == multipliers


@pytest.mark.parametrize("narrow", [W.I8, W.I16, W.I32])
def test_an_operand_of_the_wrong_lane_is_noticed(narrow, monkeypatch):
    real = lanes.Lanes.is_at_most

    def never(self, width):
        return real(self, width) & (width != narrow.bits)

    monkeypatch.setattr(lanes.Lanes, "is_at_most", never)
    op = resource(MULTIPLY, params=FixedVectorIntegerParams((narrow, W.I64), 64))
    assert wrong(op, 12)


@pytest.mark.parametrize("timing", [ResourceTiming(5), ResourceTiming(3, 2)])
def test_another_timing_is_unsupported(timing):
    with pytest.raises(Unsupported, match="provider-timing"):
        provider(resource(MULTIPLY, timing=timing))
