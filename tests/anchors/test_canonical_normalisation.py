"""Anchor: canonical domains, access classes and capability arrays; strict contract decoding.

Spec: Validation Anchors, first item. Each relation has one stored form: a strict door refuses any
other, an authoring door makes it.
"""

import pytest

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain, UnsignedInterval
from fabricgen.errors import FabricError
from fabricgen.records import access_codec, actor_codec, alternative_codec
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.port import MemoryOperationPort
from fabricgen.relation import codec
from tests.support.capabilities import (
    CONTIGUOUS,
    ELEMENT,
    INDEXED,
    LOAD,
    access,
    alternative,
    domain,
    port,
)
from tests.support.wires import dataflow, framed, u32, u64


def code(build, *arguments):
    with pytest.raises(FabricError) as caught:
        build(*arguments)
    (finding,) = caught.value.diagnostics
    return finding.code


def test_ranges_and_sets_have_one_spelling():
    assert UnsignedDomain.of((8, 8), (9, 16), 3, (12, 20)) == UnsignedDomain.of(3, (8, 20))
    for intervals in ([(1, 1), (2, 2)], [(1, 4), (4, 8)], [(8, 8), (1, 1)]):
        spelled = [UnsignedInterval(*each) for each in intervals]
        assert code(UnsignedDomain, tuple(spelled)) == "domain-not-canonical"
    assert code(UnsignedDomain, ()) == "domain-empty"
    assert FiniteDomain.of(b"b", b"a", b"a") == FiniteDomain((b"a", b"b"))
    assert code(FiniteDomain, (b"b", b"a")) == "domain-not-canonical"


def test_empty_and_overlapping_access_classes_are_refused():
    assert code(ParameterizedMemoryAccessDomain, ()) == "relation-empty"
    overlapping = (access(CONTIGUOUS, lanes=((1, 4),)), access(CONTIGUOUS, lanes=((4, 8),)))
    assert code(ParameterizedMemoryAccessDomain, overlapping) == "relation-overlap"
    assert domain(*overlapping) == domain(access(CONTIGUOUS, lanes=((1, 8),)))


def test_lanes_of_one_width_are_one_class_and_the_correlated_widths_two():
    """The specification's example: {32} x {1, 2} plus {64} x {1}."""
    canonical = (
        access(CONTIGUOUS, element=(32,), lanes=((1, 2),)),
        access(CONTIGUOUS, element=(64,), lanes=(1,)),
    )
    assert ParameterizedMemoryAccessDomain(canonical).access_classes == canonical
    split = (
        access(CONTIGUOUS, element=(32,), lanes=(1,)),
        access(CONTIGUOUS, element=(32,), lanes=(2,)),
        canonical[1],
    )
    assert code(ParameterizedMemoryAccessDomain, split) == "relation-not-canonical"
    assert domain(*split).access_classes == canonical


def test_index_widths_stay_correlated_with_lane_counts():
    """A 128-bit indexed endpoint: four 32-bit indices or two 64-bit ones, never four of 64."""
    canonical = domain(
        access(INDEXED, index=(32,), lanes=((1, 4),)), access(INDEXED, index=(64,), lanes=((1, 2),))
    )
    assert len(canonical.access_classes) == 2
    again = domain(
        access(INDEXED, index=(32, 64), lanes=((1, 2),)), access(INDEXED, lanes=((3, 4),))
    )
    assert again == canonical


def test_the_two_factorings_of_one_access_relation_have_the_same_bytes():
    first = domain(access(CONTIGUOUS, element=(8, 16)), access(CONTIGUOUS, element=(32,)))
    second = domain(access(CONTIGUOUS, element=(16, 32)), access(CONTIGUOUS, element=(8,)))
    assert access_codec.encode(first) == access_codec.encode(second)
    pieces = [access(CONTIGUOUS, element=(8,)).row, access(CONTIGUOUS, element=(16, 32)).row]
    assert code(access_codec.decode, codec.encode(pieces)) == "relation-not-canonical"


