from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.atoms.dataflow import SYNC_SCOPES
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.errors import Invalid
from fabricgen.records import actor_codec
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.clause import common_clause
from fabricgen.schema.actor import CanonicalActorProjection
from fabricgen.schema.contract import AtomicContract, PlainContract, contract_of
from fabricgen.vocab.dataflow import AtomicRmwKind, SyncScopeKind, VectorAtomicGranularity
from tests.support.actors import (
    ACTORS,
    CAS,
    FENCE,
    KIND,
    LANE,
    LEGAL,
    LOAD,
    ORDER,
    RMW,
    SCALAR,
    STORE,
    SYSTEM,
    TARGET,
    THREAD,
    WHOLE,
    actors,
    authored,
    clause,
    exact,
    points,
)
from tests.support.wires import (
    dataflow,
    flip,
    framed,
    reads_as_itself,
    refuses_every_prefix_and_extension,
    survives_bit_flips,
    u32,
    u64,
)

FEWER = settings(max_examples=60)
ORDERED = {
    LOAD: "load-ordering",
    STORE: "store-ordering",
    RMW: "rmw-ordering",
    FENCE: "fence-ordering",
}


def codes(caught):
    return [finding.code for finding in caught.value.diagnostics]


def optional(*words):
    return dataflow("optional-vector-atomic-granularity", 0)[:-4] + b"".join(map(u32, words))


def wire(schema, tag, *fields):
    encoded = b"".join(framed(u64(len(f)) + b"".join(map(framed, f))) for f in fields)
    atom = dataflow("operation-schema-id", schema.value)
    return framed(atom) + u64(1) + framed(u32(tag) + u64(len(fields)) + encoded)


SEQ_CST = [dataflow("atomic-ordering", 6)]
EVERYWHERE = [dataflow("sync-scope-ref", 1)]
NO = [dataflow("canonical-boolean", 0)]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (LOAD, wire(LOAD, 1, SEQ_CST, EVERYWHERE, [optional(0)], NO)),
        (STORE, wire(STORE, 1, SEQ_CST, EVERYWHERE, [optional(0)], NO)),
        (
            RMW,
            wire(RMW, 2, [dataflow("atomic-rmw-kind", 2)], SEQ_CST, EVERYWHERE, [optional(0)], NO),
        ),
        (CAS, wire(CAS, 3, [framed(SEQ_CST[0]) * 2], EVERYWHERE, [optional(0)], NO, NO)),
        (FENCE, wire(FENCE, 4, SEQ_CST, EVERYWHERE)),
    ],
)
def test_bytes_are_pinned(schema, expected):
    assert actor_codec.encode(actors(schema)) == expected
    assert actor_codec.decode(expected) == actors(schema)


def test_a_granularity_is_absent_or_a_framed_choice():
    found = actors(LOAD, granularity=[LANE, WHOLE, SCALAR])
    assert actor_codec.encode(found) == wire(
        LOAD, 1, SEQ_CST, EVERYWHERE, [optional(0), optional(1, 1), optional(1, 2)], NO
    )
    assert found.granularities == (None, *VectorAtomicGranularity)


def test_there_are_23_kinds_of_read_modify_write_with_their_tags():
    every = actors(RMW, kinds=AtomicRmwKind)
    kinds = [dataflow("atomic-rmw-kind", tag) for tag in range(1, 24)]
    assert actor_codec.encode(every) == wire(RMW, 2, kinds, SEQ_CST, EVERYWHERE, [optional(0)], NO)


def test_a_target_scope_is_its_kind_and_two_framed_names():
    atom = dataflow("sync-scope-ref", 3) + framed(b"gpu") + framed(b"warp")
    assert SYNC_SCOPES.atom(TARGET) == atom
    assert SYNC_SCOPES.read(atom, "scope") == TARGET


