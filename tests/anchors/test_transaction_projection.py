"""Anchor: child-transaction projection, fences, dynamic-mask suppression, one parent request.

Spec: Validation Anchors, "Direct and ActiveLanesRowMajor typed child-transaction projection".
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.plan.lanes import active_lanes
from fabricgen.plan.transactions import (
    Always,
    ElementLane,
    InactiveValue,
    MemoryPortAssemblyView,
    MemoryPortChildTransactionView,
    ParentMaskAny,
    ParentMaskLane,
    ParentRequest,
    ParentResponseOrZeroOnEmptyMask,
    PassThroughParent,
    RowMajorLaneValues,
    SingleParentRetirement,
    derive_memory_port_transaction_plan,
)
from fabricgen.records.port import MemoryOperationPort
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support.actors import CAS, FENCE, LANE, RMW, SCALAR, WHOLE, exact
from tests.support.capabilities import access as vectors
from tests.support.capabilities import alternative as capability_alternative
from tests.support.capabilities import contract
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    ROLE,
    STORE,
    actor,
    pattern_view,
    view,
)
from tests.support.records import copy_fabric

DIRECT, LANES = MemoryPortTransactionProjection
ACCESSES = st.builds(
    lambda form, mask, lanes, element: view(form, element=element, lanes=lanes, mask=mask),
    st.sampled_from([CONTIGUOUS, INDEXED]),
    st.sampled_from([ABSENT, DYNAMIC]),
    st.integers(1, 16),
    st.sampled_from([8, 16, 32, 64]),
) | st.builds(lambda element: view(ELEMENT, element=element), st.sampled_from([8, 32]))


def plan(schema, access, projection=MemoryPortTransactionProjection.DIRECT):
    who, pattern = actor(schema), pattern_view(projection)
    return derive_memory_port_transaction_plan(pattern, who, canonical_service(who, access), access)


@given(st.sampled_from([LOAD, STORE]), ACCESSES)
def test_direct_keeps_the_whole_parent_in_one_child(schema, access):
    derived = plan(schema, access)
    (child,) = derived.transactions
    assert child.ordinal == 0
    assert child.projection == ParentRequest()
    assert derived.assembly.retirement == SingleParentRetirement()


@given(st.sampled_from([LOAD, STORE]), ACCESSES)
def test_only_a_dynamic_mask_can_hold_the_child_back(schema, access):
    (child,) = plan(schema, access).transactions
    expected = ParentMaskAny() if access.mask_form is DYNAMIC else Always()
    assert child.activation == expected


@given(ACCESSES)
def test_a_masked_load_makes_its_own_zero_and_an_unmasked_one_never_does(access):
    assembly = plan(LOAD, access).assembly
    masked = access.mask_form is DYNAMIC
    expected = ParentResponseOrZeroOnEmptyMask() if masked else PassThroughParent()
    assert assembly.strategies == ((ROLE.DATA, expected),)
    assert plan(STORE, access).assembly.strategies == ()


def test_a_mask_of_1011_activates_lanes_0_1_and_3():
    # The spec writes the most significant lane first.
    masked = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)
    assert active_lanes(masked, 0b1011) == (True, True, False, True)


def test_the_pattern_has_exactly_one_internal_transaction_for_direct():
    for port in copy_fabric().memories[0].occurrence.engine.ports:
        for pattern in port.resource_contract.use_patterns:
            assert len(pattern.internal_transactions) == 1


@given(st.sampled_from([LOAD, STORE]), ACCESSES.filter(lambda access: access.form is not ELEMENT))
def test_row_major_lanes_have_a_child_each_and_the_same_parent(schema, access):
    derived = plan(schema, access, MemoryPortTransactionProjection.ACTIVE_LANES_ROW_MAJOR)
    lanes = range(access.lane_count)
    assert [child.ordinal for child in derived.transactions] == list(lanes)
    assert [child.projection for child in derived.transactions] == [ElementLane(i) for i in lanes]
    masked = access.mask_form is DYNAMIC
    assert [child.activation for child in derived.transactions] == [
        ParentMaskLane(lane) if masked else Always() for lane in lanes
    ]
    direct = plan(schema, access)
    assert derived.parent_service == direct.parent_service
    assert derived.assembly.result_roles == direct.assembly.result_roles
    assert derived.assembly.retirement == SingleParentRetirement()


def test_row_major_lanes_are_zero_filled_exactly_under_a_dynamic_mask():
    rows = MemoryPortTransactionProjection.ACTIVE_LANES_ROW_MAJOR
    for mask, inactive in (
        (DYNAMIC, InactiveValue.ZERO_BITS),
        (ABSENT, InactiveValue.NOT_APPLICABLE),
    ):
        assembly = plan(LOAD, view(CONTIGUOUS, lanes=4, mask=mask), rows).assembly
        assert assembly.strategies == ((ROLE.DATA, RowMajorLaneValues(4, inactive)),)


def test_an_empty_mask_is_answered_locally_and_submits_nothing():
    masked = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)
    for projection in MemoryPortTransactionProjection:
        derived = plan(LOAD, masked, projection)
        assert not any(child.is_submitted([False] * 4) for child in derived.transactions)
    (child,) = plan(LOAD, masked).transactions
    for active in range(4):
        assert child.is_submitted([lane == active for lane in range(4)])
    strategy = plan(LOAD, masked).assembly.result_strategy(ROLE.DATA)
    assert strategy == ParentResponseOrZeroOnEmptyMask()


def fenced(projection):
    who = exact(FENCE)
    service = canonical_service(who, None)
    return derive_memory_port_transaction_plan(pattern_view(projection), who, service, None)


def test_a_fence_is_one_direct_child_without_a_result():
    derived = fenced(DIRECT)
    assert derived.transactions == (MemoryPortChildTransactionView(0, Always(), ParentRequest()),)
    assert derived.assembly == MemoryPortAssemblyView((), SingleParentRetirement())
    with pytest.raises(Invalid, match=r"\[projection-access-form\]$"):
        fenced(LANES)


@pytest.mark.parametrize(("lanes", "counts"), [(4, {4}), ((1, 4), {4}), ((1, 1), {1})])
def test_row_major_lanes_have_exactly_the_slots_of_the_widest_access(lanes, counts):
    """No slot is missing for the widest, and none is unreachable."""
    walked = capability_alternative(vectors(CONTIGUOUS, lanes=(lanes,)))
    legal = set()
    for count in range(1, 7):
        try:
            MemoryOperationPort.of((2, 3, 8, 11), contract(count), (LANES,), (walked,))
        except Invalid as error:
            codes = [each.code for each in error.diagnostics]
            assert codes == ["port-active-lanes-transactions"]
        else:
            legal.add(count)
    assert legal == counts


@pytest.mark.parametrize("count", [0, 2])
def test_direct_has_exactly_one_slot(count):
    single = capability_alternative(vectors(CONTIGUOUS, lanes=(4,)))
    with pytest.raises(Invalid, match=r"\[port-direct-transactions\]$"):
        MemoryOperationPort.of((2, 3, 8, 11), contract(count), (DIRECT,), (single,))
    MemoryOperationPort.of((2, 3, 8, 11), contract(1), (DIRECT,), (single,))


@pytest.mark.parametrize("schema", [LOAD, STORE, RMW, CAS])
@pytest.mark.parametrize(
    ("granularity", "access", "legal"),
    [
        (SCALAR, view(ELEMENT), DIRECT),
        (WHOLE, view(ELEMENT), DIRECT),
        (LANE, view(CONTIGUOUS, lanes=4, mask=DYNAMIC), LANES),
        (LANE, view(INDEXED, lanes=4), LANES),
    ],
)
def test_a_granularity_keeps_its_one_projection(schema, granularity, access, legal):
    who = exact(schema, granularity=granularity, alignment=1)
    service = canonical_service(who, access)
    (other,) = set(MemoryPortTransactionProjection) - {legal}
    derived = derive_memory_port_transaction_plan(pattern_view(legal), who, service, access)
    assert len(derived.transactions) == (access.lane_count if legal is LANES else 1)
    with pytest.raises(Invalid) as caught:
        derive_memory_port_transaction_plan(pattern_view(other), who, service, access)
    assert "projection-granularity" in [each.code for each in caught.value.diagnostics]
