"""Small relations and what they admit, point by point."""

from itertools import product

from hypothesis import strategies as st

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.relation.row import Row

ATOMS = (b"", b"a", b"ab", b"b")
#: Kinds of the fields: structural, unsigned, finite, unsigned.
STRUCTURAL = (True, False, False, False)
UNIVERSE = [(a, i, b, j) for a in ATOMS for i in range(6) for b in ATOMS for j in range(5)]


def unsigned(high: int) -> st.SearchStrategy[UnsignedDomain]:
    values = st.sets(st.integers(0, high), min_size=1)
    return values.map(lambda chosen: UnsignedDomain.of(*chosen))


def finite() -> st.SearchStrategy[FiniteDomain]:
    return st.sets(st.sampled_from(ATOMS), min_size=1).map(lambda atoms: FiniteDomain.of(*atoms))


def rows() -> st.SearchStrategy[Row]:
    single = st.sampled_from(ATOMS).map(lambda atom: FiniteDomain((atom,)))
    return st.tuples(single, unsigned(5), finite(), unsigned(4))


def points(relation) -> list[tuple]:
    """Every point of every row, one by one: with repeats where rows overlap."""
    return [point for row in relation for point in product(*map(values, row))]


def values(domain) -> list:
    match domain:
        case FiniteDomain(atoms):
            return list(atoms)
        case UnsignedDomain(intervals):
            return [v for i in intervals for v in range(i.lower, i.upper + 1)]
