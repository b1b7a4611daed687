"""Rows make progress in bounded time where their surroundings let them."""

import pytest
from amaranth.hdl import Assert, Assume, Elaboratable, Module, Signal

from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.temporal.row_select import RowSelect
from tests.formal.harness import check, prove
from tests.support.temporal_front_mutants import StickyRowArbiter

pytestmark = pytest.mark.formal

PROGRESS = "bounded progress in a fair environment"


class GrantSpec(Elaboratable):
    """A row that has operands and claims is granted within one turn, if its target has room.

    ``joining`` stays until the row is granted, claims are there, and every target permits. Other
    rows come and go as they like.
    """

    def __init__(self, dut: RowSelect) -> None:
        self.dut = dut
        self.watched = Signal(range(dut.rows))
        self.inputs = [dut.joining, dut.claimable, dut.issued, self.watched]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        was, is_set, waits = Signal.like(self.watched), Signal(), Signal(range(dut.rows + 2))
        has = Signal()
        mine = 1 << self.watched
        m.d.comb += [
            dut.permit_0.eq(1),
            dut.pool.eq(1),
            Assume(self.watched < dut.rows),
            Assume(~is_set | (was == self.watched)),
            Assume((dut.claimable & mine) != 0),
            # In the next cycle a row that was granted has no operands yet.
            Assume(~has | ((dut.joining & mine) != 0)),
            Assert(waits < dut.rows),
        ]
        granted = (dut.grant & mine) != 0
        m.d.sync += [was.eq(self.watched), is_set.eq(1)]
        m.d.sync += has.eq(((dut.joining & mine) != 0) & ~granted)
        m.d.sync += waits.eq(0)
        with m.If(has & ~granted):
            m.d.sync += waits.eq(waits + 1)
        return m


@pytest.mark.proves(PROGRESS)
@pytest.mark.parametrize("rows", [2, 3])
def test_a_row_is_granted_within_one_turn(rows, tmp_path):
    spec = GrantSpec(RowSelect(rows, targets=1, policy=RoundRobin(tuple(range(rows)), 0)))
    prove(spec, spec.inputs, tmp_path, depth=10)


@pytest.mark.rejects(PROGRESS)
def test_the_proof_rejects_a_cursor_that_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.row_select.RowArbiter", StickyRowArbiter)
    spec = GrantSpec(RowSelect(3, targets=1, policy=RoundRobin((0, 1, 2), 0)))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=8)
