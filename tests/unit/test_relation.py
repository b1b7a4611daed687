"""The normal form against brute force over every point of a small universe."""

import time
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import U64_MAX, UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.relation.diagram import ACCEPT, Diagram
from fabricgen.relation.normal import canonical_findings, normalise
from fabricgen.relation.row import contains, encode_row, overlaps, row_size, subsumes
from tests.support.relations import STRUCTURAL, UNIVERSE, points, rows

#: Each example builds several relations.
FEWER = settings(max_examples=60)

RELATIONS = st.lists(rows(), min_size=1, max_size=6)
U = UnsignedDomain.of
F = FiniteDomain.of


def codes(relation, structural=STRUCTURAL):
    return [finding.code for finding in canonical_findings(relation, structural, "rows")]


def grid(*pairs):
    """Rows of two unsigned fields."""
    return [(U(*left), U(*right)) for left, right in pairs]


@FEWER
@given(RELATIONS)
def test_the_normal_form_admits_the_same_points_once(relation):
    listed = points(normalise(relation, STRUCTURAL))
    assert sorted(listed) == sorted(set(points(relation)))


@FEWER
@given(RELATIONS, st.data())
def test_the_normal_form_depends_on_the_points_only(relation, data):
    """Shuffled, repeated and shattered into single points: the same rows come out."""
    canonical = normalise(relation, STRUCTURAL)
    shuffled = data.draw(st.permutations([*relation, relation[0]]))
    assert normalise(shuffled, STRUCTURAL) == canonical
    shattered = [(F(a), U(i), F(b), U(j)) for a, i, b, j in set(points(relation))]
    assert normalise(shattered, STRUCTURAL) == canonical


@FEWER
@given(RELATIONS)
def test_the_normal_form_passes_the_strict_door_and_is_its_own(relation):
    canonical = normalise(relation, STRUCTURAL)
    assert codes(canonical) == []
    assert normalise(canonical, STRUCTURAL) == canonical


@FEWER
@given(RELATIONS)
def test_the_normal_form_is_the_reduced_ordered_product(relation):
    """The definition itself: at each field, one domain per suffix relation, recursively."""
    assert list(normalise(relation, STRUCTURAL)) == reduced(set(points(relation)), STRUCTURAL)


def reduced(admitted, structural):
    """Reference by enumeration: group the values of the first field by their suffix points."""
    if not structural:
        return [()]
    groups = {}
    for value in sorted({point[0] for point in admitted}):
        suffix = frozenset(point[1:] for point in admitted if point[0] == value)
        key = (suffix, value) if structural[0] else suffix
        groups.setdefault(key, (suffix, []))[1].append(value)
    found = []
    for suffix, chosen in groups.values():
        domain = U(*chosen) if isinstance(chosen[0], int) else F(*chosen)
        found += [(domain, *rest) for rest in reduced(suffix, structural[1:])]
    return sorted(found, key=encode_row)


@FEWER
@given(RELATIONS)
def test_every_other_list_of_rows_is_refused_with_its_reason(relation):
    found = codes(relation)
    canonical = list(normalise(relation, STRUCTURAL))
    if relation == canonical:
        assert found == []
    elif len(points(relation)) > len(set(points(relation))):
        assert found == ["relation-overlap"]
    elif sorted(relation, key=encode_row) == canonical:
        assert found == ["relation-order"]
    else:
        assert found == ["relation-not-canonical"]


@FEWER
@given(rows(), rows())
def test_row_relations_agree_with_their_points(left, right):
    a, b = set(points([left])), set(points([right]))
    assert overlaps(left, right) == bool(a & b)
    assert subsumes(left, right) == (a >= b)
    assert row_size(left) == len(a)
    assert {point for point in UNIVERSE if contains(left, point)} == a


@FEWER
@given(RELATIONS, RELATIONS)
def test_one_relation_covers_another_if_it_has_all_of_its_points(outer, inner):
    covers = Diagram(STRUCTURAL).covers
    assert covers(outer, inner) is (set(points(outer)) >= set(points(inner)))
    assert covers([*outer, *inner], inner)


