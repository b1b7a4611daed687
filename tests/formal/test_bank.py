import pytest
from amaranth.hdl import Array, Assert, Elaboratable, Module, Signal

from fabricgen.plan.geometry import BankGeometry
from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.service.bank import Bank
from tests.formal.harness import prove
from tests.support.service_mutants import ForgetfulBank

pytestmark = pytest.mark.formal

ROWS = 2


def bank(kind=Bank):
    """Two readers, two writers, one byte a beat."""
    policy = RoundRobin((0, 1, 2), 1)
    return kind(BankGeometry(ROWS, 1, 1), policy=policy, readers=(0, 1), writers=(1, 2))


class BankSpec(Elaboratable):
    """A read returns what all writes granted before it have left, and nothing younger."""

    def __init__(self, dut: Bank) -> None:
        self.dut = dut
        self.inputs = [
            dut.read_request,
            dut.read_rows,
            dut.write_request,
            dut.write_rows,
            dut.write_beats,
            dut.write_enable,
        ]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut

        # Contents after every write granted before the last cycle: its data come one cycle late.
        shadow = [Signal(8, name=f"shadow_{row}", reset_less=True) for row in range(ROWS)]
        written = Signal(2)
        row = Signal()
        m.d.sync += written.eq(dut.write_grant)
        for i in range(2):
            with m.If(dut.write_grant[i]):
                m.d.sync += row.eq(dut.write_rows[i])
            with m.If(written[i] & dut.write_enable[i]):
                m.d.sync += Array(shadow)[row].eq(dut.write_beats.word_select(i, 8))

        # What makes the induction close: storage and shadow agree, row by row.
        for at in range(ROWS):
            probe = dut.mem.read_port(domain="comb")
            m.d.comb += [probe.addr.eq(at), Assert(probe.data == shadow[at])]

        was_read, read_row = Signal(), Signal()
        m.d.sync += was_read.eq(dut.read_grant.any())
        for i in range(2):
            with m.If(dut.read_grant[i]):
                m.d.sync += read_row.eq(dut.read_rows[i])
        with m.If(was_read):
            m.d.comb += Assert(dut.read_beat == Array(shadow)[read_row])
        return m


@pytest.mark.proves("a read sees every earlier write")
def test_a_read_sees_every_write_granted_before_it(tmp_path):
    spec = BankSpec(bank())
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("a read sees every earlier write")
def test_the_proof_rejects_a_bank_that_does_not_forward(tmp_path):
    spec = BankSpec(bank(ForgetfulBank))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
