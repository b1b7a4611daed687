"""Combinational choice of one requester, by the declared grant policy."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.records.resource import GrantPolicy
from fabricgen.rtl.scan import Scan

__all__ = ["Arbiter"]


class Arbiter(wiring.Component):
    """Grant one of the requests of this cycle, in this cycle.

    At most one bit of ``grant`` is set, and exactly one whenever a request is. Round robin scans
    the declared order from a cursor; the cursor moves past the requester that was granted and
    stays where it is while nothing is (reference: Grant policy). Reset restores the declared
    cursor. No latency; the cursor is the only state.

    Parameters
    ----------
    policy
        Declared policy over the owner's requester ordinals, or None where nothing contends.
    participants
        Ordinals of the owner's requesters that can ask here, in the order of the ports' bits.

    Members
    -------
    request : In(len(participants))
        A grant given in a cycle must be used in that cycle.
    grant : Out(len(participants))
        One-hot.
    """

    request: Signal
    grant: Signal

    def __init__(self, policy: GrantPolicy | None, participants: tuple[int, ...]) -> None:
        self.scan = Scan(policy, participants)
        self.participants = participants
        super().__init__({"request": In(len(participants)), "grant": Out(len(participants))})

    def elaborate(self, platform: object) -> Module:
        """Every request is blocked by the earlier ones; the cursor follows the grant."""
        m = Module()
        bits = range(len(self.participants))
        for bit in bits:
            blocked = self.scan.blocked([self.request[other] for other in bits], bit)
            m.d.comb += self.grant[bit].eq(self.request[bit] & ~blocked)
        self.scan.advance(m, [self.grant[bit] for bit in bits])
        return m
