"""What the first page shows is what the tool accepts."""

import re
from pathlib import Path

from typer.testing import CliRunner

from fabricgen.cli.main import app

README = (Path(__file__).parents[2] / "README.md").read_text()


def documents(folder):
    """The three documents of the first page, written where a reader would put them."""
    blocks = re.findall(r"```toml\n(.*?)```", README, re.S)
    paths = [folder / f"{name}.toml" for name in ("fabric", "mapping", "workload")]
    for path, text in zip(paths, blocks, strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


def test_the_first_fabric_is_legal_and_short(tmp_path):
    fabric, mapping, _ = documents(tmp_path)
    assert CliRunner().invoke(app, ["check", fabric, mapping]).exit_code == 0
    assert len(Path(fabric).read_text().splitlines()) <= 11


def test_every_command_of_the_first_page_exists():
    shown = {line.split()[1] for line in README.splitlines() if line.startswith("    fabricgen ")}
    assert shown
    for command in shown - {"turns"}:
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0, command
