"""Wrong parts of a Temporal engine, one mistake each."""

from amaranth.hdl import Module, Mux, Signal, Value

from fabricgen.rtl.temporal.publisher import Publisher


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

    def _others(self, m: Module) -> tuple[Value, Value]:
        others, following = super()._others(m)
        stands = self.candidate & ~self.retire
        return others & ~stands, following


class ImpatientPublisher(Publisher):
    """Calls the first refused cycle a whole hold."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += self.unpublished.eq(self.candidate & self.refusing.any())
        return m


class RepeatingPublisher(Publisher):
    """Goes back to the first complete row instead of on to the next."""

    def _others(self, m: Module) -> tuple[Value, Value]:
        others, _ = super()._others(m)
        first = Signal.like(self.row)
        for row in reversed(range(self.rows)):
            with m.If(self.complete[row]):
                m.d.comb += first.eq(row)
        return others, first
