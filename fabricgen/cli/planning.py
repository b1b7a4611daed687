"""``plan``."""

import re
from dataclasses import replace
from typing import Annotated

import typer

from fabricgen.cli.arguments import AsJson, FabricFile, MappingFile
from fabricgen.cli.inputs import legal_fabric, legal_mapping, unrealised, unrealised_rows
from fabricgen.cli.output import UNSUPPORTED, guarded, note, print_json, show_lacking
from fabricgen.cli.tables import print_table
from fabricgen.report.decode import decode_json, decode_tables
from fabricgen.report.plan import masked_lane_counts, plan_json, plan_tables

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(short_help="Show the transaction plan of each row.")(plan)


@guarded
def plan(
    fabric: FabricFile,
    mapping: MappingFile,
    mask: Annotated[
        str | None,
        typer.Option(metavar="BITS", help="Lane mask to apply, most significant lane first."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the transaction plan of each row, and what subordinates expose.

    With or without hardware for it (exit code 3).
    """
    if mask is not None and not re.fullmatch("[01]+", mask):
        raise typer.BadParameter(f"The mask must be zeros and ones, not {mask!r}")
    source = legal_fabric(fabric)
    rows = legal_mapping(mapping, source)
    counts = masked_lane_counts(rows)
    if mask is not None and len(mask) not in counts:
        if not counts:
            raise typer.BadParameter(
                f"A mask must be for a mapping with masked rows, not for {mapping}"
            )
        lanes = " or ".join(map(str, sorted(counts)))
        raise typer.BadParameter(f"The mask must have {lanes} lanes, not {len(mask)}")
    listing = plan_json(source.fabric, rows, mask)
    exposed = decode_json(source.fabric, rows.configuration.memories)
    if as_json:
        print_json(listing + exposed)
    else:
        print_table(*plan_tables(listing), *decode_tables(exposed))
        if not source.fabric.memories:
            note("The fabric has no memory, whose rows would have plans")
    found = [(fabric, d) for d in unrealised(source)]
    found += [(mapping, d) for d in unrealised_rows(source, rows)]
    if found:
        show_lacking((replace(d, file=str(path)) for path, d in found), as_json=False)
        raise typer.Exit(UNSUPPORTED)
