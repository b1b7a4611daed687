"""The part of RTLIL that Yosys writes for our designs, as plain values.

Bits are kept one by one: ``"0"``, ``"1"``, ``"x"``, or :class:`Bit`. A value is a tuple of bits,
least significant first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Bit", "Cell", "Memory", "Module", "Value", "Wire", "parse"]


class Bit(NamedTuple):
    """One bit of a wire."""

    wire: str
    place: int


Value = tuple[Bit | str, ...]


@dataclass(slots=True)
class Wire:
    """One wire; ``direction`` is ``input`` or ``output`` for a port, else ``None``."""

    name: str
    width: int
    direction: str | None = None

    @property
    def public(self) -> bool:
        """Whether the source named it."""
        return self.name.startswith("\\")

    @property
    def bits(self) -> tuple[Bit, ...]:
        """The whole wire."""
        return tuple(Bit(self.name, index) for index in range(self.width))


@dataclass(slots=True)
class Memory:
    """One memory array, with the attributes that synthesis has to see."""

    name: str
    width: int
    depth: int
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Cell:
    """One cell: an operator, a register, a memory port or a submodule."""

    kind: str
    name: str
    parameters: dict[str, int | str] = field(default_factory=dict)
    ports: dict[str, Value] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Parameter as an integer."""
        value = self.parameters[name]
        if not isinstance(value, int):
            raise TypeError(f"Parameter {name} of {self.kind} must be a number, not {value!r}")
        return value


@dataclass(slots=True)
class Module:
    """One module, in the order in which Yosys wrote it."""

    name: str
    wires: dict[str, Wire] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    connections: list[tuple[Value, Value]] = field(default_factory=list)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')


def parse(text: str) -> dict[str, Module]:
    """Modules of an RTLIL text by name; statements that we never emit are refused."""
    modules: dict[str, Module] = {}
    lines = iter(text.splitlines())
    for line in lines:
        match line.split():
            case [] | ["#", *_] | ["autoidx", _] | ["attribute", *_]:
                continue
            case ["module", name]:
                modules[name] = _module(Module(name), lines)
            case _:
                raise ValueError(f"RTLIL must hold modules only, not {line!r}")
    return modules


def _module(module: Module, lines: Iterator[str]) -> Module:
    attributes: dict[str, str] = {}
    for line in lines:
        words = _TOKEN.findall(line)
        match words:
            case [] | ["autoidx", _]:
                continue
            case ["attribute", name, value]:
                attributes[name.removeprefix("\\")] = value.strip('"')
                continue
            case ["wire", *options, name]:
                module.wires[name] = _wire(name, options)
            case ["memory", *options, name]:
                values = dict(zip(options[::2], options[1::2], strict=True))
                module.memories[name] = Memory(
                    name, int(values.get("width", 1)), int(values["size"]), attributes
                )
            case ["cell", kind, name]:
                module.cells.append(_cell(module, Cell(kind, name), lines))
            case ["connect", *rest]:
                left, rest = _value(module, rest)
                right, _ = _value(module, rest)
                module.connections.append((left, right))
            case ["end"]:
                return module
            case _:
                raise ValueError(f"RTLIL module must hold wires and cells only, not {line!r}")
        attributes = {}
    raise ValueError(f"RTLIL module {module.name} must end")


def _wire(name: str, options: list[str]) -> Wire:
    wire = Wire(name, 1)
    words = iter(options)
    for word in words:
        match word:
            case "width":
                wire.width = int(next(words))
            case "input" | "output":
                wire.direction = word
                next(words)
            case "signed" | "upto":
                continue
            case _:
                raise ValueError(f"RTLIL wire {name} must have a known option, not {word}")
    return wire


def _cell(module: Module, cell: Cell, lines: Iterator[str]) -> Cell:
    for line in lines:
        words = _TOKEN.findall(line)
        match words:
            case ["parameter", *_, name, value]:
                cell.parameters[name.removeprefix("\\")] = _constant(value)
            case ["connect", name, *rest]:
                cell.ports[name.removeprefix("\\")], _ = _value(module, rest)
            case ["attribute", *_]:
                continue
            case ["end"]:
                return cell
            case _:
                raise ValueError(f"RTLIL cell must hold parameters and ports only, not {line!r}")
    raise ValueError(f"RTLIL cell {cell.name} must end")


def _constant(word: str) -> int | str:
    if word.startswith('"'):
        return word[1:-1].replace("\\\\", "\\")
    if "'" in word:
        digits = word.split("'", 1)[1]
        return int(digits, 2) if digits and set(digits) <= {"0", "1"} else digits
    return int(word)


def _value(module: Module, words: list[str]) -> tuple[Value, list[str]]:
    """One value off the front of ``words``, and what is left."""
    if words[0] == "{":
        parts: list[Value] = []
        rest = words[1:]
        while rest[0] != "}":
            part, rest = _value(module, rest)
            parts.append(part)
        return tuple(bit for part in reversed(parts) for bit in part), rest[1:]
    head, rest = words[0], words[1:]
    if head.startswith(("\\", "$")):
        bits = module.wires[head].bits
        while rest and rest[0].startswith("["):
            high, _, low = rest[0][1:-1].partition(":")
            bits = bits[int(low or high) : int(high) + 1]
            rest = rest[1:]
        return bits, rest
    if "'" in head:
        width, digits = head.split("'", 1)
        if len(digits) == int(width):
            return tuple(reversed(digits)), rest
        fill = digits[0] if digits[0] in "xz" else "0"
        return tuple(reversed(digits.rjust(int(width), fill))), rest
    return tuple(reversed(format(int(head), "032b"))), rest
