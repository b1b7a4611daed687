"""Wrong parts in front of dispatch of a Temporal port, one mistake each."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Signal, Value

from fabricgen.rtl.logic import one_hot
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.temporal.claims import RowClaims
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.holding import Holding
from fabricgen.rtl.temporal.row_arbiter import RowArbiter


class ReopeningFrontEnd(RowFrontEnd):
    """Accepts into a slot in the cycle in which it is emptied."""

    def _ingress(self, m, at, full, arriving):
        super()._ingress(m, at, [here & ~self.grant for here in full], arriving)


class DoublingFrontEnd(RowFrontEnd):
    """Never empties the slots of the first role."""

    def _slots(self, m, full, arriving):
        joining = super()._slots(m, full, arriving)
        m.d.sync += full[0].eq(full[0] | reduce(or_, arriving[0]))
        return joining


class HastyFrontEnd(RowFrontEnd):
    """Does not wait for any role but the first."""

    def _slots(self, m, full, arriving):
        return super()._slots(m, full, arriving) | full[0]


class OverwritingFrontEnd(RowFrontEnd):
    """Stores the payload of a token that it does not take."""

    def _payload(self, m, role, at, accept, hit):
        super()._payload(m, role, at, getattr(self, f"ingress_{at}").valid & hit.any(), hit)


class TransparentFrontEnd(RowFrontEnd):
    """Is ready only where a token stands."""

    def _ingress(self, m, at, full, arriving):
        super()._ingress(m, at, full, arriving)
        channel = getattr(self, f"ingress_{at}")
        m.d.comb += channel.ready.eq(channel.valid)


class _Wrapped(RowArbiter):
    """A right arbiter around which a mutant can change what it hears."""

    def _heard(self) -> Value:
        return self.commit

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.inner = inner = RowArbiter(self.policy, self.rows, word_bits=self.word_bits)
        if self.word_bits:
            names = [f"word_{row}" for row in range(self.rows)]
            m.d.comb += [getattr(inner, name).eq(getattr(self, name)) for name in names]
            m.d.comb += self.word.eq(inner.word)
        m.d.comb += [
            inner.request.eq(self.request),
            self.choice.eq(inner.choice),
            inner.commit.eq(self._heard()),
        ]
        return m


class HastyRowArbiter(_Wrapped):
    """The cursor moves past a choice that is refused."""

    def _heard(self):
        return self.request.any()


class StickyRowArbiter(_Wrapped):
    """The cursor never moves."""

    def _heard(self):
        return Value.cast(0)


class GreedyClaims(RowClaims):
    """A row may take what another one needs for its first firing."""

    def _share(self, m, further):
        m.d.comb += [self.fits.eq(1), self.pool.eq(1)]


class ForgetfulClaims(RowClaims):
    """A slot of the pool that is returned in a cycle in which one is taken is lost."""

    def _share(self, m, further):
        super()._share(m, further & ~self.further)


class EvenClaims(RowClaims):
    """Every row may have as many firings as the row that may have the most."""

    def __init__(self, rows, **sizes):
        limits = sizes.pop("limits")
        super().__init__(rows, **sizes)
        self.limits = limits


class OvertakingClaims(RowClaims):
    """Takes whatever completes in a row for its oldest firing."""

    def _hits(self, row, completion):
        hit = reduce(or_, super()._hits(row, completion))
        return [hit & here for here in one_hot(self.heads[row].place, self.depth)]


class OptimisticHolding(Holding):
    """Forgets the firing that is on its way."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += self.permit.eq(self.o.ready | m.submodules.queue.i.ready)
        return m


class TimidHolding(Holding):
    """Does not look at what the target takes."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        coming = Signal()
        queue: OperandQueue = m.submodules.queue
        m.d.sync += coming.eq(self.select)
        m.d.comb += self.permit.eq(queue.i.ready & ~(coming & queue.o.valid))
        return m
