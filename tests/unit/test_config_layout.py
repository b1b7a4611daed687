from fabricgen.config.layout import carrier_layout
from tests.support.memories import (
    ELEMENT,
    LOAD,
    access_class,
    alternative,
    capability,
    hybrid_classes,
    memory,
    port,
)
from tests.support.memories import service as local_service
from tests.support.records import copy_fabric, load_fabric
from tests.support.temporal import manager_memory, temporal_memory


def spans(fields):
    return [(field.name, field.offset, field.width) for field in fields.values()]


def test_one_port_has_fields_only_where_there_is_a_choice():
    # One alternative, pattern, clause, class, pair and target: no index at all. Elements up to
    # 32 take 6 bits, one lane 1 bit, exponents up to 63 and indices up to 32 take 6 bits each.
    layout = carrier_layout(load_fabric().memories[0])
    assert (layout.active.name, layout.active.offset, layout.active.width) == ("active", 0, 1)
    assert [spans(row) for row in layout.rows] == [
        [
            ("valid", 1, 1),
            ("base_addr", 2, 64),
            ("element_width", 66, 6),
            ("lane_count", 72, 1),
            ("alignment", 73, 6),
            ("index_width", 79, 6),
            ("expose_data", 85, 1),
            ("expose_completion", 86, 1),
        ]
    ]
    assert layout.width == 87


def test_two_hybrid_ports_have_two_rows_of_their_own_widths():
    # Two classes and two mask pairs take 1 bit each, 4 lanes take 3. The write row starts where
    # the read row ends, and exposes no data.
    layout = carrier_layout(copy_fabric().memories[0])
    read = [
        ("valid", 1, 1),
        ("base_addr", 2, 64),
        ("access_class", 66, 1),
        ("element_width", 67, 6),
        ("lane_count", 73, 3),
        ("mask_pair", 76, 1),
        ("alignment", 77, 6),
        ("index_width", 83, 6),
        ("expose_data", 89, 1),
        ("expose_completion", 90, 1),
    ]
    write = [(name, at + 90, width) for name, at, width in read if name != "expose_data"]
    write[-1] = ("expose_completion", 179, 1)
    assert [spans(row) for row in layout.rows] == [read, write]
    assert layout.width == 180


def test_indices_grow_with_their_inventories():
    # 3 alternatives take 2 bits, 5 patterns 3 bits, and one clause of both volatile values 1 bit.
    ends = {"addr": 32, "ctrl": 0, "d0": 32, "d1": 32, "d2": 32, "done": 0}
    alternatives = [
        alternative(
            LOAD,
            {"address": 0, "control": 1, "data": data, "completion": 5},
            (access_class(ELEMENT, LOAD, elements=(bits,), lanes=(1,)),),
            volatile=(False, True),
            patterns=tuple(range(5)),
        )
        for data, bits in ((2, 8), (3, 16), (4, 32))
    ]
    named = memory(
        ends,
        2,
        (port(*alternatives, inputs=2, pattern_count=5),),
        local_service(capability(LOAD, hybrid_classes(LOAD), (0,)), requesters=1),
    )
    (row,) = carrier_layout(named).rows
    assert spans(row)[:5] == [
        ("valid", 1, 1),
        ("capability_alternative", 2, 2),
        ("use_pattern", 4, 3),
        ("actor_value0", 7, 1),
        ("base_addr", 8, 64),
    ]


def test_fields_neither_overlap_nor_leave_gaps():
    layout = carrier_layout(copy_fabric().memories[0])
    end = 1
    for row in layout.rows:
        for field in row.values():
            assert field.offset == end
            end += field.width
    assert end == layout.width


def test_a_temporal_table_has_equal_rows_as_wide_as_the_widest_port():
    # Two ports, two targets and two classes take 1 bit each; both ports have one alternative.
    # Only the write port has a data operand, only the read port a data result. Connection 0 leads
    # from rd_data (7) to wr_data (4), connection 1 from rd_done (8) to wr_ctrl (6).
    named = temporal_memory(
        managers={"ext0": 64}, connections=[("rd_data", "wr_data"), ("rd_done", "wr_ctrl")]
    )
    layout = carrier_layout(named)
    row = [
        ("valid", 1, 1),
        ("port", 2, 1),
        ("base_addr", 3, 64),
        ("access_class", 67, 1),
        ("element_width", 68, 6),
        ("lane_count", 74, 3),
        ("mask_pair", 77, 1),
        ("alignment", 78, 6),
        ("index_width", 84, 6),
        ("source_tag_address", 90, 4),
        ("source_data", 94, 1),
        ("source_tag_data", 95, 4),
        ("source_tag_mask", 99, 4),
        ("source_control", 103, 1),
        ("source_tag_control", 104, 4),
        ("service_target", 108, 1),
        ("expose_data", 109, 1),
        ("expose_tag_data", 110, 4),
        ("forward_data_0", 114, 1),
        ("expose_completion", 115, 1),
        ("expose_tag_completion", 116, 4),
        ("forward_completion_1", 120, 1),
    ]
    assert spans(layout.rows[0]) == row
    assert layout.width == 1 + 4 * 120
    for ordinal, fields in enumerate(layout.rows):
        assert spans(fields) == [(name, at + 120 * ordinal, width) for name, at, width in row]


def test_a_pattern_has_one_index_for_all_contexts():
    # Direct and lanes are 2 patterns, of 8 use patterns; element and vector are 2 alternatives.
    rows = carrier_layout(temporal_memory(lanes=True)).rows
    assert [(rows[0][name].offset, rows[0][name].width) for name in ("port", "use_pattern")] == [
        (2, 1),
        (4, 1),
    ]
    assert len(rows) == 4


def test_one_manager_and_no_service_need_no_target():
    (row, *_) = carrier_layout(manager_memory(contexts=1)).rows
    assert "service_target" not in row
