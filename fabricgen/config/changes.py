"""Which rows a change of configuration affects (spec: Configurable Dispatch)."""

from collections.abc import Iterable

from fabricgen.plan.demand import is_temporal, row_capacity
from fabricgen.plan.rows import Active, MemoryConfiguration, OperationRow
from fabricgen.records.fabric import NamedMemory

__all__ = ["affected_rows"]


def affected_rows(
    named: NamedMemory, before: MemoryConfiguration, after: MemoryConfiguration
) -> tuple[int, ...]:
    """Rows that must be quiescent for the change, ascending; none where nothing changes.

    Temporal: those that differ, and those at an internal connection that one of them selects
    before or after. Spatial: all of them.
    """
    rows = range(row_capacity(named.occurrence))
    if before == after:
        return ()
    # A table that begins or ends concerns all its rows.
    if not is_temporal(named.occurrence) or isinstance(before, Active) != isinstance(after, Active):
        return tuple(rows)
    old, new = _rows(before), _rows(after)
    changed = {row for row in rows if old[row] != new[row]}
    uses = {row: _connections((old[row], new[row])) for row in rows}
    shared = {connection for row in changed for connection in uses[row]}
    return tuple(row for row in rows if row in changed or uses[row] & shared)


def _rows(configuration: MemoryConfiguration) -> tuple[OperationRow | None, ...]:
    assert isinstance(configuration, Active)
    return configuration.operation_rows


def _connections(rows: Iterable[OperationRow | None]) -> set[int]:
    """Connections that these rows take tokens from, or send them to."""
    found: set[int] = set()
    for row in rows:
        if row is not None:
            sources = (source.connection for _, source in row.sources)
            found |= {connection for connection in sources if connection is not None}
            found |= {each for _, to in row.destinations for each in to.connections}
    return found
