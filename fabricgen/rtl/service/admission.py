"""Admission of requests where the declared capacities can bind."""

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.records.resource import GrantPolicy
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.scan import Scan

__all__ = ["PIPELINE_REQUESTS", "Admission"]

#: Requests of one requester that can be in the service at once: one asking, one answering.
PIPELINE_REQUESTS = 2


class Admission(wiring.Component):
    """Let a request in while its queue and the service's ``Outstanding`` have a unit free.

    A unit is taken in the first cycle in which a request may be served and returned with its
    last answer, to be taken again from the next cycle. While several requesters want the last
    units, the grant policy chooses; it is applied once per free unit, so the cursor ends behind
    the last one chosen. Logic exists only for capacities below what the pipeline can hold.

    Combinational from ``valid`` to ``admit``. Reset empties every queue.

    Parameters
    ----------
    policy
        Grant policy over the requesters.
    queues
        Units of each requester's queue.
    outstanding
        Units that all requesters share.

    Members
    -------
    valid, done : In(requesters)
        A request is offered; its last part is served in this cycle.
    admit : Out(requesters)
        It may be served in this cycle.
    """

    valid: Signal
    done: Signal
    admit: Signal

    def __init__(
        self, policy: GrantPolicy | None, *, queues: tuple[int, ...], outstanding: int
    ) -> None:
        for queue in queues:
            if queue < 1:
                raise ValueError(f"Admission queue must be at least 1, not {queue!r}")
        if outstanding < 1:
            raise ValueError(f"Admission outstanding must be at least 1, not {outstanding!r}")
        self.queues = queues
        self.outstanding = outstanding
        most = sum(min(queue, PIPELINE_REQUESTS) for queue in queues)
        everybody = tuple(range(len(queues)))
        self.scan = Scan(policy, everybody) if outstanding < most else None
        count = len(queues)
        super().__init__({"valid": In(count), "done": In(count), "admit": Out(count)})

    def elaborate(self, platform: object) -> Module:
        """Close what is full; share what is short."""
        m = Module()
        answering = Signal(len(self.queues))
        open_queue = [
            ~answering[i] if queue < PIPELINE_REQUESTS else Const(1, 1)
            for i, queue in enumerate(self.queues)
        ]
        if self.scan is not None:
            self._share(m, self.scan, open_queue, answering)
        else:
            m.d.comb += self.admit.eq(Cat(*open_queue))
        if self.scan is not None or min(self.queues) < PIPELINE_REQUESTS:
            m.d.sync += answering.eq(self.done)
        return m

    def _share(self, m: Module, scan: Scan, open_queue: list[Value], answering: Signal) -> None:
        """Give the free units to those who ask, in the order of the scan."""
        requesters = range(len(self.queues))
        # What was admitted in the last cycle is asking still or answering now: it holds a unit.
        holding = Signal(len(self.queues))
        m.d.sync += holding.eq(self.valid & self.admit)
        inside = holding & ~answering
        free = Signal(range(self.outstanding + 1))
        m.d.comb += free.eq(self.outstanding - sum(holding[i] for i in requesters))

        asking = [self.valid[i] & ~inside[i] & open_queue[i] for i in requesters]
        chosen: list[Value] = []
        for i in requesters:
            before = sum(
                (asking[j] & scan.earlier(j, i) for j in requesters if j != i), Const(0, 1)
            )
            enters = Signal(name=f"enters_{i}")
            m.d.comb += [
                enters.eq(asking[i] & (before < free)),
                self.admit[i].eq(inside[i] | enters),
            ]
            chosen.append(enters)
        later = [
            any_bit(chosen[j] & scan.earlier(i, j) for j in requesters if j != i)
            for i in requesters
        ]
        scan.advance(m, [chosen[i] & ~later[i] for i in requesters])
