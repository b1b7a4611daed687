"""What ``plan`` says about each row."""

from dataclasses import replace

import pytest

from fabricgen.author.mapping import Mapping
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import ResultDestination, RoleSource
from fabricgen.records.connectivity import InternalConnection
from fabricgen.report.plan import plan_json, plan_tables
from tests.support.lanes import lanes_memory
from tests.support.memories import CONTIGUOUS, DYNAMIC, LOAD, ROLE, STORE, fabric, row, table, view

MASKED = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)


def listed(named, rows, mask=None):
    mapping = Mapping(
        FabricConfiguration((table(*rows),)), (tuple("ab"),), (lambda finding: finding,)
    )
    return plan_json(fabric(named), mapping, mask)


def vector_row(pattern):
    """The alternative of vectors stands behind that of elements in the canonical order."""
    return row(0, LOAD, MASKED, alternative_ordinal=1, pattern=pattern)


def test_a_whole_vector_has_one_child_under_any_lane_of_the_mask():
    (found,) = listed(lanes_memory(), (vector_row(0), None), "1011")
    assert found["transactions"] == [
        {
            "ordinal": 0,
            "activation": "ParentMaskAny",
            "projection": "ParentRequest",
            "active": True,
        }
    ]
    assert found["assembly"] == {"data": "ParentResponseOrZeroOnEmptyMask"}
    assert found["retirement"] == "SingleParentRetirement"


def test_a_vector_by_lanes_has_four_children_of_which_0_1_and_3_are_active():
    (found,) = listed(lanes_memory(), (vector_row(1), None), "1011")
    assert found["transactions"] == [
        {
            "ordinal": lane,
            "activation": f"ParentMaskLane({lane})",
            "projection": f"ElementLane({lane})",
            "active": lane != 2,
        }
        for lane in range(4)
    ]
    assert found["active_lanes"] == [0, 1, 3]
    assert found["assembly"] == {"data": "RowMajorLaneValues(4, ZeroBits)"}
    assert found["pattern"] == "direct1"


@pytest.mark.parametrize("pattern", [0, 1])
def test_no_child_is_active_under_an_empty_mask(pattern):
    (found,) = listed(lanes_memory(), (vector_row(pattern), None), "0000")
    assert not any(child["active"] for child in found["transactions"])


def test_every_child_has_its_line_in_the_table():
    listing = listed(lanes_memory(), (vector_row(1), None), "1011")
    (shown,) = plan_tables(listing)
    parts, values = (list(column.cells) for column in shown.columns)
    assert [v for p, v in zip(parts, values, strict=True) if p.startswith("transaction")] == [
        "ElementLane(0), submitted: ParentMaskLane(0) (yes)",
        "ElementLane(1), submitted: ParentMaskLane(1) (yes)",
        "ElementLane(2), submitted: ParentMaskLane(2) (no)",
        "ElementLane(3), submitted: ParentMaskLane(3) (yes)",
    ]


def test_arguments_and_results_say_which_connection_they_use():
    named = lanes_memory()
    ends = {name: ordinal for ordinal, name in enumerate(named.names.endpoints)}
    copy = InternalConnection(ends["rd_data"], ends["wr_data"])
    connectivity = replace(named.occurrence.connectivity, internal_connections=(copy,))
    named = replace(named, occurrence=replace(named.occurrence, connectivity=connectivity))
    load = row(0, LOAD, view(CONTIGUOUS, lanes=4), alternative_ordinal=1)
    load = replace(
        load,
        destinations=(
            (ROLE.DATA, ResultDestination(expose=True, connections=(0,))),
            (ROLE.COMPLETION, ResultDestination(expose=True)),
        ),
    )
    store = row(1, STORE, view(CONTIGUOUS, lanes=4), alternative_ordinal=1)
    sources = dict(store.sources) | {ROLE.DATA: RoleSource(connection=0)}
    store = replace(store, sources=tuple(sources.items()))
    first, second = listed(named, (load, store))
    assert first["results"] == {"data": "rd_data and to wr_data", "completion": "rd_done"}
    assert second["arguments"] == {
        "address": "wr_addr",
        "data": "from rd_data",
        "control": "wr_ctrl",
    }
