"""Rules over all rows of one operation table (spec: Operation Rows And Internal Dependencies)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fabricgen.errors import Diagnostic
from fabricgen.plan.demand import MemoryDemand, RowRole, row_bindings, tag_width
from fabricgen.plan.roles import role_bits
from fabricgen.plan.rows import OperationRow
from fabricgen.records.occurrence import MemoryOccurrence

__all__ = ["table_findings"]

_Rows = Sequence[OperationRow | None]


def table_findings(
    occurrence: MemoryOccurrence, rows: _Rows, demand: MemoryDemand
) -> Iterator[Diagnostic]:
    """Say where the rows of one table contradict one another."""
    if tag_width(occurrence) is None:
        yield from _endpoint_conflicts(demand)
    else:
        yield from _ingress_conflicts(demand)
        yield from _reserve_findings(occurrence, rows, demand)
    payloads = _payloads(occurrence, rows)
    for ordinal in range(len(demand.connections)):
        yield from _connection_findings(payloads, demand, ordinal)


def _endpoint_conflicts(demand: MemoryDemand) -> Iterator[Diagnostic]:
    """An untagged endpoint belongs to at most one active role of the whole table."""
    taken = [(endpoint, users, "sources") for (endpoint, _), users in demand.ingress.items()]
    taken += [(endpoint, users, "destinations") for (endpoint, _), users in demand.egress.items()]
    for endpoint, users, field in sorted(taken, key=lambda each: each[0]):
        if len(users) > 1:
            yield Diagnostic(
                "row-endpoint-conflict",
                _where(users[-1], field),
                f"Endpoint {endpoint} serves one active role in a Spatial table, "
                f"not {len(users)}: {_listed(users)}",
            )


def _ingress_conflicts(demand: MemoryDemand) -> Iterator[Diagnostic]:
    """A tagged token goes to exactly one row and role."""
    for (endpoint, tag), users in demand.ingress.items():
        if tag is not None and len(users) > 1:
            yield Diagnostic(
                "row-ingress-conflict",
                _where(users[-1], "sources"),
                f"Tag {tag} at endpoint {endpoint} must match one row and role, "
                f"not {len(users)}: {_listed(users)}",
            )


def _reserve_findings(
    occurrence: MemoryOccurrence, rows: _Rows, demand: MemoryDemand
) -> Iterator[Diagnostic]:
    """Every Active row keeps its claims in reserve, so no row waits for another's retirement."""
    ports = occurrence.operation_ports
    for ordinal, (port, active) in enumerate(zip(ports, demand.port_rows, strict=True)):
        contract, claimed = port.resource_contract, Counter[tuple[int, int]]()
        for row in (rows[index] for index in active):
            if row is not None and 0 <= row.use_pattern < len(contract.use_patterns):
                for claim in contract.use_patterns[row.use_pattern].claims:
                    claimed[claim.state, claim.dimension] += claim.amount
        for (state, dimension), amount in sorted(claimed.items()):
            capacity = contract.states[state][dimension].capacity
            if amount > capacity:
                yield Diagnostic(
                    "row-reserve",
                    "operation_rows",
                    f"The {len(active)} Active rows of port {ordinal} must fit capacity {capacity} "
                    f"of dimension {dimension} of state {state}, not claim {amount}",
                )


def _connection_findings(
    payloads: Mapping[RowRole, int], demand: MemoryDemand, ordinal: int
) -> Iterator[Diagnostic]:
    """A selected connection has exactly one producer and at least one consumer."""
    connection = demand.connections[ordinal]
    producers, consumers = connection.producers, connection.consumers
    if len(producers) > 1:
        yield Diagnostic(
            "row-connection-producers",
            _where(producers[-1], "destinations"),
            f"Connection {ordinal} must have one producer, "
            f"not {len(producers)}: {_listed(producers)}",
        )
    if consumers and not producers:
        yield Diagnostic(
            "row-connection-open",
            _where(consumers[0], "sources"),
            f"Connection {ordinal} must have a producer for {_listed(consumers)}, not none",
        )
    if producers and not consumers:
        yield Diagnostic(
            "row-connection-unconsumed",
            _where(producers[0], "destinations"),
            f"Connection {ordinal} must have a consumer for {_listed(producers)}, not none",
        )
    for producer in producers:
        for consumer in consumers:
            made, needed = payloads.get(producer), payloads.get(consumer)
            if made is not None and needed is not None and made < needed:
                yield Diagnostic(
                    "row-connection-payload",
                    _where(consumer, "sources"),
                    f"Connection {ordinal} must carry the {needed} bits of {consumer}, "
                    f"not the {made} bits of {producer}",
                )


def _payloads(occurrence: MemoryOccurrence, rows: _Rows) -> dict[RowRole, int]:
    """Bits of the complete logical token of each active role."""
    found: dict[RowRole, int] = {}
    for ordinal, row in enumerate(rows):
        if row is not None:
            bits = {} if row.access is None else role_bits(row.access)
            inputs, results = row_bindings(occurrence, row)
            for role, _ in (*inputs, *results):
                found[RowRole(ordinal, role)] = bits.get(role, 0)
    return found


def _where(user: RowRole, field: str) -> str:
    """Place of one source or destination in the table."""
    return f"operation_rows[{user.row}].{field}.{user.role.name.lower()}"


def _listed(users: Sequence[RowRole]) -> str:
    return ", ".join(map(str, users))
