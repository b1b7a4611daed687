"""Vector addition and subtraction, modular and saturating, against the oracle lane by lane."""

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

MODULAR = F.FIXED_VECTOR_INTEGER_ADD_SUB
SATURATING = F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB
BOTH = [MODULAR, SATURATING]


@pytest.mark.parametrize("family", BOTH)
def test_every_member_and_element_width(family):
    assert wrong(resource(family)) == []


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
@pytest.mark.parametrize("family", BOTH)
def test_any_widths_and_any_payload(family, widths, bits):
    op = resource(family, params=FixedVectorIntegerParams(widths, bits))
    assert wrong(op, 12) == []


@pytest.mark.parametrize("operation", [O.ARITH_SUBI, O.LLVM_SSUB_SAT, O.LLVM_UADD_SAT])
def test_one_member_alone(operation):
    family = MODULAR if operation is O.ARITH_SUBI else SATURATING
    assert wrong(resource(family, operation, inputs=(64, 64), outputs=(64,)), 12) == []


@pytest.mark.parametrize("family", BOTH)
def test_one_adder_serves_all_members_and_widths(family, tmp_path):
    counts = cell_counts(provider(resource(family)), tmp_path)
    assert counts["$add"] + counts["$sub"] + counts["$alu"] + counts["$neg"] == 1


@pytest.mark.parametrize("family", BOTH)
def test_a_carry_across_a_boundary_is_noticed(family, monkeypatch):
    monkeypatch.setattr(lanes.Lanes, "cut", lambda self, at: self.is_at_most(self.widths[0]))
    op = resource(family, params=FixedVectorIntegerParams((W.I8, W.I16), 64))
    assert wrong(op)


def test_saturation_behind_a_register():
    assert wrong(resource(SATURATING, timing=ResourceTiming(2))) == []


@pytest.mark.parametrize(("family", "latency"), [(MODULAR, 2), (SATURATING, 0), (SATURATING, 3)])
def test_another_latency_is_unsupported(family, latency):
    with pytest.raises(Unsupported, match="provider-timing"):
        provider(resource(family, timing=ResourceTiming(latency)))