@pytest.mark.parametrize(
    ("pieces", "joined"),
    [
        (
            [alternative(access(ELEMENT)), alternative(access(CONTIGUOUS))],
            [alternative(access(ELEMENT), access(CONTIGUOUS))],
        ),
        (
            [alternative(access(), volatile=(False,)), alternative(access(), volatile=(True,))],
            [alternative(access(), volatile=(False, True))],
        ),
        (
            [alternative(access(), patterns=(0,)), alternative(access(), patterns=(1,))],
            [alternative(access(), patterns=(0, 1))],
        ),
    ],
    ids=["access domain", "actor domain", "pattern set"],
)
def test_an_equivalent_decomposition_of_the_capability_relation_is_refused(pieces, joined):
    whole = port(*pieces)
    assert whole == port(*joined)
    given = tuple(sorted(pieces, key=alternative_codec.encode))
    strict = (whole.endpoint_inventory, whole.resource_contract, whole.operation_pattern_semantics)
    assert code(MemoryOperationPort, *strict, given) == "relation-not-canonical"


def test_actor_contracts_decode_strictly_and_by_type():
    def wire(clause):
        return framed(dataflow("operation-schema-id", 0x4C530259)) + u64(1) + framed(clause)

    def field(*tags):
        atoms = [framed(dataflow("canonical-boolean", tag)) for tag in tags]
        return framed(u64(len(atoms)) + b"".join(atoms))

    both = actor_codec.decode(wire(u32(0) + u64(1) + field(0, 1)))
    assert both == MemoryActorContractDomain(LOAD, (LoadStorePlain((False, True)),))
    for clause, expected in (
        (u32(0) + u64(1) + field(), "domain-empty"),
        (u32(0) + u64(1) + field(1, 0), "domain-not-canonical"),
        (u32(0) + u64(1) + field(2), "atom-unknown"),
        (u32(0) + u64(2) + field(0) * 2, "clause-field-count"),
        (u32(0) + u64(1) + field(0) + b"\0", "wire-trailing"),
        (u32(9) + u64(1) + field(0), "wire-unknown-tag"),
        (u32(4) + u64(2) + field(0) * 2, "clause-schema-mismatch"),
        (u32(1) + u64(4) + field(0) * 4, "atom-unknown"),
    ):
        assert code(actor_codec.decode, wire(clause)) == expected


def _set(name, *tags):
    return framed(u64(len(tags)) + b"".join(framed(dataflow(name, tag)) for tag in tags))


ORDERINGS = _set("atomic-ordering", 2, 3)
SCOPES = _set("sync-scope-ref", 2)
SCALARS = framed(u64(1) + framed(dataflow("optional-vector-atomic-granularity", 0)))
FALSE, BOTH = _set("canonical-boolean", 0), _set("canonical-boolean", 0, 1)
KINDS = _set("atomic-rmw-kind", 1, 2)
PAIRS = framed(
    u64(1) + framed(framed(dataflow("atomic-ordering", 2)) + framed(dataflow("atomic-ordering", 3)))
)
#: Schema tag, variant and fields of one contract of each kind, and the record's class.
CONTRACTS = {
    "atomic load": (0x59, 1, (_set("atomic-ordering", 2, 3), SCOPES, SCALARS, FALSE)),
    "atomic store": (0x5A, 1, (_set("atomic-ordering", 2), SCOPES, SCALARS, BOTH)),
    "read-modify-write": (0x5B, 2, (KINDS, ORDERINGS, SCOPES, SCALARS, FALSE)),
    "compare-exchange": (0x5C, 3, (PAIRS, SCOPES, SCALARS, BOTH, FALSE)),
    "fence": (0x5D, 4, (_set("atomic-ordering", 3, 4), SCOPES)),
}


@pytest.mark.parametrize(("schema", "variant", "fields"), CONTRACTS.values(), ids=CONTRACTS)
def test_each_contract_is_decoded_by_the_variant_of_its_schema(schema, variant, fields):
    def wire(tag, *parts):
        clause = u32(tag) + u64(len(parts)) + b"".join(parts)
        atom = framed(dataflow("operation-schema-id", 0x4C530200 + schema))
        return atom + u64(1) + framed(clause)

    (clause,) = actor_codec.decode(wire(variant, *fields)).contract_clauses
    assert clause.tag.value == variant
    assert actor_codec.encode(actor_codec.decode(wire(variant, *fields))) == wire(variant, *fields)
    assert code(actor_codec.decode, wire(variant, *fields[:-1])) == "clause-field-count"
    assert code(actor_codec.decode, wire(variant, *fields, FALSE)) == "clause-field-count"
    for tag in range(5):
        with pytest.raises(FabricError):
            actor_codec.decode(wire(tag, *fields[:-1], framed(u64(0))))
