"""Cases that are easily got wrong: each has a code of its own, and its nearest legal neighbour."""

from dataclasses import replace

import pytest

from fabricgen.atoms.unsigned import UnsignedDomain, UnsignedInterval
from fabricgen.check.fabric import findings
from fabricgen.errors import FabricError
from fabricgen.hsg.scalar_params import ScalarIntegerCompareMinMaxParams
from fabricgen.records import access_codec
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    OperationPortDispatch,
    SubordinateDispatch,
)
from fabricgen.records.consistency import FairEventual, LocalProvider, SystemDomain
from fabricgen.records.fabric import Fabric
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
)
from fabricgen.relation.row import encode_row
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.dataflow import ServiceValueRole as ROLE
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from fabricgen.vocab.fabric import ReleaseVisibilityPoint
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import IntegerPredicate
from fabricgen.wire.frame import frame, u64be
from tests.support import actors
from tests.support.actors import CAS, LANE, WHOLE, atomic_access
from tests.support.capabilities import (
    CONTIGUOUS,
    DIRECT,
    ELEMENT,
    LOAD,
    STORE,
    UNMASKED,
    access,
    alternative,
    binding,
    contract,
    domain,
    masked,
    port,
)
from tests.support.hsg import W, resource
from tests.support.memories import LANES, hybrid_memory
from tests.support.records import service_resources

STRICT = ParameterizedMemoryAccessDomain
LOCAL, FAR = LocalMemoryServiceTarget(), ManagerEndpointTarget(0)


def codes(build):
    """Codes of what a door raises or a rule lists; none where the input is legal."""
    try:
        found = build()
    except FabricError as error:
        return [finding.code for finding in error.diagnostics]
    return [finding.code for finding in found] if isinstance(found, tuple) else []


# Relations: what the strict door takes, and what the authoring door makes of the rest.


def lanes(element, *counts, index=(32,)):
    return access(CONTIGUOUS, element=(element,), lanes=counts, index=index)


def imported(*classes):
    """Strict import of the bytes of these classes in their canonical order."""
    rows = sorted((each.row for each in classes), key=encode_row)
    return access_codec.decode(u64be(len(rows)) + b"".join(frame(encode_row(row)) for row in rows))


def test_the_canonical_product_keeps_what_has_one_suffix_together():
    """{32} x {1, 2} + {64} x {1} is canonical; its split into singletons is not imported."""
    canonical = imported(lanes(32, 1, 2), lanes(64, 1))
    assert set(canonical.access_classes) == {lanes(32, 1, 2), lanes(64, 1)}
    split = lanes(32, 1), lanes(32, 2), lanes(64, 1)
    assert codes(lambda: imported(*split)) == ["relation-not-canonical"]
    assert domain(*split) == canonical


def test_correlated_fields_stay_two_rows():
    """(index32, 1..4) + (index64, 1..2) is never the free product of its fields."""
    narrow, wide = lanes(8, (1, 4), index=(32,)), lanes(8, (1, 2), index=(64,))
    both = domain(wide, narrow)
    # The index stands before the lanes, so two sets of lanes are two rows.
    assert set(both.access_classes) == {narrow, wide}
    assert imported(*both.access_classes) == both
    product = domain(lanes(8, (1, 4), index=(32, 64)))
    assert len(product.access_classes) == 1
    assert product != both
    # Equal sets of lanes are one row.
    assert domain(narrow, lanes(8, (1, 4), index=(64,))) == product


def test_adjacent_intervals_merge():
    apart = UnsignedInterval(1, 2), UnsignedInterval(3, 4)
    assert codes(lambda: UnsignedDomain(apart)) == ["domain-not-canonical"]
    assert UnsignedDomain.of((1, 2), (3, 4)) == UnsignedDomain((UnsignedInterval(1, 4),))
    gap = UnsignedInterval(1, 2), UnsignedInterval(4, 5)
    assert UnsignedDomain(gap).intervals == gap
    assert domain(lanes(8, (1, 2)), lanes(8, (3, 4))) == domain(lanes(8, (1, 4)))


# Ports.

LOADS = alternative(access())
DYNAMIC = access(CONTIGUOUS, mask_inactive_pairs=[UNMASKED, masked(LOAD)])


