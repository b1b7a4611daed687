"""The complete capability array: one relation, one array."""

from collections import defaultdict
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.records.alternative_codec import encode
from fabricgen.records.capability import array_findings, normalise_alternatives
from tests.support.capabilities import (
    CONTIGUOUS,
    ELEMENT,
    INDEXED,
    LOAD,
    READ,
    STORE,
    UNMASKED,
    access,
    access_points,
    alternative,
    alternatives,
    capability_points,
    masked,
)

#: Each example builds several relations.
FEWER = settings(max_examples=30)

ARRAYS = st.lists(alternatives(), min_size=1, max_size=4)


def codes(array):
    return [finding.code for finding in array_findings(tuple(array))]


@FEWER
@given(ARRAYS)
def test_the_normal_form_admits_the_same_points_once(array):
    listed = capability_points(normalise_alternatives(array))
    assert len(listed) == len(set(listed))
    assert set(listed) == set(capability_points(array))


@FEWER
@given(ARRAYS, st.data())
def test_the_normal_form_depends_on_the_points_only(array, data):
    canonical = normalise_alternatives(array)
    shuffled = data.draw(st.permutations([*array, array[-1]]))
    assert normalise_alternatives(shuffled) == canonical
    assert normalise_alternatives(canonical) == canonical
    assert codes(canonical) == []


@FEWER
@given(ARRAYS)
def test_the_normal_form_is_the_reduced_product_of_its_four_fields(array):
    """The definition itself, by enumeration: contracts, then accesses, then bindings."""
    groups = set()
    below = children(set(capability_points(array)), 2)
    for schema in {schema for schema, _ in below}:
        contracts = grouped({key: rest for key, rest in below.items() if key[0] is schema})
        for suffix, keys in contracts.items():
            for bound, points in grouped(children(suffix, 1)).items():
                for role_to_endpoint, patterns in children(bound, 1).items():
                    groups.add(
                        (
                            schema,
                            frozenset(volatile for _, volatile in keys),
                            frozenset(points),
                            role_to_endpoint,
                            frozenset(patterns),
                        )
                    )
    assert {described(each) for each in normalise_alternatives(array)} == groups


def children(points, width):
    """Values of the first fields, each with the set of what may follow."""
    found = defaultdict(set)
    for point in points:
        key = point[:width] if width > 1 else point[0]
        found[key].add(point[width:] if len(point) > width + 1 else point[width])
    return {key: frozenset(rest) for key, rest in found.items()}


def grouped(followers):
    """Values by what follows them."""
    found = defaultdict(set)
    for key, suffix in followers.items():
        found[suffix].add(key)
    return found


def described(each):
    (clause,) = each.actor_contract_domain.contract_clauses
    return (
        each.actor_contract_domain.actor_schema,
        frozenset(clause.volatile_values),
        frozenset(access_points(each.parameterized_access_domain)),
        each.role_to_endpoint,
        frozenset(each.admissible_use_patterns),
    )


@FEWER
@given(ARRAYS)
def test_every_other_array_is_refused_with_its_reason(array):
    canonical = normalise_alternatives(array)
    listed = capability_points(array)
    found = codes(array)
    if tuple(array) == canonical:
        assert found == []
    elif len(listed) > len(set(listed)):
        each = [set(capability_points([one])) for one in array]
        is_subsumed = any(inner <= outer for outer, inner in permutations(each, 2))
        kind = "subsumed" if is_subsumed else "overlap"
        assert found == [f"capability-alternative-{kind}"]
    elif sorted(array, key=encode) == list(canonical):
        assert found == ["relation-order"]
    else:
        assert found == ["relation-not-canonical"]


def test_one_access_domain_split_over_two_alternatives_is_refused():
    split = [alternative(access(ELEMENT)), alternative(access(CONTIGUOUS))]
    joined = alternative(access(ELEMENT), access(CONTIGUOUS))
    assert normalise_alternatives(split) == (joined,)
    assert codes(sorted(split, key=encode)) == ["relation-not-canonical"]


