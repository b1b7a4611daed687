"""What actors that synchronise require of accesses and patterns, each with a legal neighbour."""

import pytest

from fabricgen.errors import Invalid
from fabricgen.records import alternative_codec, port_codec
from fabricgen.records.access import (
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
    PointerFormat,
)
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.port import MemoryOperationPort
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support.actors import (
    ACTORS,
    CAS,
    FENCE,
    LANE,
    LOAD,
    RMW,
    SCALAR,
    STORE,
    WHOLE,
    actors,
    alternative,
    atomic_access,
    clause,
)
from tests.support.capabilities import (
    CONTIGUOUS,
    ELEMENT,
    INDEXED,
    READ,
    WRITE,
    access,
    binding,
    contract,
    masked,
)
from tests.support.wires import survives_bit_flips

DIRECT, LANES = MemoryPortTransactionProjection
ROLE = ServiceValueRole
ADDRESSED = [LOAD, STORE, RMW, CAS]
PER_LANE = {"granularity": [LANE]}


def codes(build):
    try:
        build()
    except Invalid as error:
        return [finding.code for finding in error.diagnostics]
    return []


def port(*listed, semantics=(DIRECT,), slots=(1,)):
    ends = {end for each in listed for _, end in each.role_to_endpoint}
    return MemoryOperationPort.of(ends, contract(*slots), semantics, listed)


def vector(schema, form=CONTIGUOUS, *, patterns=(0,), **changes):
    return alternative(
        schema,
        atomic_access(schema, form, **changes),
        domain=actors(schema, **PER_LANE),
        patterns=patterns,
    )


def test_every_actor_has_the_roles_of_its_bundle():
    bundles = {
        LOAD: ("ADDRESS MASK CONTROL", "DATA COMPLETION"),
        STORE: ("ADDRESS DATA MASK CONTROL", "COMPLETION"),
        RMW: ("ADDRESS UPDATE MASK CONTROL", "OLD COMPLETION"),
        CAS: ("ADDRESS EXPECTED DESIRED MASK CONTROL", "OLD SUCCESS COMPLETION"),
        FENCE: ("CONTROL", "COMPLETION"),
    }
    for schema, (inputs, results) in bundles.items():
        described = MEMORY_SCHEMAS[schema]
        assert described.input_roles == tuple(ROLE[name] for name in inputs.split())
        assert described.result_roles == tuple(ROLE[name] for name in results.split())
    assert set(MEMORY_SCHEMAS) == set(ACTORS)


@pytest.mark.parametrize("schema", ADDRESSED)
def test_an_alternative_of_each_actor_round_trips(schema):
    for record in (alternative(schema, atomic_access(schema)), vector(schema, mask=True)):
        assert alternative_codec.decode(alternative_codec.encode(record)) == record
    survives_bit_flips(alternative_codec, alternative_codec.encode(vector(schema)), bits=(0,))


def test_a_fence_has_roles_and_no_access():
    record = alternative(FENCE)
    assert alternative_codec.decode(alternative_codec.encode(record)) == record
    assert codes(lambda: alternative(FENCE, atomic_access(RMW))) == ["alternative-fence-access"]


@pytest.mark.parametrize("schema", ACTORS)
def test_each_role_is_bound_once_and_belongs_to_the_actor(schema):
    good = alternative(schema, *([] if schema is FENCE else [atomic_access(schema)]))
    for extra, code in (
        (ROLE.COMPLETION, "alternative-role-twice"),
        (ROLE.PAYLOAD, "alternative-role-foreign"),
    ):
        bound = sorted((*good.role_to_endpoint, (extra, 99)), key=lambda each: each[0].value)
        assert codes(
            lambda bound=bound: MemoryCapabilityAlternative(
                good.actor_contract_domain, tuple(bound), good.parameterized_access_domain, (0,)
            )
        ) == [code]


