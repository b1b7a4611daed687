"""Vector shifts of two cycles against the oracle, lane by lane."""

import pytest

from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.vector_params import FixedVectorIntegerParams
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import ORDINARY, W, resource
from tests.support.vector_bench import wrong

SHIFT = F.FIXED_VECTOR_INTEGER_SHIFT


@pytest.mark.parametrize(
    ("widths", "bits"), [(ORDINARY, 64), ((W.I8,), 24), ((W.I8, W.I32), 72), ((W.I16, W.I64), 80)]
)
def test_half_of_the_distances_behind_a_register(widths, bits):
    params = FixedVectorIntegerParams(widths, bits)
    assert wrong(resource(SHIFT, params=params, timing=ResourceTiming(2)), 25) == []
