"""Positions of Matrix Market entries, against SciPy on good files and by name on bad ones."""

import io
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import mmread, mmwrite

from fabricgen.author.matrix_market import column_indices


def by_scipy(text):
    """Columns of SciPy's matrix in row order; duplicates and explicit zeros stay."""
    matrix = mmread(io.BytesIO(text.encode()))
    if not sparse.issparse(matrix):
        return list(range(matrix.shape[1])) * matrix.shape[0]
    entries = zip(matrix.row.tolist(), matrix.col.tolist(), strict=True)
    return [column for _, column in sorted(entries)]


GOOD = {
    "general": (
        "%%MatrixMarket matrix coordinate real general\n% c\n\n2 3 3\n2 3 1.5\n1 2 -1\n2 1 0\n",
        [1, 0, 2],
    ),
    "symmetric": (
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 4\n3 1 -1\n3 3 4\n",
        [0, 2, 0, 2],
    ),
    "skew": (
        "%%MatrixMarket MATRIX Coordinate Real Skew-Symmetric\n2 2 1\n2 1 5\n",
        [1, 0],
    ),
    "hermitian": (
        "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 4\n",
        [0, 1, 0],
    ),
    "pattern": ("%%MatrixMarket matrix coordinate pattern general\n1 4 2\n1 4\n1 2\n", [1, 3]),
    "repeated": (
        "%%MatrixMarket matrix coordinate real general\n1 2 2\n1 2 1\n1 2 1\n",
        [1, 1],
    ),
    "dense": ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", [0, 1, 0, 1]),
    "dense symmetric": ("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", [0, 1, 0, 1]),
    "dense skew": ("%%MatrixMarket matrix array real skew-symmetric\n2 2\n7\n", [1, 0]),
    "empty": ("%%MatrixMarket matrix coordinate real general\n5 5 0\n", []),
}


@pytest.mark.parametrize("name", [name for name in GOOD if name != "dense skew"])
def test_good_files_read_as_scipy_reads_them(name):
    text, expected = GOOD[name]
    assert column_indices(text) == expected == by_scipy(text)


def test_a_dense_skew_matrix_has_no_diagonal():
    text, expected = GOOD["dense skew"]
    assert column_indices(text) == expected


def test_line_ends_of_other_systems_are_line_ends():
    text, expected = GOOD["symmetric"]
    assert column_indices(text.replace("\n", "\r\n")) == expected


@given(st.integers(1, 12), st.integers(0, 40), st.integers(0, 2**32))
def test_random_matrices_read_as_scipy_reads_them(size, count, seed):
    chance = random.Random(seed)
    places = {(chance.randrange(size), chance.randrange(size)) for _ in range(count)}
    rows, columns = [r for r, _ in places], [c for _, c in places]
    matrix = sparse.coo_array(([1] * len(rows), (rows, columns)), shape=(size, size), dtype=int)
    file = io.BytesIO()
    mmwrite(file, matrix)
    assert column_indices(file.getvalue().decode()) == by_scipy(file.getvalue().decode())


HEAD = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the first line is no Matrix Market banner of a matrix"),
        ("%%MatrixMarket vector array real general\n", "the first line is no Matrix Market banner"),
        ("%%MatrixMarket matrix list real general\n", "the layout is list"),
        ("%%MatrixMarket matrix array quaternion general\n", "the field is quaternion"),
        ("%%MatrixMarket matrix array real odd\n", "the symmetry is odd"),
        ("%%MatrixMarket matrix array pattern general\n", "its field is not pattern"),
        (HEAD, "the size line has 0 numbers"),
        (HEAD + "2 2\n", "the size line has 2 numbers"),
        (HEAD + "2 -2 1\n", "line 2 has -2 instead of a count"),
        (HEAD + "2 2 1\n1 x 1\n", "line 3 has x instead of a count"),
        (HEAD + "2 2 1\n1 3 1\n", "line 3 has an entry outside 2 x 2"),
        (HEAD + "2 2 1\n0 1 1\n", "line 3 has an entry outside 2 x 2"),
        (HEAD + "2 2 1\n1 1\n", "line 3 has 2 words, not 3"),
        (HEAD + "2 2 2\n1 1 1\n", "2 entries are announced and 1 follow"),
        (HEAD + "2 2 1\n1 1 1\n1 2 1\n", "1 entries are announced and 2 follow"),
        (HEAD + "9999999999 9999999999 9999999999\n", "9999999999 entries are announced"),
        (
            "%%MatrixMarket matrix array real general\n99999999 99999999\n1\n",
            "9999999800000001 entries are announced, more than 16777216",
        ),
        (
            "%%MatrixMarket matrix array complex skew-symmetric\n3 3\n1 2 3 4 5\n",
            "6 numbers are announced and 5 follow",
        ),
        (
            "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
            "a symmetric matrix has 2 rows and 3 columns",
        ),
        (
            "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
            "line 3 has a diagonal entry of a skew-symmetric matrix",
        ),
    ],
)
def test_a_broken_file_is_named(text, reason):
    with pytest.raises(ValueError, match=re.escape(reason)):
        column_indices(text)


def test_an_empty_matrix_may_have_many_columns():
    assert column_indices("%%MatrixMarket matrix array real general\n0 9999999999999\n") == []


@pytest.mark.parametrize("seed", range(200))
def test_no_damage_does_anything_but_raise_value_error(seed):
    chance = random.Random(seed)
    data = bytearray(GOOD["symmetric"][0].encode())
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] = chance.choice(b"0123456789 \n-.e\xff\x00axyz%")
    try:
        column_indices(bytes(data[: chance.randint(0, len(data))]).decode("latin-1"))
    except ValueError:
        return
