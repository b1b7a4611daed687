import pytest
from amaranth.hdl import Array, Assert, Assume, Elaboratable, Module, Mux, ResetSignal, Signal

from fabricgen.plan.atomic_use import LocalAtomics
from fabricgen.plan.geometry import BankGeometry
from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.service.atomic_bank import AtomicBank
from fabricgen.rtl.service.atomic_unit import OP_BITS, STORE
from fabricgen.vocab.dataflow import AtomicRmwKind
from tests.formal.harness import prove
from tests.support.service_mutants import DividedBank, ForgottenLastBank, HastyBank, TrustingBank

pytestmark = pytest.mark.formal

ROWS = 2


def bank(kind=AtomicBank):
    """Two requesters that do everything, one byte a beat."""
    atomics = LocalAtomics((AtomicRmwKind.ADD,), exchange=True, element_bytes=(1,))
    policy = RoundRobin((0, 1), 1)
    return kind(BankGeometry(ROWS, 1, 1), policy=policy, participants=(0, 1), atomics=atomics)


class AtomicBankSpec(Elaboratable):
    """What is granted happens at once, in the order of grants: a read returns what all writes
    granted before it have left, and a computation starts from just that. An exchange writes three
    cycles after its grant, if it is confirmed then; nothing is granted that would miss it.
    """

    def __init__(self, dut: AtomicBank) -> None:
        self.dut = dut
        self.inputs = [
            dut.read_request,
            dut.write_request,
            dut.rows,
            dut.write_ops,
            dut.write_beats,
            dut.write_enable,
            dut.exchanges,
            dut.write_confirm,
        ]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut

        # Contents after every write granted before the last cycle: its data come one cycle late.
        shadow = [Signal(8, name=f"shadow_{row}", reset_less=True) for row in range(ROWS)]
        written = Signal(2)
        row, read_row, was_read = Signal(), Signal(), Signal()
        computes = Signal(2)
        m.d.sync += computes.eq(dut.read_grant & dut.write_grant)
        m.d.sync += [written.eq(dut.write_grant), was_read.eq(dut.read_grant.any())]
        # The exchange whose confirmation is awaited, and whether it comes in this cycle.
        exchanges, waits, ends = Signal(2), Signal(), Signal()
        swap_row, swap_value, swap_enable, asker = Signal(), Signal(8), Signal(), Signal()
        m.d.sync += [
            exchanges.eq(dut.write_grant & dut.exchanges),
            waits.eq(exchanges.any()),
            ends.eq(waits),
        ]
        swaps = Signal()
        confirmed = Mux(asker, dut.write_confirm[1], dut.write_confirm[0])
        m.d.comb += swaps.eq(ends & swap_enable & confirmed)
        with m.If(swaps):
            m.d.sync += Array(shadow)[swap_row].eq(swap_value)

        def now(at):
            """Contents with what is written in this cycle."""
            return Mux(swaps & (swap_row == at), swap_value, Array(shadow)[at])

        for i in range(2):
            wants_both = dut.read_request[i] & dut.write_request[i]
            m.d.comb += Assume(~dut.exchanges[i] | wants_both)
            with m.If(dut.write_grant[i]):
                m.d.sync += row.eq(dut.rows[i])
            with m.If(dut.read_grant[i]):
                m.d.sync += read_row.eq(dut.rows[i])
            op = dut.write_ops.word_select(i, OP_BITS)
            value = dut.write_beats.word_select(i, 8)
            before = now(row)
            after = Signal(8, name=f"after_{i}")
            m.d.comb += after.eq(value)
            with m.If(op == AtomicRmwKind.ADD.value):
                m.d.comb += after.eq(before + value)
            # Who has not read only stores.
            m.d.comb += Assume((op == STORE) | computes[i])
            m.d.comb += Assume((op == STORE) | ((op == AtomicRmwKind.ADD.value) & ~exchanges[i]))
            # In a reset, what has not met its beat yet is forgotten.
            with m.If(exchanges[i]):
                m.d.sync += [
                    swap_row.eq(row),
                    swap_value.eq(value),
                    swap_enable.eq(dut.write_enable[i]),
                    asker.eq(i),
                ]
            with m.Elif(written[i] & dut.write_enable[i] & ~ResetSignal()):
                m.d.sync += Array(shadow)[row].eq(after)

        # What makes the induction close: the storage is behind by the write on its way.
        for at in range(ROWS):
            probe = dut.mem.read_port(domain="comb")
            coming = dut.writing_enable[0] & (dut.writing_row == at)
            m.d.comb += [
                probe.addr.eq(at),
                Assert(Mux(coming, dut.writing_beat, probe.data) == now(at)),
            ]

        # What a read must return, when it is shown.
        expected_beat, shows = Signal(8), Signal()
        m.d.sync += [expected_beat.eq(now(read_row)), shows.eq(was_read)]
        with m.If(shows):
            m.d.comb += Assert(dut.read_beat == expected_beat)
        return m


@pytest.mark.proves("read-modify-writes are indivisible")
def test_nothing_comes_between_the_read_and_the_write(tmp_path):
    spec = AtomicBankSpec(bank())
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("read-modify-writes are indivisible")
@pytest.mark.parametrize("kind", [DividedBank, ForgottenLastBank, HastyBank, TrustingBank])
def test_the_proof_rejects_a_bank_that_others_come_between(kind, tmp_path):
    spec = AtomicBankSpec(bank(kind))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
