"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["AsJson", "FabricFile", "MappingFile"]

FabricFile = Annotated[
    Path, typer.Argument(metavar="FABRIC", help="Fabric: a TOML document or a .fabric file.")
]
MappingFile = Annotated[Path, typer.Argument(metavar="MAPPING", help="Mapping: a TOML document.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
