"""The order in which a grant policy looks at requesters, as hardware."""

from amaranth.hdl import Cat, Const, Module, Signal, Value

from fabricgen.records.resource import GrantPolicy, RoundRobin
from fabricgen.rtl.logic import any_bit

__all__ = ["Scan"]


class Scan:
    """Who comes before whom in this cycle.

    A round-robin cursor is kept as a thermometer over the positions of the declared order: bit
    ``p`` says that position ``p`` is not before the cursor, the last position never is. So a
    comparison of positions takes two bits, and the next cursor is an or of grants.

    Parameters
    ----------
    policy
        Declared policy over the owner's requester ordinals, or None where nothing contends.
    participants
        Ordinals of the owner's requesters that can ask here; their places number the bits.
    """

    def __init__(self, policy: GrantPolicy | None, participants: tuple[int, ...]) -> None:
        if not participants or len(set(participants)) != len(participants):
            raise ValueError(f"Participants must be distinct and not empty, not {participants!r}")
        if policy is None and len(participants) > 1:
            raise ValueError(
                f"Grant policy must be declared for {len(participants)} participants, not None"
            )
        order = participants if policy is None else policy.order
        if missing := set(participants) - set(order):
            raise ValueError(
                f"Grant policy must name participants {sorted(missing)}, not only {order}"
            )
        self.positions = [participants.index(i) for i in order if i in participants]
        self._place = {bit: position for position, bit in enumerate(self.positions)}
        self._last = len(participants) - 1
        self._ahead: Signal | None = None
        if isinstance(policy, RoundRobin) and self._last:
            start = policy.order.index(policy.reset_cursor)
            turn = policy.order[start:] + policy.order[:start]
            first = next(ordinal for ordinal in turn if ordinal in participants)
            position = self._place[participants.index(first)]
            init = sum(1 << p for p in range(position, self._last))
            self._ahead = Signal(self._last, init=init, name="ahead")

    def earlier(self, one: int, other: int) -> Value:
        """Bit ``one`` is looked at before bit ``other``."""
        first, second = self._place[one], self._place[other]
        if self._ahead is None:
            return Const(first < second, 1)
        if first < second:
            return self.not_before(first) | ~self.not_before(second)
        return self.not_before(first) & ~self.not_before(second)

    def advance(self, m: Module, last: list[Value]) -> None:
        """Move the cursor past the bit that was granted last in this cycle, if any was."""
        if self._ahead is None:
            return
        granted = [last[bit] for bit in self.positions]
        moved = [granted[-1] | any_bit(granted[:p]) for p in range(self._last)]
        with m.If(any_bit(last)):
            m.d.sync += self._ahead.eq(Cat(*moved))

    def not_before(self, position: int) -> Value:
        """A position of ``positions`` is at or behind the cursor."""
        if self._ahead is None or position == self._last:
            return Const(1, 1)
        return self._ahead[position]
