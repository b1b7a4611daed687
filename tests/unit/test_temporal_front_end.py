# amaranth: UnusedElaboratable=no
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.row_arbiter import RowArbiter
from fabricgen.rtl.temporal.shape import FrontEndShape, RoleShape
from tests.support import formal_report, yosys
from tests.support.front_end import (
    Configuration,
    Inputs,
    Source,
    differences,
    play,
    random_configuration,
    random_inputs,
)
from tests.support.netlist import Netlist
from tests.support.temporal_front_mutants import (
    DoublingFrontEnd,
    HastyFrontEnd,
    OverwritingFrontEnd,
    ReopeningFrontEnd,
    TransparentFrontEnd,
)


def shape_of(rows, roles, ingresses, connections=(), *, targets=1, policy=None, tag_width=3):
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


def random_case(shape, seed, cycles=120):
    rng = random.Random(seed)
    configuration = random_configuration(shape, rng)
    return configuration, [random_inputs(shape, configuration, rng) for _ in range(cycles)]


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
    configuration, stimulus = random_case(shape, seed)
    found, model = differences(RowFrontEnd(shape), configuration, stimulus)
    assert found == []
    # What was accepted has fired, in its order, but for what still stands in the slots.
    for slot, payloads in model.accepted.items():
        left = [model.held[slot]] if slot in model.held else []
        assert model.fired.get(slot, []) + left == payloads


@pytest.mark.parametrize(
    "mutant", [ReopeningFrontEnd, DoublingFrontEnd, HastyFrontEnd, OverwritingFrontEnd]
)
def test_the_comparison_rejects_a_wrong_front_end(mutant):
    shape = shape_of(4, *SEPARATE, targets=2)
    assert any(differences(mutant(shape), *random_case(shape, seed))[0] for seed in range(4))


def test_the_example_of_the_specification_with_roles_on_tags_1_7_and_3():
    """``context[2]``: address, mask and control on three ingresses (spec: Interfaces)."""
    roles = (RoleShape(64, (0,)), RoleShape(4, (1,)), RoleShape(0, (2,)))
    shape = shape_of(4, roles, ((0, 64), (1, 4), (2, 0)), tag_width=4)
    sources = {
        (2, 0): Source(ingress=0, tag=1),
        (2, 1): Source(ingress=1, tag=7),
        (2, 2): Source(ingress=2, tag=3),
    }
    seen = play(
        RowFrontEnd(shape),
        Configuration(sources, {2: 0}),
        [
            Inputs({0: (7, 0), 1: (1, 0), 2: (1, 0)}),  # each other's tags: nothing is taken
            Inputs({0: (1, 0x123456789ABCDEF0), 2: (3, 0)}),
            Inputs({0: (1, 1), 1: (7, 0b1011), 2: (3, 0)}),
            Inputs(),
            Inputs({0: (1, 2), 1: (7, 1), 2: (3, 0)}),
        ],
    )
    assert [cycle.ready for cycle in seen] == [
        {0: False, 1: False, 2: False},
        {0: True, 2: True},
        {0: False, 1: True, 2: False},
        {},
        {0: True, 1: True, 2: True},
    ]
    assert [cycle.hit for cycle in seen[:3]] == [
        {0: False, 1: False, 2: False},
        {0: True, 2: True},
        {0: True, 1: True, 2: True},
    ]
    # Complete in cycle 2, granted in 3, read in 4.
    assert [cycle.grant for cycle in seen] == [None, None, None, 2, None]
    assert seen[4].selected == 2
    assert seen[4].operands == {0: 0x123456789ABCDEF0, 1: 0b1011}


def test_two_ingresses_serve_two_rows_or_one_in_one_cycle():
    shape = shape_of(2, *SEPARATE)
    sources = {
        (0, 0): Source(ingress=0, tag=1),
        (0, 1): Source(ingress=1, tag=1),
        (1, 1): Source(ingress=1, tag=2),
        (1, 2): Source(ingress=2, tag=2),
    }
    seen = play(
        RowFrontEnd(shape),
        Configuration(sources, {0: 0, 1: 0}),
        [
            Inputs({0: (1, 10), 1: (2, 11)}),  # rows 0 and 1
            Inputs({1: (1, 12), 2: (2, 13)}),
            Inputs(),
            Inputs({0: (1, 20), 1: (1, 21)}),  # row 0 alone, while it is read
            Inputs(),
            Inputs(),
        ],
    )
    assert all(all(cycle.ready.values()) for cycle in seen)
    assert [cycle.grant for cycle in seen] == [None, None, 0, 1, 0, None]
    assert seen[3].operands == {0: 10, 1: 12}
    assert seen[4].operands == {1: 11, 2: 13}
    assert seen[5].operands == {0: 20, 1: 21}


