"""Commands of the command line, imported when they are asked for."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

__all__ = ["Commands"]

#: Module of each command, in the order of the help.
_MODULES = {
    "check": "checking",
    "normalize": "checking",
    "plan": "planning",
    "emit": "emitting",
    "image": "imaging",
    "simulate": "simulating",
    "waits": "waiting",
    "json-schema": "reference",
    "examples": "reference",
    "explain": "reference",
    "families": "reference",
    "operations": "reference",
}


class Commands(TyperGroup):
    """A group whose command brings its own module and no other: most of a short run are imports."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands."""
        return list(_MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; without one, all are there to be suggested."""
        for name in [cmd_name] if cmd_name in _MODULES else _MODULES:
            if name not in self.commands:
                self._load(_MODULES[name])
        return self.commands.get(cmd_name)

    def _load(self, module: str) -> None:
        part = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)
        import_module(f"fabricgen.cli.{module}").register(part)
        self.commands.update(get_group(part).commands)
