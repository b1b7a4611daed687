"""Wrong parts of a Temporal engine, one mistake each."""

from amaranth.hdl import Module, Mux, Signal

from fabricgen.records.resource import FixedPriority
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.publisher import Publisher
from fabricgen.rtl.temporal.row_arbiter import RowArbiter


class EagerPublisher(Publisher):
    """Gives each destination its part as soon as it is ready, and commits with the last."""

    def _commit(self, m: Module, selected: Signal) -> None:
        m.d.comb += [
            self.refusing.eq(selected & ~self.ready),
            self.retire.eq(self.candidate & ~self.refusing.any()),
            self.fire.eq(Mux(self.candidate, selected & self.ready, 0)),
        ]


class OfferingPublisher(Publisher):
    """Offers before all destinations are ready."""

    def _commit(self, m: Module, selected: Signal) -> None:
        m.d.comb += [
            self.refusing.eq(selected & ~self.ready),
            self.retire.eq(self.candidate & ~self.refusing.any()),
            self.fire.eq(Mux(self.candidate, selected, 0)),
        ]


class StubbornPublisher(Publisher):
    """Stays at a row until it is published."""

    def _asked(self):
        return super()._asked() & (self.retire | ~self.candidate).replicate(self.rows)


class ImpatientPublisher(Publisher):
    """Calls the first refused cycle a whole hold."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += self.unpublished.eq(self.candidate & self.refusing.any())
        return m


class RepeatingPublisher(Publisher):
    """Goes back to the first complete row instead of on to the next."""

    def elaborate(self, platform: object) -> Module:
        self.arbiter = RowArbiter(
            FixedPriority(tuple(range(self.rows))), self.rows, word_bits=self.arbiter.word_bits
        )
        return super().elaborate(platform)


class LoopingPublisher(Publisher):
    """Waits for itself: a destination counts as ready where another one fires."""

    def _commit(self, m: Module, selected: Signal) -> None:
        super()._commit(m, selected)
        m.d.comb += self.refusing.eq(
            selected & ~self.ready & ~self.fire.any().replicate(len(selected))
        )


class RefillingFrontEnd(RowFrontEnd):
    """Accepts a token for any row in the cycle in which some row is granted."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        for end, _ in self.shape.ingress_widths:
            channel = getattr(self, f"ingress_{end}")
            accepting = Signal(name=f"accepting_{end}")
            m.d.comb += accepting.eq(getattr(self, f"hit_{end}") & self.grant.any())
            m.d.comb += channel.ready.eq(accepting)
        return m


class StalePublisher(Publisher):
    """Shows what belongs to the row before the one that it points at."""

    def _shown(self, row, passed):
        return super()._shown(max(row - 1, 0), passed)


class StayingPublisher(Publisher):
    """Shows the firing again that it has published."""

    def _go_on(self, m: Module) -> None:
        pass
