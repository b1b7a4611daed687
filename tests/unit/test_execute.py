"""The model against hand computation: values, masks, ranges, races, cycle limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.model.row import Fault
from fabricgen.plan.rows import Disabled
from fabricgen.records.fabric import MemoryImplementation
from tests.support import memories as mem
from tests.support.lanes import lanes_memory
from tests.support.untagged import execute

RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_MASK, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(10)
HYBRID = mem.hybrid_memory()
RAMP = bytes(index & 0xFF for index in range(4096))
LOAD, STORE = mem.LOAD, mem.STORE


def load(access, base=0):
    return mem.table(mem.row(0, LOAD, access, base=base), None)


def store(access, base=0):
    return mem.table(None, mem.row(1, STORE, access, base=base))


def reads(access, addresses, base=0, masks=None, memory=RAMP):
    streams = {RD_ADDR: addresses, RD_CTRL: [0] * len(addresses)}
    if masks is not None:
        streams[RD_MASK] = masks
    return execute(HYBRID, load(access, base), streams, memory)


def test_an_element_load_reads_little_endian_from_base_plus_index():
    done = reads(mem.view(mem.ELEMENT, element=32), [0, 3], base=0x10)
    assert done.outputs == {RD_DATA: (0x13121110, 0x1F1E1D1C), RD_DONE: (0, 0), WR_DONE: ()}
    assert done.firings == (2, 0)
    assert done.memory == RAMP
    assert set(done.leftover.values()) == {0}


def test_a_narrow_element_is_zero_extended_and_scales_by_its_own_size():
    assert reads(mem.view(mem.ELEMENT, element=16), [5]).outputs[RD_DATA] == (0x0B0A,)
    assert reads(mem.view(mem.ELEMENT, element=8), [5]).outputs[RD_DATA] == (0x05,)


def test_an_index_narrower_than_its_endpoint_uses_its_low_bits():
    low = mem.access_class(mem.ELEMENT, LOAD, elements=(8, 16, 32), lanes=(1,), index=(8, 32))
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    local = mem.service(mem.capability(LOAD, (low,), (0,)), requesters=1)
    port = mem.port(mem.alternative(LOAD, roles, (low,)), inputs=2)
    named = mem.memory({"a": 32, "c": 0, "d": 32, "e": 0}, 2, (port,), local)
    row = mem.row(0, LOAD, mem.view(mem.ELEMENT, element=8, index=8), base=0)
    done = execute(named, mem.table(row), {0: [0x1_05], 1: [0]}, RAMP)
    assert done.outputs[2] == (0x05,)


def test_contiguous_lanes_follow_their_index_without_gaps():
    access = mem.view(mem.CONTIGUOUS, lanes=4)
    value = int.from_bytes(bytes(range(0x24, 0x34)), "little")
    assert reads(access, [1], base=0x20).outputs[RD_DATA] == (value,)


def test_inactive_lanes_of_a_masked_load_are_zero():
    access = mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC)
    done = reads(access, [0, 0], masks=[0b1011, 0])
    assert done.outputs[RD_DATA] == (0x0F0E0D0C_00000000_07060504_03020100, 0)
    assert done.outputs[RD_DONE] == (0, 0)
    assert done.empty_masks == (1, 0)


def test_a_masked_store_leaves_inactive_lanes():
    access = mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC)
    streams = {WR_ADDR: [2], WR_DATA: [0x44444444_33333333_22222222_11111111], WR_CTRL: [0]}
    done = execute(HYBRID, store(access), {**streams, WR_MASK: [0b1001]}, bytes(4096))
    expected = bytearray(4096)
    expected[8:12], expected[20:24] = b"\x11" * 4, b"\x44" * 4
    assert done.memory == expected
    assert done.outputs[WR_DONE] == (0,)


def test_a_narrow_store_changes_its_own_bytes_only():
    streams = {WR_ADDR: [3], WR_DATA: [0xFFFF_ABCD], WR_CTRL: [0]}
    done = execute(HYBRID, store(mem.view(mem.ELEMENT, element=16)), streams, bytes(4096))
    assert done.memory[4:10] == b"\0\0\xcd\xab\0\0"


def test_a_row_fires_as_often_as_its_shortest_stream_allows():
    streams = {RD_ADDR: [0, 1, 2], RD_CTRL: [0] * 2, RD_MASK: [1]}
    done = execute(HYBRID, load(mem.view(mem.ELEMENT)), streams, RAMP)
    assert done.firings == (2, 0)
    assert {end: left for end, left in done.leftover.items() if left} == {RD_ADDR: 1, RD_MASK: 1}


def test_disabled_consumes_and_publishes_nothing():
    done = execute(HYBRID, Disabled(), {RD_ADDR: [1]}, RAMP)
    assert (done.firings, done.cycle_limit, done.leftover[RD_ADDR]) == ((), 0, 1)
    assert done.outputs == {RD_DATA: (), RD_DONE: (), WR_DONE: ()}


def test_a_load_out_of_range_reads_zero_per_lane_and_is_reported():
    access = mem.view(mem.CONTIGUOUS, lanes=4)
    done = reads(access, [1022, 2**32 - 1])
    assert done.outputs[RD_DATA] == (0xFFFEFDFC_FBFAF9F8, 0)
    assert done.out_of_range == (Fault(row=0, firing=0, lane=2, address=4096),)
    assert done.out_of_range_count == 6


def test_inactive_lanes_are_never_out_of_range():
    access = mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC)
    assert reads(access, [1022], masks=[0b0011]).out_of_range == ()


def test_a_lane_that_is_partly_out_of_range_has_no_effect_at_all():
    streams = {WR_ADDR: [0], WR_DATA: [0xFFFFFFFF], WR_CTRL: [0]}
    done = execute(HYBRID, store(mem.view(mem.ELEMENT), base=4094), streams, bytes(4096))
    assert done.memory == bytes(4096)
    assert done.out_of_range == (Fault(1, 0, 0, 4094),)


def test_only_the_regions_of_the_admitting_capability_count():
    classes = (mem.access_class(mem.ELEMENT, LOAD, elements=(32,), lanes=(1,)),)
    served = mem.capability(LOAD, classes, (0,), regions=(1,))
    local = mem.service(served, requesters=1, regions=[(0, 32), (64, 64)])
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    port = mem.port(mem.alternative(LOAD, roles, classes), inputs=2)
    named = mem.memory({"a": 32, "c": 0, "d": 32, "e": 0}, 2, (port,), local)
    row = mem.row(0, LOAD, mem.view(mem.ELEMENT), base=0)
    done = execute(named, mem.table(row), {0: [15, 16, 31, 32], 1: [0] * 4}, RAMP)
    assert done.outputs[2] == (0, 0x43424140, 0x7F7E7D7C, 0)
    assert done.out_of_range == (Fault(0, 0, 0, 60),)
    assert done.out_of_range_count == 2


def gather_memory(schema, elements=(32,)):
    classes = (
        mem.access_class(
            mem.INDEXED, schema, elements=elements, lanes=(4,), masks=(mem.ABSENT, mem.DYNAMIC)
        ),
    )
    if schema is LOAD:
        ends = {"a": 128, "m": 4, "c": 0, "d": 128, "e": 0}
        roles = {"address": 0, "mask": 1, "control": 2, "data": 3, "completion": 4}
    else:
        ends = {"a": 128, "d": 128, "m": 4, "c": 0, "e": 0}
        roles = {"address": 0, "data": 1, "mask": 2, "control": 3, "completion": 4}
    inputs = len(roles) - (2 if schema is LOAD else 1)
    local = mem.service(mem.capability(schema, classes, (0,), beat=32), requesters=1)
    port = mem.port(mem.alternative(schema, roles, classes), inputs=inputs)
    return mem.memory(ends, inputs, (port,), local)


def lanes(*values, bits=32):
    return sum(value << (bits * lane) for lane, value in enumerate(values))


def gather(*tokens, masks=None):
    named = gather_memory(LOAD)
    mask = mem.ABSENT if masks is None else mem.DYNAMIC
    row = mem.row(0, LOAD, mem.view(mem.INDEXED, lanes=4, mask=mask), base=0)
    streams = {0: list(tokens), 2: [0] * len(tokens)}
    if masks is not None:
        streams[1] = masks
    return execute(named, mem.table(row), streams, RAMP)


def test_a_gather_reads_each_lane_at_its_own_index():
    done = gather(lanes(3, 0, 3, 2))
    assert done.outputs[3] == (lanes(0x0F0E0D0C, 0x03020100, 0x0F0E0D0C, 0x0B0A0908),)


def test_an_inactive_gather_lane_evaluates_no_address():
    done = gather(lanes(2**32 - 1, 0, 1, 2), masks=[0b1110])
    assert done.outputs[3] == (lanes(0, 0x03020100, 0x07060504, 0x0B0A0908),)
    assert done.out_of_range == ()


def test_of_overlapping_scatter_lanes_the_highest_wins():
    named = gather_memory(STORE)
    row = mem.row(0, STORE, mem.view(mem.INDEXED, lanes=4), base=0)
    streams = {0: [lanes(5, 5, 1, 5)], 1: [lanes(0xA, 0xB, 0xC, 0xD)], 3: [0]}
    done = execute(named, mem.table(row), streams, bytes(4096))
    assert (done.memory[20], done.memory[4]) == (0xD, 0xC)


def both(load_base, store_base, *, indices=(0,), named=HYBRID):
    """One load row and one store row; ``named`` tells which port comes first."""
    element, ports = mem.view(mem.ELEMENT), named.occurrence.engine.ports
    load_port = next(i for i, port in enumerate(ports) if RD_ADDR in port.endpoint_inventory)
    rows = sorted(
        (
            mem.row(load_port, LOAD, element, base=load_base),
            mem.row(1 - load_port, STORE, element, base=store_base),
        ),
        key=lambda row: row.port,
    )
    tokens, controls = list(indices), [0] * len(indices)
    streams = {RD_ADDR: tokens, RD_CTRL: controls, WR_ADDR: tokens, WR_CTRL: controls}
    streams[WR_DATA] = [7] * len(indices)
    return execute(named, mem.table(*rows), streams, RAMP)


def swapped_hybrid():
    """The hybrid memory with its write port first."""
    read, write = HYBRID.occurrence.engine.ports
    loads, stores = HYBRID.occurrence.local_service.memory_service_contract.capabilities
    local = mem.service(
        mem.replace(loads, admissible_use_patterns=(1,)),
        mem.replace(stores, admissible_use_patterns=(0,)),
        requesters=2,
    )
    return mem.memory(mem.ENDPOINTS, 7, (write, read), local)


def test_rows_that_share_no_byte_run_side_by_side():
    done = both(0, 64, indices=(0, 1))
    assert done.firings == (2, 2)
    assert done.outputs[RD_DATA] == (0x03020100, 0x07060504)


def test_rows_that_share_a_written_byte_race():
    with pytest.raises(Invalid) as caught:
        both(0, 3)
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.where) == ("workload-race", "operation_rows[1]")
    assert "rows 0 and 1 both touch byte 0x3" in finding.message


def test_a_race_is_found_whichever_row_comes_first_and_named_by_its_lowest_byte():
    for named in (HYBRID, swapped_hybrid()):
        with pytest.raises(Invalid, match="rows 0 and 1 both touch byte 0x8 "):
            both(0, 0, indices=(5, 2, 9), named=named)


def test_a_bank_reads_and_writes_in_the_same_cycle():
    # Words of 64 bits in four banks: indices 8 apart lie in one bank.
    done = both(0, 2048, indices=(0, 8, 16, 24))
    assert done.cycle_limit == 4


@pytest.mark.parametrize(
    ("indices", "cycles"),
    [
        # Four banks of 32 bits: word i lies in bank i mod 4. The first firing marks the start.
        ([lanes(0, 1, 2, 3)] * 3, 3),
        ([lanes(0, 4, 8, 12)] * 3, 9),
        ([lanes(0, 0, 0, 0)] * 3, 3),
        ([lanes(0, 4, 1, 2)] * 3, 5),
        ([lanes(0, 4, 8, 12)], 1),
    ],
)
def test_a_gather_costs_its_distinct_beats_on_the_fullest_bank(indices, cycles):
    done = gather(*indices)
    assert (done.cycle_limit, done.row_cycles) == (cycles, (cycles,))


def test_an_empty_mask_costs_one_cycle():
    done = gather(*[lanes(0, 4, 8, 12)] * 3, masks=[0] * 3)
    assert done.cycle_limit == 3


@pytest.mark.parametrize(("index", "cycles"), [(0, 3), (1, 3), (2, 3)])
def test_contiguous_beats_spread_over_the_banks(index, cycles):
    # Four banks of 64 bits: 16 bytes are two beats, or three when they start inside one.
    done = reads(mem.view(mem.CONTIGUOUS, lanes=4), [index] * 3)
    assert done.cycle_limit == cycles


def test_an_element_across_two_beats_costs_one_cycle_on_two_banks():
    assert reads(mem.view(mem.ELEMENT), [1] * 3, base=2).cycle_limit == 3


def test_two_loading_rows_share_one_read_a_cycle_per_bank():
    names = ("address", "control", "data", "completion")
    element = (mem.access_class(mem.ELEMENT, LOAD, elements=(32,), lanes=(1,)),)
    ports = [
        mem.port(mem.alternative(LOAD, dict(zip(names, ends, strict=True)), element), inputs=2)
        for ends in ((0, 1, 4, 5), (2, 3, 6, 7))
    ]
    local = mem.service(mem.capability(LOAD, element, (0, 1)), requesters=2, banks=4)
    ends = {"a0": 32, "c0": 0, "a1": 32, "c1": 0, "d0": 32, "e0": 0, "d1": 32, "e1": 0}
    named = mem.memory(ends, 4, ports, local)
    rows = mem.table(*(mem.row(port, LOAD, mem.view(mem.ELEMENT), base=0) for port in (0, 1)))

    def limit(first, second):
        streams = {0: [first] * 10, 1: [0] * 10, 2: [second] * 10, 3: [0] * 10}
        return execute(named, rows, streams, RAMP).cycle_limit

    assert limit(0, 1) == 19
    assert limit(0, 2) == 10


def test_every_mistake_of_the_inputs_is_reported_at_once():
    with pytest.raises(Invalid) as caught:
        execute(HYBRID, Disabled(), {RD_MASK: [16], RD_DATA: [0], 99: [0], RD_CTRL: [1]}, b"")
    assert [(d.code, d.where) for d in caught.value.diagnostics] == [
        ("stream-token-width", "streams[1][0]"),
        ("stream-not-an-input", "streams[7]"),
        ("stream-not-an-input", "streams[99]"),
        ("stream-token-width", "streams[2][0]"),
        ("memory-contents-size", "memory"),
    ]


def test_an_illegal_configuration_is_refused():
    with pytest.raises(Invalid, match="row-count"):
        execute(HYBRID, mem.table(None), {}, RAMP)


@given(st.lists(st.integers(0, 1100), max_size=20), st.integers(0, 4095))
def test_what_is_stored_can_be_loaded_back(indices, base):
    values = [index * 2654435761 % 2**32 for index in range(len(indices))]
    streams = {WR_ADDR: indices, WR_DATA: values, WR_CTRL: [0] * len(indices)}
    stored = execute(HYBRID, store(mem.view(mem.ELEMENT), base=base), streams, bytes(4096))
    loaded = reads(mem.view(mem.ELEMENT), indices, base=base, memory=stored.memory)
    last = dict(zip(indices, values, strict=True))
    for index, got in zip(indices, loaded.outputs[RD_DATA], strict=True):
        assert got == (last[index] if base + 4 * index + 4 <= 4096 else 0)
    assert stored.out_of_range_count == loaded.out_of_range_count


def by_lanes(pattern, indices, masks, *, issue_lanes=1, schema=LOAD, data=()):
    """Gathers or scatters of the memory with vectors by lanes, whole (0) or lane by lane (1)."""
    named = lanes_memory(implementation=MemoryImplementation(issue_lanes=issue_lanes))
    at = {name: ordinal for ordinal, name in enumerate(named.names.endpoints)}
    prefix = "rd" if schema is LOAD else "wr"
    access = mem.view(mem.INDEXED, lanes=4, mask=mem.DYNAMIC)
    port = int(schema is STORE)
    rows = [None, None]
    rows[port] = mem.row(port, schema, access, base=0, alternative_ordinal=1, pattern=pattern)
    streams = {
        at[f"{prefix}_addr"]: [lanes(*each) for each in indices],
        at[f"{prefix}_mask"]: masks,
        at[f"{prefix}_ctrl"]: [0] * len(masks),
    }
    if schema is STORE:
        streams[at["wr_data"]] = data
    return execute(named, mem.table(*rows), streams, RAMP), at


def test_lanes_as_children_assemble_in_row_major_order_with_inactive_ones_zero():
    done, at = by_lanes(1, [(3, 0, 1, 9), (5, 6, 7, 8)], [0b1011, 0b0000])
    # Index 3 of 32-bit words is the bytes 0x0c.., 0 is 0x00.., 9 is 0x24..; lane 2 is inactive.
    assert done.outputs[at["rd_data"]] == (0x27262524_00000000_03020100_0F0E0D0C, 0)
    assert (done.firings, done.empty_masks) == ((2, 0), (1, 0))
    whole, _ = by_lanes(0, [(3, 0, 1, 9), (5, 6, 7, 8)], [0b1011, 0b0000])
    assert whole.outputs == done.outputs


def test_a_later_lane_wins_where_lanes_are_children():
    data = 0xD3D3D3D3_D2D2D2D2_D1D1D1D1_D0D0D0D0
    done, _ = by_lanes(1, [(7, 7, 2, 2)], [0b0111], schema=STORE, data=[data])
    assert done.memory[28:32] == b"\xd1" * 4
    assert done.memory[8:12] == b"\xd2" * 4


@pytest.mark.parametrize(
    ("issue_lanes", "masks", "cycles"),
    [
        # Beats of 64 bits in four banks: words 0, 2, 4 and 6 lie in different ones. The first
        # firing marks the start, and the lanes of the second one may be let in before that.
        (1, [0b1111] * 4, 8),
        (2, [0b1111] * 4, 4),
        (4, [0b1111] * 4, 3),
        (1, [0b1111, 0b1111, 0b0101, 0b0000], 3),
    ],
)
def test_children_go_to_the_service_as_many_per_cycle_as_declared(issue_lanes, masks, cycles):
    done, _ = by_lanes(1, [(0, 2, 4, 6)] * 4, masks, issue_lanes=issue_lanes)
    assert done.row_cycles == (1 + cycles, 0)
    crowded, _ = by_lanes(1, [(0, 8, 16, 24)] * 3, [0b1111] * 3, issue_lanes=issue_lanes)
    assert crowded.row_cycles == (9, 0)
