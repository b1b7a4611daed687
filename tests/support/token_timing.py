"""In which cycle each result must be taken, when inputs never pause and outputs may.

What decides is the firings of the table and the cycles in which each output is ready; a firing
that comes a cycle late, and one that comes early, is wrong.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress

from tests.support.transition_tables import Machine

#: Cycles in which each output takes its tokens, until the run ended.
Cycles = list[list[int]]


class _Outputs:
    """Where tokens of one firing after the other are taken."""

    def __init__(self, ready: Sequence[Sequence[int]]) -> None:
        self._ready = ready
        self.cycles: Cycles = [[] for _ in ready]

    def publish(self, ports: Sequence[int], visible: int) -> int:
        """Offer a token on each port from a cycle on; return the cycle of the last transfer."""
        last = visible
        for port in ports:
            cycle = self._first(port, visible)
            self.cycles[port].append(cycle)
            last = max(last, cycle)
        return last

    def together(self, ports: Sequence[int], visible: int) -> int:
        """Transfer on all ports in one cycle, the first in which all are ready."""
        cycle = visible
        while any(self._first(port, cycle) != cycle for port in ports):
            cycle = max(self._first(port, cycle) for port in ports)
        for port in ports:
            self.cycles[port].append(cycle)
        return cycle

    def _first(self, port: int, cycle: int) -> int:
        ready = self._ready[port]
        at = bisect_left(ready, cycle)
        if at == len(ready):
            raise _Ended
        return ready[at]


class _Ended(Exception):
    """The run ended before this token could be taken."""


class _Phases:
    """Phases in a queue of two whose ready is a register, offered from cycle 0 on."""

    def __init__(self) -> None:
        self._left: list[int] = []

    def leaves(self, free: int) -> tuple[int, int]:
        """When the next phase is the oldest, and when it leaves, which is not before ``free``."""
        at = len(self._left)
        enters = max(at, self._left[at - 2] + 1 if at >= 2 else 0)
        shown = max(enters + 1, self._left[at - 1] + 1 if at else 0)
        self._left.append(max(shown, free))
        return shown, self._left[-1]


def _firings(done: Machine, outputs: _Outputs, first: int, interval: int) -> None:
    """A firing is visible one cycle after the one before it has ended."""
    visible = first
    for step in done.steps:
        # Only a stream has an interval: from a value to the next one.
        least = visible + interval - 1 if step.gives.get(0) else visible
        visible = max(least, outputs.publish(list(step.gives), visible)) + 1


def _transparent(done: Machine, outputs: _Outputs, first: int, interval: int) -> None:
    """One transition in every cycle in which its results can be taken."""
    visible = 0
    for step in done.steps:
        visible = outputs.together(list(step.gives), visible) + 1


def _parallelize(done: Machine, outputs: _Outputs, first: int, interval: int) -> None:
    """An element each cycle; the register of a group is free when its last result is taken."""
    phases, ended = _Phases(), 0
    for step in done.steps:
        shown, left = phases.leaves(ended)
        match step.row:
            case "full":
                ended = outputs.publish([0, 1, 2], left + 1)
            case "part":
                ended = outputs.publish([0, 1, 2], shown)
                ended = outputs.publish([2], ended + 1)
            case "end":
                ended = outputs.publish([2], max(shown, ended + 1))


def _serialize(done: Machine, outputs: _Outputs, first: int, interval: int) -> None:
    """An active lane each cycle; an empty mask takes one."""
    phases, ended = _Phases(), 0
    for step in done.steps:
        shown, left = phases.leaves(ended)
        if step.row == "end":
            ended = outputs.publish([1], max(shown, ended + 1))
            continue
        ended = left
        for _ in step.gives[0]:
            ended = outputs.publish([0, 1], ended + 1)
        if not step.gives[0]:
            ended += 1


_MODELS: dict[str, Callable[[Machine, _Outputs, int, int], None]] = {
    "firings": _firings,
    "transparent": _transparent,
    "parallelize": _parallelize,
    "serialize": _serialize,
}


def due(
    model: str, done: Machine, ready: Sequence[Sequence[int]], first: int, interval: int
) -> Cycles:
    """Cycle of each token of each output, as far as the run went.

    Parameters
    ----------
    model
        ``firings``, ``transparent``, ``parallelize`` or ``serialize``.
    done
        The table's machine after its run.
    ready
        Cycles in which each output was ready.
    first, interval
        Cycle in which a first firing is visible, and cycles from one to the next at least.
    """
    outputs = _Outputs(ready)
    with suppress(_Ended):
        _MODELS[model](done, outputs, first, interval)
    return outputs.cycles
