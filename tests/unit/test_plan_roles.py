from fabricgen.plan.roles import active_roles
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    ROLE,
    STORE,
    actor,
    alternative,
    hybrid_classes,
    view,
)
from tests.support.records import copy_fabric

READ, WRITE = (
    port.capability_alternatives[0] for port in copy_fabric().memories[0].occurrence.engine.ports
)


def test_the_mask_role_is_active_exactly_for_a_dynamic_mask():
    unmasked, _ = active_roles(READ, actor(LOAD), view(CONTIGUOUS, lanes=4))
    masked, _ = active_roles(READ, actor(LOAD), view(CONTIGUOUS, lanes=4, mask=DYNAMIC))
    assert unmasked == ((ROLE.ADDRESS, 0), (ROLE.CONTROL, 2))
    assert masked == ((ROLE.ADDRESS, 0), (ROLE.MASK, 1), (ROLE.CONTROL, 2))


def test_data_is_a_result_of_a_load_and_an_input_of_a_store():
    inputs, results = active_roles(READ, actor(LOAD), view(ELEMENT))
    assert ROLE.DATA not in dict(inputs)
    assert results == ((ROLE.DATA, 7), (ROLE.COMPLETION, 8))
    inputs, results = active_roles(WRITE, actor(STORE), view(ELEMENT))
    assert inputs == ((ROLE.ADDRESS, 3), (ROLE.DATA, 4), (ROLE.CONTROL, 6))
    assert results == ((ROLE.COMPLETION, 9),)


def test_each_alternative_has_its_own_endpoints():
    roles = {"address": 5, "control": 2, "data": 8, "completion": 9}
    other = alternative(LOAD, roles, hybrid_classes(LOAD)[:1])
    assert active_roles(other, actor(LOAD), view(ELEMENT)) == (
        ((ROLE.ADDRESS, 5), (ROLE.CONTROL, 2)),
        ((ROLE.DATA, 8), (ROLE.COMPLETION, 9)),
    )
