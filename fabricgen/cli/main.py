"""``fabricgen``: one command per step from documents to Verilog and back.

Exit codes: 0 fine, 1 the input is illegal or a simulation mismatched, 2 wrong usage, 3 legal but
unsupported, 4 a tool is missing.
"""

import sys
from contextlib import suppress
from io import TextIOWrapper

import typer

from fabricgen.cli import checking, emitting, imaging, planning, reference, simulating

__all__ = ["app", "main"]

app = typer.Typer(
    name="fabricgen",
    help="Typed Fabric records to Verilog: check, normalise, plan, emit, program, simulate.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

checking.register(app)
planning.register(app)
emitting.register(app)
imaging.register(app)
simulating.register(app)
reference.register(app)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character must not end the command.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    with suppress(BrokenPipeError):
        app()


if __name__ == "__main__":
    main()
