"""Listings for people on stdout."""

import sys

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

__all__ = ["print_table"]


class _Console(Console):
    """A console that leaves a closed pipe to :func:`fabricgen.cli.output.guarded`."""

    def on_broken_pipe(self) -> None:
        """Raise instead of ending the process."""
        raise BrokenPipeError


def print_table(*tables: Table) -> None:
    """Print listings for people; where no terminal limits them, as wide as they need."""
    for table in tables:
        console = _Console(file=sys.stdout)
        if not console.is_terminal:
            wide = console.options.update(width=10_000)
            console.width = Measurement.get(console, wide, table).maximum
        console.print(table)