def test_a_store_has_no_data_result_role():
    good = alternative(STORE, atomic_access(STORE))
    bound = sorted((*good.role_to_endpoint, (ROLE.OLD, 99)), key=lambda each: each[0].value)
    assert codes(
        lambda: MemoryCapabilityAlternative(
            good.actor_contract_domain, tuple(bound), good.parameterized_access_domain, (0,)
        )
    ) == ["alternative-role-foreign"]


@pytest.mark.parametrize("schema", [LOAD, STORE, RMW, CAS])
def test_a_mask_role_needs_a_dynamic_class(schema):
    domain = actors(schema, **PER_LANE)
    plain, dynamic = (atomic_access(schema, CONTIGUOUS, mask=mask) for mask in (False, True))
    for each, mask in ((plain, True), (dynamic, False)):
        accesses = ParameterizedMemoryAccessDomain.of(each)
        bound = binding(schema, mask=mask)
        assert codes(
            lambda accesses=accesses, bound=bound: MemoryCapabilityAlternative(
                domain, bound, accesses, (0,)
            )
        ) == ["alternative-mask-role"]
    assert not codes(lambda: alternative(schema, dynamic, domain=domain))


@pytest.mark.parametrize("schema", [RMW, CAS])
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"read_subword": [READ.NOT_APPLICABLE]}, ["alternative-read-subword"]),
        ({"write_subword": [WRITE.NOT_APPLICABLE]}, ["alternative-write-subword"]),
        ({"read_subword": [READ.EXACT], "write_subword": [WRITE.EXACT]}, []),
    ],
)
def test_actors_of_both_directions_say_both_subwords(schema, changes, expected):
    found = codes(lambda: alternative(schema, atomic_access(schema, **changes)))
    assert found == expected


@pytest.mark.parametrize("schema", [LOAD, RMW, CAS])
def test_actors_that_read_zero_fill_inactive_lanes(schema):
    suppressing = atomic_access(schema, CONTIGUOUS, mask_inactive_pairs=[masked(STORE)])
    domain = actors(schema, **PER_LANE)
    assert codes(lambda: alternative(schema, suppressing, domain=domain)) == [
        "alternative-inactive-lanes"
    ]
    assert not codes(lambda: vector(schema, mask=True))


@pytest.mark.parametrize("schema", ADDRESSED)
@pytest.mark.parametrize(
    ("granularity", "form", "legal"),
    [
        (SCALAR, ELEMENT, True),
        (WHOLE, ELEMENT, True),
        (LANE, ELEMENT, False),
        (SCALAR, CONTIGUOUS, False),
        (WHOLE, INDEXED, False),
        (LANE, CONTIGUOUS, True),
        (LANE, INDEXED, True),
    ],
)
def test_a_granularity_has_its_forms(schema, granularity, form, legal):
    domain = actors(schema, granularity=[granularity])
    found = codes(lambda: alternative(schema, atomic_access(schema, form), domain=domain))
    assert found == ([] if legal else ["atomic-granularity-form"])


@pytest.mark.parametrize("schema", ADDRESSED)
@pytest.mark.parametrize(
    ("element", "legal"),
    [((8,), True), ((4,), False), ((24,), False), (((8, 9),), False), ((8, 16, 128), True)],
)
def test_an_atomic_object_is_a_power_of_two(schema, element, legal):
    found = codes(lambda: alternative(schema, atomic_access(schema, element=element)))
    assert found == ([] if legal else ["atomic-element-width"])
    plain = MemoryActorContractDomain.of(LOAD, LoadStorePlain((False,)))
    assert not codes(lambda: alternative(LOAD, access(element=element), domain=plain))


@pytest.mark.parametrize("schema", ADDRESSED)
def test_only_loads_move_pointers_atomically(schema):
    formats = [OrdinaryData(), PointerFormat(0, 64, 48)]
    found = codes(
        lambda: alternative(
            schema, atomic_access(schema, element=(64,), data_pointer_formats=formats)
        )
    )
    assert found == (["atomic-pointer-data"] if schema is not LOAD else [])


