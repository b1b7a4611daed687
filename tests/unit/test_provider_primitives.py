"""How many arithmetic primitives a resource has: as many as one member, whatever its members."""

# amaranth: UnusedElaboratable=no
from functools import reduce
from operator import xor

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring

from fabricgen.hsg.vector_params import (
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
)
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import IntegerPredicate
from tests.support.hsg import W, resource
from tests.support.integer_ops import integer_op
from tests.support.netlist import adders, cell_counts, lut_count
from tools.qor_ops import members_alone

WIDTHS = (W.I8, W.I16)
VECTOR = FixedVectorIntegerParams(WIDTHS, 16)
COMPARED = FixedVectorIntegerCompareMinMaxParams(WIDTHS, tuple(IntegerPredicate), 16)
PORTS = {"inputs": (16, 16), "outputs": (16,)}
ADDERS = {
    "scalar add/sub": (integer_op(F.SCALAR_INTEGER_ADD_SUB, widths=(8,)), 1),
    "scalar saturating": (integer_op(F.SCALAR_INTEGER_SATURATING_ADD_SUB, widths=(8,)), 1),
    "scalar compare": (integer_op(F.SCALAR_INTEGER_COMPARE_MIN_MAX, widths=(8,)), 1),
    # The dividend and the result are negated, and the turns are counted.
    "signed divider": (
        integer_op(F.SCALAR_SIGNED_INTEGER_DIV_REM, widths=(8,), latency=10, interval=10),
        1 + 3,
    ),
    "unsigned divider": (
        integer_op(F.SCALAR_UNSIGNED_INTEGER_DIV_REM, widths=(8,), latency=9, interval=9),
        1 + 1,
    ),
    "vector add/sub": (resource(F.FIXED_VECTOR_INTEGER_ADD_SUB, params=VECTOR, **PORTS), 1),
    "vector saturating": (
        resource(F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB, params=VECTOR, **PORTS),
        1,
    ),
    "vector compare": (
        resource(F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX, params=COMPARED, **PORTS),
        1,
    ),
}
SHIFTERS = {
    "scalar shift": integer_op(F.SCALAR_INTEGER_SHIFT, widths=(8,)),
    "vector shift": resource(F.FIXED_VECTOR_INTEGER_SHIFT, params=VECTOR, **PORTS),
}


class MembersApart(wiring.Component):
    """A mutant: each member has a datapath of its own."""

    def __init__(self, op):
        self.shared = provider(op)
        super().__init__(self.shared.signature)
        self.parts = [provider(each) for each in members_alone(op)]

    def elaborate(self, platform):
        m = Module()
        for at, part in enumerate(self.parts):
            m.submodules[f"part_{at}"] = part
            for ordinal in range(len(part.inputs)):
                given, taken = getattr(self, f"in{ordinal}"), getattr(part, f"in{ordinal}")
                m.d.comb += [taken.data.eq(given.data), taken.valid.eq(given.valid)]
            if hasattr(part, "configuration"):
                m.d.comb += part.configuration.eq(self.configuration)
            m.d.comb += part.out0.ready.eq(self.out0.ready)
        m.d.comb += [
            self.in0.ready.eq(self.parts[0].in0.ready),
            self.in1.ready.eq(self.parts[0].in1.ready),
            self.out0.valid.eq(self.parts[0].out0.valid),
            # Every datapath is used.
            self.out0.data.eq(reduce(xor, (part.out0.data for part in self.parts))),
        ]
        return m


def moved_bits(design, cwd):
    """Bits that are chosen one way or another by choices of a shifter."""
    found = cell_counts(design, cwd, ["opt_dff", "opt_clean", "simplemap"])
    return found["$_MUX_"]


@pytest.mark.parametrize("name", ADDERS)
def test_adders_are_those_of_one_member(name, tmp_path):
    op, expected = ADDERS[name]
    assert adders(provider(op), tmp_path) == expected
    assert adders(MembersApart(op), tmp_path) > expected


@pytest.mark.parametrize(("name", "bits"), [("scalar shift", 8), ("vector shift", 16)])
def test_three_kinds_of_shift_share_one_shifter(name, bits, tmp_path):
    """Bits are reversed on either side of it; all else is less than one row of choices."""
    op = SHIFTERS[name]
    alone = [moved_bits(provider(each), tmp_path) for each in members_alone(op)]
    assert len(alone) == 3
    most = min(alone) + 3 * bits
    assert moved_bits(provider(op), tmp_path) < most
    assert moved_bits(MembersApart(op), tmp_path) > most


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["vector add/sub", "vector saturating", "vector compare", "vector shift"]
)
def test_a_shared_vector_datapath_is_smaller_than_its_members_apart(name, tmp_path):
    op = SHIFTERS[name] if name in SHIFTERS else ADDERS[name][0]
    apart = sum(lut_count(provider(each), tmp_path) for each in members_alone(op))
    assert lut_count(provider(op), tmp_path) < apart
