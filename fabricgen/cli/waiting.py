"""``waits``."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from fabricgen.cli.arguments import AsJson, FabricFile, MappingFile
from fabricgen.cli.inputs import realised_fabric, realised_mapping
from fabricgen.cli.output import guarded, print_json
from fabricgen.errors import Diagnostic, Invalid
from sim.live import live_waits
from sim.wait_for import cycles

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(short_help="Say what each row of running hardware waits for.")(waits)


@guarded
def waits(
    fabric: FabricFile,
    mapping: MappingFile,
    words: Annotated[
        list[str],
        typer.Argument(metavar="WORD...", help="The waits registers, row 0 first, such as 0x1b."),
    ],
    as_json: AsJson = False,
) -> None:
    """Say what each row of running hardware waits for (implementation option counters)."""
    read = [_number(word) for word in words]
    source = realised_fabric(fabric)
    rows = realised_mapping(mapping, source)
    if not source.fabric.memories:
        raise typer.BadParameter("The fabric must have a memory, whose rows wait, not only ops")
    (named,), (configuration,) = source.fabric.memories, rows.configuration.memories
    names = rows.row_names[0]
    try:
        found = live_waits(named, configuration, read)
    except Invalid as error:
        raise Invalid(*(_placed(each, fabric) for each in error.diagnostics)) from None
    circles = cycles(found)
    if as_json:
        listed = [{"name": names[wait.row], **asdict(wait)} for wait in found]
        print_json({"rows": listed, "cycles": circles})
        return
    for wait in found:
        typer.echo(f"{names[wait.row]}: {wait.message}")
    for circle in circles:
        typer.echo(f"Rows that wait for one another: {', '.join(map(str, circle))}")


def _number(word: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise typer.BadParameter(f"Each word must be a number, not {word!r}") from None


def _placed(diagnostic: Diagnostic, fabric: Path) -> Diagnostic:
    """A finding about the memory is one about the fabric's document."""
    if not diagnostic.where.startswith("implementation"):
        return diagnostic
    return replace(diagnostic, where=f"memory[0].{diagnostic.where}", file=str(fabric))
