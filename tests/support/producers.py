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

__all__ = ["Producer", "command", "complaints", "produced"]

Producer = Callable[[], object]


def command(*words: str, files: Mapping[str, str | bytes]) -> Producer:
    """Run a command with ``--json`` in a folder of these files."""

    def findings() -> list[object]:
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            for name, data in files.items():
                Path(name).write_bytes(data.encode() if isinstance(data, str) else data)
            listing = CliRunner().invoke(app, [*words, "--json"]).stdout
        return list(json.loads(listing))

    return findings


def produced(producer: Producer) -> set[str]:
    """Codes of the findings that an input gets; none where it is legal."""
    try:
        found = producer()
    except FabricError as error:
        return {finding.code for finding in error.diagnostics}
    return set(_codes(found)) if isinstance(found, list | tuple | Iterator) else set()


def _codes(listed: Iterable[object]) -> Iterator[str]:
    for each in listed:
        match each:
            case Diagnostic(code=code) | {"code": str(code)}:
                yield code
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
