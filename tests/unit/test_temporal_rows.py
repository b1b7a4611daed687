"""Legality of Temporal tables and of rows with managers: one good table, one change, one code."""

from dataclasses import replace

import pytest

from fabricgen.errors import Invalid
from fabricgen.plan.demand import (
    ConnectionDemand,
    RowRole,
    assign_row_ordinals,
    memory_demand,
    row_capacity,
    tag_width,
)
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active, ResultDestination, RoleSource
from fabricgen.records.connectivity import ManagerEndpointTarget, OperationPortDispatch
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    LOCAL,
    ROLE,
    STORE,
    replaced,
    view,
)
from tests.support.records import copy_fabric
from tests.support.temporal import manager_memory, temporal_memory, temporal_row, temporal_table

NAMED = temporal_memory(connections=[("rd_data", "wr_data"), ("rd_done", "wr_ctrl")])
EXT0, EXT1 = ManagerEndpointTarget(0), ManagerEndpointTarget(1)
#: The vector read of the specification's context[2].
READ = temporal_row(
    2,
    0,
    LOAD,
    view(CONTIGUOUS, lanes=4, mask=DYNAMIC),
    tags={"address": 1, "mask": 7, "control": 3, "data": 5, "completion": 6},
)
WRITE = temporal_row(1, 1, STORE, view(ELEMENT))


def load(ordinal, **tags):
    """An element load; a role has tag 8 + ordinal where nothing else is said."""
    roles = ("address", "control", "data", "completion")
    tags = dict.fromkeys(roles, 8 + ordinal) | tags
    return temporal_row(ordinal, 0, LOAD, view(ELEMENT), tags=tags)


def found(configuration, named=NAMED):
    return [(d.where, d.code) for d in configuration_findings(named, configuration)]


def at(row, role, source):
    """The row with another source or destination of one role."""
    entries = "sources" if isinstance(source, RoleSource) else "destinations"
    pairs = ((r, source if r is role else old) for r, old in getattr(row, entries))
    return replace(row, **{entries: tuple(pairs)})


def test_rows_lie_anywhere_in_the_table_and_several_on_one_port():
    assert found(temporal_table(None, None, READ)) == []
    assert found(temporal_table(load(0), WRITE, READ, load(3))) == []


def test_a_table_has_one_row_per_context():
    assert found(Active((None, WRITE, READ))) == [("operation_rows", "row-count")]
    assert found(Active((None, WRITE, READ, None, None))) == [("operation_rows", "row-count")]
    assert found(temporal_table()) == [("operation_rows", "configuration-without-row")]


@pytest.mark.parametrize(
    ("changed", "where", "code"),
    [
        (replace(READ, port=2), "port", "row-port"),
        (replace(READ, port=-1), "port", "row-port"),
        (replace(READ, use_pattern=1), "use_pattern", "row-context"),
        (replace(READ, use_pattern=4), "use_pattern", "use-pattern-not-admissible"),
        (replace(READ, use_pattern=-1), "use_pattern", "use-pattern-not-admissible"),
        (at(READ, ROLE.MASK, RoleSource()), "sources.mask", "row-tag-presence"),
        (at(READ, ROLE.MASK, RoleSource(tag=16)), "sources.mask", "row-tag-range"),
        (at(READ, ROLE.MASK, RoleSource(tag=-1)), "sources.mask", "row-tag-range"),
        (
            at(READ, ROLE.DATA, ResultDestination(True)),
            "destinations.data",
            "row-tag-presence",
        ),
        (
            at(READ, ROLE.DATA, ResultDestination(True, tag=16)),
            "destinations.data",
            "row-tag-range",
        ),
    ],
)
def test_each_rule_of_a_temporal_row_has_its_code(changed, where, code):
    assert found(temporal_table(None, None, changed)) == [(f"operation_rows[2].{where}", code)]


def test_the_largest_tag_is_legal():
    assert found(temporal_table(load(0, address=15))) == []


