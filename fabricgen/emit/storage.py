"""Modules for the storage of banks: arrays that synthesis infers, or macros in rows and columns."""

from collections.abc import Sequence

from fabricgen.emit.layout import marks
from fabricgen.emit.template import rendered
from fabricgen.emit.version import VERSION
from fabricgen.records.storage_macro import StorageMacro
from fabricgen.rtl.service.bank import NO_COLLISION

__all__ = ["storage_text"]


def storage_text(
    top: str, storages: Sequence[tuple[str, int, int]], macro: StorageMacro | None = None
) -> str:
    """Verilog of modules by name, depth and width: arrays, or as many macros as each needs.

    Macros in one row share their words, and rows follow one another. The last column may be wider
    than what is left of the word, the last row deeper.
    """
    return rendered(
        "storage.v.j2",
        top=top,
        version=VERSION,
        macro=macro,
        pins=macro and macro.pins,
        not_enable="~" if macro and macro.low_enables else "",
        not_mask="~" if macro and macro.low_mask else "",
        attributes=marks(NO_COLLISION),
        storages=[_module(*each, macro) for each in storages],
    )


def _module(name: str, depth: int, width: int, macro: StorageMacro | None) -> dict[str, object]:
    """What the template writes of one module."""
    address = max(1, (depth - 1).bit_length())
    found: dict[str, object] = {
        "name": name,
        "depth": depth,
        "width": width,
        "bytes": width // 8,
        "address_bits": address,
    }
    return found if macro is None else found | _tiles(depth, width, address, macro)


def _tiles(depth: int, width: int, address: int, macro: StorageMacro) -> dict[str, object]:
    """Rows and columns of macros, and what leads to them."""
    inner = (macro.words - 1).bit_length()
    rows, columns = -(-depth // macro.words), -(-width // macro.bits)
    high = f"[{address - 1}:{inner}]"
    return {
        "inner_bits": inner,
        "row_bits": address - inner,
        "macro_read_address": _inside("read_address", address, inner),
        "macro_write_address": _inside("write_address", address, inner),
        "rows": [
            {
                "at": row,
                "read_select": f"read_address{high} == {address - inner}'d{row}" * (rows > 1),
                "write_select": f"write_address{high} == {address - inner}'d{row}" * (rows > 1),
                "tiles": [_tile(row, column, width, macro) for column in range(columns)],
            }
            for row in range(rows)
        ],
        "result": _result(rows, columns, width, address - inner, macro),
    }


def _inside(address: str, bits: int, inner: int) -> str:
    """Address within a macro: the low bits, with zeros where it is deeper than the storage."""
    if bits < inner:
        return f"{{{inner - bits}'d0, {address}}}"
    return address if bits == inner else f"{address}[{inner - 1}:0]"


def _tile(row: int, column: int, width: int, macro: StorageMacro) -> dict[str, object]:
    """One macro: the data that it takes, and the byte enable behind each bit of its mask."""
    low = column * macro.bits
    high = min(low + macro.bits, width)
    part = f"write_data[{high - 1}:{low}]"
    over = low + macro.bits - high
    masks = [
        f"write_enable[{bit // 8}]" if bit < width else "1'b0"
        for bit in range(low, low + macro.bits, macro.mask_bits)
    ]
    return {
        "name": f"macro_{row}_{column}",
        "data": f"{{{over}'d0, {part}}}" if over else part,
        "masks": masks[::-1],
    }


def _result(rows: int, columns: int, width: int, row_bits: int, macro: StorageMacro) -> str:
    """The columns of the row that was read, side by side."""

    def word(row: int) -> str:
        parts = []
        for column in reversed(range(columns)):
            bits = min(macro.bits, width - column * macro.bits)
            part = "" if bits == macro.bits else f"[{bits - 1}:0]"
            parts.append(f"macro_{row}_{column}_data{part}")
        return f"{{{', '.join(parts)}}}"

    text = word(rows - 1)
    for row in reversed(range(rows - 1)):
        text = f"read_row == {row_bits}'d{row} ? {word(row)} :\n    {text}"
    return text
