"""What commands print and write, and how they end.

Diagnostics and progress go to stderr, listings to stdout.
"""

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import ParamSpec

import typer

from fabricgen.errors import Diagnostic, Invalid, ToolMissing, Unsupported
from fabricgen.errors.catalog import CATALOG

__all__ = [
    "ILLEGAL",
    "LACKING",
    "TOOL_MISSING",
    "UNSUPPORTED",
    "drop_stdout",
    "explain_end",
    "guarded",
    "json_bytes",
    "note",
    "print_json",
    "show",
    "show_lacking",
    "unwritable",
]

ILLEGAL, UNSUPPORTED, TOOL_MISSING = 1, 3, 4

#: Line above the findings about what is legal and has no hardware.
LACKING = "Legal, but more than this version can do:"

_P = ParamSpec("_P")


def guarded(command: Callable[_P, None]) -> Callable[_P, None]:
    """Turn what a command raises into diagnostics and an exit code."""

    @functools.wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> None:
        as_json = kwargs.get("as_json") is True
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except Invalid as error:
            show(error.diagnostics, as_json=as_json)
            raise typer.Exit(ILLEGAL) from None
        except Unsupported as error:
            show_lacking(error.diagnostics, as_json=as_json)
            raise typer.Exit(UNSUPPORTED) from None
        except ToolMissing as error:
            explain_end("tool-missing", error.name, str(error), as_json=as_json)
            raise typer.Exit(TOOL_MISSING) from None
        except BrokenPipeError:
            drop_stdout()
        except OSError as error:
            # Inputs have been read by then, so it is an output that cannot be written.
            if error.filename is None:
                drop_stdout()
            show([unwritable(error)], as_json=as_json)
            raise typer.Exit(ILLEGAL) from None

    return run


def show(diagnostics: Iterable[Diagnostic], *, as_json: bool) -> None:
    """Print findings, one per line on stderr, or as a list on stdout."""
    if not as_json:
        for diagnostic in diagnostics:
            note(str(diagnostic))
        return
    with_fields = [
        {
            "code": d.code,
            "kind": CATALOG[d.code].kind,
            "file": d.file,
            "where": d.where,
            "message": d.message,
        }
        for d in diagnostics
    ]
    try:
        print_json(with_fields)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_stdout()
    except OSError as error:
        drop_stdout()
        note(str(unwritable(error)))


def show_lacking(diagnostics: Iterable[Diagnostic], *, as_json: bool) -> None:
    """Print findings about what is legal and has no hardware, under a line that says so."""
    if not as_json:
        note(LACKING)
    show(diagnostics, as_json=as_json)


def explain_end(code: str, where: str, message: str, *, as_json: bool) -> None:
    """Say why a command ends that found nothing wrong with its input: a sentence, or a list."""
    if as_json:
        show([Diagnostic(code, where, message)], as_json=True)
    else:
        note(message)


def note(text: str) -> None:
    """Print one line on stderr."""
    # Where nobody can read it, the exit code still says how the command ended.
    with suppress(OSError):
        typer.echo(text, err=True)


def print_json(value: object) -> None:
    """Print a listing for programs on stdout."""
    typer.echo(json_bytes(value), nl=False)


def json_bytes(value: object) -> bytes:
    """Spell a listing as JSON text."""
    return json.dumps(value, indent=2).encode() + b"\n"


def unwritable(error: OSError) -> Diagnostic:
    """Say which output cannot be written; without a name it is stdout."""
    reason = error.strerror or str(error)
    where = str(error.filename or "stdout")
    return Diagnostic("file-unwritable", where, f"The file must be writable, not: {reason}")


def drop_stdout() -> None:
    """Leave nothing to flush at exit: stdout takes no more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