def test_an_internal_role_has_no_tag():
    inside, fed = ResultDestination(False, (0,)), RoleSource(0)
    legal = temporal_table(at(load(0), ROLE.DATA, inside), at(WRITE, ROLE.DATA, fed))
    assert found(legal) == []
    tagged = temporal_table(
        at(load(0), ROLE.DATA, replace(inside, tag=1)), at(WRITE, ROLE.DATA, replace(fed, tag=1))
    )
    assert found(tagged) == [
        ("operation_rows[0].destinations.data", "row-tag-presence"),
        ("operation_rows[1].sources.data", "row-tag-presence"),
    ]


def test_a_tag_of_an_ingress_belongs_to_one_row_and_role():
    clash = [("operation_rows[1].sources.control", "row-ingress-conflict")]
    first, second = load(0), load(1)
    assert found(temporal_table(first, second)) == []
    assert found(temporal_table(first, at(second, ROLE.CONTROL, RoleSource(tag=8)))) == clash
    # Another ingress is another match domain.
    assert found(temporal_table(load(0, address=1, control=1), load(1, address=2, control=2))) == []


def test_rows_share_an_egress_with_any_tags():
    for tag in (0, 7):
        other = at(load(1), ROLE.DATA, ResultDestination(True, tag=tag))
        assert found(temporal_table(load(0), other)) == []


@pytest.mark.parametrize("capacity", ["in_flight", "result_holding"])
def test_every_active_row_keeps_one_unit_of_each_total(capacity):
    named = temporal_memory(**{capacity: (2, 2)})
    assert found(temporal_table(load(0), load(1), READ), named) == [
        ("operation_rows", "row-reserve")
    ]
    assert found(temporal_table(load(0), WRITE, READ), named) == []


@pytest.mark.parametrize(
    ("rows", "where", "code"),
    [
        (
            (at(load(0), ROLE.DATA, ResultDestination(False, (0,))), WRITE),
            "[0].destinations.data",
            "unconsumed",
        ),
        ((load(0), at(WRITE, ROLE.DATA, RoleSource(0))), "[1].sources.data", "open"),
        (
            (
                at(load(0), ROLE.DATA, ResultDestination(False, (0,))),
                at(WRITE, ROLE.DATA, RoleSource(0)),
                None,
                at(load(3), ROLE.DATA, ResultDestination(True, (0,), 3)),
            ),
            "[3].destinations.data",
            "producers",
        ),
    ],
)
def test_a_connection_that_is_not_closed_is_refused(rows, where, code):
    assert found(temporal_table(*rows)) == [(f"operation_rows{where}", f"row-connection-{code}")]


def test_one_producer_feeds_several_rows_and_both_result_roles_may_stay_inside():
    inside = at(
        at(load(0), ROLE.DATA, ResultDestination(False, (0,))),
        ROLE.COMPLETION,
        ResultDestination(False, (1,)),
    )
    first = at(at(WRITE, ROLE.DATA, RoleSource(0)), ROLE.CONTROL, RoleSource(1))
    second = at(temporal_row(3, 1, STORE, view(ELEMENT)), ROLE.DATA, RoleSource(0))
    assert found(temporal_table(inside, first, None, second)) == []


def test_a_source_that_is_not_eligible_is_refused():
    # Connection 1 sinks at wr_ctrl.
    rows = temporal_table(load(0), at(WRITE, ROLE.DATA, RoleSource(1)))
    assert ("operation_rows[1].sources.data", "row-source-connection") in found(rows)


# Managers


def test_a_row_of_a_manager_is_what_its_port_admits():
    named = manager_memory()
    far = temporal_row(0, 0, LOAD, view(ELEMENT), base=2**64 - 1, target=EXT0)
    assert found(temporal_table(far), named) == []
    wide = replace(far, access=view(ELEMENT, element=64))
    assert found(temporal_table(wide), named) == [
        ("operation_rows[0].access.element_bits", "element-width-not-accepted")
    ]
    assert found(temporal_table(replace(far, base_addr=2**64)), named) == [
        ("operation_rows[0].base_addr", "row-base-range")
    ]


