from dataclasses import replace

import pytest

from fabricgen.errors import Invalid
from fabricgen.plan.row_plan import row_transaction_plan
from fabricgen.plan.transactions import (
    Always,
    ElementLane,
    InactiveValue,
    ParentMaskAny,
    ParentMaskLane,
    ParentRequest,
    ParentResponseOrZeroOnEmptyMask,
    PassThroughParent,
    RowMajorLaneValues,
    SingleParentRetirement,
    derive_memory_port_transaction_plan,
)
from fabricgen.schema.service import CanonicalService, canonical_service
from fabricgen.vocab.dataflow import ServiceKind
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support.actors import CAS, FENCE, LANE, RMW, SCALAR, WHOLE, exact
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    ROLE,
    STORE,
    actor,
    pattern_view,
    row,
    view,
)
from tests.support.temporal import temporal_memory

DIRECT, LANES = map(pattern_view, MemoryPortTransactionProjection)
MASKED = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)


def plan(schema, access):
    who = actor(schema)
    return derive_memory_port_transaction_plan(DIRECT, who, canonical_service(who, access), access)


def test_an_unmasked_load_has_one_child_that_always_goes_and_passes_its_response():
    derived = plan(LOAD, view(ELEMENT))
    (child,) = derived.transactions
    assert (child.ordinal, child.activation, child.projection) == (0, Always(), ParentRequest())
    assert derived.assembly.result_roles == (ROLE.DATA,)
    assert derived.assembly.result_strategy(ROLE.DATA) == PassThroughParent()
    assert derived.assembly.retirement == SingleParentRetirement()


def test_a_masked_load_submits_nothing_for_an_empty_mask_and_makes_zero():
    derived = plan(LOAD, MASKED)
    assert [child.activation for child in derived.transactions] == [ParentMaskAny()]
    assert derived.assembly.strategies == ((ROLE.DATA, ParentResponseOrZeroOnEmptyMask()),)


def test_only_a_value_of_the_parent_has_a_strategy():
    assembly = plan(LOAD, view(ELEMENT)).assembly
    for role in (ROLE.COMPLETION, ROLE.OLD, ROLE.ADDRESS):
        with pytest.raises(
            Invalid, match=rf"^role: .* data, not {role.name.lower()} \[assembly-role\]$"
        ):
            assembly.result_strategy(role)
    with pytest.raises(Invalid, match=r"^role: .* absent, not data \[assembly-role\]$"):
        plan(STORE, view(ELEMENT)).assembly.result_strategy(ROLE.DATA)


@pytest.mark.parametrize("access", [view(ELEMENT), MASKED])
def test_a_store_has_no_value_to_assemble(access):
    derived = plan(STORE, access)
    assert derived.assembly.result_roles == ()
    assert derived.assembly.retirement == SingleParentRetirement()


def test_the_parent_is_one_request_of_the_actors_service():
    assert plan(LOAD, MASKED).parent_service == CanonicalService(
        ServiceKind.MEMORY_READ,
        (ROLE.ADDRESS, ROLE.MASK, ROLE.CONTROL),
        (ROLE.DATA, ROLE.COMPLETION),
    )
    assert plan(STORE, view(ELEMENT)).parent_service == CanonicalService(
        ServiceKind.MEMORY_WRITE, (ROLE.ADDRESS, ROLE.DATA, ROLE.CONTROL), (ROLE.COMPLETION,)
    )


def test_an_addressed_actor_needs_an_access_view():
    service = canonical_service(actor(LOAD), view(ELEMENT))
    with pytest.raises(Invalid, match=r"^access: load needs an access view, not none"):
        derive_memory_port_transaction_plan(DIRECT, actor(LOAD), service, None)


def test_a_fence_has_no_access_view():
    service = canonical_service(exact(FENCE), None)
    with pytest.raises(Invalid, match=r"^access: A fence has no access view, not one"):
        derive_memory_port_transaction_plan(DIRECT, exact(FENCE), service, view(ELEMENT))


