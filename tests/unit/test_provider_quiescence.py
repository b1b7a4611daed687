"""Quiescent exactly where nothing is inside: every family under random traffic, by counting."""

# amaranth: UnusedElaboratable=no
from collections.abc import Callable

import pytest

from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.providers.registry import PROVIDERS, provider
from tests.support.provider_samples import EVERY, SAMPLES, observed, wrong


def mutant(expression: Callable) -> Callable:
    """A provider that is quiescent where an expression says so."""

    def build(op: FabricOp):
        real = type(provider(op))

        class Mutant(real):
            def elaborate(self, platform):
                m = super().elaborate(platform)
                m.d.comb += self.quiescent.eq(expression(self))
                return m

        return Mutant(op)

    return build


def test_every_family_with_a_provider_has_a_sample():
    assert set(SAMPLES) == set(PROVIDERS)


@pytest.mark.parametrize("name", EVERY)
def test_it_is_quiescent_exactly_where_nothing_is_inside(name):
    traces = observed(EVERY[name])
    assert wrong(EVERY[name], traces) == []
    assert all(False in trace.quiescent for trace in traces)
    assert traces[1].quiescent[-1]


@pytest.mark.parametrize("name", EVERY)
def test_one_that_always_says_so_is_noticed(name):
    assert wrong(EVERY[name], observed(EVERY[name], mutant(lambda dut: 1)))


@pytest.mark.parametrize(
    "name", ["scalar_integer_add_sub", "token_mux", "fixed_vector_parallelize", "loop_carry"]
)
def test_one_that_says_so_where_no_result_is_offered_is_noticed(name):
    assert wrong(EVERY[name], observed(EVERY[name], mutant(lambda dut: ~dut.out0.valid)))


@pytest.mark.parametrize("name", ["scalar_integer_add_sub", "loop_carry", "product_of_3_stages"])
def test_one_that_never_says_so_is_noticed(name):
    assert wrong(EVERY[name], observed(EVERY[name], mutant(lambda dut: 0)))
