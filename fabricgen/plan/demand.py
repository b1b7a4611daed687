"""What the rows of one table take from the engine they share (spec: Resident Capacity).

One derivation serves the legality of a table, the carrier, the model and the hardware's harness:
which endpoint, and tag, belongs to which row and role, who produces and who consumes each internal
connection, and which rows each port serves. A Spatial table is the case without tags.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.plan.roles import RoleBindings, active_roles
from fabricgen.plan.rows import OperationRow
from fabricgen.records.occurrence import MemoryOccurrence, Temporal
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.words import word

__all__ = [
    "ChannelKey",
    "ConnectionDemand",
    "MemoryDemand",
    "RowRole",
    "assign_row_ordinals",
    "context_count",
    "is_temporal",
    "memory_demand",
    "row_alternative",
    "row_bindings",
    "row_capacity",
    "tag_width",
]

#: One endpoint and the Physical Tag there; ``None`` in a Spatial engine.
ChannelKey = tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class RowRole:
    """One active role of one row."""

    row: int
    role: ServiceValueRole

    def __str__(self) -> str:
        return f"row {self.row} {word(self.role)}"


@dataclass(frozen=True, slots=True)
class ConnectionDemand:
    """Who publishes into one internal connection, and who takes from it; in row, role order."""

    producers: tuple[RowRole, ...]
    consumers: tuple[RowRole, ...]


@dataclass(frozen=True, slots=True)
class MemoryDemand:
    """Demand of one table of rows.

    Parameters
    ----------
    ingress
        Row roles that match each external input; a legal table has one for each.
    egress
        Row roles that publish at each external output.
    connections
        One entry per internal connection of the occurrence.
    port_rows
        Active rows of each port, ascending.
    """

    ingress: Mapping[ChannelKey, tuple[RowRole, ...]]
    egress: Mapping[ChannelKey, tuple[RowRole, ...]]
    connections: tuple[ConnectionDemand, ...]
    port_rows: tuple[tuple[int, ...], ...]

    def consumer(self, endpoint: int, tag: int | None = None) -> RowRole | None:
        """The one row role that takes a token of this endpoint and tag; ``None`` where none."""
        return next(iter(self.ingress.get((endpoint, tag), ())), None)


def is_temporal(occurrence: MemoryOccurrence) -> bool:
    """Tell whether the occurrence has a Temporal engine."""
    engine = occurrence.engine
    return engine is not None and isinstance(engine.contract, Temporal)


def row_capacity(occurrence: MemoryOccurrence) -> int:
    """Rows of the operation table: one per port, or the resident contexts."""
    engine = occurrence.engine
    if engine is None:
        return 0
    if isinstance(engine.contract, Temporal):
        return engine.contract.resident_context_count
    return len(engine.ports)


def context_count(occurrence: MemoryOccurrence) -> int:
    """Contexts of every port: the rows of a Temporal table, and 1 in a Spatial one."""
    engine = occurrence.engine
    if engine is None or not isinstance(engine.contract, Temporal):
        return 1
    return engine.contract.resident_context_count


def tag_width(occurrence: MemoryOccurrence) -> int | None:
    """Bits of every Physical Tag of the engine; ``None`` for a Spatial one."""
    return occurrence.endpoints[0].tag_width if is_temporal(occurrence) else None


def assign_row_ordinals(wanted: Sequence[int | None], capacity: int) -> tuple[int, ...]:
    """Give every row of a Temporal table its ordinal.

    A row that names its ordinal gets it; the others take the lowest free ones, in their order.

    Raises
    ------
    Invalid
        ``row-capacity``: more rows than the table has, or an ordinal behind its end.
        ``row-ordinal-taken``: two rows name one ordinal.
    """
    if found := tuple(_ordinal_findings(wanted, capacity)):
        raise Invalid(*found)
    named = {ordinal for ordinal in wanted if ordinal is not None}
    free = (ordinal for ordinal in range(capacity) if ordinal not in named)
    return tuple(next(free) if ordinal is None else ordinal for ordinal in wanted)


def memory_demand(
    occurrence: MemoryOccurrence, rows: Sequence[OperationRow | None]
) -> MemoryDemand:
    """Collect what the rows take; roles that a row itself has wrong are left out."""
    ingress: defaultdict[ChannelKey, list[RowRole]] = defaultdict(list)
    egress: defaultdict[ChannelKey, list[RowRole]] = defaultdict(list)
    producers: defaultdict[int, list[RowRole]] = defaultdict(list)
    consumers: defaultdict[int, list[RowRole]] = defaultdict(list)
    ports = occurrence.operation_ports
    port_rows: list[list[int]] = [[] for _ in ports]
    for ordinal, row in enumerate(rows):
        if row is None:
            continue
        if 0 <= row.port < len(ports):
            port_rows[row.port].append(ordinal)
        inputs, results = row_bindings(occurrence, row)
        bound = dict(inputs)
        for role, source in row.sources:
            user = RowRole(ordinal, role)
            if source.connection is not None:
                consumers[source.connection].append(user)
            elif role in bound:
                ingress[bound[role], source.tag].append(user)
        bound = dict(results)
        for role, destination in row.destinations:
            user = RowRole(ordinal, role)
            for connection in dict.fromkeys(destination.connections):
                producers[connection].append(user)
            if destination.expose and role in bound:
                egress[bound[role], destination.tag].append(user)
    return MemoryDemand(
        {key: tuple(users) for key, users in ingress.items()},
        {key: tuple(users) for key, users in egress.items()},
        tuple(
            ConnectionDemand(tuple(producers[ordinal]), tuple(consumers[ordinal]))
            for ordinal in range(len(occurrence.connectivity.internal_connections))
        ),
        tuple(map(tuple, port_rows)),
    )


def row_alternative(
    occurrence: MemoryOccurrence, row: OperationRow
) -> MemoryCapabilityAlternative | None:
    """The alternative that a row selects; ``None`` where its ordinals name none."""
    if occurrence.engine is None or not 0 <= row.port < len(occurrence.engine.ports):
        return None
    alternatives = occurrence.engine.ports[row.port].capability_alternatives
    chosen = row.capability_alternative
    return alternatives[chosen] if 0 <= chosen < len(alternatives) else None


def row_bindings(
    occurrence: MemoryOccurrence, row: OperationRow
) -> tuple[RoleBindings, RoleBindings]:
    """Active input and result roles of a row, with their endpoints.

    Empty where the row names no alternative of its actor's schema.
    """
    alternative = row_alternative(occurrence, row)
    if (
        alternative is None
        or row.actor.schema_id is not alternative.actor_contract_domain.actor_schema
    ):
        return (), ()
    return active_roles(alternative, row.actor, row.access)


def _ordinal_findings(wanted: Sequence[int | None], capacity: int) -> Iterator[Diagnostic]:
    if len(wanted) > capacity:
        yield Diagnostic(
            "row-capacity",
            "operation_rows",
            f"The table must have at most {capacity} Active rows, not {len(wanted)}",
        )
    first: dict[int, int] = {}
    for position, ordinal in enumerate(wanted):
        if ordinal is None:
            continue
        if not 0 <= ordinal < capacity:
            yield Diagnostic(
                "row-capacity",
                f"operation_rows[{position}]",
                f"The ordinal of a row must be below {capacity}, not {ordinal}",
            )
        elif (other := first.setdefault(ordinal, position)) != position:
            yield Diagnostic(
                "row-ordinal-taken",
                f"operation_rows[{position}]",
                f"Each row must have an ordinal of its own, not {ordinal}, which number {other} "
                f"has",
            )
