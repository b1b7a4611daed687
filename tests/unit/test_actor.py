import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records import actor_codec
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.schema.actor import CanonicalActorProjection, PlainContract
from fabricgen.vocab.dataflow import OperationSchemaId
from tests.support.capabilities import LOAD, STORE, plain
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

VOLATILE = st.sets(st.booleans(), min_size=1)
DOMAINS = st.builds(
    lambda schema, values: plain(schema, *values), st.sampled_from([LOAD, STORE]), VOLATILE
)
BOTH = plain(LOAD, False, True)
SCHEMA_TAG = 0x4C530201


def codes(caught):
    return [finding.code for finding in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ((), "domain-empty"),
        ((True, False), "domain-not-canonical"),
        ((True,) * 2, "domain-not-canonical"),
    ],
)
def test_a_clause_holds_a_sorted_non_empty_set(values, code):
    with pytest.raises(Invalid) as caught:
        LoadStorePlain(values)
    assert codes(caught) == [code]


def test_authored_clauses_join():
    clauses = [LoadStorePlain((True,)), LoadStorePlain((False,)), LoadStorePlain.of(True, False)]
    assert MemoryActorContractDomain.of(LOAD, *clauses).contract_clauses == (
        LoadStorePlain((False, True)),
    )


@pytest.mark.parametrize(
    ("clauses", "code"),
    [
        ((), "relation-empty"),
        ((LoadStorePlain((False,)), LoadStorePlain((True,))), "relation-not-canonical"),
        ((LoadStorePlain((False,)), LoadStorePlain((False,))), "relation-overlap"),
        ((LoadStorePlain((False,)), LoadStorePlain((False, True))), "relation-overlap"),
    ],
)
def test_the_strict_door_takes_the_normal_form_only(clauses, code):
    with pytest.raises(Invalid) as caught:
        MemoryActorContractDomain(LOAD, clauses)
    assert codes(caught) == [code]


def test_an_empty_authored_domain_is_refused():
    with pytest.raises(Invalid) as caught:
        MemoryActorContractDomain.of(LOAD)
    assert codes(caught) == ["relation-empty"]


@pytest.mark.parametrize(
    "schema",
    [each for each in OperationSchemaId if each not in (LOAD, STORE)],
)
def test_a_plain_clause_belongs_to_loads_and_stores(schema):
    with pytest.raises(Invalid) as caught:
        MemoryActorContractDomain(schema, (LoadStorePlain((False,)),))
    assert codes(caught) == ["clause-schema-mismatch"]


@pytest.mark.parametrize("schema", [LOAD, STORE])
@pytest.mark.parametrize("volatile", [False, True])
def test_exact_actors_are_admitted_by_schema_and_contract(schema, volatile):
    actor = CanonicalActorProjection(schema, PlainContract(volatile))
    assert BOTH.contains(actor) == (schema is LOAD)
    assert plain(schema, False).contains(actor) == (not volatile)


@given(DOMAINS)
def test_round_trip(record):
    assert actor_codec.decode(actor_codec.encode(record)) == record


@given(DOMAINS, st.data())
def test_one_record_has_one_encoding(record, data):
    reads_as_itself(actor_codec, flip(actor_codec.encode(record), data))


def test_every_prefix_and_extension_is_refused():
    refuses_every_prefix_and_extension(actor_codec, actor_codec.encode(BOTH))


def test_every_bit_flip_is_refused_or_another_record():
    survives_bit_flips(actor_codec, actor_codec.encode(BOTH))


def wire(schema, *clauses):
    """An actor domain by its definition; a clause is (tag, atoms per field)."""
    framed_clauses = [
        u32(tag)
        + u64(len(fields))
        + b"".join(framed(u64(len(atoms)) + b"".join(map(framed, atoms))) for atoms in fields)
        for tag, fields in clauses
    ]
    return (
        framed(dataflow("operation-schema-id", SCHEMA_TAG + schema))
        + u64(len(framed_clauses))
        + b"".join(map(framed, framed_clauses))
    )


def volatile(*values):
    return [dataflow("canonical-boolean", value) for value in values]


def test_bytes_are_pinned():
    assert actor_codec.encode(BOTH) == wire(88, (0, [volatile(0, 1)]))
    assert actor_codec.encode(plain(STORE, True)) == wire(89, (0, [volatile(1)]))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (wire(88), "relation-empty"),
        (wire(87, (0, [volatile(0)])), "atom-unknown"),
        (wire(88, (5, [volatile(0)])), "wire-unknown-tag"),
        (wire(88, (0, [])), "clause-field-count"),
        (wire(88, (0, [volatile(0), volatile(0)])), "clause-field-count"),
        (wire(88, (0, [[]])), "domain-empty"),
        (wire(88, (0, [volatile(1, 0)])), "domain-not-canonical"),
        (wire(88, (0, [volatile(2)])), "atom-unknown"),
        (wire(88, (0, [volatile(0)]), (0, [volatile(1)])), "relation-not-canonical"),
        (wire(88, (0, [volatile(0)]), (0, [volatile(0)])), "relation-overlap"),
        (wire(88, (2, [[b"x"]] * 5)), "clause-schema-mismatch"),
        (wire(90, (0, [volatile(0)])), "clause-schema-mismatch"),
        (wire(88, (1, [[b"x"]] * 3)), "clause-field-count"),
        (wire(88, (1, [[b"x"]] * 4), (2, [[b"x"]] * 5)), "clause-schema-mismatch"),
        (framed(dataflow("operation-schema-id", SCHEMA_TAG + 88)) + u64(2**62), "wire-truncated"),
    ],
)
def test_what_is_no_actor_domain_is_refused(data, code):
    with pytest.raises(Invalid) as caught:
        actor_codec.decode(data)
    assert codes(caught) == [code]