@pytest.mark.parametrize(
    "service",
    [
        canonical_service(actor(STORE), view(ELEMENT)),
        canonical_service(actor(LOAD), MASKED),
    ],
)
def test_a_parent_service_of_another_actor_or_mask_is_refused(service):
    with pytest.raises(Invalid) as error:
        derive_memory_port_transaction_plan(DIRECT, actor(LOAD), service, view(ELEMENT))
    assert [d.code for d in error.value.diagnostics] == ["parent-service-mismatch"]


def lanes_plan(schema, access):
    who = actor(schema)
    return derive_memory_port_transaction_plan(LANES, who, canonical_service(who, access), access)


def test_a_masked_load_by_lanes_has_a_child_for_each_lane_of_its_mask():
    derived = lanes_plan(LOAD, MASKED)
    assert [(c.ordinal, c.activation, c.projection) for c in derived.transactions] == [
        (lane, ParentMaskLane(lane), ElementLane(lane)) for lane in range(4)
    ]
    assert derived.assembly.strategies == (
        (ROLE.DATA, RowMajorLaneValues(4, InactiveValue.ZERO_BITS)),
    )
    assert derived.assembly.retirement == SingleParentRetirement()
    assert derived.parent_service == plan(LOAD, MASKED).parent_service


def test_every_lane_of_an_unmasked_access_has_a_child_that_always_goes():
    derived = lanes_plan(LOAD, view(INDEXED, lanes=3))
    assert [child.activation for child in derived.transactions] == [Always()] * 3
    assert derived.assembly.strategies == (
        (ROLE.DATA, RowMajorLaneValues(3, InactiveValue.NOT_APPLICABLE)),
    )


def test_a_store_by_lanes_has_no_value_to_assemble():
    derived = lanes_plan(STORE, MASKED)
    assert len(derived.transactions) == 4
    assert derived.assembly.result_roles == ()


def test_lanes_0_1_and_3_of_the_mask_1011_are_submitted():
    active = [True, True, False, True]
    assert [c.is_submitted(active) for c in lanes_plan(LOAD, MASKED).transactions] == active
    assert [c.lanes(active) for c in lanes_plan(LOAD, MASKED).transactions] == [
        (0,),
        (1,),
        (2,),
        (3,),
    ]
    (child,) = plan(LOAD, MASKED).transactions
    assert child.is_submitted(active)
    assert child.lanes(active) == (0, 1, 3)


def test_an_empty_mask_submits_nothing():
    idle = [False] * 4
    for derived in (plan(LOAD, MASKED), lanes_plan(LOAD, MASKED)):
        assert not any(child.is_submitted(idle) for child in derived.transactions)


@pytest.mark.parametrize(("who", "access"), [(actor(LOAD), view(ELEMENT)), (exact(FENCE), None)])
def test_row_major_lanes_are_illegal_where_there_are_none(who, access):
    with pytest.raises(Invalid) as error:
        derive_memory_port_transaction_plan(LANES, who, canonical_service(who, access), access)
    assert [d.code for d in error.value.diagnostics] == ["projection-access-form"]


def atomic_plan(projection, schema, access, **contract):
    who = exact(schema, alignment=1, **contract)
    service = canonical_service(who, access)
    return derive_memory_port_transaction_plan(projection, who, service, access)


def test_a_compare_exchange_by_lanes_assembles_old_and_success():
    derived = atomic_plan(LANES, CAS, MASKED, granularity=LANE)
    assert derived.parent_service == CanonicalService(
        ServiceKind.MEMORY_COMPARE_EXCHANGE,
        (ROLE.ADDRESS, ROLE.EXPECTED, ROLE.DESIRED, ROLE.MASK, ROLE.CONTROL),
        (ROLE.OLD, ROLE.SUCCESS, ROLE.COMPLETION),
    )
    assert [(c.activation, c.projection) for c in derived.transactions] == [
        (ParentMaskLane(lane), ElementLane(lane)) for lane in range(4)
    ]
    values = RowMajorLaneValues(4, InactiveValue.ZERO_BITS)
    assert derived.assembly.strategies == ((ROLE.OLD, values), (ROLE.SUCCESS, values))


