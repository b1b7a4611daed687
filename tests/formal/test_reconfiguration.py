"""A commit disturbs no row that it does not affect, and changes none that has something inside."""

import pytest
from amaranth.hdl import Assert, Assume, Cat, Const, Elaboratable, Module, Mux, Signal

from fabricgen.rtl.commit_sequencer import CommitSequencer
from fabricgen.rtl.temporal.claims import RowClaims
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from tests.formal.environment import inputs_of, is_answered
from tests.formal.harness import check, prove
from tests.formal.test_temporal_front import FRONT_END, FrontEndSpec
from tests.formal.test_temporal_publication import small_engine
from tests.support.reconfiguration_mutants import (
    BoundlessClaims,
    BriefSequencer,
    ClosingFrontEnd,
    DeafFrontEnd,
    HastySequencer,
    HoldingNone,
    OpenFrontEnd,
    StoppingFrontEnd,
)

pytestmark = pytest.mark.formal

UNDISTURBED = "a reconfiguration disturbs no row that it does not affect"
EMPTY = "a row changes only while it is closed and has nothing inside"
DRAINS = "a row that drains begins no firing and ends those that it has begun"


class CommitSpec(Elaboratable):
    """What a commit changes was closed one cycle before, and stays so for two cycles after."""

    def __init__(self, dut: CommitSequencer) -> None:
        self.dut = dut
        self.inputs = [dut.request, dut.permitted, dut.affected, dut.quiescent]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        # A request stays until it is done.
        asked, is_asked = Signal(), Signal()
        wanted = Signal.like(dut.affected)
        swapped = Signal(2)
        holds = Signal.like(dut.hold_rows)
        m.d.sync += [
            is_asked.eq(dut.request & ~dut.done),
            asked.eq(dut.request & dut.permitted & ~dut.done),
            wanted.eq(dut.affected),
            swapped.eq(Cat(dut.swap, swapped)),
            holds.eq(dut.hold_rows),
        ]
        m.d.comb += [
            Assume(~is_asked | dut.request),
            # What was made active is to be written anew.
            Assume(~(swapped.any() & dut.permitted)),
            # Closed, asked, and only what the change affects.
            Assert(~dut.swap | (asked & dut.hold & dut.quiescent)),
            Assert(~asked | (dut.hold & (dut.hold_rows == wanted))),
            Assert(dut.hold | (dut.hold_rows == 0)),
            # What was closed stays so while the change is decoded.
            Assert(~swapped.any() | (dut.hold & (dut.hold_rows == holds))),
            # It is open in every other cycle.
            Assert(dut.hold == (asked | swapped.any())),
            # A refused commit changes nothing, and every commit ends at once.
            Assert(~dut.request | ~dut.done | (dut.success == dut.swap)),
            Assert(~asked | dut.done),
        ]
        return m


@pytest.mark.proves(EMPTY)
def test_a_commit_closes_asks_changes_and_opens_again(tmp_path):
    spec = CommitSpec(CommitSequencer(2))
    prove(spec, spec.inputs, tmp_path, depth=6)


@pytest.mark.rejects(EMPTY)
@pytest.mark.parametrize("mutant", [HoldingNone, BriefSequencer, HastySequencer])
def test_the_proof_rejects_a_wrong_sequence(mutant, tmp_path):
    spec = CommitSpec(mutant(2))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=6)


@pytest.mark.proves(UNDISTURBED, DRAINS)
def test_rows_that_change_behind_their_hold_take_nothing_from_the_others(tmp_path):
    spec = FrontEndSpec(RowFrontEnd(FRONT_END))
    check(spec, spec.inputs, tmp_path, depth=7)


@pytest.mark.rejects(UNDISTURBED)
@pytest.mark.parametrize("mutant", [OpenFrontEnd, StoppingFrontEnd])
def test_the_proof_rejects_a_front_end_that_holds_too_little_or_too_much(mutant, tmp_path):
    spec = FrontEndSpec(mutant(FRONT_END))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=4)