@pytest.mark.parametrize(
    "tail",
    [
        b"",
        framed(b"gpu"),
        framed(b"") + framed(b"warp"),
        framed(b"gpu") + framed(b"warp") + b"\0",
        framed(b"\xff") + framed(b"warp"),
        u64(2**63) + b"gpu",
        framed(b"gpu") + framed(b""),
    ],
)
def test_another_target_scope_is_refused(tail):
    with pytest.raises(Invalid) as caught:
        SYNC_SCOPES.read(dataflow("sync-scope-ref", 3) + tail, "scope")
    assert codes(caught) == ["atom-unknown"]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (SyncScopeKind.SYSTEM, ("gpu", "")),
        (SyncScopeKind.SINGLE_THREAD, ("", "warp")),
        (SyncScopeKind.TARGET, ("gpu", "")),
        (SyncScopeKind.TARGET, ("gpu", "\ud800")),
    ],
)
def test_only_a_target_scope_has_names(kind, names):
    with pytest.raises(Invalid) as caught:
        SyncScope(kind, *names)
    assert codes(caught) == ["sync-scope-name"]


@pytest.mark.parametrize("schema", ACTORS)
def test_a_target_scope_is_refused_in_clauses_and_actors(schema):
    with pytest.raises(Invalid) as caught:
        actors(schema, scopes=[THREAD, TARGET])
    assert codes(caught) == ["sync-scope-target"]
    assert actors(schema, scopes=[THREAD, SYSTEM]).contains(exact(schema))


@pytest.mark.parametrize(("schema", "ordering"), [(s, order) for s in ORDERED for order in ORDER])
def test_each_actor_has_its_own_orderings(schema, ordering):
    if ordering in LEGAL[schema]:
        assert actors(schema, orderings=[ordering]).contains(exact(schema, ordering=ordering))
        return
    with pytest.raises(Invalid) as caught:
        actors(schema, orderings=[ordering, ORDER.SEQ_CST])
    assert codes(caught) == [ORDERED[schema]]
    with pytest.raises(Invalid) as caught:
        exact(schema, ordering=ordering)
    assert codes(caught) == [ORDERED[schema]]


@pytest.mark.parametrize("pair", [(s, f) for s in ORDER for f in ORDER])
def test_a_compare_exchange_has_exact_pairs_of_legal_orderings(pair):
    success, failure = pair
    expected = []
    if success is ORDER.UNORDERED:
        expected.append("compare-exchange-success-ordering")
    if failure not in (ORDER.MONOTONIC, ORDER.ACQUIRE, ORDER.SEQ_CST):
        expected.append("compare-exchange-failure-ordering")
    assert bool(expected) == (pair not in LEGAL[CAS])
    if not expected:
        actors(CAS, orderings=[pair])
        return
    with pytest.raises(Invalid) as caught:
        actors(CAS, orderings=[pair])
    assert codes(caught) == expected


def test_pairs_are_no_product_of_two_sets():
    found = actors(CAS, orderings=[(ORDER.MONOTONIC, ORDER.MONOTONIC), (ORDER.SEQ_CST,) * 2])
    mixed = contract_of(
        found.contract_clauses[0].tag,
        ((ORDER.SEQ_CST, ORDER.MONOTONIC), SYSTEM, None, False, False),
        4,
    )
    assert found.contains(exact(CAS))
    assert not found.contains(CanonicalActorProjection(CAS, mixed))


@pytest.mark.parametrize("schema", ACTORS)
@pytest.mark.parametrize("other", ACTORS)
def test_an_actor_has_a_contract_of_its_schema(schema, other):
    contract = exact(other).contract
    if (schema in (LOAD, STORE)) == (other in (LOAD, STORE)) and (
        schema in (LOAD, STORE) or schema is other
    ):
        return
    with pytest.raises(Invalid) as caught:
        CanonicalActorProjection(schema, contract)
    assert codes(caught) == ["actor-contract-kind"]
    with pytest.raises(Invalid) as caught:
        MemoryActorContractDomain(schema, (clause(other),))
    assert codes(caught) == ["clause-schema-mismatch"]


@pytest.mark.parametrize("alignment", [0, 3, 2**64])
def test_an_atomic_actor_is_aligned_to_a_power_of_two(alignment):
    with pytest.raises(Invalid) as caught:
        exact(LOAD, alignment=alignment)
    assert codes(caught) == ["access-view-alignment"]


def test_alignment_is_no_part_of_a_clause():
    found = actors(LOAD)
    assert all(found.contains(exact(LOAD, alignment=1 << i)) for i in range(8))


def test_plain_and_atomic_clauses_partition_a_domain():
    both = MemoryActorContractDomain.of(LOAD, clause(LOAD), LoadStorePlain((False,)))
    assert [each.tag.value for each in both.contract_clauses] == [0, 1]
    assert both.matching_clause(CanonicalActorProjection(LOAD, PlainContract())) == 0
    assert both.matching_clause(exact(LOAD)) == 1
    assert both.matching_clause(exact(STORE)) is None
    assert both.matching_clause(CanonicalActorProjection(LOAD, PlainContract(True))) is None


