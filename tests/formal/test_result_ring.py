import pytest
from amaranth.hdl import Assert, Assume, Elaboratable, Module, Signal

from fabricgen.rtl.result_ring import ResultRing
from tests.formal.harness import prove
from tests.support.mutants import ForgetfulRing, OvertakingRing, SameCycleRing

pytestmark = pytest.mark.formal


class RingSpec(Elaboratable):
    """The contract of :class:`ResultRing`, stated against its ports only.

    Claims are conserved: what was issued and not retired is what the ring says it holds, never
    more than its slots. One firing, free to choose, is watched from issue to retirement: it
    retires after exactly those that were issued before it, from its own slot, and only after it
    was complete.
    """

    def __init__(self, dut: ResultRing) -> None:
        self.dut = dut
        self.watch = Signal()
        self.inputs = [
            dut.issue,
            dut.issue_complete,
            dut.complete,
            dut.complete_slot,
            dut.retire,
            self.watch,
        ]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        slots = dut.slots

        claims = Signal(range(slots + 2))
        m.d.sync += claims.eq(claims + dut.issue - dut.retire)
        # Which slots wait for an answer: the environment answers those alone.
        waiting = Signal(slots)
        with m.If(dut.issue & ~dut.issue_complete):
            m.d.sync += waiting.bit_select(dut.tail, 1).eq(1)
        with m.If(dut.complete):
            m.d.sync += waiting.bit_select(dut.complete_slot, 1).eq(0)

        m.d.comb += [
            Assume(dut.available | ~dut.issue),
            Assume(dut.candidate | ~dut.retire),
            Assume(~dut.complete | waiting.bit_select(dut.complete_slot, 1)),
            Assume(dut.complete_slot < slots),
        ]

        watching, done = Signal(), Signal()
        ahead, slot = Signal.like(claims), Signal.like(dut.tail)
        with m.If(~watching & self.watch & dut.issue):
            m.d.sync += [
                watching.eq(1),
                ahead.eq(claims - dut.retire),
                slot.eq(dut.tail),
                done.eq(dut.issue_complete),
            ]
        with m.Elif(watching):
            with m.If(dut.retire):
                m.d.sync += [watching.eq(ahead != 0), ahead.eq(ahead - 1)]
            with m.If(dut.complete & (dut.complete_slot == slot)):
                m.d.sync += done.eq(1)

        m.d.comb += [
            Assert(claims <= slots),
            Assert(dut.available == (claims != slots)),
            Assert(dut.empty == (claims == 0)),
            Assert(~dut.candidate | (claims != 0)),
            # Issue and retirement walk the ring together.
            Assert((dut.head + claims == dut.tail) | (dut.head + claims == dut.tail + slots)),
            Assert((dut.head < slots) & (dut.tail < slots)),
        ]
        for here in range(slots):
            # A slot that nobody holds waits for nothing.
            age = Signal(range(2 * slots), name=f"age_{here}")
            m.d.comb += age.eq((here + slots - dut.head) % slots)
            m.d.comb += Assert(~waiting[here] | (age < claims))
        with m.If(dut.candidate):
            m.d.comb += Assert(~waiting.bit_select(dut.head, 1))
        with m.If(watching):
            m.d.comb += [
                Assert(ahead < claims),
                Assert((dut.head + ahead == slot) | (dut.head + ahead == slot + slots)),
                Assert(done == ~waiting.bit_select(slot, 1)),
            ]
        with m.If(watching & (ahead == 0)):
            m.d.comb += Assert(dut.candidate == done)
        return m


@pytest.mark.proves("claims are conserved", "per-row order")
@pytest.mark.parametrize("slots", [1, 2, 3])
def test_claims_are_conserved_and_firings_retire_in_order(slots, tmp_path):
    spec = RingSpec(ResultRing(slots))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("claims are conserved", "per-row order")
@pytest.mark.parametrize("mutant", [SameCycleRing, ForgetfulRing, OvertakingRing])
def test_the_proof_rejects_a_wrong_ring(mutant, tmp_path):
    spec = RingSpec(mutant(2))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
