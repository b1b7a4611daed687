"""``image``."""

from pathlib import Path
from typing import Annotated

import typer

from fabricgen.abi.image import encode_image
from fabricgen.abi.listing import list_image
from fabricgen.author.load import read_bytes
from fabricgen.cli.arguments import AsJson, FabricFile
from fabricgen.cli.inputs import realised_fabric, realised_mapping
from fabricgen.cli.output import guarded, note, print_json, print_table
from fabricgen.emit.files import write_files
from fabricgen.report.image import image_json, image_table

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(image)


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
    as_json: AsJson = False,
) -> None:
    """Write the configuration image of a mapping, or list an image field by field."""
    if read is not None and mapping is None and output is None:
        _list(fabric, read, as_json=as_json)
    elif read is None and mapping is not None and output is not None:
        source = realised_fabric(fabric)
        rows = realised_mapping(mapping, source)
        write_files({output: encode_image(source.fabric, rows.configurations)})
        note(f"wrote {output}")
    else:
        raise typer.BadParameter("Either MAPPING and -o FILE, or --read FILE must be given")


def _list(fabric: Path, path: Path, *, as_json: bool) -> None:
    fields = list_image(realised_fabric(fabric).fabric, read_bytes(path))
    if as_json:
        print_json(image_json(fields))
    else:
        print_table(image_table(fields))
