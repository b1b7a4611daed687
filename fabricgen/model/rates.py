"""What bounds the rate of each row, read out of the records and the rows around it."""

from collections import Counter
from collections.abc import Mapping

from fabricgen.model.network import Network, NetworkRow
from fabricgen.model.work import RowRates
from fabricgen.plan.capacity import port_capacities
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import OperationEngine, Temporal

__all__ = ["row_rates"]


def row_rates(
    named: NamedMemory, network: Network, firings: Mapping[int, int], ordinal: int
) -> RowRates:
    """Derive the rates of one row, given how often each row fires."""
    engine = named.occurrence.engine
    if engine is None:
        raise ValueError("Occurrence must have an operation engine, not None")
    placed = network.rows[ordinal]
    is_temporal = isinstance(engine.contract, Temporal)
    in_flight = _in_flight(engine, network, ordinal)
    lead = _lead(engine, network, ordinal)
    is_shown = _is_shown(placed)
    is_only = sum(map(bool, firings.values())) == 1
    is_prompt = isinstance(placed.row.service_target, LocalMemoryServiceTarget) and (
        is_only or not is_temporal
    )
    tokens = Counter(source.stream[0] for source in placed.sources if source.stream is not None)
    has_slots = is_temporal or len(tokens) < len(placed.sources)
    return RowRates(
        in_flight=in_flight,
        lead=lead,
        skipped=1 if is_prompt and is_shown else lead,
        spacing=1 + max((1, *tokens.values())) if has_slots else 1,
        is_alone=is_prompt and is_only,
        is_shown=is_shown,
        feeds_connection=any(each.connections for each in placed.destinations),
        publishes=(
            ("port", placed.row.port),
            *(
                ("egress", destination.exposed[0])
                for destination in placed.destinations
                if destination.exposed is not None
            ),
        ),
        ingresses=tuple(
            (("ingress", endpoint), count) for endpoint, count in sorted(tokens.items())
        )
        if is_temporal
        else (),
    )


def _is_shown(placed: NetworkRow) -> bool:
    return any(destination.exposed is not None for destination in placed.destinations)


def _in_flight(engine: OperationEngine, network: Network, ordinal: int) -> int:
    """Firings of a row that may be issued and not retired."""
    port = network.rows[ordinal].row.port
    capacities = port_capacities(engine.ports[port])
    # Every Active row of the port keeps one unit of the total in reserve.
    others = sum(each.row.port == port for each in network.rows.values()) - 1
    return max(1, min(capacities.slots_of(ordinal), capacities.total_slots - others))


def _lead(engine: OperationEngine, network: Network, ordinal: int) -> int:
    """Firings of a row that may be issued before an endpoint shows the first publication of all.

    A row that is not shown is ahead of each of its consumers by what it has in flight and the one
    token in the consumer's slot.
    """
    if ordinal not in network.order:
        return 0
    in_flight, placed = _in_flight(engine, network, ordinal), network.rows[ordinal]
    if _is_shown(placed):
        return in_flight
    consumers = {
        consumer.row
        for destination in placed.destinations
        for connection in destination.connections
        for consumer in network.consumers[connection]
    }
    return in_flight + 1 + min(_lead(engine, network, each) for each in consumers)