def test_several_roles_share_an_ingress_and_rows_reuse_tags_at_others():
    roles = (RoleShape(8, (0, 1)), RoleShape(8, (0, 1)))
    shape = shape_of(2, roles, ((0, 8), (1, 8)))
    sources = {
        (0, 0): Source(ingress=0, tag=5),
        (0, 1): Source(ingress=0, tag=6),
        (1, 0): Source(ingress=1, tag=6),
        (1, 1): Source(ingress=1, tag=5),
    }
    seen = play(
        RowFrontEnd(shape),
        Configuration(sources, {0: 0, 1: 0}),
        [
            Inputs({0: (5, 50), 1: (5, 51)}),
            Inputs({0: (6, 60), 1: (6, 61)}),
            Inputs(),
            Inputs(),
            Inputs(),
        ],
    )
    assert all(all(cycle.ready.values()) for cycle in seen)
    assert (seen[3].selected, seen[3].operands) == (0, {0: 50, 1: 60})
    assert (seen[4].selected, seen[4].operands) == (1, {0: 61, 1: 51})


def busy(shape, configuration, cycles=42):
    """Selections of a front end whose ingresses always offer a token to whoever has room."""
    tags = {at: [] for at, _ in shape.ingress_widths}
    for source in configuration.sources.values():
        tags[source.ingress].append(source.tag)
    model = RowFrontEnd(shape)
    stimulus = [
        Inputs({at: (here[cycle % len(here)], cycle) for at, here in tags.items() if here})
        for cycle in range(cycles)
    ]
    return [cycle.selected for cycle in play(model, configuration, stimulus)]


def configured(rows, tags):
    return Configuration(
        {
            (row, role): Source(ingress=role, tag=tag)
            for row, tag in zip(range(rows), tags, strict=True)
            for role in range(3)
        },
        dict.fromkeys(range(rows), 0),
    )


def test_one_row_fires_every_other_cycle_and_two_rows_in_every_cycle():
    one = busy(shape_of(1, *SEPARATE), configured(1, [4]))
    assert one == [None, None, *[0, None] * 20]
    two = busy(shape_of(2, *SEPARATE), configured(2, [4, 5]))
    assert two == [None, None, *[0, 1] * 20]


def test_a_connection_fills_all_its_consumers_and_is_free_when_all_have_gone():
    shape = shape_of(2, (RoleShape(8, (0,), (3,)), RoleShape(8, (0,), (3,))), ((0, 8),), ((3, 8),))
    sources = {
        (0, 0): Source(connection=3),
        (1, 1): Source(connection=3),
        (1, 0): Source(ingress=0, tag=0),
    }
    seen = play(
        RowFrontEnd(shape),
        Configuration(sources, {0: 0, 1: 0}),
        [
            Inputs(payloads={3: 33}),
            Inputs(payloads={3: 99}),
            Inputs({0: (0, 7)}, payloads={3: 99}),
            Inputs(payloads={3: 99}),
            Inputs(payloads={3: 44}),
            Inputs(),
        ],
    )
    assert [cycle.free[3] for cycle in seen] == [True, False, False, False, True, False]
    assert [cycle.grant for cycle in seen] == [None, 0, None, 1, None, 0]
    assert seen[2].operands == {0: 33}
    # Read in the very cycle in which the next token enters the connection.
    assert seen[4].operands == {0: 7, 1: 33}


def test_a_target_that_takes_nothing_costs_the_others_one_cycle():
    shape = shape_of(3, *SEPARATE, targets=2)
    configuration = replace(configured(3, [1, 2, 3]), targets={0: 0, 1: 1, 2: 1})
    fill = [Inputs(dict.fromkeys(range(3), (tag, tag)), permits=[True, True]) for tag in (1, 2, 3)]
    stalled = [Inputs(permits=[False, True]) for _ in range(4)]
    fill = [replace(inputs, claimable=0) for inputs in fill[:-1]] + fill[-1:]
    seen = play(RowFrontEnd(shape), configuration, [*fill, *stalled])
    # Row 0 is chosen and refused; it stands back, and the cursor has not moved.
    assert [cycle.grant for cycle in seen[3:]] == [None, 1, 2, None]
    assert [cycle.selects for cycle in seen[3:]] == [[], [1], [1], []]


def test_a_row_without_claims_waits_alone():
    shape = shape_of(2, *SEPARATE)
    fill = [Inputs(dict.fromkeys(range(3), (tag, tag)), claimable=0) for tag in (1, 2)]
    seen = play(
        RowFrontEnd(shape),
        configured(2, [1, 2]),
        [*fill, Inputs(claimable=0b10), Inputs(claimable=0b01), Inputs(), Inputs()],
    )
    # Told in one cycle, granted in the next.
    assert [cycle.grant for cycle in seen] == [None, None, None, 1, 0, None]


def test_an_empty_pool_costs_rows_without_firings_one_cycle():
    shape = shape_of(3, *SEPARATE)
    fill = [
        Inputs(dict.fromkeys(range(3), (tag, tag)), claimable=-1 if tag == 3 else 0)
        for tag in (1, 2, 3)
    ]
    empty = [Inputs(pool=False, issued=0b001, claimable=0b110) for _ in range(3)]
    seen = play(RowFrontEnd(shape), configured(3, [1, 2, 3]), [*fill, *empty, Inputs(), Inputs()])
    # Row 0 is chosen, but may take nothing further; it stands back, and the cursor has not moved.
    assert [cycle.grant for cycle in seen[3:]] == [None, 1, 2, None, 0]