@pytest.mark.rejects(DRAINS)
@pytest.mark.parametrize("mutant", [ClosingFrontEnd, DeafFrontEnd])
def test_the_proof_rejects_a_front_end_that_drains_too_little_or_too_much(mutant, tmp_path):
    spec = FrontEndSpec(mutant(FRONT_END))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=5)


class TwinSpec(Elaboratable):
    """Two engines see the same tokens of row 1; in one of them row 0 is reprogrammed at will.

    Row 0 has no tokens, and no connection with row 1. Whatever it is made behind its hold, both
    engines show the same at every endpoint and to the target.
    """

    def __init__(self, quiet, busy) -> None:
        self.quiet, self.busy = quiet, busy
        self.inputs = [*inputs_of(quiet), busy.configuration, busy.hold]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.quiet, m.submodules.busy = self.quiet, self.busy
        self._share(m)
        self._rows(m)
        asserted = [
            getattr(self.quiet, name).ready == getattr(self.busy, name).ready
            for name in ("ingress_0", "ingress_1")
        ]
        for name in ("egress_2", "egress_3"):
            here, there = getattr(self.quiet, name), getattr(self.busy, name)
            asserted.append(here.valid == there.valid)
            shown = [getattr(end, "data", Const(0, 1)) for end in (here, there)]
            asserted.append(~here.valid | ((here.tag == there.tag) & (shown[0] == shown[1])))
        here, there = self.quiet.request_0_0, self.busy.request_0_0
        asserted.append(here.valid == there.valid)
        for name in ("slot", "address", "lanes"):
            if hasattr(here, name):
                asserted.append(~here.valid | (getattr(here, name) == getattr(there, name)))
        m.d.comb += [Assert(each) for each in asserted]
        return m

    def _share(self, m: Module) -> None:
        """The same environment for both; answers follow requests."""
        kept = ("configuration", "following", "pending", "hold")
        names = {id(getattr(self.quiet, name)) for name in kept}
        for here, there in zip(inputs_of(self.quiet), inputs_of(self.busy), strict=True):
            if id(here) not in names:
                m.d.comb += there.eq(here)
        is_answered(m, self.quiet.request_0_0)

    def _rows(self, m: Module) -> None:
        """Row 1 stays; row 0 is unused in one engine, and changes behind its hold in the other."""
        layout, quiet, busy = self.quiet.table.layout, self.quiet, self.busy

        def field(carrier, row, name):
            at = layout.rows[row][name]
            return carrier[at.offset : at.offset + at.width]

        first, last = layout.rows[1]["valid"].offset, layout.width
        low = layout.rows[0]["valid"].offset
        was, is_set = Signal.like(busy.configuration), Signal()
        held = Signal()
        m.d.sync += [was.eq(busy.configuration), is_set.eq(1), held.eq(busy.hold[0])]
        changed = is_set & (was != busy.configuration)
        settling = Signal()
        m.d.sync += settling.eq(changed)
        m.d.comb += [
            Assume(quiet.hold == 0),
            Assume(~busy.hold[1]),
            Assume(quiet.drain == 0),
            Assume(quiet.configuration[first:last] == busy.configuration[first:last]),
            Assume(quiet.configuration[0] & busy.configuration[0]),
            Assume(quiet.configuration[low:first] == 0),
            Assume(~is_set | (was[first:last] == busy.configuration[first:last])),
            # A change is closed in the cycle before it, with it, and while it is decoded.
            Assume(~changed | (held & busy.hold[0])),
            Assume(~settling | busy.hold[0]),
        ]
        for role, end in (("address", 0), ("control", 1)):
            tags = [field(busy.configuration, row, f"source_tag_{role}") for row in range(2)]
            channel = getattr(quiet, f"ingress_{end}")
            m.d.comb += [
                Assume(channel.tag == tags[1]),
                Assume(busy.hold[0] | (tags[0] != tags[1])),
            ]
        for name in ("source_address", "forward_data_0"):
            m.d.comb += Assume(field(busy.configuration, 0, name) == 0)


