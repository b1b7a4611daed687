"""``check`` and ``normalize``."""

from pathlib import Path
from typing import Annotated

import typer

from fabricgen.author.findings import Findings
from fabricgen.author.load import FabricSource, read_fabric, read_fabric_source, read_text
from fabricgen.author.mapping import read_mapping, read_mapping_document
from fabricgen.cli.arguments import AsJson, FabricFile
from fabricgen.cli.inputs import in_file, unrealised, unrealised_rows
from fabricgen.cli.output import ILLEGAL, UNSUPPORTED, guarded, json_bytes, note, show, show_lacking
from fabricgen.emit.files import write_files
from fabricgen.errors import Diagnostic, Invalid, Unsupported
from fabricgen.records import fabric_codec
from fabricgen.report.record_json import fabric_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(short_help="Check a fabric, and a mapping on it.")(check)
    app.command()(normalize)


@guarded
def check(
    fabric: FabricFile,
    mapping: Annotated[
        Path | None, typer.Argument(metavar="[MAPPING]", help="Mapping: a TOML document.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a fabric, and a mapping on it; print every finding at once."""
    illegal: list[Diagnostic] = []
    lacking: list[Diagnostic] = []
    source = _fabric(fabric, illegal, lacking)
    if mapping is not None:
        _mapping(mapping, source, illegal, lacking)
    if as_json:
        show(illegal + lacking, as_json=True)
    else:
        show(illegal, as_json=False)
        if lacking:
            show_lacking(lacking, as_json=False)
    if illegal:
        raise typer.Exit(ILLEGAL)
    if lacking:
        raise typer.Exit(UNSUPPORTED)
    note("fine")


def _fabric(
    path: Path, illegal: list[Diagnostic], lacking: list[Diagnostic]
) -> FabricSource | None:
    source = None
    try:
        with in_file(path):
            source = read_fabric_source(path)
            if found := unrealised(source):
                raise Unsupported(*found)
    except Invalid as error:
        illegal += error.diagnostics
    except Unsupported as error:
        lacking += error.diagnostics
    return source


def _mapping(
    path: Path,
    source: FabricSource | None,
    illegal: list[Diagnostic],
    lacking: list[Diagnostic],
) -> None:
    """Check a mapping; without a fabric, as a document only."""
    try:
        with in_file(path):
            text = read_text(path)
            if source is None:
                findings = Findings()
                read_mapping_document(text, findings)
                findings.raise_any()
            elif found := unrealised_rows(source, read_mapping(text, source.fabric)):
                raise Unsupported(*found)
    except Invalid as error:
        illegal += error.diagnostics
    except Unsupported as error:
        lacking += error.diagnostics


@guarded
def normalize(
    fabric: FabricFile,
    as_json: Annotated[bool, typer.Option("--json", help="Records as JSON (default).")] = False,
    wire: Annotated[bool, typer.Option("--wire", help="A .fabric file of bytes.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write instead of stdout.")
    ] = None,
) -> None:
    """Print the canonical records of a fabric, as JSON or as bytes."""
    if as_json and wire:
        raise typer.BadParameter("--json and --wire exclude one another")
    with in_file(fabric):
        record = read_fabric(fabric)
    data = fabric_codec.encode(record) if wire else json_bytes(fabric_json(record))
    if output is not None:
        write_files({output: data})
    else:
        typer.echo(data, nl=False)
