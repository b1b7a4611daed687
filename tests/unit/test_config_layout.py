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