@FEWER
@given(authored())
def test_any_decomposition_has_one_normal_form(drawn):
    schema, listed = drawn
    record = MemoryActorContractDomain.of(schema, *listed)
    assert points(schema, record.contract_clauses) == points(schema, listed)
    # Cut into single points, the relation is the same one.
    singles = [
        type(each).of_sets(*([v] for v in values))
        for each in listed
        for values in product(*each.inventories)
    ]
    again = MemoryActorContractDomain.of(schema, *reversed(singles))
    assert actor_codec.encode(again) == actor_codec.encode(record)


@FEWER
@given(authored())
def test_clauses_are_disjoint_and_in_the_order_of_their_bytes(drawn):
    schema, listed = drawn
    found = MemoryActorContractDomain.of(schema, *listed).contract_clauses
    sizes = [len(points(schema, [each])) for each in found]
    assert sum(sizes) == len(points(schema, found))
    # A clause stands behind the schema, the count and the length of its frame.
    start = len(framed(dataflow("operation-schema-id", schema.value))) + 16
    alone = [MemoryActorContractDomain(schema, (each,)) for each in found]
    encoded = [actor_codec.encode(each)[start:] for each in alone]
    assert encoded == sorted(encoded)


@FEWER
@given(authored(), st.randoms(use_true_random=False))
def test_another_decomposition_is_refused_by_the_strict_door(drawn, rng):
    schema, listed = drawn
    found = MemoryActorContractDomain.of(schema, *listed).contract_clauses
    wide = next((c for c in found if any(len(v) > 1 for v in c.inventories)), None)
    if wide is None:
        return
    position = next(i for i, v in enumerate(wide.inventories) if len(v) > 1)
    first, *rest = wide.inventories[position]

    def part(values):
        fields = [*wide.inventories]
        fields[position] = values
        return type(wide).of_sets(*fields)

    split = [c for c in found if c is not wide] + [part([first]), part(rest)]
    rng.shuffle(split)
    with pytest.raises(Invalid) as caught:
        MemoryActorContractDomain(schema, tuple(split))
    assert codes(caught) == ["relation-not-canonical"]
    assert MemoryActorContractDomain.of(schema, *split).contract_clauses == found


@FEWER
@given(authored())
def test_round_trip(drawn):
    record = MemoryActorContractDomain.of(drawn[0], *drawn[1])
    assert actor_codec.decode(actor_codec.encode(record)) == record


@FEWER
@given(authored(), st.data())
def test_one_record_has_one_encoding(drawn, data):
    record = MemoryActorContractDomain.of(drawn[0], *drawn[1])
    reads_as_itself(actor_codec, flip(actor_codec.encode(record), data))


@pytest.mark.parametrize("schema", ACTORS)
def test_every_prefix_extension_and_bit_flip(schema):
    refuses_every_prefix_and_extension(actor_codec, actor_codec.encode(actors(schema)))
    survives_bit_flips(actor_codec, actor_codec.encode(actors(schema)), bits=(0, 1))


def test_clauses_share_the_product_of_what_their_fields_share():
    left = clause(RMW, kinds=[KIND.ADD, KIND.XCHG], scopes=[SYSTEM, THREAD])
    right = clause(RMW, kinds=[KIND.XCHG, KIND.FADD], scopes=[THREAD])
    assert common_clause(left, right) == clause(RMW, kinds=[KIND.XCHG], scopes=[THREAD])
    assert common_clause(left, clause(RMW, kinds=[KIND.FADD])) is None
    assert common_clause(clause(LOAD), LoadStorePlain((False,))) is None


def test_the_values_of_a_contract_stand_in_the_order_of_its_clause():
    for schema in ACTORS:
        contract = exact(schema).contract
        assert [[value] for value in contract.values] == [
            list(values) for values in clause(schema).inventories
        ]
        alignment = 1 if schema is FENCE else contract.source_alignment_bytes
        assert contract_of(contract.variant, contract.values, alignment) == contract
    assert AtomicContract(ORDER.ACQUIRE, SYSTEM, None, True, 4).values[-1] is True