@pytest.mark.parametrize("target", [LOCAL, EXT1])
def test_a_target_lies_in_the_domain_of_the_alternative(target):
    row = temporal_row(0, 0, LOAD, view(ELEMENT), target=target)
    assert found(temporal_table(row), manager_memory()) == [
        ("operation_rows[0].service_target", "row-target")
    ]


def test_only_a_local_base_lies_inside_the_capacity():
    named = temporal_memory(managers={"ext0": 64, "ext1": 32})
    far = temporal_row(0, 0, LOAD, view(ELEMENT), base=4096, target=EXT1)
    assert found(temporal_table(far), named) == []
    assert found(temporal_table(replace(far, service_target=LOCAL)), named) == [
        ("operation_rows[0].base_addr", "row-base-outside")
    ]


def test_a_manager_outside_the_domain_of_one_port_is_refused_there_alone():
    named = temporal_memory(managers={"ext0": 64})
    ports = (OperationPortDispatch(((LOCAL,),)), OperationPortDispatch(((LOCAL, EXT0),)))
    named = replaced(
        named, connectivity=replace(named.occurrence.connectivity, operation_ports=ports)
    )
    read, write = (
        temporal_row(ordinal, ordinal, schema, view(ELEMENT), target=EXT0)
        for ordinal, schema in enumerate((LOAD, STORE))
    )
    assert found(temporal_table(read, write), named) == [
        ("operation_rows[0].service_target", "row-target")
    ]


# The one derivation


def test_the_demand_names_consumers_publishers_and_rows_of_ports():
    inside = at(load(0), ROLE.DATA, ResultDestination(True, (0,), 5))
    fed = at(WRITE, ROLE.DATA, RoleSource(0))
    demand = memory_demand(NAMED.occurrence, temporal_table(inside, fed, READ).operation_rows)
    # rd_mask is endpoint 1, rd_data 7; tags are those of the rows.
    assert demand.consumer(1, 7) == RowRole(2, ROLE.MASK)
    assert demand.consumer(0, 8) == RowRole(0, ROLE.ADDRESS)
    assert demand.consumer(0, 7) is None
    assert demand.egress[7, 5] == (RowRole(0, ROLE.DATA), RowRole(2, ROLE.DATA))
    assert demand.connections == (
        ConnectionDemand((RowRole(0, ROLE.DATA),), (RowRole(1, ROLE.DATA),)),
        ConnectionDemand((), ()),
    )
    assert demand.port_rows == ((0, 2), (1,))
    assert len(demand.ingress) == 2 + 2 + 3


def test_the_table_has_the_capacity_of_its_schedule():
    copy = copy_fabric().memories[0].occurrence
    assert (row_capacity(copy), tag_width(copy)) == (2, None)
    assert (row_capacity(NAMED.occurrence), tag_width(NAMED.occurrence)) == (4, 4)
    assert row_capacity(replace(copy, engine=None)) == 0


@pytest.mark.parametrize(
    ("wanted", "ordinals"),
    [
        ([], ()),
        ([None, None], (0, 1)),
        ([None, 0, None, 2], (1, 0, 3, 2)),
        ([3, None, None, None], (3, 0, 1, 2)),
    ],
)
def test_rows_get_the_lowest_free_ordinals(wanted, ordinals):
    assert assign_row_ordinals(wanted, 4) == ordinals


@pytest.mark.parametrize(
    ("wanted", "where", "code"),
    [
        ([None] * 5, "operation_rows", "row-capacity"),
        ([None, 4], "operation_rows[1]", "row-capacity"),
        ([-1], "operation_rows[0]", "row-capacity"),
        ([1, None, 1], "operation_rows[2]", "row-ordinal-taken"),
    ],
)
def test_rows_that_do_not_fit_the_table_are_refused(wanted, where, code):
    with pytest.raises(Invalid) as error:
        assign_row_ordinals(wanted, 4)
    assert [(d.where, d.code) for d in error.value.diagnostics] == [(where, code)]
