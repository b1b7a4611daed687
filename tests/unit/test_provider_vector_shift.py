"""Vector shifts against the oracle, lane by lane."""

# amaranth: UnusedElaboratable=no
import random

import pytest

from fabricgen.errors import Unsupported
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.rtl.providers import lanes
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import ORDINARY, W, resource
from tests.support.netlist import cell_counts
from tests.support.vector_bench import ordinal, results, vector_actors, wrong

SHIFT = F.FIXED_VECTOR_INTEGER_SHIFT


def test_every_kind_and_element_width():
    assert wrong(resource(SHIFT), 40) == []


@pytest.mark.parametrize(
    ("widths", "bits"),
    [
        ((W.I8,), 8),
        ((W.I8,), 40),
        ((W.I8, W.I32), 72),
        ((W.I16, W.I64), 80),
        ((W.I64,), 64),
        ((W.I32,), 100),
    ],
)
def test_any_widths_and_any_payload(widths, bits):
    assert wrong(resource(SHIFT, params=FixedVectorIntegerParams(widths, bits)), 30) == []


@pytest.mark.parametrize("operation", [O.ARITH_SHLI, O.ARITH_SHRUI, O.ARITH_SHRSI])
def test_one_kind_alone(operation):
    assert wrong(resource(SHIFT, operation, inputs=(64, 64), outputs=(64,)), 30) == []


def test_an_amount_of_the_width_or_more_changes_its_own_lane_only():
    op = resource(SHIFT, params=FixedVectorIntegerParams(ORDINARY, 64), inputs=(64, 64))
    drawn = random.Random(3)
    for actor in vector_actors(op):
        bits = actor.results[0].element.bits
        lane = drawn.randrange(actor.results[0].lanes)
        value = drawn.getrandbits(64)
        small = sum(drawn.randrange(bits) << at for at in range(0, 64, bits))
        whole = ((1 << bits) - 1) << lane * bits
        large = small & ~whole | (drawn.getrandbits(bits) | bits) << lane * bits
        [[first, second]] = results(
            provider(op), [(ordinal(op, actor), (0, 1), [(value, small), (value, large)])]
        )
        assert (first ^ second) & ~whole & ((1 << 64) - 1) == 0


def test_shifts_have_no_arithmetic(tmp_path):
    counts = cell_counts(provider(resource(SHIFT)), tmp_path)
    assert not counts["$add"] + counts["$shl"] + counts["$shr"] + counts["$sshr"]


def test_a_bit_that_crosses_a_boundary_is_noticed(monkeypatch):
    monkeypatch.setattr(lanes.Lanes, "is_at_most", lambda self, width: self.cut(0) ^ 1)
    op = resource(SHIFT, params=FixedVectorIntegerParams((W.I8, W.I16), 64))
    assert wrong(op)


def test_another_latency_is_unsupported():
    with pytest.raises(Unsupported, match="provider-timing"):
        provider(resource(SHIFT, timing=ResourceTiming(0)))
