"""Where the entries of a Matrix Market file lie.

Only positions are kept, so every field kind reads alike. SciPy's reader is not used: it takes the
process down on some broken files, and a broken file must become a finding.
"""

from collections.abc import Iterator

from fabricgen.author.fields import LONGEST_STREAM

__all__ = ["column_indices"]

_VALUES = {"pattern": 0, "complex": 2, "real": 1, "double": 1, "integer": 1, "unsigned-integer": 1}
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


def column_indices(text: str) -> list[int]:
    """Column index of every entry from 0, in row order, then column order.

    Symmetric, skew-symmetric and hermitian matrices are expanded. A dense (``array``) file has an
    entry at every place.

    Raises
    ------
    ValueError
        The text is no Matrix Market file, its entries do not agree with its size line, or there
        are more of them than a stream can have.
    """
    lines = enumerate(text.splitlines(), 1)
    _, banner = next(lines, (1, ""))
    layout, values, symmetry = _banner(banner)
    body = ((number, line.split()) for number, line in lines if not line.startswith("%"))
    filled = ((number, words) for number, words in body if words)
    number, size = next(filled, (0, list[str]()))
    numbers = [_count(word, f"line {number}") for word in size]
    if len(numbers) != (3 if layout == "coordinate" else 2):
        raise ValueError(f"the size line has {len(numbers)} numbers")
    rows, columns = numbers[:2]
    if symmetry != "general" and rows != columns:
        raise ValueError(f"a {symmetry} matrix has {rows} rows and {columns} columns")
    entries = rows * columns if layout == "array" else numbers[2]
    if entries > LONGEST_STREAM:
        raise ValueError(f"{entries} entries are announced, more than {LONGEST_STREAM}")
    if layout == "array":
        return _dense(filled, rows, columns, values, symmetry)
    return _sparse(filled, rows, columns, numbers[2], values, symmetry)


def _banner(line: str) -> tuple[str, int, str]:
    words = line.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError("the first line is no Matrix Market banner of a matrix")
    _, _, layout, field, symmetry = words
    if layout not in ("coordinate", "array"):
        raise ValueError(f"the layout is {layout[:20]}")
    if field not in _VALUES:
        raise ValueError(f"the field is {field[:20]}")
    if symmetry not in _SYMMETRIES:
        raise ValueError(f"the symmetry is {symmetry[:20]}")
    if layout == "array" and field == "pattern":
        raise ValueError("an array has values, so its field is not pattern")
    return layout, _VALUES[field], symmetry


def _count(word: str, where: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 19):
        raise ValueError(f"{where} has {word[:20]} instead of a count")
    return int(word)


def _sparse(
    lines: Iterator[tuple[int, list[str]]],
    rows: int,
    columns: int,
    count: int,
    values: int,
    symmetry: str,
) -> list[int]:
    entries: list[tuple[int, int]] = []
    stored = 0
    for number, words in lines:
        stored += 1
        if len(words) != 2 + values:
            raise ValueError(f"line {number} has {len(words)} words, not {2 + values}")
        row, column = (_count(word, f"line {number}") for word in words[:2])
        if not (1 <= row <= rows and 1 <= column <= columns):
            raise ValueError(f"line {number} has an entry outside {rows} x {columns}")
        if symmetry == "skew-symmetric" and row == column:
            raise ValueError(f"line {number} has a diagonal entry of a skew-symmetric matrix")
        entries.append((row, column - 1))
        if symmetry != "general" and row != column:
            entries.append((column, row - 1))
    if stored != count:
        raise ValueError(f"{count} entries are announced and {stored} follow")
    entries.sort()
    return [column for _, column in entries]


def _dense(
    lines: Iterator[tuple[int, list[str]]], rows: int, columns: int, values: int, symmetry: str
) -> list[int]:
    stored = sum(len(words) for _, words in lines)
    off_diagonal = rows * (rows - 1) // 2
    expected = {
        "general": rows * columns,
        "skew-symmetric": off_diagonal,
    }.get(symmetry, off_diagonal + rows)
    if stored != expected * values:
        raise ValueError(f"{expected * values} numbers are announced and {stored} follow")
    if symmetry == "skew-symmetric":
        return [column for row in range(rows) for column in range(columns) if column != row]
    # Without a row, the columns may be too many to list.
    return list(range(columns)) * rows if rows else []
