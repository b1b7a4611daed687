import pytest
from amaranth.hdl import Assert, Elaboratable, Module, Signal

from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.rtl.arbiter import Arbiter
from tests.formal.harness import prove
from tests.support.service_mutants import StickyArbiter

pytestmark = pytest.mark.formal


class ArbiterSpec(Elaboratable):
    """One grant whenever somebody asks; round robin passes each requester over only once each."""

    def __init__(self, dut: Arbiter) -> None:
        self.dut = dut
        self.inputs = [dut.request, dut.words]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        count = len(dut.request)
        m.d.comb += [
            Assert((dut.grant & ~dut.request) == 0),
            Assert((dut.grant & (dut.grant - 1)) == 0),
            Assert(dut.grant.any() == dut.request.any()),
        ]
        for i in range(count):
            with m.If(dut.grant[i]):
                m.d.comb += Assert(dut.word == dut.words.word_select(i, dut.word_bits))
        if isinstance(dut.policy, RoundRobin):
            for i in range(count):
                for j in range(count):
                    if i != j:
                        # Since it asked without a break, `i` has been passed over for `j`.
                        passed = Signal(name=f"passed_{i}_{j}")
                        m.d.sync += passed.eq(
                            dut.request[i] & ~dut.grant[i] & (passed | dut.grant[j])
                        )
                        with m.If(passed & dut.request[i]):
                            m.d.comb += Assert(~dut.grant[j])
        return m


@pytest.mark.proves("grant policy is exact")
@pytest.mark.parametrize(
    "policy", [RoundRobin((2, 0, 3, 1), 0), FixedPriority((2, 0, 3, 1))], ids=["robin", "fixed"]
)
def test_arbiter_keeps_its_contract(policy, tmp_path):
    spec = ArbiterSpec(Arbiter(policy, (0, 1, 2, 3), word_bits=2))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("grant policy is exact")
def test_the_proof_rejects_a_cursor_that_stands_still(tmp_path):
    spec = ArbiterSpec(StickyArbiter(RoundRobin((0, 1, 2), 0), (0, 1, 2), word_bits=1))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