def classes(*widths):
    return lambda: STRICT(tuple(access(element=each) for each in widths))


def alternatives(*pieces):
    """A port of alternatives as they are."""
    return lambda: replace(
        port(LOADS), endpoint_inventory=(2, 3, 8, 11), capability_alternatives=pieces
    )


def patterns(admitted):
    """Two use patterns, of which these are admitted."""
    return lambda: replace(
        port(LOADS),
        resource_contract=contract(1, 1),
        operation_pattern_semantics=(DIRECT, DIRECT),
        capability_alternatives=(alternative(access(), patterns=admitted),),
    )


def roles(of, *bound):
    return lambda: replace(of, role_to_endpoint=bound)


def store_data_at(endpoint):
    """The data of the store of a read and a write port: endpoint 4 is its input, 7 an output."""
    named = hybrid_memory()
    engine = named.occurrence.engine
    read, write = engine.ports
    (only,) = write.capability_alternatives
    bound = tuple((r, endpoint if r is ROLE.DATA else e) for r, e in only.role_to_endpoint)
    moved = replace(
        write,
        endpoint_inventory=tuple(sorted({end for _, end in bound})),
        capability_alternatives=(replace(only, role_to_endpoint=bound),),
    )
    occurrence = replace(named.occurrence, engine=replace(engine, ports=(read, moved)))
    return lambda: findings(Fabric("few", (replace(named, occurrence=occurrence),)))


def walk(granularity, semantics, slots, form=ELEMENT):
    """A compare-exchange of one granularity that selects one use pattern."""
    lanes_of = {} if form is ELEMENT else {"lanes": (1, 4)}
    piece = actors.alternative(
        CAS,
        atomic_access(CAS, form, **lanes_of),
        domain=actors.actors(CAS, granularity=[granularity]),
    )
    ends = [end for _, end in piece.role_to_endpoint]
    return lambda: MemoryOperationPort.of(ends, contract(slots), (semantics,), (piece,))


# Resource contracts and services.

CONTENDED = service_resources(2, banks=2)
ROUND_ROBIN = CONTENDED.grant_policy
ALONE = service_resources(1, banks=2)
PROVIDER = LocalProvider(ReleaseVisibilityPoint.BY_RETIREMENT, FairEventual())


def atomics(consistency=None):
    """A capability that admits atomic loads."""
    rest = () if consistency is None else (consistency,)
    return lambda: MemoryServiceCapability(
        actors.actors(LOAD), domain(atomic_access(LOAD)), (0,), 64, (0,), *rest
    )


def regions(*spans):
    """A service of storage, whose one capability reaches the first region."""
    listed = tuple(MemoryServiceRegion(*span) for span in spans)
    return lambda: MemoryServiceContract(listed, ALONE, (atomics(PROVIDER)(),))


def local(consistency):
    ordered = MemoryServiceContract((MemoryServiceRegion(0, 64),), ALONE, (atomics(consistency)(),))
    return lambda: LocalMemoryService(64, ordered)


# Dispatch and shared datapaths.


def targets(*listed):
    return lambda: OperationPortDispatch((listed,))


def exposing(bindings, *fields):
    return lambda: SubordinateDispatch(bindings, fields, AddressTransform.NONE, (LOCAL,))


def adder(*operations):
    return lambda: resource(F.SCALAR_INTEGER_ADD_SUB, *operations)


def comparator(*operations):
    equal = ScalarIntegerCompareMinMaxParams((W.I32,), (IntegerPredicate.EQ,))
    return lambda: resource(F.SCALAR_INTEGER_COMPARE_MIN_MAX, *operations, params=equal)


