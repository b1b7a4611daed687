"""``image``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from fabricgen.abi.image import decode_image, encode_image
from fabricgen.abi.listing import list_image
from fabricgen.abi.program import programming_sequence
from fabricgen.abi.registers import register_names
from fabricgen.author.load import FabricSource, read_bytes
from fabricgen.cli.arguments import AsJson, FabricFile
from fabricgen.cli.inputs import in_file, realised_fabric, realised_mapping
from fabricgen.cli.output import guarded, note, print_json
from fabricgen.cli.tables import print_table
from fabricgen.emit.files import write_files
from fabricgen.report.image import image_json, image_table, steps_json, steps_table

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(short_help="Write the configuration image of a mapping, or list one.")(image)


@guarded
def image(
    fabric: FabricFile,
    mapping: Annotated[
        Path | None, typer.Argument(metavar="[MAPPING]", help="Mapping to make the image of.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Image to write.")
    ] = None,
    read: Annotated[
        Path | None, typer.Option("--read", metavar="FILE", help="Image to check and list.")
    ] = None,
    writes: Annotated[
        bool, typer.Option("--writes", help="List the AXI4-Lite accesses that program it.")
    ] = False,
    running: Annotated[
        Path | None,
        typer.Option(
            "--running",
            metavar="FILE",
            help="Image that the hardware runs: with --writes, drain what the change affects.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the configuration image of a mapping, or list an image: its fields or bus accesses."""
    if running is not None and not writes:
        raise typer.BadParameter("There must be --writes with --running FILE")
    source, data = _image(fabric, mapping, output, read, writes=writes)
    if output is not None:
        write_files({output: data})
        note(f"wrote {output}")
    if writes:
        steps = programming_sequence(source.fabric, data, running=_running(source, running))
        _show(steps_json(steps), steps_table(steps, register_names(source.fabric)), as_json=as_json)
    elif read is not None:
        fields = list_image(source.fabric, data)
        _show(image_json(fields), image_table(fields), as_json=as_json)


def _image(
    fabric: Path, mapping: Path | None, output: Path | None, read: Path | None, *, writes: bool
) -> tuple[FabricSource, bytes]:
    """The fabric, and the image that was read or is made of the mapping."""
    if read is not None and mapping is None and output is None:
        source, data = realised_fabric(fabric), read_bytes(read)
        with in_file(read):
            decode_image(source.fabric, data)
        return source, data
    if read is None and mapping is not None and (output is not None or writes):
        source = realised_fabric(fabric)
        rows = realised_mapping(mapping, source)
        return source, encode_image(source.fabric, rows.configuration)
    raise typer.BadParameter(
        "There must be MAPPING with -o FILE or --writes, or --read FILE without MAPPING"
    )


def _running(source: FabricSource, path: Path | None) -> bytes | None:
    """The image that is checked against the fabric, if there is one."""
    if path is None:
        return None
    data = read_bytes(path)
    with in_file(path):
        decode_image(source.fabric, data)
    return data


def _show(listing: object, table: Table, *, as_json: bool) -> None:
    if as_json:
        print_json(listing)
    else:
        print_table(table)
