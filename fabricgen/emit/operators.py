"""Cells of Amaranth's operators."""

from collections.abc import Callable, Iterator

from fabricgen.emit.netlist import Cell, Module, Value
from fabricgen.emit.nir import NetCell, Nets, nir

__all__ = ["operator_cells"]

_UNARY = {
    "-": "$neg",
    "~": "$not",
    "b": "$reduce_bool",
    "r|": "$reduce_or",
    "r&": "$reduce_and",
    "r^": "$reduce_xor",
}
_BINARY = {
    "+": "$add",
    "-": "$sub",
    "*": "$mul",
    "<<": "$shl",
    ">>": "$shr",
    "&": "$and",
    "|": "$or",
    "^": "$xor",
    "==": "$eq",
    "!=": "$ne",
    "<": "$lt",
    ">": "$gt",
    "<=": "$le",
    ">=": "$ge",
}
#: Operators that mean the same for signed operands, if both are.
_EITHER = frozenset({"+", "-", "*", "==", "!="})


def operator_cells(
    module: Module, cell: NetCell, result: Value, bits: Callable[[Nets], Value]
) -> Iterator[Cell]:
    """Cells that give ``result`` what the operator computes; ``bits`` are those of nets.

    Operands lose the high bits that only repeat their sign or are zero, as far as the operator can
    extend them again.
    """
    name = f"${len(module.wires)}${len(module.cells)}"
    if isinstance(cell, nir.Part):
        yield from _part(module, cell, result, bits)
    elif cell.operator == "m":
        select, on, off = map(bits, cell.inputs)
        yield Cell("$mux", name, ports={"A": off, "B": on, "S": select, "Y": result})
    elif len(cell.inputs) == 1:
        (operand,), signed = cell.inputs, False
        if cell.operator == "-":
            operand, signed = min(
                ((_shortened(operand, signed=each), each) for each in (False, True)),
                key=lambda found: len(found[0]),
            )
        yield Cell(
            _UNARY[cell.operator],
            name,
            {"A_SIGNED": int(signed)},
            {"A": bits(operand), "Y": result},
        )
    else:
        yield _binary(cell, name, result, bits)


def _binary(cell: NetCell, name: str, result: Value, bits: Callable[[Nets], Value]) -> Cell:
    operator: str = cell.operator
    left, right = cell.inputs
    left_signed = right_signed = False
    if operator in _EITHER:
        left_signed = right_signed = _signed_is_shorter(left, right)
        left, right = (_shortened(each, signed=left_signed) for each in (left, right))
    elif operator == "<<":
        left, left_signed = min(
            ((_shortened(left, signed=each), each) for each in (False, True)),
            key=lambda found: len(found[0]),
        )
        right = _shortened(right, signed=False)
    elif operator[0] in "us":
        left_signed = operator[0] == "s"
        operator = operator[1:]
        right_signed = left_signed and operator != ">>"
        left = _shortened(left, signed=left_signed)
        right = _shortened(right, signed=right_signed)
    if operator not in _BINARY:
        raise ValueError(f"Operator must be one that Verilog text exists for, not {operator}")
    kind = "$sshr" if operator == ">>" and left_signed else _BINARY[operator]
    signs: dict[str, int | str] = {"A_SIGNED": int(left_signed), "B_SIGNED": int(right_signed)}
    return Cell(kind, name, signs, {"A": bits(left), "B": bits(right), "Y": result})


def _signed_is_shorter(left: Nets, right: Nets) -> bool:
    """Whether two operands are better taken as signed, where either will do."""
    if max(left, default=0) <= 1:
        return len(_shortened(right, signed=True)) < len(_shortened(right, signed=False))
    if max(right, default=0) <= 1:
        return len(_shortened(left, signed=True)) < len(_shortened(left, signed=False))
    return any(
        len(_shortened(each, signed=True)) < len(each) == len(_shortened(each, signed=False))
        for each in (left, right)
    )


def _part(
    module: Module, cell: NetCell, result: Value, bits: Callable[[Nets], Value]
) -> Iterator[Cell]:
    offset = bits(cell.offset)
    if cell.stride != 1:
        stride = tuple(reversed(format(cell.stride, "b")))
        product = module.new_wire(len(offset) + len(stride))
        signs: dict[str, int | str] = {"A_SIGNED": 0, "B_SIGNED": 0}
        ports = {"A": offset, "B": stride, "Y": product.bits}
        yield Cell("$mul", product.name, signs, ports)
        offset = product.bits
    yield Cell(
        "$shift",
        f"${len(module.wires)}${len(module.cells)}",
        {"A_SIGNED": int(cell.value_signed), "B_SIGNED": 0},
        {"A": bits(cell.value), "B": offset, "Y": result},
    )


def _shortened(value: Nets, *, signed: bool) -> Nets:
    """A value without the high bits that its extension to any width brings back."""
    end = len(value)
    if signed:
        while end > 1 and value[end - 1] == value[end - 2]:
            end -= 1
    else:
        while end and value[end - 1] == 0:
            end -= 1
    return value[:end]