def test_one_actor_domain_split_over_two_alternatives_is_refused():
    split = [alternative(access(), volatile=(value,)) for value in (False, True)]
    joined = alternative(access(), volatile=(False, True))
    assert normalise_alternatives(split) == (joined,)
    assert codes(sorted(split, key=encode)) == ["relation-not-canonical"]


def test_one_pattern_set_factored_differently_is_refused():
    element, vector = access(ELEMENT), access(CONTIGUOUS)
    split = [
        alternative(element, vector, patterns=(0,)),
        alternative(element, patterns=(1,)),
        alternative(vector, patterns=(1,)),
    ]
    assert normalise_alternatives(split) == (alternative(element, vector, patterns=(0, 1)),)
    assert codes(sorted(split, key=encode)) == ["relation-not-canonical"]


def test_correlated_accesses_and_patterns_stay_apart():
    """Pattern 1 is for vectors only, so the two accesses have different suffix relations."""
    element, vector = access(ELEMENT), access(CONTIGUOUS)
    array = [alternative(element, vector, patterns=(0,)), alternative(vector, patterns=(1,))]
    canonical = normalise_alternatives(array)
    assert set(canonical) == {
        alternative(element, patterns=(0,)),
        alternative(vector, patterns=(0, 1)),
    }
    assert codes(canonical) == []


def test_contracts_group_before_accesses():
    """Volatile elements only: the contract values part first, then each has its accesses."""
    element, vector = access(ELEMENT), access(CONTIGUOUS)
    array = [alternative(element, volatile=(False, True)), alternative(vector)]
    assert set(normalise_alternatives(array)) == {
        alternative(element, vector, volatile=(False,)),
        alternative(element, volatile=(True,)),
    }


def test_loads_and_stores_never_join():
    array = [alternative(access()), alternative(access(schema=STORE), schema=STORE, number=1)]
    assert set(normalise_alternatives(array)) == set(array)


@pytest.mark.parametrize("patterns", [(0,), (0, 1)])
def test_a_second_binding_for_one_point_is_refused_at_both_doors(patterns):
    array = [alternative(access()), alternative(access(), number=1, patterns=patterns)]
    assert codes(array) == ["capability-alternative-overlap"]
    with pytest.raises(Invalid) as caught:
        normalise_alternatives(array)
    assert str(caught.value) == (
        "capability_alternatives.bindings: One actor, access and use pattern must have one role "
        "binding, not another one under use pattern 0 [capability-alternative-overlap]"
    )


def test_every_two_bindings_of_one_point_are_compared():
    numbers = [(0, (0,)), (1, (1,)), (2, (0,))]
    array = [alternative(access(), number=n, patterns=keys) for n, keys in numbers]
    assert codes(array) == ["capability-alternative-overlap"]


def test_the_classes_of_all_alternatives_share_one_bound(monkeypatch):
    monkeypatch.setattr("fabricgen.records.products.MAX_ROWS", 3)
    two = [alternative(access(), patterns=(0,)), alternative(access(INDEXED), patterns=(1,))]
    assert codes(sorted(two, key=encode)) == []
    three = [*two, alternative(access(CONTIGUOUS), patterns=(2,))]
    assert codes(sorted(three, key=encode)) == ["relation-too-large"]


def test_the_pair_that_a_refusal_names_is_looked_for_within_bounds(monkeypatch):
    array = [alternative(access(lanes=[1])), alternative(access(lanes=[1]))]
    monkeypatch.setattr("fabricgen.records.capability._PAIR_STEPS", 1)
    (found,) = array_findings(tuple(array))
    assert found.message == "Alternatives must admit no point twice, but two of them do"


def test_products_beyond_twice_those_written_are_steps_of_work(monkeypatch):
    monkeypatch.setattr("fabricgen.records.products._FREE_PRODUCTS", 1)
    monkeypatch.setattr("fabricgen.records.products._PRODUCT_STEPS", 3_000_000)
    low, high, above = (
        alternative(access(CONTIGUOUS, lanes=[lanes]), patterns=(key,))
        for lanes, key in [((1, 4), 0), ((3, 6), 1), ((5, 6), 1)]
    )
    assert len(normalise_alternatives([low, above])) == 2
    # Lanes 1 and 2, 3 and 4, 5 and 6 have patterns 0, both, and 1.
    with pytest.raises(Invalid, match=r"steps of work, not more \[relation-too-large\]$"):
        normalise_alternatives([low, high])


