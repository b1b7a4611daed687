"""Combinational choice of one requester, by the declared grant policy."""

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.records.resource import GrantPolicy, RoundRobin

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
        if not participants or len(set(participants)) != len(participants):
            raise ValueError(
                f"Arbiter participants must be distinct and not empty, not {participants!r}"
            )
        if policy is None and len(participants) > 1:
            raise ValueError(
                f"Arbiter policy must be declared for {len(participants)} participants, not None"
            )
        if policy is not None and (missing := set(participants) - set(policy.order)):
            raise ValueError(
                f"Arbiter policy must name participants {sorted(missing)}, not only {policy.order}"
            )
        self.policy = policy
        self.participants = participants
        super().__init__({"request": In(len(participants)), "grant": Out(len(participants))})

    def elaborate(self, platform: object) -> Module:
        """Scan in declared order; bits are permuted at the ports only."""
        m = Module()
        if self.policy is None or len(self.participants) == 1:
            m.d.comb += self.grant.eq(self.request)
            return m

        scan = [self.participants.index(i) for i in self.policy.order if i in self.participants]
        request = [self.request[bit] for bit in scan]
        if isinstance(self.policy, RoundRobin):
            init = self._reset_thermometer(self.policy, scan)
            blocked = self._round_robin(m, init, request, [self.grant[bit] for bit in scan])
        else:
            blocked = [any_bit(request[:at]) for at in range(len(scan))]
        for at, bit in enumerate(scan):
            m.d.comb += self.grant[bit].eq(request[at] & ~blocked[at])
        return m

    def _round_robin(
        self, m: Module, init: int, request: list[Value], grant: list[Value]
    ) -> list[Value]:
        """Who is blocked by an earlier request, seen from the cursor.

        The cursor is kept as a thermometer: bit ``p`` says that position ``p`` is not before it.
        So every comparison of positions is one bit, and the next cursor an or of grants.
        """
        last = len(request) - 1
        ahead = Signal(last, init=init, name="ahead")  # the last position is never before it
        first_turn = [request[p] & ahead[p] for p in range(last)] + request[last:]

        moved = Cat(grant[last] | any_bit(grant[:p]) for p in range(last))
        with m.If(any_bit(request)):
            m.d.sync += ahead.eq(moved)

        blocked = [any_bit(first_turn[:p]) for p in range(last + 1)]
        for p in range(last):
            blocked[p] |= ~ahead[p] & any_bit(request[:p] + first_turn[p + 1 :])
        return blocked

    def _reset_thermometer(self, policy: RoundRobin, scan: list[int]) -> int:
        """Cursor at reset: the declared requester, or the next one in order that takes part."""
        start = policy.order.index(policy.reset_cursor)
        turn = policy.order[start:] + policy.order[:start]
        first = next(ordinal for ordinal in turn if ordinal in self.participants)
        position = scan.index(self.participants.index(first))
        return sum(1 << p for p in range(len(scan) - 1) if p >= position)


def any_bit(bits: list[Value]) -> Value:
    """Or of single bits; constant zero for none."""
    return Cat(bits).any() if bits else Const(0, 1)
