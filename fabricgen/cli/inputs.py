"""Inputs of commands, read and checked as far as the command needs them."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.abi.unit import unplaceable
from fabricgen.author.load import FabricSource, read_fabric_source, read_text
from fabricgen.author.provenance import in_document
from fabricgen.errors import Diagnostic, FabricError, Unsupported
from fabricgen.plan.realisation import unsupported_rows

if TYPE_CHECKING:
    from fabricgen.author.mapping import Mapping

__all__ = [
    "in_file",
    "legal_fabric",
    "legal_mapping",
    "realised_fabric",
    "realised_mapping",
    "unrealised",
    "unrealised_rows",
]


@contextmanager
def in_file(path: Path) -> Generator[None]:
    """Say of whatever the body reports that it stands in a file."""
    try:
        yield
    except FabricError as error:
        raise error.within(str(path)) from None


def unrealised(source: FabricSource) -> list[Diagnostic]:
    """What of a legal fabric this generator lacks, with paths of its file, each once."""
    found = [*unplaceable(source.fabric)]
    if source.fabric.ops:
        # What has no ops is judged without the HDL.
        from fabricgen.rtl.providers.registry import without_provider

        found += without_provider(source.fabric)
    return list(dict.fromkeys(in_document(d, source.place) for d in found))


def unrealised_rows(source: FabricSource, mapping: "Mapping") -> list[Diagnostic]:
    """Legal rows that an implementation option gives up."""
    return [
        place(diagnostic)
        for memory, configuration, place in zip(
            source.fabric.memories, mapping.configuration.memories, mapping.places, strict=True
        )
        for diagnostic in unsupported_rows(memory, configuration)
    ]


def legal_fabric(path: Path) -> FabricSource:
    """Read a fabric whether it can be generated or not; raises ``Invalid``."""
    with in_file(path):
        return read_fabric_source(path)


def legal_mapping(path: Path, source: FabricSource) -> "Mapping":
    """Read a mapping whether it can be programmed or not; raises ``Invalid``."""
    # Commands without a mapping start without its documents.
    from fabricgen.author.mapping import read_mapping

    with in_file(path):
        return read_mapping(read_text(path), source.fabric)


def realised_fabric(path: Path) -> FabricSource:
    """Read a fabric that can be generated; raises ``Invalid`` or ``Unsupported``."""
    source = legal_fabric(path)
    with in_file(path):
        if found := unrealised(source):
            raise Unsupported(*found)
    return source


def realised_mapping(path: Path, source: FabricSource) -> "Mapping":
    """Read a mapping that can be programmed; raises ``Invalid`` or ``Unsupported``."""
    mapping = legal_mapping(path, source)
    with in_file(path):
        if found := unrealised_rows(source, mapping):
            raise Unsupported(*found)
    return mapping
