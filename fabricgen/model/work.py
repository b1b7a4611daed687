"""Fewest cycles that a workload can take, as the performance contract counts them.

A limit counts from the first publication that an endpoint shows to the last, both included, and
is never more than hardware needs. Publications themselves are counted exactly: one a cycle on a
port and on an egress, one in two cycles into an internal connection, whose consumers' slots are
refilled when they are registered-empty. What lies before a publication (tokens of an ingress,
turns of an operand slot, bank cycles, beats) only counts for firings that begin after the first
publication:

* where a row's first publication follows its first firing promptly (Spatial, or the only row that
  fires, at the Local Memory Service), all firings but the first;
* elsewhere, where other rows or a manager may delay the first publication by any time, all but
  as many as may be in flight, and as many more as its consumers hold where no endpoint shows it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["Resource", "RowRates", "RowWork", "cycle_limit"]

#: Kind and ordinal of something that one firing at a time uses for a cycle.
Resource = tuple[str, int]

_NONE: Mapping[Resource, int] = MappingProxyType({})

#: Cycles, at most, by which a firing without requests is complete sooner than one whose requests
#: are served at once.
_IDLE_LEAD = 4


@dataclass(frozen=True, slots=True)
class RowRates:
    """What bounds the rate of one row beside its target.

    Parameters
    ----------
    in_flight
        Firings that may be issued and not retired.
    lead
        Firings that may be issued before an endpoint shows the first publication.
    skipped
        The same, or one where that publication is prompt; positive.
    spacing
        Fewest cycles from issue to issue: a slot that holds one token takes a cycle to empty, and
        then one for each token that comes through one ingress.
    is_alone
        No other row fires, and the target answers promptly.
    is_shown
        Some result goes to an endpoint.
    feeds_connection
        Some result goes into an internal connection.
    publishes
        Port and egresses, each of which takes one publication a cycle.
    ingresses
        Tokens per firing of each tagged ingress, each of which brings one a cycle.
    """

    in_flight: int
    lead: int
    skipped: int
    spacing: int
    is_alone: bool
    is_shown: bool
    feeds_connection: bool
    publishes: tuple[Resource, ...]
    ingresses: tuple[tuple[Resource, int], ...]


class RowWork:
    """Work of one row.

    Attributes
    ----------
    firings
        All of them.
    uses
        Cycles of each bank's reads or writes, of the port at the service, or of the manager,
        without the skipped firings; and of the port where lanes are let in a few per cycle,
        without one more, whose lanes may be let in behind a firing that is still served.
    """

    def __init__(self, rates: RowRates) -> None:
        self.rates = rates
        self.firings = 0
        self.uses: Counter[Resource] = Counter()
        self._first_cost = 0
        self._is_last_idle = False

    def fire(
        self, uses: Mapping[Resource, int], ahead: Mapping[Resource, int] = _NONE, more: int = 0
    ) -> None:
        """Count one firing: its cycles on each resource of its target, and ahead of its turn; and
        how many more it may take at most.
        """
        if self.firings == 0:
            self._first_cost = max(*uses.values(), *ahead.values(), 0) + more
        self._is_last_idle = not any(uses.values())
        if self.firings >= self.rates.skipped:
            self.uses.update(uses)
        if self.firings > self.rates.skipped:
            self.uses.update(ahead)
        self.firings += 1

    def span(self) -> int:
        """Fewest cycles of a row that has fired, but for its uses; 0 where nothing shows it."""
        rates, later = self.rates, self.firings - 1
        if not rates.is_shown:
            return 0
        found = 1 + (2 if rates.feeds_connection else 1) * later
        if rates.is_alone:
            # The first publication may come late by its beats, the last one early without any.
            nearer = max(0, self._first_cost - 1)
            nearer += _IDLE_LEAD if self._first_cost and self._is_last_idle else 0
            found = max(found, 1 + rates.spacing * later - nearer)
        if later >= rates.in_flight:
            # The claims of firing `in_flight` come back with the first publication, and are there
            # in the cycle after it; the last publication follows its issue by a cycle or more.
            found = max(found, 3 + rates.spacing * (later - rates.in_flight))
        return found

    def arrivals(self) -> Counter[Resource]:
        """Tokens of each ingress that come after the first publication; a slot holds one."""
        late = max(0, self.firings - self.rates.lead - 1)
        return Counter({ingress: late * count for ingress, count in self.rates.ingresses})


def cycle_limit(rows: Iterable[RowWork]) -> int:
    """Fewest cycles from the first publication of any row to the last of all; 0 without one."""
    fired = [row for row in rows if row.firings]
    if not any(row.rates.is_shown for row in fired):
        return 0
    publications: Counter[Resource] = Counter()
    uses: Counter[Resource] = Counter()
    for row in fired:
        if row.rates.is_shown:
            publications.update(dict.fromkeys(row.rates.publishes, row.firings))
        uses.update(row.uses)
        uses.update(row.arrivals())
    return max(
        max((row.span() for row in fired), default=0),
        max(publications.values(), default=0),
        max((1 + count for count in uses.values()), default=0),
    )
