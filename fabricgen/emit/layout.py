"""Layout of Verilog text: ranges, long lines, ports, and clocked blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fabricgen.emit.netlist import Module, Wire

__all__ = ["Registers", "marks", "port_order", "vector", "wrapped", "wrapped_pin"]

_LONGEST_LINE = 100
_CONTINUED = "      "
_BREAKS = frozenset({" : ", " | ", " & ", " + ", " ^ "})


def vector(width: int) -> str:
    """Range of a declaration with a space behind it; nothing for a single bit."""
    return f"[{width - 1}:0] " if width > 1 else ""


def marks(attributes: Mapping[str, str]) -> str:
    """Attributes as they stand inside ``(* *)``."""
    return ", ".join(sorted(f'{name} = "{value}"' for name, value in attributes.items()))


def port_order(module: Module, members: Sequence[str]) -> list[Wire]:
    """Ports of a module: clock, reset, the members of its interface, then what else enters."""
    place = {f"\\{name}": position for position, name in enumerate(members)}
    place |= {"\\clk": -2, "\\rst": -1}
    ports = [wire for wire in module.wires.values() if wire.direction]
    return sorted(ports, key=lambda wire: (place.get(wire.name, len(place)), wire.name))


def wrapped(left: str, text: str, indent: int = 0) -> list[str]:
    """Lines of the statement ``left text;``: one where it fits, else broken where it is loosest.

    Alternatives of a choice stand one a line; ``indent`` columns are left free.
    """
    room = _LONGEST_LINE - indent
    if len(left) + len(text) < room:
        return [f"{left}{text};"]
    margin = left[: len(left) - len(left.lstrip())]
    *before, last = _filled(margin, left.strip(), room)
    lines = [*before, *_filled(f"{last} ", text, room)]
    return [*lines[:-1], f"{lines[-1]};"]


def wrapped_pin(pin: str, text: str) -> str:
    """Connection of one pin of an instance."""
    return "\n".join(_filled(f"    .{pin}(", f"{text})", _LONGEST_LINE))


def _filled(left: str, text: str, room: int) -> list[str]:
    """``text`` behind ``left``, with further lines where one is not enough."""
    if len(left) + len(text) <= room:
        return [left + text]
    first, *rest = _broken(text, room - len(left), room - len(_CONTINUED))
    return [left + first, *(_CONTINUED + line for line in rest)]


def _broken(text: str, first: int, room: int) -> list[str]:
    """Parts of an expression, the first up to ``first`` columns, the others up to ``room``."""
    places = _loosest(text)
    if not places:
        return [text]
    cuts = [0, *places, len(text)]
    chunks = [text[start:end].strip() for start, end in pairwise(cuts)]
    is_choice = text.startswith(" : ", places[0])
    lines: list[str] = []
    for chunk in chunks:
        limit = first if len(lines) <= 1 else room
        if lines and not is_choice and len(lines[-1]) + 1 + len(chunk) <= limit:
            lines[-1] += f" {chunk}"
        else:
            lines.append(chunk)
    parts: list[str] = []
    for line in lines:
        limit = room if parts else first
        parts += _broken(line, limit, room) if len(line) > limit else [line]
    return parts


def _loosest(text: str) -> list[int]:
    """Places where a text may be broken, of those inside the fewest brackets."""
    found: dict[int, list[int]] = {}
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "({[") - (letter in ")}]")
        if letter == " " and text[place : place + 3] in _BREAKS:
            found.setdefault(2 * depth + (text[place + 1] != ":"), []).append(place)
        elif letter == "," and text[place : place + 2] == ", ":
            found.setdefault(2 * depth, []).append(place + 1)
    return found[min(found)] if found else []


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
    load = [wrapped(f"{name} <= ", data, 8) for name, data, _reset in updates]
    clear = [[f"{name} <= {reset};"] for name, _data, reset in updates]
    branches: list[tuple[str, list[list[str]]]] = []
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


def _branch(condition: str, statements: list[list[str]], *, first: bool) -> list[str]:
    flat = [line for statement in statements for line in statement]
    if first and not condition:
        return [f"  {line}" for line in flat]
    guard = f"if ({condition})" if condition else ""
    words = " ".join(filter(None, ["" if first else "else", guard]))
    if len(flat) == 1 and len(words) + len(flat[0]) + 5 <= _LONGEST_LINE:
        return [f"  {words} {flat[0]}"]
    return [f"  {words} begin", *(f"    {line}" for line in flat), "  end"]
