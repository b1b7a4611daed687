"""The part of RTLIL that Yosys writes for our designs, as plain values.

Bits are kept one by one: ``"0"``, ``"1"``, ``"x"``, or :class:`Bit`. A value is a tuple of bits,
least significant first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
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
    _bits: tuple[Bit, ...] = field(default=(), init=False, repr=False, compare=False)

    @property
    def public(self) -> bool:
        """Whether the source named it."""
        return self.name.startswith("\\")

    @property
    def bits(self) -> tuple[Bit, ...]:
        """The whole wire."""
        if len(self._bits) != self.width:
            self._bits = tuple(Bit(self.name, index) for index in range(self.width))
        return self._bits


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


def _words(line: str) -> list[str]:
    return _TOKEN.findall(line) if '"' in line else line.split()


def _module(module: Module, lines: Iterator[str]) -> Module:
    attributes: dict[str, str] = {}
    for line in lines:
        words = _words(line)
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
            case ["connect", *_]:
                left, right = _values(module, words[1:])
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
        words = _words(line)
        kind = words[0] if words else ""
        if kind == "parameter":
            cell.parameters[words[-2].removeprefix("\\")] = _constant(words[-1])
        elif kind == "connect":
            (cell.ports[words[1].removeprefix("\\")],) = _values(module, words[2:])
        elif kind == "end":
            return cell
        elif kind != "attribute":
            raise ValueError(f"RTLIL cell must hold parameters and ports only, not {line!r}")
    raise ValueError(f"RTLIL cell {cell.name} must end")


def _constant(word: str) -> int | str:
    if word.startswith('"'):
        return word[1:-1].replace("\\\\", "\\")
    if "'" in word:
        digits = word.split("'", 1)[1]
        return int(digits, 2) if digits and set(digits) <= {"0", "1"} else digits
    return int(word)


def _values(module: Module, words: list[str]) -> list[Value]:
    """Values that stand side by side; a concatenation begins with its highest part."""
    stack: list[list[Value]] = [[]]
    for word in words:
        here = stack[-1]
        first = word[0]
        if first == "[":
            high, _, low = word[1:-1].partition(":")
            here[-1] = here[-1][int(low or high) : int(high) + 1]
        elif first in "\\$":
            here.append(module.wires[word].bits)
        elif first == "{":
            stack.append([])
        elif first == "}":
            parts = stack.pop()
            parts.reverse()
            stack[-1].append(tuple(chain.from_iterable(parts)))
        else:
            here.append(_digits(word))
    return stack[0]


def _digits(word: str) -> Value:
    """Bits of a constant."""
    if "'" not in word:
        return tuple(reversed(format(int(word), "032b")))
    width, digits = word.split("'", 1)
    if len(digits) == int(width):
        return tuple(reversed(digits))
    fill = digits[0] if digits[0] in "xz" else "0"
    return tuple(reversed(digits.rjust(int(width), fill)))
