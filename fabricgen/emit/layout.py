"""Layout of Verilog text: ranges, long lines, ports, and clocked blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fabricgen.emit.netlist import Module, Wire

__all__ = ["Registers", "port_order", "vector", "wrapped"]

_LONGEST_LINE = 100


def vector(width: int) -> str:
    """Range of a declaration with a space behind it; nothing for a single bit."""
    return f"[{width - 1}:0] " if width > 1 else ""


def port_order(module: Module, members: Sequence[str]) -> list[Wire]:
    """Ports of a module: clock, reset, the members of its interface, then what else enters."""
    place = {f"\\{name}": position for position, name in enumerate(members)}
    place |= {"\\clk": -2, "\\rst": -1}
    ports = [wire for wire in module.wires.values() if wire.direction]
    return sorted(ports, key=lambda wire: (place.get(wire.name, len(place)), wire.name))


def wrapped(left: str, text: str) -> str:
    """``left text;``, one alternative of a long choice a line."""
    if len(left) + len(text) < _LONGEST_LINE:
        return f"{left}{text};"
    depth, start, parts = 0, 0, []
    for place, letter in enumerate(text):
        depth += (letter in "({[") - (letter in ")}]")
        if depth == 0 and text.startswith(" : ", place):
            parts.append(text[start:place])
            start = place + 1
    return (
        "\n      ".join([left + parts[0], *parts[1:], text[start:]] if parts else [left + text])
        + ";"
    )


@dataclass(frozen=True, slots=True)
class _Group:
    clock: str
    reset: str
    enable: str
    enable_first: bool


@dataclass(slots=True)
class Registers:
    """Registers of one module, collected into one block per clock, reset and enable."""

    wires: set[str] = field(default_factory=set)
    groups: dict[_Group, list[tuple[str, str, str]]] = field(default_factory=dict)

    def add(
        self,
        clock: str,
        reset: str,
        enable: str,
        *,
        enable_first: bool,
        update: tuple[str, str, str],
    ) -> None:
        """Add one register: its name, next value and reset value. Empty text: no such control."""
        group = _Group(clock, reset, enable, enable_first)
        self.groups.setdefault(group, []).append(update)

    def lines(self, order: Mapping[str, int]) -> list[str]:
        """One ``always`` block per group; registers by ``order`` of their names."""

        def place(update: tuple[str, str, str]) -> int:
            return order.get(update[0].partition("[")[0], len(order))

        blocks = [(group, sorted(updates, key=place)) for group, updates in self.groups.items()]
        blocks.sort(key=lambda block: place(block[1][0]))
        return [line for group, updates in blocks for line in _block(group, updates)]


def _block(group: _Group, updates: list[tuple[str, str, str]]) -> list[str]:
    load = [f"{name} <= {data};" for name, data, _reset in updates]
    clear = [f"{name} <= {reset};" for name, _data, reset in updates]
    branches: list[tuple[str, list[str]]] = []
    if group.reset:
        branches.append((group.reset, clear))
    if group.enable and not group.enable_first:
        branches.append((group.enable, load))
    else:
        branches.append(("", load))
    head = f"always @({group.clock})"
    if group.enable_first:
        head += f" if ({group.enable})"
    lines = [f"{head} begin"]
    for position, (condition, statements) in enumerate(branches):
        lines += _branch(condition, statements, first=position == 0)
    lines.append("end")
    return ["", *(f"  {line}" for line in lines)]


def _branch(condition: str, statements: list[str], *, first: bool) -> list[str]:
    if first and not condition:
        return [f"  {statement}" for statement in statements]
    guard = f"if ({condition})" if condition else ""
    words = " ".join(filter(None, ["" if first else "else", guard]))
    if len(statements) == 1:
        return [f"  {words} {statements[0]}"]
    return [f"  {words} begin", *(f"    {statement}" for statement in statements), "  end"]
