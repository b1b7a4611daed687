"""Modules that differ in nothing but their places, of which one goes through Yosys for all."""

import re
from collections.abc import Mapping

from fabricgen.emit.names import ModuleNotes

__all__ = ["Twins", "renamed"]

_CELL = re.compile(r"^( *cell )(\\\S+)", re.M)


class Twins:
    """Find modules with the same text, parts included.

    Parameters
    ----------
    texts
        RTLIL of each module by its name, parents before their parts.
    notes
        What else the text of a module depends on.

    Attributes
    ----------
    first
        For each module the one that stands for it; most often itself.
    texts
        RTLIL of those that stand for themselves; their parts are those that stand for them.
    """

    def __init__(self, texts: Mapping[str, str], notes: Mapping[str, ModuleNotes]) -> None:
        self.first: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        known: dict[object, str] = {}
        for name in reversed(list(texts)):
            text = _CELL.sub(lambda cell: cell[1] + self.first.get(cell[2], cell[2]), texts[name])
            note = notes[name]
            body = text.replace(f"module {name}\n", "module\n", 1)
            states = tuple(note.states.items())
            key = (body, note.kind, note.title, note.members, note.foreign, states)
            self.first[name] = first = known.setdefault(key, name)
            if first == name:
                self.texts[name] = text


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Verilog of one module with other names for it and for the modules of its parts."""
    pattern = re.compile(r"^(module |  )(\w+)(?= )", re.M)
    return pattern.sub(lambda found: found[1] + names.get(found[2], found[2]), text)
