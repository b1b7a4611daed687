"""The reduced ordered relation by brute force, over points alone and with bytes of its own.

Nothing of :mod:`fabricgen.relation` is used. A point is one value per field: bytes, or an integer.
"""

from itertools import product

__all__ = ["UNIVERSE", "Box", "canonical_wire", "pieces", "points_of", "row_wire"]

ATOMS = (b"", b"a", b"ab", b"b")
NEAR = (0, 1, 2, 3, 4, 5)
#: Neighbours at both ends of the type and a lonely value between them.
FAR = (0, 1, 2**63, 2**64 - 2, 2**64 - 1)
FIELDS = (ATOMS, NEAR, ATOMS, FAR)
UNIVERSE = tuple(product(*FIELDS))

#: One set of values per field.
Box = tuple[frozenset, ...]


def points_of(boxes):
    """Every admitted point, once."""
    return {point for box in boxes for point in product(*box)}


def pieces(box, rng, cuts):
    """Cut a box into boxes that admit the same points, at random values of random fields."""
    found = [box]
    for _ in range(cuts):
        at = rng.randrange(len(found))
        wide = [field for field, values in enumerate(found[at]) if len(values) > 1]
        if wide:
            field = rng.choice(wide)
            values = sorted(found[at][field])
            left = frozenset(rng.sample(values, rng.randint(1, len(values) - 1)))
            each = found.pop(at)
            for part in (left, each[field] - left):
                found.append((*each[:field], part, *each[field + 1 :]))
    return found


def canonical_wire(points, structural):
    """Bytes of the one normal form of a set of points."""
    rows = sorted(row_wire(box) for box in _reduced(frozenset(points), structural))
    return _u64(len(rows)) + b"".join(_framed(row) for row in rows)


def _reduced(points, structural):
    """Per field, values with one suffix relation are one set; structural ones stay alone."""
    if not structural:
        return [()]
    suffixes = {}
    for value, *rest in points:
        suffixes.setdefault(value, set()).add(tuple(rest))
    groups = {}
    for value, rest in suffixes.items():
        key = (frozenset(rest), value if structural[0] else None)
        groups.setdefault(key, set()).add(value)
    return [
        (frozenset(values), *tail)
        for (rest, _), values in groups.items()
        for tail in _reduced(rest, structural[1:])
    ]


def row_wire(box):
    """Bytes of one row: a field count, then framed domains."""
    return _u64(len(box)) + b"".join(_framed(_domain(values)) for values in box)


def _domain(values):
    ordered = sorted(values)
    if isinstance(ordered[0], bytes):
        return _u32(0) + _u64(len(ordered)) + b"".join(map(_framed, ordered))
    runs = []
    for value in ordered:
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return _u32(1) + _u64(len(runs)) + b"".join(_u64(low) + _u64(high) for low, high in runs)


def _u32(value):
    return value.to_bytes(4, "big")


def _u64(value):
    return value.to_bytes(8, "big")


def _framed(data):
    return _u64(len(data)) + data
