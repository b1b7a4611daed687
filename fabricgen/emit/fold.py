"""Operators whose result is known, or is one of their operands.

Generic descriptions leave many: a queue that every row needs, a choice among one. Nobody wants to
read them.
"""

from collections.abc import Callable

from fabricgen.emit.expressions import OPERATORS, fit, is_signed
from fabricgen.emit.netlist import Bit, Cell, Module, Value
from fabricgen.emit.tidy import followed, replace_bits

__all__ = ["fold_constants", "share_operators"]

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "$eq": int.__eq__,
    "$ne": int.__ne__,
    "$lt": int.__lt__,
    "$le": int.__le__,
    "$gt": int.__gt__,
    "$ge": int.__ge__,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "$and": int.__and__,
    "$or": int.__or__,
    "$xor": int.__xor__,
    "$add": int.__add__,
    "$sub": int.__sub__,
    "$mul": int.__mul__,
    "$shl": int.__lshift__,
    "$shr": int.__rshift__,
    "$sshr": int.__rshift__,
}
_UNARY: dict[str, Callable[[int, int], int]] = {
    "$not": lambda a, _width: ~a,
    "$neg": lambda a, _width: -a,
    "$reduce_or": lambda a, _width: bool(a),
    "$reduce_bool": lambda a, _width: bool(a),
    "$reduce_and": lambda a, width: a == (1 << width) - 1,
    "$reduce_xor": lambda a, _width: a.bit_count() & 1,
}


def fold_constants(module: Module) -> None:
    """Replace every such operator by its result, until none is left."""
    while True:
        known: dict[Bit, Bit | str] = {}
        kept: list[Cell] = []
        for cell in module.cells:
            value = _result(cell) if cell.kind in OPERATORS else None
            if value is None:
                kept.append(cell)
                continue
            result = cell.ports["Y"]
            named = [bit for bit in result if isinstance(bit, Bit) and bit.public]
            if named:
                module.connections.append((result, value))
            # A name that stands for another signal stays where people have written it.
            known |= {
                bit: meant
                for bit, meant in zip(result, value, strict=True)
                if isinstance(bit, Bit) and not (named and isinstance(meant, Bit))
            }
        if len(kept) == len(module.cells):
            return
        module.cells = kept
        replace_bits(module, followed(known), are_driven=False)


def share_operators(module: Module) -> None:
    """Compute once what is computed several times: elaboration repeats an operand at each use.

    A result with a name of its own keeps it.
    """
    while True:
        first: dict[object, Value] = {}
        same: dict[Bit, Bit | str] = {}
        kept: list[Cell] = []
        for cell in module.cells:
            if cell.kind not in OPERATORS:
                kept.append(cell)
                continue
            inputs = tuple(sorted((port, at) for port, at in cell.ports.items() if port != "Y"))
            result = cell.ports["Y"]
            key = (cell.kind, tuple(sorted(cell.parameters.items())), inputs, len(result))
            one = first.setdefault(key, result)
            if one is result or any(bit.public for bit in _wires(result)):
                kept.append(cell)
            else:
                same |= dict(zip(_wires(result), one, strict=True))
        if len(kept) == len(module.cells):
            return
        module.cells = kept
        replace_bits(module, followed(same), are_driven=False)


def _wires(value: Value) -> list[Bit]:
    return [bit for bit in value if isinstance(bit, Bit)]


def _result(cell: Cell) -> Value | None:
    """Value of an operator where it is known."""
    width = len(cell.ports["Y"])
    if cell.kind == "$mux":
        return _chosen(cell)
    if cell.kind == "$pmux":
        return None
    inputs = [cell.ports[side] for side in ("A", "B") if side in cell.ports]
    if all(set(value) <= {"0", "1"} for value in inputs):
        number = _evaluated(cell, *inputs)
        return None if number is None else _bits(number, width)
    return _neutral(cell, *inputs) if len(inputs) == 2 else None


def _chosen(cell: Cell) -> Value | None:
    width, select = len(cell.ports["Y"]), cell.ports["S"]
    on, off = cell.ports["B"][:width], cell.ports["A"][:width]
    if select == ("1",) or on == off:
        return on
    return off if select == ("0",) else None


def _evaluated(cell: Cell, left: Value, right: Value | None = None) -> int | None:
    kind = cell.kind
    if right is None:
        if kind not in _UNARY:
            return None
        signed = bool(cell.number("A_SIGNED")) and not kind.startswith("$reduce")
        return int(_UNARY[kind](_number(left, signed=signed), len(left)))
    if kind in {"$shl", "$shr", "$sshr"}:
        signed = bool(cell.number("A_SIGNED"))
        if signed and kind == "$shr":
            return None
        return _ARITHMETIC[kind](_number(left, signed=signed), _number(right, signed=False))
    one, two = (_number(value, signed=is_signed(cell)) for value in (left, right))
    if kind in _COMPARE:
        return int(_COMPARE[kind](one, two))
    return _ARITHMETIC[kind](one, two) if kind in _ARITHMETIC else None


def _neutral(cell: Cell, left: Value, right: Value) -> Value | None:
    """Result of an operator with a constant operand that decides it, or that does nothing."""
    width, signed = len(cell.ports["Y"]), is_signed(cell)
    if cell.kind in {"$shl", "$shr", "$shift"} and set(right) <= {"0"}:
        return fit(left, width, signed=bool(cell.number("A_SIGNED")))
    if cell.kind not in {"$and", "$or", "$xor", "$add"}:
        return None
    one, two = (fit(value, width, signed=signed) for value in (left, right))
    for constant, other in ((one, two), (two, one)):
        zeros, ones = set(constant) == {"0"}, set(constant) == {"1"}
        if (zeros and cell.kind != "$and") or (ones and cell.kind == "$and"):
            return constant if ones and cell.kind == "$or" else other
        if (zeros and cell.kind == "$and") or (ones and cell.kind == "$or"):
            return constant
    return None


def _number(value: Value, *, signed: bool) -> int:
    number = sum(1 << place for place, bit in enumerate(value) if bit == "1")
    return number - (1 << len(value)) if signed and value and value[-1] == "1" else number


def _bits(number: int, width: int) -> Value:
    return tuple("1" if number >> place & 1 else "0" for place in range(width))
