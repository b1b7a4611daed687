"""Seeded stall patterns: when a channel is willing to offer or to take a token.

An untagged ingress that has offered keeps its offer until it is taken, whatever its pattern says
later; an egress shows readiness exactly in the cycles in which its pattern is willing. On tagged
endpoints each tag is a channel of its own.
"""

import random
from collections.abc import Container, Mapping, Sequence
from typing import Any, Protocol

__all__ = ["AFTER", "DEAD", "PATTERNS", "Dead", "Shut", "Stall", "pause", "stalls", "takes_part"]

#: Names of the family; the first one never stalls and is the one that performance is measured in.
PATTERNS = ("always", "alternate", "bursty", "geometric", "starved", "adversarial", "shut")

#: With the name of a channel behind it: a pattern in which that channel is dead.
DEAD = "dead "
#: With a number behind it, and behind the channel: so many tokens pass before that.
AFTER = " after "


class Stall(Protocol):
    """Decides for one endpoint, once per cycle and in cycle order."""

    def willing(self, cycle: int, moved: bool) -> bool:
        """Tell whether the endpoint takes part; ``moved``: it passed a token a cycle ago."""
        ...


class _Always:
    def willing(self, cycle: int, moved: bool) -> bool:
        return True


class _Alternate:
    """Never two tokens in a row."""

    def willing(self, cycle: int, moved: bool) -> bool:
        return not moved


class _Bursty:
    """Runs of willing and unwilling cycles, 1 to 16 each."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._on = bool(rng.getrandbits(1))
        self._left = rng.randint(1, 16)

    def willing(self, cycle: int, moved: bool) -> bool:
        if not self._left:
            self._on, self._left = not self._on, self._rng.randint(1, 16)
        self._left -= 1
        return self._on


class _Geometric:
    """Willing with one probability, from 10 to 90 %, independently in each cycle."""

    def __init__(self, rng: random.Random) -> None:
        self._draw = rng.random
        self._probability = rng.randint(1, 9) / 10

    def willing(self, cycle: int, moved: bool) -> bool:
        return self._draw() < self._probability


class _Starved:
    """Willing for one cycle, then not for 40 to 120."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._left = rng.randint(40, 120)

    def willing(self, cycle: int, moved: bool) -> bool:
        self._left -= 1
        if self._left:
            return False
        self._left = self._rng.randint(40, 120)
        return True


class _Schedule:
    """One victim of a group is held back for long, then all are willing for a moment."""

    def __init__(self, rng: random.Random, size: int) -> None:
        self._rng = rng
        self._size = size
        self._end = 0
        self._open = True
        self._victim = 0

    def is_held(self, member: int, cycle: int) -> bool:
        while cycle >= self._end:
            self._open = not self._open
            if self._open:
                self._end += self._rng.randint(1, 8)
            else:
                self._victim = self._rng.randrange(self._size)
                self._end += self._rng.randint(8, 64)
        return not self._open and member == self._victim


class _Adversarial:
    """Holds the one partner for which the others of its row wait."""

    def __init__(self, schedule: _Schedule, member: int) -> None:
        self._schedule = schedule
        self._member = member

    def willing(self, cycle: int, moved: bool) -> bool:
        return not self._schedule.is_held(self._member, cycle)


class Shut:
    """Not willing at all before :meth:`open`, which the others must reach without it."""

    def __init__(self) -> None:
        self.is_open = False

    def open(self) -> None:
        """From now on willing."""
        self.is_open = True

    def willing(self, cycle: int, moved: bool) -> bool:
        return self.is_open


class Dead:
    """Willing for some tokens, then never, not even where all others help a design that is stuck.

    Parameters
    ----------
    tokens
        How many pass.
    """

    def __init__(self, tokens: int = 0) -> None:
        self._left = tokens

    def willing(self, cycle: int, moved: bool) -> bool:
        self._left -= moved
        return self._left > 0


