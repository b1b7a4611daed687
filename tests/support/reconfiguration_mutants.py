"""Wrong parts of a commit, one mistake each."""

from amaranth.hdl import Const, Module, Mux, Signal

from fabricgen.rtl.commit_sequencer import CommitSequencer
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.rtl.temporal.claims import RowClaims
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.port import TemporalPort
from fabricgen.rtl.temporal.row_changes import RowChanges


class _Wrapped(CommitSequencer):
    """A right sequencer whose holds are replaced."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.inner = inner = CommitSequencer(self.rows)
        m.d.comb += [
            inner.request.eq(self.request),
            inner.permitted.eq(self.permitted),
            inner.affected.eq(self.affected),
            inner.quiescent.eq(self.quiescent),
            self.hold.eq(inner.hold),
            self.done.eq(inner.done),
            self.success.eq(inner.success),
            self.swap.eq(inner.swap),
        ]
        self._hold(m, inner)
        return m

    def _hold(self, m: Module, inner: CommitSequencer) -> None:
        m.d.comb += self.hold_rows.eq(inner.hold_rows)


class HoldingNone(_Wrapped):
    """Decides on the rows without closing them: none is held, so none is asked."""

    def _hold(self, m, inner):
        m.d.comb += self.hold_rows.eq(0)


class OpenFrontEnd(RowFrontEnd):
    """Takes tokens for rows that are held."""

    def _closes(self, some):
        return self.drain & ~some


class StoppingFrontEnd(RowFrontEnd):
    """Stops every row for the change of one."""

    def _closes(self, some):
        return self.hold.any().replicate(self.shape.rows) | (self.drain & ~some)


class ClosingFrontEnd(RowFrontEnd):
    """A row that drains does not get what its last firing lacks."""

    def _closes(self, some):
        return self.hold | self.drain


class DeafFrontEnd(RowFrontEnd):
    """A row that drains begins its next firing like any other."""

    def _closes(self, some):
        return self.hold


class DeafPort(SpatialPort):
    """Takes operands while it drains like ever."""

    def elaborate(self, platform):
        drain, self.drain = self.drain, Const(0, 1)
        m = super().elaborate(platform)
        self.drain = drain
        return m


class BlindRowChanges(RowChanges):
    """Forgets the rows at the other ends of connections."""

    def _beside(self, m, changed):
        return []


class BriefSequencer(_Wrapped):
    """Opens the rows in the cycle after the change."""

    def _hold(self, m, inner):
        swapped = Signal()
        m.d.sync += swapped.eq(inner.swap)
        m.d.comb += self.hold_rows.eq(Mux(swapped, 0, inner.hold_rows))


class HastySequencer(_Wrapped):
    """Closes for the first rows that were ever affected."""

    def _hold(self, m, inner):
        first, seen = Signal(self.rows), Signal()
        with m.If(inner.request & ~seen):
            m.d.sync += [first.eq(inner.affected), seen.eq(1)]
        m.d.comb += self.hold_rows.eq(Mux(inner.hold, first, 0))


class BoundlessClaims(RowClaims):
    """Rows may become Active whatever others have claimed."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.fits.eq(1)
        return m


class IdlePort(TemporalPort):
    """Is not busy with firings that are in flight."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.busy.eq(self.present_address | self.present_control)
        return m


class TokenlessPort(TemporalPort):
    """Is not busy with tokens that wait for others."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.busy.eq(self.issued)
        return m


class EmptyRingPort(SpatialPort):
    """Is empty where no operand waits."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        queues = [m.submodules.address_queue, m.submodules.control_queue]
        m.d.comb += self.empty.eq(queues[0].empty & queues[1].empty)
        return m