CASES = [
    ("access classes that overlap", "relation-overlap", classes((8, 16), (16,)), classes((8, 16))),
    (
        "alternatives that subsume one another",
        "capability-alternative-subsumed",
        alternatives(alternative(access(element=(8, 32))), alternative(access(element=(8,)))),
        alternatives(alternative(access(element=(8, 32)))),
    ),
    ("an unreachable use pattern", "port-pattern-unreachable", patterns((0,)), patterns((0, 1))),
    (
        "a role bound twice",
        "alternative-role-twice",
        roles(LOADS, binding()[0], *binding()),
        roles(LOADS, *binding()),
    ),
    (
        "a mask role without a dynamic class",
        "alternative-mask-role",
        roles(LOADS, *binding(mask=True)),
        roles(alternative(DYNAMIC), *binding(mask=True)),
    ),
    ("a store with a data result", "store-data-result", store_data_at(7), store_data_at(4)),
    (
        "an internal-transaction count other than the maximum lane count",
        "port-active-lanes-transactions",
        walk(LANE, LANES, 3, CONTIGUOUS),
        walk(LANE, LANES, 4, CONTIGUOUS),
    ),
    (
        "contention without a grant policy",
        "contention-without-grant-policy",
        lambda: replace(CONTENDED, grant_policy=None),
        lambda: replace(CONTENDED, grant_policy=ROUND_ROBIN),
    ),
    (
        "a grant policy without contention",
        "grant-policy-without-contention",
        lambda: replace(ALONE, grant_policy=replace(ROUND_ROBIN, order=(0,))),
        lambda: replace(ALONE, grant_policy=None),
    ),
    (
        "an atomic capability without a consistency binding",
        "consistency-binding-missing",
        atomics(),
        atomics(PROVIDER),
    ),
    (
        "SystemDomain in a local service",
        "local-service-system-domain",
        local(SystemDomain(b"coherent")),
        local(PROVIDER),
    ),
    (
        "equivalent adjacent regions",
        "service-region-unmerged",
        regions((0, 32), (32, 32)),
        regions((0, 32), (33, 31)),
    ),
    ("a non-sorted target set", "dispatch-target-order", targets(FAR, LOCAL), targets(LOCAL, FAR)),
    (
        "a subordinate with two bindings and no match field",
        "subordinate-match-missing",
        exposing(2),
        exposing(2, MatchField.RANGE),
    ),
    (
        "a GEP-enabled adder",
        "op-gep-enabled",
        adder(O.ARITH_ADDI, O.LLVM_GET_ELEMENT_PTR),
        adder(O.ARITH_ADDI, O.ARITH_SUBI),
    ),
    (
        "an op outside its family",
        "op-outside-family",
        adder(O.ARITH_ADDI, O.ARITH_MULI),
        adder(O.ARITH_ADDI),
    ),
    (
        "an orphan predicate",
        "predicate-orphan",
        comparator(O.ARITH_MINSI),
        comparator(O.ARITH_MINSI, O.ARITH_CMPI),
    ),
]


@pytest.mark.parametrize(("title", "code", "bad", "good"), CASES, ids=[case[0] for case in CASES])
def test_a_hard_case_is_refused_with_its_own_code_and_its_neighbour_is_legal(
    title, code, bad, good
):
    assert codes(bad) == [code]
    assert codes(good) == []


def test_a_whole_payload_is_one_transaction():
    """It is an element access, so walking its lanes is wrong in its form as well."""
    assert codes(walk(WHOLE, LANES, 1)) == ["port-atomic-projection", "port-active-lanes-form"]
    assert codes(walk(WHOLE, DIRECT, 1)) == []
    # Either may be wrong alone: lanes that are one transaction, a plain element that walks.
    assert codes(walk(LANE, DIRECT, 1, CONTIGUOUS)) == ["port-atomic-projection"]
    assert codes(lambda: port(LOADS, semantics=(LANES,))) == ["port-active-lanes-form"]


def test_each_case_has_a_code_of_its_own():
    listed = [code for _, code, _, _ in CASES]
    listed += ["relation-not-canonical", "domain-not-canonical", "port-atomic-projection"]
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize(
    ("listed", "code"),
    [
        ((FAR, LOCAL), "subordinate-target-order"),
        ((), "subordinate-target-order"),
        ((LOCAL, FAR), None),
    ],
)
def test_the_targets_of_a_subordinate_are_a_sorted_set_too(listed, code):
    fields = (MatchField.RANGE,)
    found = codes(lambda: SubordinateDispatch(2, fields, AddressTransform.NONE, listed))
    assert found == ([] if code is None else [code])


def test_a_store_has_no_data_result_under_another_role_either():
    stores = alternative(access(schema=STORE), schema=STORE)
    assert codes(roles(stores, *binding(STORE), (ROLE.OLD, 99))) == ["alternative-role-foreign"]
