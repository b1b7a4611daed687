"""What is inside a provider, cycle by cycle, by the handshakes at its channels alone."""

from collections import deque
from collections.abc import Callable, Sequence

from tests.support.token_actors import Firing, Heads
from tests.support.token_bench import Trace


class Join:
    """One result for one token of each of these inputs, as stateless resources have."""

    def __init__(self, used: Sequence[int]) -> None:
        self.used = tuple(used)

    def fire(self, heads: Heads) -> Firing | None:
        if any(heads[at] is None for at in self.used):
            return None
        return Firing(frozenset(self.used), {0: [0]})


def _state(actor: object) -> str:
    """State of an actor, which is what it has beside methods."""
    every = {name: getattr(actor, name) for name in dir(actor) if not name.startswith("__")}
    return repr({name: value for name, value in every.items() if not callable(value)})


def wrong_cycles(trace: Trace, actor: Callable[[], object], lingers: int = 0) -> list[str]:
    """Cycles in which a provider says wrongly whether it is quiescent.

    It is where the actor has taken all that it was given and is in its first state, all that it
    gave has been taken, and no result is offered; it may say so ``lingers`` cycles later.
    """
    model = actor()
    first = _state(model)
    queues = [deque[int]() for _ in trace.taken[0]]
    due = [0] * len(trace.given[0])
    settled, wrong = 0, []
    for cycle, (taken, given) in enumerate(zip(trace.taken, trace.given, strict=True)):
        empty = not any(queues) and not any(due) and _state(model) == first
        expected = empty and not trace.offers[cycle]
        settled = settled + 1 if expected else 0
        found = trace.quiescent[cycle]
        if found != expected and (found or settled > lingers):
            wrong.append(f"cycle {cycle}: {'quiescent' if found else 'not quiescent'}")
        for queue, token in zip(queues, taken, strict=True):
            if token is not None:
                queue.append(token)
        while (fires := model.fire([queue[0] if queue else None for queue in queues])) is not None:
            for at in fires.takes:
                queues[at].popleft()
            for at, tokens in fires.gives.items():
                due[at] += len(tokens)
        for at, token in enumerate(given):
            due[at] -= token is not None
    return wrong


def held_takes(trace: Trace, pattern: Sequence[int], *, is_transparent: bool) -> list[int]:
    """Cycles of a hold that follows a pattern in which an operand is taken.

    One may be where results are offered in the cycle of their operands, and were offered and not
    taken in the cycle before: such an offer stays.
    """
    wrong: list[int] = []
    for cycle, taken in enumerate(trace.taken):
        before = max(cycle - 1, 0)
        waits = trace.offers[before] and all(token is None for token in trace.given[before])
        is_held = pattern[cycle % len(pattern)] and not (is_transparent and waits)
        if is_held and any(token is not None for token in taken):
            wrong.append(cycle)
    return wrong