def test_a_subword_guarantee_does_not_tell_two_accesses_apart():
    """The actor does not see which of two endpoints is exact, so the binding is ambiguous."""
    array = [
        alternative(access(read_subword=[READ.EXACT])),
        alternative(access(read_subword=[READ.ZERO_EXTEND]), number=1),
    ]
    assert codes(array) == ["capability-alternative-overlap"]


def test_bindings_may_differ_where_pattern_contract_or_access_does():
    base = alternative(access(ELEMENT))
    for other in (
        alternative(access(ELEMENT), number=1, patterns=(1,)),
        alternative(access(ELEMENT), number=1, volatile=(True,)),
        alternative(access(ELEMENT, element=(8,)), number=1),
        alternative(access(INDEXED), number=1),
    ):
        assert set(normalise_alternatives([base, other])) == {base, other}


def test_equal_endpoints_of_alternatives_are_one_binding():
    """Narrow elements here, wide ones there, through the same endpoints: one alternative."""
    array = [alternative(access(element=(8,))), alternative(access(element=(16, 32)))]
    assert normalise_alternatives(array) == (alternative(access(element=(8, 16, 32))),)


def test_a_group_without_dynamic_mask_may_not_keep_the_mask_role():
    """Pattern 1 for masked accesses only leaves the unmasked ones a bound, unusable mask."""
    both = access(CONTIGUOUS, mask_inactive_pairs=[UNMASKED, masked(LOAD)])
    dynamic = access(CONTIGUOUS, mask_inactive_pairs=[masked(LOAD)])
    array = [alternative(both, patterns=(0,)), alternative(dynamic, patterns=(1,))]
    with pytest.raises(Invalid) as caught:
        normalise_alternatives(array)
    (finding,) = caught.value.diagnostics
    assert finding.code == "alternative-mask-role"
    assert finding.where == "capability_alternatives.role_to_endpoint"


def test_the_hybrid_port_of_the_specification_is_one_alternative():
    element = access(ELEMENT, element=(8, 16, 32))
    vector = access(
        CONTIGUOUS, mask_inactive_pairs=[UNMASKED, masked(LOAD)], read_subword=[READ.EXACT]
    )
    assert codes([alternative(element, vector)]) == []


def test_an_array_is_not_empty():
    assert codes([]) == ["relation-empty"]


def test_a_refusal_names_the_pair():
    array = [
        alternative(access(element=(8,))),
        alternative(access(element=(16,))),
        alternative(access(element=(16, 32))),
    ]
    assert [str(finding) for finding in array_findings(tuple(array))] == [
        "capability_alternatives[1]: An alternative must admit some point that no other one "
        "admits, not only points of 2 [capability-alternative-subsumed]"
    ]
    array[1] = alternative(access(element=(16, 64)))
    assert [str(finding) for finding in array_findings(tuple(array))] == [
        "capability_alternatives: Alternatives must admit no point twice, but 1 and 2 do "
        "[capability-alternative-overlap]"
    ]


def test_geometry_is_never_enumerated():
    """Widths and lanes over the whole of uint64, against many narrow alternatives."""
    whole = UnsignedDomain.of((1, 2**64 - 1))
    wide = access(CONTIGUOUS, element_width_bits=whole, flattened_lane_count=whole)
    array = [alternative(wide, patterns=(0,))] + [
        alternative(
            access(
                CONTIGUOUS,
                element=((2**i, 2**63),),
                lanes=((1, 2**i),),
                source_alignment=AlignmentDomain(UnsignedDomain.of((0, i))),
            ),
            patterns=(0, i + 1),
        )
        for i in range(12)
    ]
    canonical = normalise_alternatives(array)
    assert codes(canonical) == []
    assert {key for each in canonical for key in each.admissible_use_patterns} == set(range(13))