@pytest.mark.parametrize("schema", ADDRESSED)
def test_a_whole_payload_is_direct_and_lanes_are_walked(schema):
    whole = alternative(schema, atomic_access(schema), domain=actors(schema, granularity=[WHOLE]))
    assert not codes(lambda: port(whole))
    found = codes(lambda: port(whole, semantics=(LANES,)))
    assert found == ["port-atomic-projection", "port-active-lanes-form"]
    scalar = alternative(schema, atomic_access(schema))
    assert not codes(lambda: port(scalar))
    assert "port-atomic-projection" in codes(lambda: port(scalar, semantics=(LANES,)))
    lanes = vector(schema, lanes=(1, 4))
    assert not codes(lambda: port(lanes, semantics=(LANES,), slots=(4,)))
    assert codes(lambda: port(lanes)) == ["port-atomic-projection"]


@pytest.mark.parametrize("slots", [3, 5])
def test_lanes_have_as_many_transactions_as_the_widest_access(slots):
    found = codes(lambda: port(vector(CAS, lanes=(1, 4)), semantics=(LANES,), slots=(slots,)))
    assert found == ["port-active-lanes-transactions"]


def test_a_fence_is_always_direct():
    assert not codes(lambda: port(alternative(FENCE)))
    assert codes(lambda: port(alternative(FENCE), semantics=(LANES,), slots=(0,))) == [
        "port-fence-projection"
    ]
    assert codes(lambda: port(alternative(FENCE), slots=(2,))) == ["port-direct-transactions"]


def test_plain_vectors_and_atomic_scalars_are_two_alternatives():
    both = MemoryActorContractDomain.of(LOAD, LoadStorePlain((False,)), clause(LOAD))
    element, lanes = atomic_access(LOAD), atomic_access(LOAD, CONTIGUOUS)
    assert codes(lambda: alternative(LOAD, element, lanes, domain=both)) == [
        "atomic-granularity-form"
    ]
    plain = MemoryActorContractDomain.of(LOAD, LoadStorePlain((False,)))
    found = port(
        alternative(LOAD, element, domain=both), alternative(LOAD, lanes, domain=plain)
    ).capability_alternatives
    kinds = [
        (
            [c.tag.value for c in each.actor_contract_domain.contract_clauses],
            [c.access_form for c in each.parameterized_access_domain.access_classes],
        )
        for each in found
    ]
    assert sorted(kinds, key=str) == [([0], [ELEMENT, CONTIGUOUS]), ([1], [ELEMENT])]


def test_alternatives_that_subsume_one_another_are_refused_and_merged():
    wide = alternative(RMW, atomic_access(RMW))
    narrow = alternative(RMW, atomic_access(RMW, element=(8,)))
    good = port(wide)
    listed = tuple(sorted((wide, narrow), key=alternative_codec.encode))
    assert codes(
        lambda: MemoryOperationPort(
            good.endpoint_inventory, good.resource_contract, (DIRECT,), listed
        )
    ) == ["capability-alternative-subsumed"]
    assert port(narrow, wide) == good


def test_an_atomic_pattern_that_nothing_selects_is_refused():
    record = alternative(CAS, atomic_access(CAS), patterns=(1,))
    found = codes(lambda: port(record, semantics=(DIRECT, DIRECT), slots=(1, 1)))
    assert found == ["port-pattern-unreachable"]
    both = alternative(CAS, atomic_access(CAS), patterns=(0, 1))
    assert not codes(lambda: port(both, semantics=(DIRECT, DIRECT), slots=(1, 1)))


def test_a_port_of_all_five_actors_round_trips():
    listed = [alternative(each, atomic_access(each), number=n) for n, each in enumerate(ADDRESSED)]
    record = port(
        *listed,
        alternative(FENCE, number=4),
        vector(RMW, patterns=(1,)),
        semantics=(DIRECT, LANES),
        slots=(1, 4),
    )
    assert port_codec.decode(port_codec.encode(record)) == record
