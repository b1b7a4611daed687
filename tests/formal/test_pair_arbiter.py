import pytest
from amaranth.hdl import Assert, Elaboratable, Module, Signal

from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.rtl.pair_arbiter import PairArbiter
from tests.formal.harness import prove
from tests.support.service_mutants import HalfPairArbiter, StickyPairArbiter

pytestmark = pytest.mark.formal

ROBIN = RoundRobin((2, 0, 1), 0)


class PairArbiterSpec(Elaboratable):
    """Somebody is granted whenever somebody asks, who wants both gets both or none, and nobody
    waits longer than there are others in a round robin.
    """

    def __init__(self, dut: PairArbiter, *, robin: bool) -> None:
        self.dut = dut
        self.robin = robin
        self.inputs = [dut.read_request, dut.write_request, dut.words]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        count = len(dut.participants)
        asks = dut.read_request | dut.write_request
        for grant, request, word in (
            (dut.read_grant, dut.read_request, dut.read_word),
            (dut.write_grant, dut.write_request, dut.write_word),
        ):
            m.d.comb += [Assert((grant & ~request) == 0), Assert((grant & (grant - 1)) == 0)]
            for i in range(count):
                with m.If(grant[i]):
                    m.d.comb += Assert(word == dut.words.word_select(i, dut.word_bits))
        granted = dut.read_grant | dut.write_grant
        m.d.comb += Assert(granted.any() == asks.any())
        for i in range(count):
            with m.If(dut.read_request[i] & dut.write_request[i]):
                m.d.comb += Assert(dut.read_grant[i] == dut.write_grant[i])
            if self.robin:
                waited = Signal(range(count + 1), name=f"waited_{i}")
                waits = asks[i] & ~granted[i]
                with m.If(waits):
                    m.d.sync += waited.eq(waited + 1)
                with m.Else():
                    m.d.sync += waited.eq(0)
                m.d.comb += Assert(waited < count)
        if not self.robin:
            first = 2
            with m.If(asks[first]):
                m.d.comb += Assert(granted[first])
        return m


@pytest.mark.proves("pair grant policy is exact")
@pytest.mark.parametrize("policy", [ROBIN, FixedPriority((2, 0, 1))], ids=["robin", "fixed"])
def test_a_pair_arbiter_keeps_its_contract(policy, tmp_path):
    dut = PairArbiter(policy, (0, 1, 2), word_bits=1)
    spec = PairArbiterSpec(dut, robin=isinstance(policy, RoundRobin))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("pair grant policy is exact")
@pytest.mark.parametrize("kind", [StickyPairArbiter, HalfPairArbiter])
def test_the_proof_rejects_a_wrong_pair_arbiter(kind, tmp_path):
    spec = PairArbiterSpec(kind(ROBIN, (0, 1, 2), word_bits=1), robin=True)
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