def test_points_of_another_kind_or_length_are_not_admitted():
    row = (F(b"a"), U(1))
    assert contains(row, (b"a", 1))
    assert not contains(row, (1, b"a"))
    assert not contains(row, (b"a",))
    assert not overlaps(row, row[:1])
    assert not subsumes(row, row[:1])
    assert not overlaps(row, (U(1), F(b"a")))
    assert not subsumes(row, (U(1), F(b"a")))


@FEWER
@given(RELATIONS)
def test_counts_of_a_diagram_are_exact(relation):
    diagram = Diagram(STRUCTURAL)
    node = diagram.build(relation)
    assert diagram.point_count(node) == len(set(points(relation)))
    assert diagram.path_count(node) == len(diagram.rows(node))


@FEWER
@given(RELATIONS, st.integers(1, 3))
def test_prefixes_that_lead_to_one_suffix_relation_are_found(relation, cut):
    """Cut behind field ``cut``: each suffix node has its prefixes, and their product is all."""
    diagram = Diagram(STRUCTURAL)
    node = diagram.build(relation)
    rebuilt = []
    parts = diagram.prefixes(node, 0, cut)
    assert tuple(parts) == diagram.nodes_at(node, cut)
    for target, part in parts.items():
        prefixes = diagram.rows(part)
        assert normalise(prefixes, STRUCTURAL[:cut]) == prefixes
        rebuilt += [a + b for a, b in product(prefixes, diagram.rows(target))]
    assert sorted(points(rebuilt)) == sorted(set(points(relation)))


@pytest.mark.parametrize(("low", "high"), [(F(b"a"), F(b"b")), (U(1), U(2))])
def test_prefixes_of_one_suffix_join_where_those_of_another_keep_them_apart(low, high):
    diagram = Diagram((False, False, True))
    near, far = F(b"near"), F(b"far")
    node = diagram.build([(low, U(0), near), (high, U(0), near), (high, U(1), far)])
    both = F(b"a", b"b") if isinstance(low, FiniteDomain) else U((1, 2))
    assert {
        diagram.rows(target): diagram.rows(part)
        for target, part in diagram.prefixes(node, 0, 2).items()
    } == {((near,),): ((both, U(0)),), ((far,),): ((high, U(1)),)}


def test_unequal_suffixes_keep_values_apart_and_equal_ones_join_them():
    """The specification's example: {32} x {1, 2} + {64} x {1}."""
    canonical = grid(([32], [(1, 2)]), ([64], [1]))
    assert codes(canonical, (False, False)) == []
    split = grid(([32], [1]), ([32], [2]), ([64], [1]))
    assert codes(split, (False, False)) == ["relation-not-canonical"]
    assert list(normalise(split, (False, False))) == canonical


def test_the_free_product_of_correlated_fields_is_another_relation():
    """index32 x lanes 1..4 + index64 x lanes 1..2 never becomes {32, 64} x {1..4}."""
    rows_of = normalise(grid(([32], [(1, 4)]), ([64], [(1, 2)])), (False, False))
    assert list(rows_of) == grid(([32], [(1, 4)]), ([64], [(1, 2)]))
    assert not any(contains(row, (64, 3)) for row in rows_of)


def test_adjacent_intervals_merge():
    assert list(normalise(grid(([(0, 3)], [1]), ([(4, 9)], [1])), (False, False))) == grid(
        ([(0, 9)], [1])
    )


def test_the_whole_range_of_uint64_is_one_interval():
    relation = grid(([(0, U64_MAX)], [(0, U64_MAX)]), ([5], [7]))
    assert list(normalise(relation, (False, False))) == grid(([(0, U64_MAX)], [(0, U64_MAX)]))
    assert codes(relation, (False, False)) == ["relation-overlap"]


