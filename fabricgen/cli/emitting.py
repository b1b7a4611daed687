"""``emit``."""

from pathlib import Path
from typing import Annotated

import typer

from fabricgen.cli.arguments import FabricFile
from fabricgen.cli.inputs import realised_fabric
from fabricgen.cli.output import guarded, note

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(short_help="Write the Verilog of a fabric.")(emit)


@guarded
def emit(
    fabric: FabricFile,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.")
    ],
) -> None:
    """Write the Verilog of a fabric, its manifest, its names and its register map."""
    source = realised_fabric(fabric)
    # The other commands start without the HDL.
    from fabricgen.emit.package import emit_fabric

    emitted = emit_fabric(source.fabric, output)
    note(f"wrote {emitted.verilog}, module {emitted.top}, and what describes it")
