"""What bounds the rate of each row, read out of the records and the rows around it."""

from collections import Counter
from collections.abc import Mapping

from fabricgen.model.network import Network
from fabricgen.model.work import RowRates
from fabricgen.plan.capacity import port_capacities
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import Temporal

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
    capacities = port_capacities(engine.ports[placed.row.port])
    # Every Active row of the port keeps one unit of the total in reserve.
    others = sum(each.row.port == placed.row.port for each in network.rows.values()) - 1
    in_flight = max(1, min(capacities.row_slots, capacities.total_slots - others))
    is_only = sum(map(bool, firings.values())) == 1
    is_prompt = isinstance(placed.row.service_target, LocalMemoryServiceTarget) and (
        is_only or not is_temporal
    )
    tokens = Counter(source.stream[0] for source in placed.sources if source.stream is not None)
    has_slots = is_temporal or len(tokens) < len(placed.sources)
    return RowRates(
        in_flight=in_flight,
        skipped=1 if is_prompt else in_flight,
        spacing=1 + max((1, *tokens.values())) if has_slots else 1,
        is_alone=is_prompt and is_only,
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
