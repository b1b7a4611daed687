"""Rows and the tokens between them: who feeds whom, how often each row fires, what orders them.

Spec: Operation Rows And Internal Dependencies. A firing takes one token of every active input
role and publishes one of every active result role, so all rows around a connection keep step.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.plan.demand import ChannelKey, RowRole, memory_demand
from fabricgen.plan.rows import Active, MemoryConfiguration, OperationRow
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["Destination", "Network", "NetworkRow", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where one active input role gets its tokens: one of ``stream`` and ``connection``."""

    role: ServiceValueRole
    stream: ChannelKey | None
    connection: int | None


@dataclass(frozen=True, slots=True)
class Destination:
    """Where one active result role goes; ``exposed`` is absent where no endpoint shows it."""

    role: ServiceValueRole
    exposed: ChannelKey | None
    connections: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NetworkRow:
    """One Active row with its endpoints resolved."""

    ordinal: int
    row: OperationRow
    sources: tuple[Source, ...]
    destinations: tuple[Destination, ...]


class Network:
    """The Active rows of one legal configuration and the connections that they select.

    Attributes
    ----------
    rows
        By row ordinal.
    producers
        Row and role that publish into each selected connection.
    consumers
        Rows and roles that take from each selected connection.
    streams
        Endpoint and tag of every externally supplied role.
    order
        Rows in an order in which every producer stands before its consumers. Rows that wait for
        one another in a circle, and rows behind them, never fire and are left out.
    """

    def __init__(self, occurrence: MemoryOccurrence, configuration: MemoryConfiguration) -> None:
        table = configuration.operation_rows if isinstance(configuration, Active) else ()
        demand = memory_demand(occurrence, table)
        self.streams = frozenset(demand.ingress)
        self.producers = {
            connection: producer
            for connection, each in enumerate(demand.connections)
            for producer in each.producers
        }
        self.consumers = {
            connection: each.consumers
            for connection, each in enumerate(demand.connections)
            if each.producers
        }
        streams = {user: key for key, users in demand.ingress.items() for user in users}
        exposed = {user: key for key, users in demand.egress.items() for user in users}
        self.rows = {
            ordinal: NetworkRow(
                ordinal,
                row,
                tuple(
                    Source(role, streams.get(RowRole(ordinal, role)), source.connection)
                    for role, source in row.sources
                ),
                tuple(
                    Destination(role, exposed.get(RowRole(ordinal, role)), destination.connections)
                    for role, destination in row.destinations
                ),
            )
            for ordinal, row in enumerate(table)
            if row is not None
        }
        self._before: dict[int, frozenset[int]] = {}
        self.order = tuple(self._ordered())

    def precedes(self, first: int, second: int) -> bool:
        """Whether tokens of one row reach another, on whatever way.

        Then firing *n* of the first retires before firing *m* of the second issues exactly if
        ``n <= m``: a row issues and retires in its order, and each edge carries one token per
        firing.
        """
        return first in self._before[second]

    def firings(self, streams: Mapping[ChannelKey, Sequence[int]]) -> dict[int, int]:
        """How often each row can fire."""
        counts = dict.fromkeys(self.rows, 0)
        for ordinal in self.order:
            counts[ordinal] = min(
                len(streams.get(source.stream, ()))
                if source.stream is not None
                else counts[self.producer(source).row]
                for source in self.rows[ordinal].sources
            )
        return counts

    def unconsumed(self, firings: Mapping[int, int]) -> Iterator[Diagnostic]:
        """Report each firing that can never publish, for a consumer that takes no more tokens.

        A consumer's slot holds one token; behind it, what is in flight and has touched memory
        depends on capacities and on time.
        """
        for connection, producer in sorted(self.producers.items()):
            made = firings[producer.row]
            for consumer in self.consumers[connection]:
                taken = firings[consumer.row]
                if made > taken + 1:
                    yield Diagnostic(
                        "workload-unconsumed",
                        f"operation_rows[{producer.row}].destinations.{producer.role.name.lower()}",
                        f"All but one token of connection {connection} must be taken by "
                        f"{consumer}, not {taken} of {made} from {producer}",
                    )

    def held(self, firings: Mapping[int, int]) -> dict[RowRole, int]:
        """Tokens that stay in the slot of each internally supplied role; 0 or 1."""
        return {
            consumer: firings[producer.row] - firings[consumer.row]
            for connection, producer in sorted(self.producers.items())
            for consumer in self.consumers[connection]
        }

    def producer(self, source: Source) -> RowRole:
        """Row and role behind an internal source."""
        if source.connection is None:
            raise ValueError(f"Source must be a connection, not {source!r}")
        return self.producers[source.connection]

    def _ordered(self) -> Iterator[int]:
        waiting = {
            ordinal: frozenset(
                self.producer(source).row for source in row.sources if source.connection is not None
            )
            for ordinal, row in self.rows.items()
        }
        while ready := [
            row for row, producers in waiting.items() if self._before.keys() >= producers
        ]:
            for row in ready:
                producers = waiting.pop(row)
                self._before[row] = producers.union(*(self._before[each] for each in producers))
            yield from ready
