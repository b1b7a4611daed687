"""Rewrites of a netlist that keep its meaning and make its text shorter."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from fabricgen.emit.names import unique
from fabricgen.emit.netlist import Bit, Cell, Module, Value, Wire

__all__ = [
    "drop_dead",
    "followed",
    "merge_aliases",
    "name_parts",
    "pieces",
    "replace_bits",
    "replaced",
    "trim_results",
]


class Piece(NamedTuple):
    """Bits ``[low, high)`` of one wire, repeated ``times``."""

    wire: str
    low: int
    high: int
    times: int = 1


def pieces(bits: Value) -> Iterator[Piece | str]:
    """Cut a value into slices of wires and runs of constants, least significant first.

    Constants come as text, most significant bit first.
    """
    at, count = 0, len(bits)
    while at < count:
        first, end = bits[at], at + 1
        if not isinstance(first, Bit):
            while end < count and not isinstance(bits[end], Bit):
                end += 1
            yield "".join(map(str, reversed(bits[at:end])))
        elif end < count and bits[end] == first:
            while end < count and bits[end] == first:
                end += 1
            yield Piece(first.wire, first.place, first.place + 1, end - at)
        else:
            wire, place = first
            high = place + 1
            while end < count and bits[end] == (wire, high):
                high += 1
                end += 1
            yield Piece(wire, place, high)
        at = end


def replace_bits(
    module: Module, changes: Mapping[Bit, Bit | str], *, are_driven: bool = True
) -> None:
    """Put in place of each bit what ``changes`` has for it.

    Unless the bits are driven, what connections assign to stays; no cell drives such a bit.
    """
    if not changes:
        return
    for cell in module.cells:
        for port, value in cell.ports.items():
            cell.ports[port] = replaced(value, changes)
    module.connections = [
        (replaced(left, changes) if are_driven else left, replaced(right, changes))
        for left, right in module.connections
    ]


def replaced(value: Value, changes: Mapping[Bit, Bit | str]) -> Value:
    """A value with what ``changes`` has in place of each bit."""
    if changes.keys().isdisjoint(value):
        return value
    return tuple(changes.get(bit, bit) if isinstance(bit, Bit) else bit for bit in value)


def followed(known: Mapping[Bit, Bit | str]) -> dict[Bit, Bit | str]:
    """What each bit means in the end, where it may mean one that means another."""
    meant: dict[Bit, Bit | str] = {}
    for bit, found in known.items():
        while isinstance(found, Bit) and found in known:
            found = known[found]
        meant[bit] = found
    return meant


def drop_dead(module: Module, kinds: Collection[str]) -> None:
    """Drop operators of these kinds whose results have no name and no reader."""
    operators = [cell for cell in module.cells if cell.kind in kinds]
    drivers = {bit: cell for cell in operators for bit in cell.ports["Y"]}
    readers = Counter(
        chain.from_iterable(
            [
                *(
                    value
                    for cell in module.cells
                    for port, value in cell.ports.items()
                    if port != "Y" or cell.kind not in kinds
                ),
                *(right for _left, right in module.connections),
            ]
        )
    )
    is_unread = readers.keys().isdisjoint

    def is_dead(cell: Cell) -> bool:
        result = cell.ports["Y"]
        return is_unread(result) and not any(isinstance(bit, Bit) and bit.public for bit in result)

    dead: set[int] = set()
    found = [cell for cell in operators if is_dead(cell)]
    while found:
        cell = found.pop()
        dead.add(id(cell))
        for port, value in cell.ports.items():
            if port == "Y":
                continue
            for bit in value:
                readers[bit] -= 1
                if not readers[bit]:
                    del readers[bit]
                    if bit in drivers and id(drivers[bit]) not in dead and is_dead(drivers[bit]):
                        found.append(drivers[bit])
    module.cells = [cell for cell in module.cells if id(cell) not in dead]


def _whole(module: Module, value: Value) -> Wire | None:
    """The wire of which ``value`` is every bit, in order."""
    if not value or not isinstance(value[0], Bit):
        return None
    wire = module.wires[value[0].wire]
    return wire if len(value) == wire.width and value == wire.bits else None


def merge_aliases(
    module: Module, order: dict[str, int], foreign: Collection[str]
) -> list[tuple[str, str]]:
    """Let one of several names of a net stand for all; return ``(other, chosen)`` to assign.

    A signal that the source named locally wins over an output port, so that the port is assigned
    from the register and not the register hidden behind the port. Names that only repeat a
    submodule's interface go when another name is left.
    """
    groups: dict[str, list[str]] = {}
    rest = []
    for left, right in module.connections:
        one, two = _whole(module, left), _whole(module, right)
        if one is None or two is None or not (one.public and two.public):
            rest.append((left, right))
            continue
        group = groups.get(two.name, [two.name])
        group += groups.get(one.name, [one.name])
        for name in group:
            groups[name] = group
    module.connections = rest

    def rank(name: str) -> tuple[int, int, str]:
        wire = module.wires[name]
        place = order.get(name, len(order))
        if wire.direction == "input":
            return 0, place, name
        if wire.direction == "output":
            return 2, place, name
        return (3 if name in foreign else 1), place, name

    chosen: dict[str, str] = {}
    for name, group in groups.items():
        chosen[name] = min(group, key=rank)
    changes: dict[Bit, Bit | str] = {}
    for name, stand_in in chosen.items():
        if name != stand_in:
            changes |= zip(module.wires[name].bits, module.wires[stand_in].bits, strict=True)
    replace_bits(module, changes)

    others = sorted((name for name in chosen if chosen[name] != name), key=rank)
    _drop_unread(module, foreign)
    return [(name, chosen[name]) for name in others if name not in foreign]


def _drop_unread(module: Module, names: Collection[str]) -> None:
    """Drop wires that nothing but their own assignment mentions."""
    mentioned = {
        bit.wire
        for value in (
            *(value for cell in module.cells for value in cell.ports.values()),
            *(right for _left, right in module.connections),
        )
        for bit in value
        if isinstance(bit, Bit)
    }
    dropped = {name for name in names if name in module.wires and name not in mentioned}
    module.connections = [
        (left, right)
        for left, right in module.connections
        if not any(isinstance(bit, Bit) and bit.wire in dropped for bit in left)
    ]
    for name in dropped:
        del module.wires[name]


def split_mixed(module: Module, registers: Mapping[str, str], taken: set[str]) -> None:
    """Give the clocked bits of a signal a register of their own where other bits are assigned.

    A variable cannot be assigned continuously too. ``registers`` names the output of each kind of
    clocked cell; ``taken`` are names in use.
    """
    clocked: dict[str, set[int]] = {}
    assigned: set[str] = set()
    for cell in module.cells:
        for port, value in cell.ports.items():
            bits = [bit for bit in value if isinstance(bit, Bit)]
            if registers.get(cell.kind) == port:
                for bit in bits:
                    clocked.setdefault(bit.wire, set()).add(bit.place)
            elif port == "Y":
                assigned |= {bit.wire for bit in bits}
    for left, _right in module.connections:
        assigned |= {bit.wire for bit in left if isinstance(bit, Bit)}

    moved: dict[Bit, Bit] = {}
    for name in sorted(clocked.keys() & assigned):
        places = sorted(clocked[name])
        register = Wire(f"\\{unique(taken, f'{name[1:]}_reg')}", len(places))
        module.wires[register.name] = register
        old = tuple(Bit(name, place) for place in places)
        moved |= dict(zip(old, register.bits, strict=True))
        module.connections.append((old, register.bits))
    for cell in module.cells:
        if port := registers.get(cell.kind):
            value = cell.ports[port]
            cell.ports[port] = tuple(
                moved.get(bit, bit) if isinstance(bit, Bit) else bit for bit in value
            )


def trim_results(module: Module, kinds: Collection[str]) -> None:
    """Cut high bits that nothing reads and nobody named off results of these kinds of operators."""
    read = {
        bit
        for value in (
            *(value for cell in module.cells for port, value in cell.ports.items() if port != "Y"),
            *(right for _left, right in module.connections),
        )
        for bit in value
    }
    for cell in module.cells:
        result = cell.ports.get("Y", ())
        while cell.kind in kinds and len(result) > 1:
            last = result[-1]
            if not isinstance(last, Bit) or last.public or last in read:
                break
            result = cell.ports["Y"] = result[:-1]
    _drop_unread(module, [wire.name for wire in module.wires.values() if not wire.public])


def name_parts(module: Module, results: dict[str, str]) -> None:
    """Give each part of an unnamed wire its own wire where several cells drive one wire.

    A result of which some bits have a name gets a wire too, from which those are assigned.
    ``results`` names the output port of every kind of operator.
    """
    parts: dict[Bit, Bit | str] = {}

    def join(cell: Cell, port: str, cut: list[Piece]) -> None:
        public = [module.wires[piece.wire].public for piece in cut]
        if all(public) or not any(public):
            return
        name = f"{cut[public.index(False)].wire}$whole"
        whole = module.wires[name] = Wire(name, len(cell.ports[port]))
        at = 0
        for piece, is_public in zip(cut, public, strict=True):
            new = whole.bits[at : at + piece.high - piece.low]
            old = tuple(Bit(piece.wire, place) for place in range(piece.low, piece.high))
            at += len(new)
            if is_public:
                module.connections.append((old, new))
            else:
                parts.update(dict(zip(old, new, strict=True)))
        cell.ports[port] = whole.bits

    def split(cell: Cell) -> None:
        port = results.get(cell.kind)
        if port is None:
            return
        cut = [piece for piece in pieces(cell.ports[port]) if isinstance(piece, Piece)]
        if len(cut) != 1:
            join(cell, port, cut)
            return
        first = cell.ports[port][0]
        if not isinstance(first, Bit) or _whole(module, cell.ports[port]) is not None:
            return
        if module.wires[first.wire].public:
            return
        name = f"{first.wire}${first.place}"
        module.wires[name] = Wire(name, len(cell.ports[port]))
        old = (bit for bit in cell.ports[port] if isinstance(bit, Bit))
        parts.update(dict(zip(old, module.wires[name].bits, strict=True)))

    for cell in module.cells:
        split(cell)
    replace_bits(module, parts)
    # What is assigned to the rest of such a wire may have no reader.
    _drop_unread(module, [wire.name for wire in module.wires.values() if not wire.public])
