"""Verilog expressions of operator cells.

Every expression has exactly the width of the value it stands for, and so has each of its
operands: Verilog's context rules then never widen, narrow or sign-extend anything, and an
expression can replace the wire it drives wherever that wire is read as a whole.
"""

from collections.abc import Callable
from typing import NamedTuple

from fabricgen.emit.netlist import Bit, Cell, Value

__all__ = [
    "OPERATORS",
    "TRIMMED",
    "Expression",
    "constant",
    "fit",
    "is_signed",
    "needs_wire",
    "operands",
    "render",
]


class Expression(NamedTuple):
    """Text, and the operator at its top: ``""`` where it needs no parentheses."""

    text: str
    operator: str = ""

    def inside(self, operator: str) -> str:
        """Text as an operand of ``operator``."""
        if not self.operator or (self.operator == "~" and operator != "~"):
            return self.text
        chains = operator in {"&", "|", "^", "+"} and self.operator == operator
        return self.text if chains else f"({self.text})"


#: Operators of which a low part of the result needs only the low parts of the operands.
TRIMMED = frozenset(
    {"$and", "$or", "$xor", "$add", "$sub", "$mul", "$not", "$neg", "$mux", "$pmux", "$shl"}
)

_BINARY = {
    "$and": "&",
    "$or": "|",
    "$xor": "^",
    "$add": "+",
    "$sub": "-",
    "$mul": "*",
}
_COMPARE = {"$eq": "==", "$ne": "!=", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">="}
_UNARY = {"$not": "~", "$neg": "-"}
_REDUCE = {
    "$reduce_and": "&",
    "$reduce_or": "|",
    "$reduce_bool": "|",
    "$reduce_xor": "^",
}
_RIGHT = {"$shr", "$sshr", "$shift"}

#: Every operator that can be written.
OPERATORS = frozenset({*_BINARY, *_COMPARE, *_UNARY, *_REDUCE, *_RIGHT, "$shl", "$mux", "$pmux"})

#: Renders one value of given bits.
Render = Callable[[Value], Expression]


def constant(bits: str) -> str:
    """Sized literal of constant bits, most significant first."""
    if len(bits) == 1:
        return f"{len(bits)}'b{bits}"
    return f"{len(bits)}'h{int(bits, 2):x}"


def operands(cell: Cell, width: int) -> list[Value]:
    """Values that the expression of ``cell`` reads when ``width`` result bits are wanted."""
    ports, kind = cell.ports, cell.kind
    if kind in {"$mux", "$pmux"}:
        full = len(ports["A"])
        cases = [ports["B"][at : at + width] for at in range(0, len(ports["B"]), full)]
        return [ports["A"][:width], *cases, *_bits(ports["S"])]
    if kind in _BINARY:
        signed = is_signed(cell)
        return [fit(ports[side], width, signed=signed) for side in "AB"]
    if kind in _COMPARE:
        signed = is_signed(cell)
        common = max(len(ports["A"]), len(ports["B"]))
        return [fit(ports[side], common, signed=signed) for side in "AB"]
    if kind in _UNARY:
        return [fit(ports["A"], width, signed=bool(cell.number("A_SIGNED")))]
    if kind in _REDUCE and _is_list(ports["A"]):
        return _bits(ports["A"])
    if kind == "$shl":
        return [fit(ports["A"], width, signed=bool(cell.number("A_SIGNED"))), ports["B"]]
    if kind in _RIGHT:
        wide = max(len(ports["A"]), width)
        return [fit(ports["A"], wide, signed=bool(cell.number("A_SIGNED"))), ports["B"]]
    return [ports[side] for side in ("A", "B") if side in ports]


def needs_wire(cell: Cell, width: int) -> int | None:
    """Width of the wire that must hold the result before ``width`` bits are taken from it.

    ``None`` where the expression itself can stand anywhere. An arithmetic shift is signed, and a
    signed expression turns unsigned among unsigned ones.
    """
    if cell.kind not in _RIGHT:
        return None
    wide = max(len(cell.ports["A"]), width)
    return wide if _arithmetic(cell) or wide > width else None