def test_hold_closes_the_ingresses_of_its_rows_and_lets_full_rows_go():
    shape = shape_of(2, *SEPARATE)
    offer = dict.fromkeys(range(3), (1, 5))
    seen = play(
        RowFrontEnd(shape),
        configured(2, [1, 2]),
        [Inputs(offer), *(Inputs({0: (2, 6), 1: (1, 6)}, hold=0b10) for _ in range(3))],
    )
    # Row 0 takes tokens as soon as it has fired; row 1, which is held, knows none.
    assert [cycle.ready for cycle in seen[1:]] == [
        {0: False, 1: False},
        {0: False, 1: True},
        {0: False, 1: False},
    ]
    assert [cycle.hit for cycle in seen[1:]] == [{0: False, 1: True}] * 3
    assert [cycle.selected for cycle in seen] == [None, None, 0, None]
    assert [cycle.empty for cycle in seen] == [True, False, False, False]


def foreign_inputs(dut, tmp_path):
    """Inputs behind each ready that are neither its own tag, nor hold, nor configuration."""
    netlist = Netlist(dut, tmp_path)
    static = ("enabled", "needed_", "selects_", "consumes_", "tag_", "target_")
    return {
        at: {
            name
            for name in netlist.input_sources(f"ingress_{at}__ready")
            if name not in ("hold", "drain", f"ingress_{at}__tag") and not name.startswith(static)
        }
        for at, _ in dut.shape.ingress_widths
    }


@pytest.mark.formal
@pytest.mark.proves("ingress ready follows from registered state and its own tag")
@pytest.mark.parametrize("binding", BINDINGS)
def test_ready_depends_on_its_own_tag_hold_and_registers_only(binding, tmp_path):
    shape = shape_of(4, *BINDINGS[binding], targets=2)
    formal_report.note(f"Temporal row front end, {binding}", "netlist", 1)
    assert not any(foreign_inputs(RowFrontEnd(shape), tmp_path).values())
    # The registers are the occupancy of the slots alone.
    netlist = Netlist(RowFrontEnd(shape), tmp_path)
    for at, _ in shape.ingress_widths:
        sources = netlist.register_sources(f"ingress_{at}__ready")
        assert sources
        assert all(any(name.startswith("full_") for name in names) for names in sources)


@pytest.mark.formal
@pytest.mark.rejects("ingress ready follows from registered state and its own tag")
def test_the_check_sees_a_ready_that_follows_a_valid(tmp_path):
    shape = shape_of(4, *SEPARATE)
    assert any(foreign_inputs(TransparentFrontEnd(shape), tmp_path).values())


def test_payloads_stand_in_memory(tmp_path):
    shape = shape_of(16, *SEPARATE, tag_width=4)
    ok, log = yosys.run(RowFrontEnd(shape), ["memory_collect", "tee -o stat.txt stat"], tmp_path)
    assert ok, log
    cells = {
        line.split()[-1]: int(line.split()[0])
        for line in (tmp_path / "stat.txt").read_text().splitlines()
        if "$mem_v2" in line
    }
    assert cells == {"$mem_v2": 3}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"rows": 0},
            TypeError,
            r"^Front end rows must be a positive integer, not 0$",
        ),
        (
            {"tag_width": 0},
            TypeError,
            r"^Front end tag_width must be a positive integer, not 0$",
        ),
        (
            {"targets": "1"},
            TypeError,
            r"^Front end targets must be a positive integer, not '1'$",
        ),
        ({"roles": ()}, ValueError, r"^Front end must have an input role, not none$"),
        (
            {"ingress_widths": ((0, 8),)},
            ValueError,
            r"^Front end has ingress widths for \[0\], which are not the same as the ingresses "
            r"of its roles \[0, 1, 2\]$",
        ),
        (
            {"connection_widths": ((1, 8),)},
            ValueError,
            r"^Front end has connection widths for \[1\], which are not the same as the "
            r"connections of its roles \[\]$",
        ),
    ],
)
def test_a_shape_must_be_complete(change, error, message):
    with pytest.raises(error, match=message):
        replace(shape_of(2, *SEPARATE), **change)


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((-1, (0,)), TypeError, r"^Role width must be a non-negative integer, not -1$"),
        ((8, ()), ValueError, r"^Role must have an ingress or a connection, not none$"),
    ],
)
def test_a_role_must_have_a_source(args, error, message):
    with pytest.raises(error, match=message):
        RoleShape(*args)


def test_a_front_end_takes_a_shape():
    with pytest.raises(TypeError, match=r"^RowFrontEnd shape must be a FrontEndShape, not 4$"):
        RowFrontEnd(4)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (None, r"^Grant policy must be declared for 2 rows, not None$"),
        (FixedPriority((0, 1, 2)), r"^Grant policy must order 2 rows, not \(0, 1, 2\)$"),
    ],
)
def test_the_policy_must_order_the_rows(policy, message):
    with pytest.raises(ValueError, match=message):
        RowArbiter(policy, 2)
