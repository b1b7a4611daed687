"""The relation over 20,000 drawn ones, against brute force over every point of a universe."""

import random

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.relation import codec
from fabricgen.relation.normal import normalise
from fabricgen.relation.row import contains, encode_row, overlaps, row_size, subsumes
from tests.support.relation_oracle import (
    FIELDS,
    UNIVERSE,
    canonical_wire,
    pieces,
    points_of,
    row_wire,
)

pytestmark = pytest.mark.slow

STRUCTURAL = (True, False, False, False)
#: Together 20,000, in parts that run beside one another.
PARTS, EXAMPLES = 10, 2000
#: Sets of a field as bit masks, the structural one as an index: one number is one row.
SIZES = (len(FIELDS[0]), *(2 ** len(values) - 1 for values in FIELDS[1:]))
COUNT = SIZES[0] * SIZES[1] * SIZES[2] * SIZES[3]


def box_of(number):
    number, first = divmod(number, SIZES[0])
    box = [frozenset([FIELDS[0][first]])]
    for values, size in zip(FIELDS[1:], SIZES[1:], strict=True):
        number, mask = divmod(number, size)
        box.append(frozenset(v for bit, v in enumerate(values) if (mask + 1) >> bit & 1))
    return tuple(box)


BOXES = st.integers(0, COUNT - 1).map(box_of)


def row_of(box):
    return tuple(
        (FiniteDomain if isinstance(next(iter(values)), bytes) else UnsignedDomain).of(*values)
        for values in box
    )


def relation_check(part, form=normalise, examples=EXAMPLES):
    """What each example is held to, with ``form`` as the normaliser."""

    @seed(part)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.lists(BOXES, min_size=1, max_size=5), st.integers(0, 2**32), st.integers(0, 12))
    def check(boxes, draw, cuts):
        hold(boxes, random.Random(draw), cuts, form)

    return check


@pytest.mark.parametrize("part", range(PARTS))
def test_the_relation_is_what_brute_force_says(part):
    relation_check(part)()


def test_a_normaliser_that_merges_nothing_is_noticed():
    def sorted_only(rows, structural):
        return tuple(sorted(set(rows), key=encode_row))

    with pytest.raises(AssertionError):
        relation_check(0, sorted_only, 200)()


def test_a_normaliser_that_keeps_one_row_of_two_is_noticed():
    def halved(rows, structural):
        return normalise(rows[:1], structural)

    with pytest.raises(AssertionError):
        relation_check(0, halved, 200)()


def hold(boxes, rng, cuts, form):
    points = points_of(boxes)
    wire = canonical_wire(points, STRUCTURAL)
    rows = [row_of(box) for box in boxes]
    normal = form(rows, STRUCTURAL)
    assert codec.encode(normal) == wire
    # Any other decomposition of the same points, in any order and with repeats.
    cut = [piece for box in boxes for piece in pieces(box, rng, cuts)]
    rng.shuffle(cut)
    other = [row_of(piece) for piece in [*cut, cut[0]]]
    assert codec.encode(form(other, STRUCTURAL)) == wire
    # Strict import takes the canonical decomposition and no other one.
    assert codec.decode(wire, STRUCTURAL) == normal
    spelled = b"".join(
        [len(cut).to_bytes(8, "big")]
        + [len(data := row_wire(piece)).to_bytes(8, "big") + data for piece in cut]
    )
    assert is_accepted(spelled) == (spelled == wire)
    # Membership, point by point; overlap and subsumption, row by row.
    for point in rng.sample(UNIVERSE, 40):
        assert any(contains(row, point) for row in normal) == (point in points)
    left, right = rng.choice(cut), rng.choice(boxes)
    mine, others = points_of([left]), points_of([right])
    assert row_size(row_of(left)) == len(mine)
    assert overlaps(row_of(left), row_of(right)) == (not mine.isdisjoint(others))
    assert subsumes(row_of(left), row_of(right)) == (mine >= others)
    assert subsumes(row_of(right), row_of(left)) == (others >= mine)


def is_accepted(wire):
    try:
        codec.decode(wire, STRUCTURAL)
    except Invalid:
        return False
    return True