def test_a_structural_field_never_groups():
    relation = [(F(b"x"), U(1)), (F(b"y"), U(1))]
    assert list(normalise(relation, (True, False))) == relation
    assert normalise(relation, (False, False)) == ((F(b"x", b"y"), U(1)),)


def test_kinds_may_differ_behind_different_structural_values_only():
    relation = [(F(b"x"), U(1)), (F(b"y"), F(b"z"))]
    assert codes(relation, (True, False)) == []
    with pytest.raises(Invalid, match=r"not finite and unsigned \[relation-domain-kind\]$"):
        normalise(relation, (False, False))


@pytest.mark.parametrize("domain", [F(b"x", b"y"), U(3)], ids=["two atoms", "unsigned"])
def test_a_structural_field_names_one_atom(domain):
    assert codes([(domain, U(1))], (True, False)) == ["relation-structural-field"]


def test_a_relation_is_not_empty():
    assert codes([]) == ["relation-empty"]


def test_a_row_has_one_domain_per_field():
    with pytest.raises(ValueError, match=r"^Row must have 2 fields, not 1$"):
        normalise([(U(1),)], (False, False))


def test_a_refusal_names_rows_and_place():
    relation = [(U(1),), (U(5),), (U((4, 6)),)]
    assert [str(f) for f in canonical_findings(relation, (False,), "access_classes")] == [
        "access_classes: Rows must be disjoint, but rows 1 and 2 admit a common point "
        "[relation-overlap]"
    ]


# Cost. The bounds are on counted steps, never on time.


def visits(relation, structural):
    diagram = Diagram(structural)
    diagram.rows(diagram.build(relation))
    return diagram.visits


def test_geometry_is_never_enumerated():
    """Intervals of 2**63 values cost what intervals of one value cost."""
    wide = grid(*[([(i << 58, (i << 58) + (1 << 57))], [(1, 1 << (i + 1))]) for i in range(20)])
    narrow = grid(*[([2 * i], [(1, 1 << (i + 1))]) for i in range(20)])
    assert visits(wide, (False, False)) == visits(narrow, (False, False))


@pytest.mark.parametrize("count", [100, 1000, 5000])
def test_disjoint_rows_cost_a_fixed_number_of_steps_each(count):
    relation = [(U(2 * i), U(7), F(b"a"), U(i)) for i in range(count)]
    # A first field of one interval, one region and one node each; behind it rows stand alone.
    assert visits(relation, (False,) * 4) <= 16 + 25 * count


def test_shared_suffixes_are_split_once():
    """Two hundred widths over one lane relation look at that relation once."""
    lanes = [U(2 * lane) for lane in range(50)]
    shared = [(U(2 * i), lane, F(b"a")) for i in range(200) for lane in lanes]
    assert len(normalise(shared, (False,) * 3)) == 1
    assert visits(shared, (False,) * 3) <= 5 * 200 * 50 + 200 * (16 + 50) + 25 * 50


def test_nested_rows_cost_the_square_of_their_number():
    def nested(count):
        return [(U((i, 2 * count - i)), U(2 * i)) for i in range(count)]

    assert visits(nested(80), (False, False)) <= 4.2 * visits(nested(40), (False, False))


def test_visits_count_nodes_intervals_and_the_rows_that_cover_each_region():
    # A node of n rows costs 16 + n, an interval 4, a region 16 and its rows, a single row 1. Three
    # rows make regions of 1, 2, 3, 2, 1 rows. Behind them stand one row, two and three.
    relation = grid(([(1, 9)], [0]), ([(2, 8)], [2]), ([(3, 7)], [4]))
    first = 16 + 3 + 3 * 4 + 5 * 16 + (1 + 2 + 3 + 2 + 1)
    two, three = (16 + n + n * 4 + n * (16 + 1) for n in (2, 3))
    assert visits(relation, (False, False)) == first + 1 + two + three


