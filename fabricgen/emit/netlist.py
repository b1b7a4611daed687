"""Modules of wires and cells, as plain values; kinds of cells and names of their ports are RTLIL's.

Bits are kept one by one: ``"0"``, ``"1"``, or :class:`Bit`. A value is a tuple of bits, the least
significant first. Names that are of the source begin with ``\\``, others with ``$``.
"""

from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from typing import NamedTuple

__all__ = ["Bit", "Cell", "Memory", "Module", "Value", "Wire"]


class Bit(NamedTuple):
    """One bit of a wire."""

    wire: str
    place: int

    @property
    def public(self) -> bool:
        """Whether the source named its wire."""
        return self.wire[0] == "\\"


#: A bit out of a pair, many times.
_bit = partial(tuple.__new__, Bit)

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
            self._bits = tuple(map(_bit, zip(repeat(self.name), range(self.width), strict=False)))
        return self._bits


@dataclass(slots=True)
class Memory:
    """One memory array, with the attributes that synthesis has to see."""

    name: str
    width: int
    depth: int
    attributes: dict[str, str] = field(default_factory=dict)


def shape_name(memory: Memory) -> str:
    """Depth and width of a memory as a part of a name."""
    return f"{memory.depth}x{memory.width}"


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
    """One module, in the order of the source."""

    name: str
    wires: dict[str, Wire] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    connections: list[tuple[Value, Value]] = field(default_factory=list)

    def new_wire(self, width: int) -> Wire:
        """A wire without a name of the source."""
        wire = Wire(f"${len(self.wires)}", width)
        self.wires[wire.name] = wire
        return wire
