"""The grant policies of a resource contract as plain Python, for benches to compare with."""

from collections.abc import Collection

from fabricgen.records.resource import GrantPolicy, RoundRobin


class PolicyModel:
    """Scan the declared order; a round-robin cursor moves past whom it granted."""

    def __init__(self, policy: GrantPolicy) -> None:
        self.policy = policy
        self.reset()

    def reset(self) -> None:
        self.start = 0
        if isinstance(self.policy, RoundRobin):
            self.start = self.policy.order.index(self.policy.reset_cursor)

    def choose(self, asking: Collection[int]) -> int | None:
        order = self.policy.order
        for position in [*range(self.start, len(order)), *range(self.start)]:
            if order[position] in asking:
                if isinstance(self.policy, RoundRobin):
                    self.start = (position + 1) % len(order)
                return order[position]
        return None
