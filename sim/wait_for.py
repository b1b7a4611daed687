"""Which row waits for what: one decision for simulations and for live hardware.

The state of a row is a few bits. A bench reads them out of the design, or out of what it saw at
the boundary; a host reads them as words over the programming port. What is not known is ``None``,
and then the report names what is left.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["RowLinks", "RowState", "Surroundings", "Wait", "cycles", "row_state", "wait_for"]

#: Bits of a row's word after its operands.
_FLAGS = ("claim", "issued", "held", "complete")


@dataclass(frozen=True, slots=True)
class RowLinks:
    """What one Active row is connected to.

    Parameters
    ----------
    row, port, target
        Its ordinal, and the names of its port and of who serves it.
    external
        Channel of each active input role that the boundary feeds.
    internal
        Connection and producing row of every other active input role.
    exposed
        Channels of its results at the boundary.
    """

    row: int
    port: str
    target: str
    external: Mapping[str, str]
    internal: Mapping[str, tuple[int, int]]
    exposed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowState:
    """What stands in one row now.

    Parameters
    ----------
    operands
        For each active input role, whether a token is present.
    claim
        A unit of every claim of its use pattern is available.
    issued
        A firing is in flight.
    held
        A firing stands in front of its target; in a Spatial port it is not yet in flight.
    complete
        The oldest firing waits for its destinations.
    """

    operands: Mapping[str, bool]
    claim: bool | None = None
    issued: bool | None = None
    held: bool | None = None
    complete: bool | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the environment shows: of an ingress a word about its offer, of an egress readiness."""

    offers: Mapping[str, str] = field(default_factory=dict[str, str])
    ready: Mapping[str, bool] = field(default_factory=dict[str, bool])


@dataclass(frozen=True, slots=True)
class Wait:
    """One row that waits.

    Parameters
    ----------
    row
        Its ordinal.
    cause
        ``operand``, ``claim``, ``target``, ``response``, ``destination`` or ``inside``.
    message
        One sentence.
    rows
        Rows whose progress would end the wait, where it is known that they would.
    """

    row: int
    cause: str
    message: str
    rows: tuple[int, ...] = ()


def row_state(word: int, engine_roles: Sequence[str], active_roles: Sequence[str]) -> RowState:
    """State of a row from its word: a bit per input role of the engine, then the four flags."""
    bits = {role: bool(word >> at & 1) for at, role in enumerate(engine_roles)}
    flags = {name: bool(word >> len(engine_roles) + at & 1) for at, name in enumerate(_FLAGS)}
    return RowState({role: bits[role] for role in active_roles}, **flags)


def wait_for(
    links: Sequence[RowLinks], states: Mapping[int, RowState], around: Surroundings
) -> tuple[Wait, ...]:
    """What each row waits for.

    Parameters
    ----------
    links
        Every Active row.
    states
        State of each of them.
    around
        What the environment shows; it may be empty.
    """
    return tuple(_Waiting(row, links, states, around).wait() for row in links)


def cycles(waits: Sequence[Wait]) -> tuple[tuple[int, ...], ...]:
    """Rows that wait for one another in a circle, each circle once from its lowest row on."""
    after = {wait.row: wait.rows for wait in waits}
    found: dict[tuple[int, ...], None] = {}
    for start in sorted(after):
        for path in _paths(after, start):
            found[path] = None
    return tuple(found)


def _paths(after: Mapping[int, Sequence[int]], start: int) -> Iterator[tuple[int, ...]]:
    """Shortest way from ``start`` back to itself over rows that are not lower."""
    before: dict[int, int] = {}
    reached = [start]
    for row in reached:
        for other in after.get(row, ()):
            if other == start:
                path = [row]
                while path[-1] != start:
                    path.append(before[path[-1]])
                yield tuple(reversed(path))
                return
            if other > start and other not in before:
                before[other] = row
                reached.append(other)


class _Waiting:
    """Decides for one row, from the oldest firing to the youngest operand."""

    def __init__(
        self,
        row: RowLinks,
        links: Sequence[RowLinks],
        states: Mapping[int, RowState],
        around: Surroundings,
    ) -> None:
        self._row = row
        self._links = links
        self._states = states
        self._state = states[row.row]
        self._around = around

    def wait(self) -> Wait:
        """What the row waits for first."""
        state, target = self._state, self._row.target
        if state.complete:
            return self._destinations() or self._wait(
                "inside", "is complete, every destination is ready, and it is not published"
            )
        if state.held:
            return self._wait("target", f"stands in front of its target {target}")
        if state.issued:
            return self._wait("response", f"waits for the response of {target}")
        if any(not present for present in state.operands.values()):
            return self._operands()
        if state.issued is None:
            return self._destinations(is_sure=False) or self._wait(
                "inside",
                "has every operand and every destination, and publishes nothing: it waits for a "
                f"claim of its use pattern, or for {target}",
            )
        if state.claim is False:
            others = [other for other in self._same_port() if self._states[other].issued]
            return self._wait("claim", "waits for a claim of its use pattern", others)
        ahead = [other for other in self._same_target() if self._states[other].held]
        if ahead:
            return self._wait(
                "target", f"waits for {target}, in front of which another firing stands", ahead
            )
        return self._wait("inside", "has every operand and every claim, and is not issued")

    def _operands(self) -> Wait:
        row, missing, rows = self._row, list[str](), list[int]()
        for role, present in self._state.operands.items():
            if present:
                continue
            if role in row.internal:
                connection, producer = row.internal[role]
                missing.append(f"{role} (connection {connection} from row {producer})")
                rows.append(producer)
            else:
                channel = row.external[role]
                offer = self._around.offers.get(channel)
                missing.append(f"{role} ({channel}{f' {offer}' if offer else ''})")
        return self._wait("operand", f"waits for operands: {'; '.join(missing)}", rows)

    def _destinations(self, *, is_sure: bool = True) -> Wait | None:
        """Destinations that are not ready; ``is_sure``: the row has something to publish."""
        ready = self._around.ready
        closed = [f"{name} not ready" for name in self._row.exposed if ready.get(name) is False]
        rows: list[int] = []
        for other in self._links:
            for role, (connection, producer) in other.internal.items():
                if producer == self._row.row and self._states[other.row].operands.get(role):
                    closed.append(f"connection {connection}, still full at row {other.row} {role}")
                    rows.append(other.row)
        unknown = [name for name in self._row.exposed if name not in ready]
        if not closed and is_sure and unknown:
            return self._wait("destination", f"waits for its destinations: {', '.join(unknown)}")
        if not closed:
            return None
        return self._wait("destination", f"waits for its destinations: {'; '.join(closed)}", rows)

    def _same_port(self) -> list[int]:
        row = self._row
        return [
            other.row for other in self._links if other.port == row.port and other.row != row.row
        ]

    def _same_target(self) -> list[int]:
        reached = {row.row for row in self._links if row.target == self._row.target}
        return [row for row in self._same_port() if row in reached]

    def _wait(self, cause: str, message: str, rows: Sequence[int] = ()) -> Wait:
        row = self._row
        return Wait(row.row, cause, f"Row {row.row} ({row.port}) {message}", tuple(rows))
