"""Designs that hang or starve somebody, firings that end or begin too soon, and wrong results."""

from amaranth.hdl import Const, Module, Mux, Signal, Value

from fabricgen.rtl.result_ring import ResultRing
from fabricgen.rtl.result_store import ResultStore
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.rtl.temporal.port import TemporalPort
from fabricgen.rtl.temporal.row_table import RowTable
from fabricgen.vocab.dataflow import ServiceValueRole


class LosingRing(ResultRing):
    """Does not hear of a completion beside an issue."""

    def elaborate(self, platform: object) -> Module:
        complete, self.complete = self.complete, Signal(name="heard")
        m = super().elaborate(platform)
        m.d.comb += self.complete.eq(complete & ~self.issue)
        self.complete = complete
        return m


class LingeringRing(ResultRing):
    """Keeps the last result until another firing comes."""

    def elaborate(self, platform: object) -> Module:
        candidate, self.candidate = self.candidate, Signal(name="oldest")
        m = super().elaborate(platform)
        inside = Signal(range(self.slots + 1))
        m.d.sync += inside.eq(inside + self.issue - self.retire)
        m.d.comb += candidate.eq(self.candidate & (inside > 1))
        self.candidate = candidate
        return m


class HastyRing(ResultRing):
    """Takes the issue of a firing for its completion."""

    def elaborate(self, platform: object) -> Module:
        complete, self.issue_complete = self.issue_complete, Const(1, 1)
        m = super().elaborate(platform)
        self.issue_complete = complete
        return m


class HastyTemporalPort(TemporalPort):
    """Takes the issue of a firing for its completion."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += self.complete.eq(self.issued)
        return m


class HeedlessPort(SpatialPort):
    """Does not wait for a control token."""

    def _is_needed(self, role):
        return Const(0, 1) if role is ServiceValueRole.CONTROL else super()._is_needed(role)


class HeedlessTemporalPort(TemporalPort):
    """Does not wait for a control token."""

    def _issue(self, m, front, claims):
        super()._issue(m, front, claims)
        roles = [path.role for path in self.shape.port.inputs]
        at = roles.index(ServiceValueRole.CONTROL)
        m.d.comb += getattr(front, f"needed_{at}").eq(0)


class SelfishTemporalPort(TemporalPort):
    """Issues nothing while some oldest firing waits for its destinations."""

    def _results(self, m, front, claims, lanes):
        super()._results(m, front, claims, lanes)
        has_room = m.submodules.holding_0.permit
        m.d.comb += front.permit_0.eq(has_room & ~self.complete.any())


class LosingTemporalPort(TemporalPort):
    """Does not hear of a completion beside a grant."""

    def _results(self, m, front, claims, lanes):
        super()._results(m, front, claims, lanes)
        request = self.request_0
        ends = request.rsp_valid & request.rsp_done & ~front.grant.any()
        m.d.comb += claims.complete_valid_0.eq(ends)


class OneSuccessStore(ResultStore):
    """Keeps the last comparison of each lane, whichever firing it is of."""

    def _successes(self, m: Module) -> Value:
        tested = Mux(self.arrive, self.tested, 0)
        held = Signal(self.lanes, name="last_successes")
        for lane in range(self.lanes):
            with m.If(tested[lane]):
                m.d.sync += held[lane].eq(self.success[lane])
        return held


class FirstLaneStore(ResultStore):
    """Takes a comparison for that of every lane."""

    def _successes(self, m: Module) -> Value:
        tested, self.tested = self.tested, Const(-1, self.lanes)
        successes = super()._successes(m)
        self.tested = tested
        return successes


class EmptyRing(ResultRing):
    """Says of itself that it has no firing."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += self.empty.eq(1)
        return m


class PlainTable(RowTable):
    """Knows of no volatile row."""

    def _row(self, row: int, port: int) -> dict[str, Value]:
        return super()._row(row, port) | {"single": Const(0, 1)}
