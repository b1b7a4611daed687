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

    def order(self) -> list[int]:
        """Everybody, from the cursor on."""
        order = self.policy.order
        return [order[at] for at in (*range(self.start, len(order)), *range(self.start))]

    def choose(self, asking: Collection[int]) -> int | None:
        chosen = next((each for each in self.order() if each in asking), None)
        if chosen is not None and isinstance(self.policy, RoundRobin):
            self.start = (self.policy.order.index(chosen) + 1) % len(self.policy.order)
        return chosen
