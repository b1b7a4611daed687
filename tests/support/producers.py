"""What a producer of a diagnostic code yields, and what is wrong with the producers of a layer.

A producer is an input behind a call without arguments: it raises the findings of a public door,
or returns those that a rule or a command lists.
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner

from fabricgen.cli.main import app
from fabricgen.errors import Diagnostic, FabricError

__all__ = ["Producer", "command", "complaints", "findings", "produced"]

Producer = Callable[[], object]


def command(*words: str, files: Mapping[str, str | bytes]) -> Producer:
    """Run a command with ``--json`` in a folder of these files."""

    def listing() -> list[object]:
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            for name, data in files.items():
                Path(name).write_bytes(data.encode() if isinstance(data, str) else data)
            printed = CliRunner().invoke(app, [*words, "--json"]).stdout
        return list(json.loads(printed))

    return listing


def findings(producer: Producer) -> list[tuple[str, str]]:
    """Codes and messages of the findings that an input gets; none where it is legal."""
    try:
        found = producer()
    except FabricError as error:
        return [(finding.code, finding.message) for finding in error.diagnostics]
    return list(_listed(found)) if isinstance(found, list | tuple | Iterator) else []


def produced(producer: Producer) -> set[str]:
    """Codes of the findings that an input gets."""
    return {code for code, _ in findings(producer)}


def _listed(listed: Iterable[object]) -> Iterator[tuple[str, str]]:
    for each in listed:
        match each:
            case Diagnostic(code=code, message=message) | {
                "code": str(code),
                "message": str(message),
            }:
                yield code, message
            case _:
                pass


def complaints(rules: Mapping[str, object], producers: Mapping[str, Producer]) -> Iterator[str]:
    """Say which codes of a layer have no producer, which have no rule, and which are not met."""
    for code in sorted(rules.keys() - producers.keys()):
        yield f"{code}: no input produces it"
    for code in sorted(producers.keys() - rules.keys()):
        yield f"{code}: not in the catalogue of the layer"
    for code, producer in producers.items():
        if code not in (found := produced(producer)):
            yield f"{code}: its input gets {', '.join(sorted(found)) or 'no finding'}"
