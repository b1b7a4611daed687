"""Reads out of a port what its rows have, where a simulator can look inside.

Every port has, as members of its instance, the same bits for each of its rows: ``present_<role>``,
``claim``, ``issued``, ``held`` and ``done``.
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
    def bit(name: str) -> bool:
        value = read(row, name)
        if value is None:
            raise _OutOfReach
        return bool(value >> row.bit & 1)

    return RowState(
        {role: bit(f"present_{role.lower()}") for role in row.depths},
        claim=bit("claim"),
        issued=bit("issued"),
        held=bit("held"),
        complete=bit("done"),
    )
