"""Modules that differ in nothing but their places, of which one is written for all."""

import re
from collections.abc import Mapping

from fabricgen.emit.names import ModuleNotes
from fabricgen.emit.netlist import Module

__all__ = ["first_twins", "renamed"]


def first_twins(modules: Mapping[str, Module], notes: Mapping[str, ModuleNotes]) -> dict[str, str]:
    """For each module the one that stands for it; most often itself.

    ``modules`` has parents before their parts. Twins have twins for parts.
    """
    first: dict[str, str] = {}
    known: dict[object, list[str]] = {}
    for name in reversed(list(modules)):
        module = modules[name]
        note = notes[name]
        key = (
            *(note.kind, note.title, note.members, note.foreign, tuple(note.states.items())),
            *(tuple(module.wires), tuple(module.memories), len(module.cells)),
        )
        alike = known.setdefault(key, [])
        first[name] = next((each for each in alike if _equal(modules[each], module, first)), name)
        if first[name] == name:
            alike.append(name)
    return first


def _equal(one: Module, other: Module, first: Mapping[str, str]) -> bool:
    return (
        one.wires == other.wires
        and one.memories == other.memories
        and one.connections == other.connections
        and all(
            first.get(left.kind, left.kind) == first.get(right.kind, right.kind)
            and left.name == right.name
            and left.parameters == right.parameters
            and left.ports == right.ports
            for left, right in zip(one.cells, other.cells, strict=True)
        )
    )


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Verilog of one module with other names for it and for the modules of its parts."""
    pattern = re.compile(r"^(module |  )(\w+)(?= )", re.M)
    return pattern.sub(lambda found: found[1] + names.get(found[2], found[2]), text)
