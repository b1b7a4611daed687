"""``emit``."""

from pathlib import Path
from typing import Annotated

import typer

from fabricgen.author.load import read_text
from fabricgen.author.macro import parse_macro
from fabricgen.cli.arguments import FabricFile
from fabricgen.cli.inputs import realised_fabric
from fabricgen.cli.output import guarded, note
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.records.fabric import Fabric
from fabricgen.records.storage_macro import StorageMacro

__all__ = ["macro_of", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(short_help="Write the Verilog of a fabric.")(emit)


@guarded
def emit(
    fabric: FabricFile,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.")
    ],
    macro: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Memory macro, a TOML document: the storage of banks is made of it. The fabric "
            "needs the implementation option memory_wrapper.",
        ),
    ] = None,
) -> None:
    """Write the Verilog of a fabric, its manifest, its names and its register map."""
    source = realised_fabric(fabric)
    made_of = None if macro is None else macro_of(macro, source.fabric)
    # The other commands start without the HDL.
    from fabricgen.emit.package import emit_fabric

    emitted = emit_fabric(source.fabric, output, made_of)
    note(f"wrote {emitted.verilog}, module {emitted.top}, and what describes it")


def macro_of(path: Path, fabric: Fabric) -> StorageMacro:
    """Read the macro of a fabric whose storage is in modules of its own.

    ``Invalid`` for a document that is none, and ``macro-without-wrapper``.
    """
    found = parse_macro(read_text(path))
    if not any(named.implementation.memory_wrapper for named in fabric.memories):
        raise Invalid(
            Diagnostic(
                "macro-without-wrapper",
                "memory",
                "A fabric with macros must have a memory with the implementation option "
                "memory_wrapper, not storage inside its banks",
            )
        )
    return found
