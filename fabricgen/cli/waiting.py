"""``waits``."""

from dataclasses import asdict
from typing import Annotated

import typer

from fabricgen.cli.arguments import AsJson, FabricFile, MappingFile
from fabricgen.cli.inputs import realised_fabric, realised_mapping
from fabricgen.cli.output import guarded, print_json
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
    try:
        read = [int(word, 0) for word in words]
    except ValueError:
        raise typer.BadParameter(f"Each word must be a number, not {' '.join(words)}") from None
    source = realised_fabric(fabric)
    rows = realised_mapping(mapping, source)
    if not source.fabric.memories:
        raise typer.BadParameter("The fabric must have a memory, whose rows wait, not only ops")
    (named,), (configuration,) = source.fabric.memories, rows.configuration.memories
    names = rows.row_names[0]
    found = live_waits(named, configuration, read)
    circles = cycles(found)
    if as_json:
        listed = [{"name": names[wait.row], **asdict(wait)} for wait in found]
        print_json({"rows": listed, "cycles": circles})
        return
    for wait in found:
        typer.echo(f"{names[wait.row]}: {wait.message}")
    for circle in circles:
        typer.echo(f"Rows that wait for one another: {', '.join(map(str, circle))}")
