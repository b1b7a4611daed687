# amaranth: UnusedElaboratable=no
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.shape import FrontEndShape, RoleShape
from tests.support.front_end import (
    differences,
    random_configuration,
    random_inputs,
)


def shape_of(rows, roles, ingresses, connections=(), targets=1, policy=None, tag_width=3):
    if policy is None and rows > 1:
        policy = RoundRobin(tuple(range(rows)), reset_cursor=0)
    return FrontEndShape(rows, tag_width, roles, ingresses, connections, targets, policy)


#: Each role on its own ingress.
SEPARATE = (tuple(RoleShape(8, (at,)) for at in range(3)), tuple((at, 8) for at in range(3)), ())
#: All roles on one ingress; one is a control token.
SHARED = ((RoleShape(8, (4,)), RoleShape(6, (4,)), RoleShape(0, (4,))), ((4, 8),), ())
#: Everything: alternatives, connections with several consumers, payloads of other widths.
MIXED = (
    (RoleShape(8, (0, 1), (2,)), RoleShape(0, (1, 5), (3,)), RoleShape(12, (0,), (2, 3))),
    ((0, 8), (1, 16), (5, 0)),
    ((2, 8), (3, 5)),
)
BINDINGS = {"separate": SEPARATE, "shared": SHARED, "mixed": MIXED}


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(BINDINGS)),
    st.integers(1, 9),
    st.integers(1, 3),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_random_traffic_meets_the_model_in_every_cycle(binding, rows, targets, is_fixed, seed):
    rng = random.Random(seed)
    order = tuple(rng.sample(range(rows), rows))
    policy = None
    if rows > 1:
        policy = FixedPriority(order) if is_fixed else RoundRobin(order, rng.randrange(rows))
    shape = shape_of(rows, *BINDINGS[binding], targets=targets, policy=policy)
    configuration = random_configuration(shape, rng)
    stimulus = [random_inputs(shape, configuration, rng) for _ in range(120)]
    found, model = differences(RowFrontEnd(shape), configuration, stimulus)
    assert found == []
    # What was accepted has fired, in its order, but for what still stands in the slots.
    for slot, payloads in model.accepted.items():
        left = [model.held[slot]] if slot in model.held else []
        assert model.fired.get(slot, []) + left == payloads