@pytest.mark.proves(UNDISTURBED)
def test_an_engine_shows_the_same_whatever_becomes_of_another_row(tmp_path):
    spec = TwinSpec(small_engine(), small_engine())
    check(spec, spec.inputs, tmp_path, depth=9)


@pytest.mark.rejects(UNDISTURBED)
def test_the_twins_differ_where_every_row_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.port.RowFrontEnd", StoppingFrontEnd)
    spec = TwinSpec(small_engine(), small_engine())
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=5)


class ReserveSpec(Elaboratable):
    """Claims stay below their total while rows become Active and others have firings.

    Rows may change where they have none, if they were counted before, and the reserve fits.
    """

    def __init__(self, dut: RowClaims) -> None:
        self.dut = dut
        self.active = Signal(dut.rows)
        self.coming = Signal(range(dut.rows + 1))
        self.inputs = [self.active, self.coming, dut.issue, dut.head_row, dut.retire]
        self.inputs += [dut.complete_valid_0, dut.complete_slot_0]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        rows = range(dut.rows)
        count = sum(self.active, Const(0, 1))
        m.d.sync += [dut.active_rows.eq(count), dut.coming_rows.eq(self.coming)]
        counted = Mux(dut.coming_rows > dut.active_rows, dut.coming_rows, dut.active_rows)
        m.d.comb += Assume(count <= dut.total)

        firings = [Signal(range(dut.depth + 2), name=f"firings_{row}") for row in rows]
        was, may, limit = Signal.like(self.active), Signal(), Signal.like(dut.active_rows)
        quiet = Signal(dut.rows)
        m.d.sync += [
            was.eq(self.active),
            may.eq(dut.fits),
            limit.eq(counted),
            quiet.eq(Cat((each == 0) & ~dut.issue[row] for row, each in enumerate(firings))),
        ]
        changed = self.active ^ was
        m.d.comb += [
            # The carrier that follows is known before and with the change.
            Assume((changed == 0) | (may & (count <= limit) & (count <= counted))),
            Assume((changed & ~quiet) == 0),
            Assume((dut.issue & (dut.issue - 1)) == 0),
            Assume((dut.issue & ~(dut.available & self.active & ~changed)) == 0),
            Assume(dut.head_row < dut.rows),
        ]
        m.d.sync += dut.capture.eq(dut.issue)
        m.d.comb += [
            dut.head.eq(Const(1, dut.rows) << dut.head_row),
            dut.further.eq((dut.issue & dut.issued).any()),
            dut.beside.eq((dut.issue & dut.issued & ~dut.leaving).any()),
        ]
        for row, each in enumerate(firings):
            retires = dut.retire & (dut.head_row == row)
            m.d.comb += Assume(~retires | (each != 0))
            m.d.sync += each.eq(each + dut.issue[row] - retires)
            with m.If(dut.issue[row]):
                m.d.sync += dut.capture_row.eq(row)
        idle = sum(
            (self.active[row] & (each == 0) for row, each in enumerate(firings)), Const(0, 1)
        )
        m.d.comb += Assert(sum(firings, Const(0, 1)) + idle <= dut.total)
        return m


@pytest.mark.proves("claims are conserved")
def test_rows_that_become_active_find_their_claims(tmp_path):
    spec = ReserveSpec(RowClaims(3, depth=2, total=4, completions=1))
    check(spec, spec.inputs, tmp_path, depth=8)


@pytest.mark.rejects("claims are conserved")
def test_the_proof_rejects_rows_that_become_active_at_any_time(tmp_path):
    spec = ReserveSpec(BoundlessClaims(3, depth=2, total=4, completions=1))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=8)