@pytest.mark.parametrize("granularity", [SCALAR, WHOLE])
def test_a_read_modify_write_of_an_element_passes_the_old_value(granularity):
    derived = atomic_plan(DIRECT, RMW, view(ELEMENT), granularity=granularity)
    assert derived.parent_service == CanonicalService(
        ServiceKind.MEMORY_ATOMIC_RMW,
        (ROLE.ADDRESS, ROLE.UPDATE, ROLE.CONTROL),
        (ROLE.OLD, ROLE.COMPLETION),
    )
    assert derived.assembly.strategies == ((ROLE.OLD, PassThroughParent()),)


def test_a_fence_is_one_request_that_always_goes():
    derived = atomic_plan(DIRECT, FENCE, None)
    assert derived.parent_service == CanonicalService(
        ServiceKind.MEMORY_FENCE, (ROLE.CONTROL,), (ROLE.COMPLETION,)
    )
    assert [c.activation for c in derived.transactions] == [Always()]
    assert derived.assembly.result_roles == ()


@pytest.mark.parametrize(
    ("projection", "granularity", "access", "codes"),
    [
        (LANES, LANE, view(CONTIGUOUS, lanes=4), []),
        (DIRECT, LANE, view(CONTIGUOUS, lanes=4), ["projection-granularity"]),
        (DIRECT, WHOLE, view(ELEMENT), []),
        (LANES, WHOLE, view(ELEMENT), ["projection-access-form", "projection-granularity"]),
        (LANES, SCALAR, view(ELEMENT), ["projection-access-form", "projection-granularity"]),
        (DIRECT, WHOLE, view(CONTIGUOUS, lanes=4), ["atomic-granularity-form"]),
        (DIRECT, SCALAR, view(INDEXED, lanes=4), ["atomic-granularity-form"]),
        (DIRECT, SCALAR, view(ELEMENT, element=24), ["atomic-element-width"]),
        (DIRECT, SCALAR, view(ELEMENT, element=4), ["atomic-element-width"]),
        (DIRECT, SCALAR, view(ELEMENT, element=8), []),
    ],
)
@pytest.mark.parametrize("schema", [LOAD, STORE, RMW, CAS])
def test_a_granularity_has_one_projection_and_its_forms(
    schema, projection, granularity, access, codes
):
    if not codes:
        atomic_plan(projection, schema, access, granularity=granularity)
        return
    with pytest.raises(Invalid) as error:
        atomic_plan(projection, schema, access, granularity=granularity)
    assert [d.code for d in error.value.diagnostics] == codes


def test_an_atomic_access_has_the_alignment_of_its_actor():
    who = exact(RMW, alignment=4)
    service = canonical_service(who, view(ELEMENT))
    with pytest.raises(Invalid) as error:
        derive_memory_port_transaction_plan(DIRECT, who, service, view(ELEMENT))
    assert [d.code for d in error.value.diagnostics] == ["atomic-alignment"]


def test_a_row_has_the_plan_of_the_pattern_that_it_selects():
    """Pattern 1 of the port walks the lanes, pattern 0 does not."""
    memory = temporal_memory(contexts=1, lanes=True).occurrence
    for chosen, projection in enumerate((DIRECT, LANES)):
        selected = row(0, LOAD, MASKED, pattern=chosen)
        service = canonical_service(selected.actor, MASKED)
        assert row_transaction_plan(memory, selected) == derive_memory_port_transaction_plan(
            projection, selected.actor, service, MASKED
        )
    with pytest.raises(ValueError, match=r"operation engine, not None$"):
        row_transaction_plan(replace(memory, engine=None), row(0, LOAD, MASKED))