def some_pair(count):
    """Some pair of fields is (1, 1): few rows, a narrow diagram, and 2**count products."""
    return [
        tuple(U(1 if field // 2 == pair else (0, 1)) for field in range(2 * count))
        for pair in range(count)
    ]


def test_the_products_of_a_narrow_diagram_are_counted_and_never_walked():
    diagram = Diagram((False,) * 80)
    node = diagram.build(some_pair(40))
    # A pair that is not (1, 1) is (0, any) or (1, 0): 2**p ways before pair p is the first one.
    assert diagram.path_count(node) == sum(2**p for p in range(40))
    assert diagram.visits <= 40 * 80 * 41
    with pytest.raises(Invalid, match=r"at most 100000 canonical rows, not 1099511627775 "):
        diagram.rows(node)
    assert diagram.prefixes(node, 0, 80) == {ACCEPT: node}


def test_a_form_of_as_many_rows_as_allowed_is_listed():
    diagram = Diagram((False,) * 8)
    node = diagram.build(some_pair(4))
    assert len(diagram.rows(node, 15)) == 15
    with pytest.raises(Invalid, match=r"at most 14 canonical rows, not 15 \[relation-too-large\]"):
        diagram.rows(node, 14)


def test_rows_stand_in_the_order_of_their_framed_bytes():
    """A frame's length stands before its bytes, so {b, c} comes before the longer {a, zzz}."""
    relation = [(F(b"b", b"c"), U(1)), (F(b"a", b"zzz"), U(2))]
    assert list(normalise(relation, (False, False))) == relation
    assert sorted(relation, key=encode_row) == relation


def test_a_form_that_takes_too_much_work_is_refused():
    """Independent choices in many fields reach every subset of the rows."""
    rows_of = [
        (*(U(0 if field == i else (0, 1)) for field in range(30)), U(2 * i)) for i in range(30)
    ]
    diagram = Diagram((False,) * 31, max_visits=50_000)
    with pytest.raises(Invalid, match=r"at most 50000 steps of work, not more"):
        diagram.build(rows_of)
    assert diagram.visits <= 50_000 + 16 + 30


def test_rows_beyond_twice_those_written_count_as_steps_where_they_are_listed():
    """Fifteen rows of eight fields out of four: seven are not free, each field of which costs."""
    diagram = Diagram((False,) * 8, max_visits=3_000)
    node = diagram.build(some_pair(4))
    before = diagram.visits
    diagram.rows(node)
    assert diagram.visits - before == (15 - 2 * 4) * 8 * 20
    with pytest.raises(Invalid, match=r"at most 3000 steps of work, not more"):
        diagram.rows(node)


def test_a_form_of_another_number_of_rows_is_never_listed_at_the_strict_door(monkeypatch):
    monkeypatch.setattr(Diagram, "rows", lambda *_: pytest.fail("listed"))
    # Sixteen pairs have 65,535 products.
    assert codes(some_pair(16), (False,) * 32) == ["relation-overlap"]
    split = grid(([1], [1]), ([1], [3]), ([2], [1]))
    assert codes(split, (False, False)) == ["relation-not-canonical"]


def test_the_pair_that_a_refusal_names_is_looked_for_within_bounds(monkeypatch):
    relation = [(U(1),), (U(5),), (U((4, 6)),)]
    monkeypatch.setattr("fabricgen.relation.normal._PAIR_STEPS", 5)
    assert [f.message for f in canonical_findings(relation, (False,), "rows")] == [
        "Rows must be disjoint, but two of them admit a common point"
    ]


def test_interleaved_domains_are_compared_in_one_pass():
    """Ten thousand intervals each: a pass over both, not a pass of one for each of the other."""
    evens, odds = (U(*range(start, 20_000, 2)) for start in (0, 1))
    started = time.process_time()
    assert not overlaps((evens,), (odds,))
    assert overlaps((evens,), (U(19_998),))
    assert subsumes((evens,), (U(*range(0, 20_000, 4)),))
    assert not subsumes((evens,), (U(*range(0, 20_001, 4)),))
    assert time.process_time() - started < 2
