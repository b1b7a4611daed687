"""Reads out of a port what its rows have, where a simulator can look inside.

A Temporal port has the bits of all its rows by name: ``present_<role>``, ``claim``, ``issued``,
``held`` and ``complete``. A Spatial port has queues, a ring of result slots, and channels to its
targets; as a component, which has no parts yet, it has ``waits`` where the memory has the option
``counters``.
"""

from collections.abc import Callable, Sequence

from sim.job import RowJob
from sim.wait_for import RowState

__all__ = ["read_states"]


def read_states(
    rows: Sequence[RowJob], read: Callable[[RowJob, str], int | None]
) -> dict[int, RowState] | None:
    """State of every row; ``None`` where some bit cannot be read, or is unknown.

    Parameters
    ----------
    rows
        Every Active row.
    read
        Value of one member of a row's port.
    """
    try:
        return {row.row: _state(row, read) for row in rows}
    except _OutOfReach:
        return None


class _OutOfReach(Exception):
    """Nothing can be read where a bit should be."""


def _state(row: RowJob, read: Callable[[RowJob, str], int | None]) -> RowState:
    def bit(name: str, spatial: str, *, inverted: bool = False) -> bool:
        value = read(row, name)
        if value is not None:
            return bool(value >> row.bit & 1)
        value = read(row, spatial)
        if value is None:
            raise _OutOfReach
        return bool(value) != inverted

    return RowState(
        {
            role: bit(f"present_{role.lower()}", f"{role.lower()}_queue_o_valid")
            for role in row.depths
        },
        claim=bit("claim", "ring_available"),
        issued=bit("issued", "ring_empty", inverted=True),
        held=bit("held", "request_0_valid"),
        complete=bit("complete", "ring_candidate"),
    )
