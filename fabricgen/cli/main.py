"""``fabricgen``: one command per step from documents to Verilog and back.

Exit codes: 0 fine, 1 the input is illegal or a simulation mismatched, 2 wrong usage, 3 legal but
unsupported, 4 a tool is missing.
"""

import gc
import os
import sys
from io import TextIOWrapper

import typer

from fabricgen.cli.commands import Commands
from fabricgen.cli.output import ILLEGAL, drop_stdout, note, unwritable

__all__ = ["app", "main"]

app = typer.Typer(
    name="fabricgen",
    help="Typed Fabric records to Verilog: check, normalise, plan, emit, program, simulate.",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# A group, though it has no command before one is asked for.
app.callback()(lambda: None)


def main() -> None:
    """Run the command line."""
    # Garbage goes with the process: looking for it takes a seventh of a large emission.
    gc.disable()
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character must not end the command.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except OSError as error:
        drop_stdout()
        if not isinstance(error, BrokenPipeError):
            note(str(unwritable(error)))
            sys.exit(ILLEGAL)


def _open_closed_streams() -> None:
    """Open what the caller has closed; else the next file would get its number, and its text."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


if __name__ == "__main__":
    main()
