"""Anchor: Direct child-transaction projection, dynamic-mask suppression, one parent request.

Spec: Validation Anchors, "Direct and ActiveLanesRowMajor typed child-transaction projection".
The fence half comes with that actor; until then it is refused by name.
"""

from hypothesis import given
from hypothesis import strategies as st

from fabricgen.plan.lanes import active_lanes
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
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
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