def takes_part(stall: Stall, cycle: int, *, moved: bool, cooperate: bool) -> bool:
    """Whether a channel takes part in this cycle; all but dead ones do where they ``cooperate``."""
    return stall.willing(cycle, moved) or (cooperate and not isinstance(stall, Dead))


def pause(
    channels: Mapping[str, Any],
    stalls: Mapping[str, Stall],
    moved: Container[str],
    cycle: int,
    *,
    cooperate: bool,
) -> None:
    """Let the channels of another maker's peer take part in the next cycle, or pause."""
    for name, channel in channels.items():
        channel.pause = not takes_part(
            stalls[name], cycle, moved=name in moved, cooperate=cooperate
        )


def stalls(
    pattern: str,
    groups: Sequence[Sequence[str]],
    seed: int,
    others: Sequence[str] = (),
    parts: Mapping[str, str] | None = None,
) -> dict[str, Stall]:
    """Stall of each channel: an endpoint, one tag of it, or a side of a manager or subordinate.

    Parameters
    ----------
    pattern
        One of :data:`PATTERNS`, or :data:`DEAD` and one of the channels, of which some tokens
        may pass before (:data:`AFTER`).
    groups
        Names of channels, grouped by the row that needs them together.
    seed
        Every choice follows from it and from the order of ``groups``.
    others
        Channels that no row owns.
    parts
        Channels of a bus, each with the one of ``others`` that it belongs to: they have its stall,
        but each may be dead alone.
    """
    parts = parts or {}
    victim, tokens = _dead(pattern)
    if victim is not None and victim in parts:
        whole = stalls(PATTERNS[0], groups, seed, others, parts)
        return whole | {victim: Dead(tokens)}
    found = _stalls(pattern, groups, seed, others)
    return found | {part: found[side] for part, side in parts.items()}


def _dead(pattern: str) -> tuple[str | None, int]:
    """The channel that a pattern names as dead, and the tokens that pass before."""
    if not pattern.startswith(DEAD):
        return None, 0
    channel, _, tokens = pattern.removeprefix(DEAD).partition(AFTER)
    return channel, int(tokens or 0)


def _stalls(
    pattern: str, groups: Sequence[Sequence[str]], seed: int, others: Sequence[str]
) -> dict[str, Stall]:
    """Stall of each channel of ``groups`` and ``others``."""
    rng = random.Random(f"{pattern}/{seed}")
    owned = [group for group in groups if group]
    groups = [*groups, others]
    names = [name for group in groups for name in group]
    match pattern:
        case "always":
            return {name: _Always() for name in names}
        case "alternate":
            return {name: _Alternate() for name in names}
        case "bursty":
            return {name: _Bursty(random.Random(rng.getrandbits(64))) for name in names}
        case "geometric":
            return {name: _Geometric(random.Random(rng.getrandbits(64))) for name in names}
        case "starved":
            victim = rng.choice(names) if names else None
            return {n: _Starved(rng) if n == victim else _Always() for n in names}
        case "adversarial":
            return _adversarial(groups, rng)
        case "shut":
            victim = rng.choice(rng.choice(owned)) if owned else None
            return {n: Shut() if n == victim else _Always() for n in names}
        case _ if (dead := _dead(pattern))[0] in names:
            return {n: Dead(dead[1]) if n == dead[0] else _Always() for n in names}
        case _:
            allowed = f"{', '.join(PATTERNS)}, or {DEAD!r} and a channel"
            raise ValueError(f"pattern must be one of {allowed}, not {pattern!r}")


def _adversarial(groups: Sequence[Sequence[str]], rng: random.Random) -> dict[str, Stall]:
    found: dict[str, Stall] = {}
    for group in groups:
        if group:
            schedule = _Schedule(random.Random(rng.getrandbits(64)), len(group))
            found |= {name: _Adversarial(schedule, i) for i, name in enumerate(group)}
    return found