def render(cell: Cell, width: int, show: Render) -> Expression:
    """Expression of ``width`` bits; the values of :func:`operands` in order go through ``show``."""
    shown = [show(value) for value in operands(cell, width)]
    kind = cell.kind
    if kind in {"$mux", "$pmux"}:
        return _choice(shown, len(cell.ports["S"]), width)
    if kind in _BINARY:
        return _infix(_BINARY[kind], shown)
    if kind in _COMPARE:
        signed = is_signed(cell) and kind not in {"$eq", "$ne"}
        sides = [Expression(f"$signed({side.text})") for side in shown] if signed else shown
        return _extend(_bit_test(kind, sides) or _infix(_COMPARE[kind], sides), width)
    if kind in _UNARY:
        return _prefix(_UNARY[kind], shown[0])
    if kind in _REDUCE:
        return _extend(_reduction(cell, shown), width)
    if kind == "$shl":
        return _infix("<<", shown)
    if kind in _RIGHT:
        if _arithmetic(cell):
            return _infix(">>>", [Expression(f"$signed({shown[0].text})"), shown[1]])
        return _infix(">>", shown)
    raise ValueError(f"Cell must be a known operator, not {kind}")


def is_signed(cell: Cell) -> bool:
    """Whether both operands are signed."""
    return bool(cell.number("A_SIGNED")) and bool(cell.number("B_SIGNED"))


def _arithmetic(cell: Cell) -> bool:
    """Whether a right shift fills with the sign."""
    signed = bool(cell.number("A_SIGNED"))
    if signed and cell.kind == "$shift":
        # Amaranth's simulator fills with the sign there, Yosys with zeros.
        raise ValueError("A part at a variable place must be taken of an unsigned value")
    return signed and cell.kind == "$sshr"


def fit(value: Value, width: int, *, signed: bool) -> Value:
    """Low ``width`` bits of a value, extended where it has fewer."""
    fill = value[-1] if signed and value else "0"
    return value[:width] + (fill,) * (width - len(value))


def _bits(value: Value) -> list[Value]:
    return [(bit,) for bit in value]


def _is_list(value: Value) -> bool:
    """Whether a value is a list of unrelated bits, better read one by one than concatenated."""
    wires = [bit.wire for bit in value if isinstance(bit, Bit)]
    return len(value) <= 8 and len(set(wires)) == len(value)


def _infix(operator: str, shown: list[Expression]) -> Expression:
    left, *rest = shown
    # Only the left-most operand may continue a chain of the same operator unparenthesised.
    text = left.inside(operator)
    for side in rest:
        text += f" {operator} {side.inside(operator if operator in '&|^' else '')}"
    return Expression(text, operator)


def _prefix(operator: str, operand: Expression) -> Expression:
    # A prefix binds tightest, but two in a row, or `a & &b`, mislead people and some tools.
    return Expression(f"{operator}{operand.inside('~')}", "~" if operator == "~" else "prefix")


def _reduction(cell: Cell, shown: list[Expression]) -> Expression:
    operator = _REDUCE[cell.kind]
    if _is_list(cell.ports["A"]):
        return shown[0] if len(shown) == 1 else _infix(operator, shown)
    return _prefix(operator, shown[0])


def _extend(one: Expression, width: int) -> Expression:
    if width == 1:
        return one
    return Expression(f"{{{constant('0' * (width - 1))}, {one.text}}}")


def _choice(shown: list[Expression], selects: int, width: int) -> Expression:
    """Chain of conditions, the last case first: cases of one switch exclude one another."""
    chain, cases, conditions = shown[0], shown[1 : 1 + selects], shown[1 + selects :]
    for case, condition in zip(cases, conditions, strict=True):
        chain = (_flag(case, condition, chain) if width == 1 else None) or Expression(
            f"{condition.inside('?')} ? "
            f"{f'({case.text})' if case.operator == '?' else case.text} : {chain.text}",
            "?",
        )
    return chain


def _bit_test(kind: str, sides: list[Expression]) -> Expression | None:
    """A comparison of one bit with a constant, as that bit or its complement."""
    one, other = sides if sides[1].text in {"1'b0", "1'b1"} else reversed(sides)
    if kind not in {"$eq", "$ne"} or other.text not in {"1'b0", "1'b1"}:
        return None
    return one if (other.text == "1'b1") == (kind == "$eq") else _prefix("~", one)


def _flag(case: Expression, condition: Expression, otherwise: Expression) -> Expression | None:
    """A choice of one bit with a constant in it, as what it is: and, or, not."""
    match case.text, otherwise.text:
        case "1'b1", "1'b0":
            return condition
        case "1'b0", "1'b1":
            return _prefix("~", condition)
        case "1'b1", _:
            return _infix("|", [condition, otherwise])
        case _, "1'b0":
            return _infix("&", [condition, case])
        case "1'b0", _:
            return _infix("&", [_prefix("~", condition), otherwise])
    return None
