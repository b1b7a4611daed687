"""Input files: documents as text, fabrics as documents or canonical bytes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fabricgen.author.data_files import LARGEST_FILE_BYTES
from fabricgen.author.fabric import author_fabric
from fabricgen.check import fabric as check_fabric
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.records import fabric_codec
from fabricgen.records.fabric import Fabric

__all__ = ["FabricSource", "read_bytes", "read_fabric", "read_fabric_source", "read_text"]


@dataclass(frozen=True, slots=True)
class FabricSource:
    """A checked fabric, and how its record paths read in the file that it came from."""

    fabric: Fabric
    place: Callable[[str], str]


def read_bytes(path: Path) -> bytes:
    """Read a whole input file; ``Invalid`` says why it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise _file_finding("file-unreadable", path, f"be readable, not: {reason}") from None
    except ValueError:
        raise _file_finding("file-unreadable", path, "have a legal name, not this one") from None
    if len(data) > LARGEST_FILE_BYTES:
        raise _file_finding(
            "file-unreadable", path, f"have at most {LARGEST_FILE_BYTES} bytes, not more"
        )
    return data


def read_text(path: Path) -> str:
    """Read a document."""
    return _text(read_bytes(path), path)


def read_fabric(path: Path) -> Fabric:
    """Read and check a TOML document, or a ``.fabric`` file, which its first bytes tell."""
    return read_fabric_source(path).fabric


def read_fabric_source(path: Path) -> FabricSource:
    """Read a fabric as :func:`read_fabric` does, with the place of each part of it."""
    data = read_bytes(path)
    if not data.startswith(fabric_codec.MAGIC):
        return FabricSource(*author_fabric(_text(data, path)))
    fabric = fabric_codec.decode(data)
    if found := check_fabric.findings(fabric):
        raise Invalid(*found)
    return FabricSource(fabric, lambda where: where)


def _text(data: bytes, path: Path) -> str:
    try:
        # Some editors start UTF-8 with a byte order mark.
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _file_finding(
            "not-utf8",
            path,
            f"be UTF-8 text, not have byte {data[error.start]:#04x} at offset {error.start}",
        ) from None


def _file_finding(code: str, path: Path, requirement: str) -> Invalid:
    return Invalid(Diagnostic(code, str(path), f"The file must {requirement}"))
