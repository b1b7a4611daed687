"""Bad inputs, one defect each, as a person would meet them: files and the command that reads them.

Every case starts from the little fabric, which is legal.
"""

import json
import re
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from fabricgen.cli.main import app
from fabricgen.cli.output import LACKING
from tests.support.documents import fabric_document, mapping_document, toml

__all__ = ["Case", "Outcome", "outcome"]

#: Files beside the one that is bad.
_GOOD = {"fabric.toml": toml(fabric_document()), "mapping.toml": toml(mapping_document())}


@dataclass(frozen=True, slots=True)
class Case:
    """One bad input.

    Parameters
    ----------
    kind
        Of the file that is bad: document, mapping, workload, wire file or image.
    title
        What is wrong with it.
    files
        Files of the command's folder by name, text or bytes.
    command
        Words after ``fabricgen``.
    expected
        Complete lines on stderr; ``...`` stands for a digest.
    exit_code
        1 illegal, 3 legal but unsupported.
    """

    kind: str
    title: str
    files: dict[str, str | bytes]
    command: tuple[str, ...]
    expected: tuple[str, ...]
    exit_code: int = 1

    def is_met(self, lines: list[str]) -> bool:
        """Tell whether these are the expected lines."""
        return len(lines) == len(self.expected) and all(
            re.fullmatch(".*".join(map(re.escape, pattern.split("..."))), line)
            for pattern, line in zip(self.expected, lines, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended.

    Parameters
    ----------
    exit_code, lines, stdout
        What a shell sees; the lines are those on stderr.
    findings
        What ``--json`` lists instead, where the command has that option.
    written
        Names of files that were not there before.
    """

    exit_code: int
    lines: list[str]
    stdout: str
    findings: list[dict[str, str | None]]
    written: list[str]


def outcome(case: Case, folder: Path) -> Outcome:
    """Run a case in an empty folder."""
    for name, data in (_GOOD | case.files).items():
        (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    before = set(folder.iterdir())
    with chdir(folder):
        result = CliRunner().invoke(app, list(case.command))
        listing = CliRunner().invoke(app, [*case.command, "--json"])
    written = sorted(path.name for path in set(folder.iterdir()) - before)
    return Outcome(
        result.exit_code,
        [line for line in result.stderr.splitlines() if line != LACKING],
        result.stdout,
        json.loads(listing.stdout),
        written,
    )
