"""Low products of scalar integers against Python integers."""

# amaranth: UnusedElaboratable=no
import pytest

from fabricgen.errors import Unsupported
from fabricgen.rtl.providers.integer_multiply import ScalarIntegerMultiply
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.integer_ops import integer_op
from tests.support.netlist import cell_counts
from tests.support.provider_bench import strided, usual, wrong

FAMILY = F.SCALAR_INTEGER_MULTIPLY


@pytest.mark.parametrize("latency", [1, 2, 3])
@pytest.mark.parametrize("widths", [(8, 16, 32, 64), (8, 32), (16,)])
def test_every_width_and_latency_computes_what_it_says(widths, latency):
    assert wrong(integer_op(FAMILY, widths=widths, latency=latency), usual(100)) == []


def test_bytes_in_strides():
    assert wrong(integer_op(FAMILY, widths=(8,)), lambda _: strided(8, 37)) == []


@pytest.mark.parametrize("timing", [(4, 1), (1, 2)])
def test_another_timing_has_no_provider(timing):
    with pytest.raises(Unsupported, match=r"latency of 1, 2, 3 cycles .* interval of 1, not"):
        provider(integer_op(FAMILY, latency=timing[0], interval=timing[1]))


class Shallow(ScalarIntegerMultiply):
    """Loses the top bit."""

    def datapath(self, m, stages):
        return super().datapath(m, stages)[:-1]


def test_the_bench_rejects_a_mutant():
    assert wrong(integer_op(FAMILY, widths=(8,)), usual(0), Shallow)


@pytest.mark.parametrize(("width", "count"), [(16, 1), (32, 3), (64, 10)])
def test_a_product_takes_as_few_multipliers_as_its_limbs_allow(width, count, tmp_path):
    dut = provider(integer_op(FAMILY, widths=(width,), latency=3))
    assert cell_counts(dut, tmp_path)["$mul"] == count


def test_the_limbs_are_those_of_the_target_s_multiplier(tmp_path):
    dut = provider(integer_op(FAMILY, widths=(8, 16, 32), latency=3))
    found = cell_counts(dut, tmp_path, ["synth_lattice -family ecp5 -top top -noiopad"])
    assert found["MULT18X18D"] == 3
