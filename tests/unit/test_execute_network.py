"""The model with connections and managers against hand computation; races and legal neighbours."""

import time
from collections import Counter

import pytest

from fabricgen.errors import Invalid
from fabricgen.model.beats import Beat
from fabricgen.model.execute import execute
from fabricgen.model.row import Fault
from fabricgen.plan.demand import RowRole
from fabricgen.plan.rows import Active
from fabricgen.vocab.dataflow import ServiceKind
from tests.support import memories as mem
from tests.support.networks import net

ROLE = mem.ROLE
RAMP = bytes(range(256))
READ, WRITE = ServiceKind.MEMORY_READ, ServiceKind.MEMORY_WRITE
BYTE = mem.view(mem.ELEMENT, element=8)


def run(made, memory=RAMP, managers=None, **tokens):
    return execute(made.named, made.configuration, made.streams(**tokens), memory, managers)


def refused(made, memory=RAMP, managers=None, **tokens):
    with pytest.raises(Invalid) as caught:
        run(made, memory, managers, **tokens)
    return [(each.code, each.where, each.message) for each in caught.value.diagnostics]


def output(made, done, name):
    return done.outputs[made.at[name], None]


# Internal connections


COPY = [("0.data", "1.data")]


def test_a_load_feeds_its_store():
    made = net("LS", COPY, bases=[0, 128])
    done = run(made, a0=[0, 2, 1], c0=[0] * 3, a1=[0, 1, 2], c1=[0] * 3)
    expected = RAMP[0:4] + RAMP[8:12] + RAMP[4:8]
    assert done.memory == RAMP[:128] + expected + RAMP[140:]
    assert done.firings == (3, 3)
    assert output(made, done, "0.data") == ()
    assert output(made, done, "0.done") == (0, 0, 0)
    assert output(made, done, "1.done") == (0, 0, 0)
    assert set(done.leftover.values()) == {0}
    assert done.held == {RowRole(1, ROLE.DATA): 0}


def test_an_indirect_load_takes_its_address_from_a_load():
    # x[y[i]] with y at 0 (bytes) and x the words from 64.
    words = mem.view(mem.ELEMENT, index=8)
    made = net("LL", [("0.data", "1.addr")], accesses=[BYTE, words], bases=[0, 64])
    memory = bytes([3, 0, 2]) + RAMP[3:]
    done = run(made, memory, a0=[0, 1, 2], c0=[0] * 3, c1=[0] * 3)
    assert output(made, done, "1.data") == (0x4F4E4D4C, 0x43424140, 0x4B4A4948)


def test_a_narrow_sink_takes_the_low_bits():
    # 128 bits of data feed a mask of four.
    lanes = mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC)
    made = net("LL", [("0.data", "1.mask")], accesses=[BYTE, lanes])
    memory = bytes([0xF5]) + RAMP[1:]
    done = run(made, memory, a0=[0], c0=[0], a1=[4], c1=[0])
    words = [0x13121110, 0, 0x1B1A1918, 0]
    assert output(made, done, "1.data") == (sum(w << 32 * i for i, w in enumerate(words)),)


def test_one_connection_feeds_two_consumers():
    made = net("LSS", [("0.data", "1.data"), ("0.data", "2.data")], bases=[0, 64, 128])
    done = run(made, a0=[5], c0=[0], a1=[0], c1=[0], a2=[1], c2=[0])
    word = RAMP[20:24]
    assert done.memory == RAMP[:64] + word + RAMP[68:132] + word + RAMP[136:]


def test_a_result_may_be_exposed_and_forwarded():
    made = net("LS", COPY, bases=[0, 128], exposed={"0.data"})
    done = run(made, a0=[1], c0=[0], a1=[0], c1=[0])
    assert output(made, done, "0.data") == (0x07060504,)
    assert done.memory[128:132] == RAMP[4:8]


def test_completion_orders_a_read_behind_a_write():
    made = net("SL", [("0.done", "1.ctrl")])
    done = run(made, a0=[0, 1], d0=[7, 9], c0=[0, 0], a1=[0, 0, 1])
    # The third address has no control token.
    assert output(made, done, "1.data") == (7, 7)
    assert done.firings == (2, 2)
    assert done.leftover[made.at["1.addr"], None] == 1


def test_without_the_connection_the_same_accesses_race():
    made = net("SL")
    (finding,) = refused(made, a0=[0], d0=[7], c0=[0], a1=[0], c1=[0])
    assert finding[:2] == ("workload-race", "operation_rows[1]")
    assert "rows 0 and 1 both touch byte 0x0 " in finding[2]
    assert run(made, a0=[0], d0=[7], c0=[0], a1=[1], c1=[0]).firings == (1, 1)


def test_a_later_write_of_the_producer_races_with_an_earlier_read_of_the_consumer():
    made = net("SL", [("0.done", "1.ctrl")])
    done = run(made, a0=[0, 1], d0=[7, 9], c0=[0, 0], a1=[0, 1])
    assert output(made, done, "1.data") == (7, 9)
    with pytest.raises(Invalid, match="rows 0 and 1 both touch byte 0x4 "):
        run(made, a0=[0, 1], d0=[7, 9], c0=[0, 0], a1=[1, 0])


def test_order_passes_through_rows_between():
    edges = [("0.done", "1.ctrl"), ("1.done", "2.ctrl")]
    made = net("SLL", edges, bases=[0, 128, 0])
    done = run(made, a0=[0], d0=[5], c0=[0], a1=[0], a2=[0])
    assert output(made, done, "2.data") == (5,)
    apart = net("SLL", [("0.done", "1.ctrl")], bases=[0, 128, 0])
    assert [code for code, _, _ in refused(apart, a0=[0], d0=[5], c0=[0], a1=[0], a2=[0], c2=[0])]


def test_a_read_before_a_write_needs_a_connection_too():
    made = net("LS", COPY)
    assert run(made, a0=[1, 0], c0=[0] * 2, a1=[1, 0], c1=[0] * 2).memory == RAMP
    # The second load reads what the first store writes.
    (finding,) = refused(made, a0=[1, 0], c0=[0] * 2, a1=[0, 1], c1=[0] * 2)
    assert finding[0] == "workload-race"


def test_one_token_may_stay_in_a_slot_and_no_more():
    made = net("LS", COPY, bases=[0, 128])
    done = run(made, a0=[0, 1], c0=[0] * 2, a1=[0], c1=[0])
    assert done.firings == (2, 1)
    assert done.held == {RowRole(1, ROLE.DATA): 1}
    (finding,) = refused(made, a0=[0, 1, 2], c0=[0] * 3, a1=[0], c1=[0])
    assert finding[:2] == ("workload-unconsumed", "operation_rows[0].destinations.data")
    assert finding[2].startswith(
        "All but one token of connection 0 must be taken by row 1 data, not 1 of 3 from row 0 data"
    )


def test_each_consumer_of_a_fanout_must_take_the_tokens():
    made = net("LSS", [("0.data", "1.data"), ("0.data", "2.data")], bases=[0, 64, 128])
    found = refused(made, a0=[0] * 3, c0=[0] * 3, a1=[0, 1, 2], c1=[0] * 3, a2=[0], c2=[0])
    assert [code for code, _, _ in found] == ["workload-unconsumed"]
    assert "by row 2 data, not 1 of 3" in found[0][2]


def test_rows_in_a_circle_never_fire_and_leave_everything():
    made = net("LL", [("0.data", "1.addr"), ("1.data", "0.addr")])
    done = run(made, c0=[0, 0], c1=[0])
    assert (done.firings, done.cycle_limit) == ((0, 0), 0)
    assert done.leftover[made.at["0.ctrl"], None] == 2
    assert done.held == {RowRole(0, ROLE.ADDRESS): 0, RowRole(1, ROLE.ADDRESS): 0}
    chase = net("L", [("0.data", "0.addr")])
    assert run(chase, c0=[0, 0]).firings == (0,)


def test_a_row_behind_a_circle_never_fires_either():
    made = net("LLL", [("0.data", "0.addr"), ("0.done", "1.ctrl"), ("2.data", "1.addr")])
    done = run(made, c0=[0], a2=[0], c2=[0])
    assert done.firings == (0, 0, 1)
    assert done.held[RowRole(1, ROLE.ADDRESS)] == 1


# Managers


def scatter(*values, bits=32):
    return sum(value << (bits * lane) for lane, value in enumerate(values))


def test_a_manager_reads_zero_where_nothing_was_written():
    made = net("L", targets=[0], managers=[64])
    done = run(made, managers={0: {4: 0xAA, 9: 0xBB}}, a0=[1, 2], c0=[0, 0])
    assert output(made, done, "0.data") == (0xAA, 0xBB00)
    assert done.managers == {0: {4: 0xAA, 9: 0xBB}}
    # Words at 4 and 8 in beats of eight bytes.
    assert done.beats == (Counter([Beat(READ, 0, 0xF0, None), Beat(READ, 8, 0x0F, None)]),)


def test_a_contiguous_child_has_one_request_per_beat_it_touches():
    access = mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC)
    made = net("S", accesses=[access], bases=[6], targets=[0], managers=[64])
    data = scatter(0x11111111, 0x22222222, 0x33333333, 0x44444444)
    done = run(made, a0=[0, 8], m0=[0b1011, 0], d0=[data, data], c0=[0, 0])
    # Lanes at 6, 10, (14) and 18, so bytes 6 to 13 and 18 to 21.
    assert done.beats[0] == Counter(
        [
            Beat(WRITE, 0, 0xC0, 0x1111 << 48),
            Beat(WRITE, 8, 0x3F, 0x2222_2222_1111),
            Beat(WRITE, 16, 0x3C, 0x4444_4444_0000),
        ]
    )
    assert done.empty_masks == (1,)
    assert set(done.managers[0]) == {*range(6, 14), *range(18, 22)}


def test_a_beat_without_an_active_byte_is_not_requested():
    access = mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC)
    made = net("L", accesses=[access], targets=[0], managers=[32])
    done = run(made, a0=[0], m0=[0b1001], c0=[0])
    assert done.beats[0] == Counter([Beat(READ, 0, 0xF, None), Beat(READ, 12, 0xF, None)])


def test_an_indexed_child_has_its_own_beats_for_each_lane():
    access = mem.view(mem.INDEXED, lanes=4)
    made = net("L", accesses=[access], targets=[0], managers=[128], bases=[2])
    done = run(made, a0=[scatter(0, 0, 1, 3)], c0=[0])
    # Lanes at 2, 2, 6 and 14; the last one crosses into the next beat.
    assert done.beats[0] == Counter(
        [Beat(READ, 0, 0xF << 2, None)] * 2
        + [
            Beat(READ, 0, 0xF << 6, None),
            Beat(READ, 0, 0x3 << 14, None),
            Beat(READ, 16, 0x3, None),
        ]
    )
    assert done.cycle_limit == 1


def test_an_address_beyond_64_bits_is_out_of_range():
    made = net("L", targets=[0], managers=[64], bases=[2**64 - 6])
    done = run(made, managers={0: {2**64 - 6: 1}}, a0=[0, 1], c0=[0, 0])
    assert output(made, done, "0.data") == (1, 0)
    assert done.out_of_range == (Fault(0, 1, 0, 2**64 - 2),)
    assert sum(done.beats[0].values()) == 1


def test_different_targets_are_different_memories():
    made = net("SSL", targets=[0, 1, None], managers=[64, 32])
    done = run(made, a0=[0], d0=[1], c0=[0], a1=[0], d1=[2], c1=[0], a2=[0], c2=[0])
    assert (done.managers[0][0], done.managers[1][0]) == (1, 2)
    assert output(made, done, "2.data") == (0x03020100,)


def test_two_ports_reach_the_same_memory_behind_a_manager():
    made = net("SL", targets=[0, 0], managers=[64])
    (finding,) = refused(made, a0=[0], d0=[7], c0=[0], a1=[0], c1=[0])
    assert "rows 0 and 1 both touch byte 0x0 of manager 0 " in finding[2]
    ordered = net("SL", [("0.done", "1.ctrl")], targets=[0, 0], managers=[64])
    done = run(ordered, a0=[0, 1], d0=[7, 9], c0=[0, 0], a1=[0, 1])
    assert output(ordered, done, "1.data") == (7, 9)


STORE_TWICE = {"a0": [0, 0], "d0": [1, 2], "c0": [0, 0]}


def test_writes_of_one_row_have_an_order_at_the_local_service_only():
    assert run(net("S"), **STORE_TWICE).memory[0] == 2
    made = net("S", targets=[0], managers=[64])
    (finding,) = refused(made, **STORE_TWICE)
    assert finding[:2] == ("workload-race", "operation_rows[0]")
    assert "firings 0 and 1 of row 0 both write byte 0x0 of manager 0," in finding[2]
    assert run(made, a0=[0, 1], d0=[1, 2], c0=[0, 0]).managers[0][0] == 1


def test_one_volatile_access_waits_for_another_at_a_manager():
    made = net("S", targets=[0], managers=[64], volatile=(0,))
    assert run(made, **STORE_TWICE).managers[0][0] == 2


@pytest.mark.parametrize("volatile", [(), (0,)])
def test_lanes_of_one_scatter_have_no_order_at_a_manager(volatile):
    access = mem.view(mem.INDEXED, lanes=4)
    tokens = {"a0": [scatter(5, 2, 1, 5)], "d0": [scatter(1, 2, 3, 4)], "c0": [0]}
    assert run(net("S", accesses=[access]), **tokens).memory[20] == 4
    made = net("S", accesses=[access], targets=[0], managers=[64], volatile=volatile)
    (finding,) = refused(made, **tokens)
    assert "two lanes of firing 0 of row 0 both write byte 0x14 of manager 0," in finding[2]
    tokens["a0"] = [scatter(5, 2, 1, 4)]
    assert run(made, **tokens).managers[0][20] == 1


def test_reads_never_race():
    made = net("LL", targets=[0, 0], managers=[64])
    assert run(made, a0=[0, 0], c0=[0] * 2, a1=[0], c1=[0]).firings == (2, 1)


# Cycle limits


def limit(made, count, **tokens):
    return run(made, bytes(256), **{name: [each] * count for name, each in tokens.items()})


def test_a_connection_carries_one_token_in_two_cycles():
    done = limit(net("LS", COPY, bases=[0, 128]), 100, a0=0, c0=0, a1=0, c1=0)
    # The store is issued every second cycle; four of its firings may be in flight before the
    # first publication.
    assert done.row_cycles == (199, 3 + 2 * 95)
    assert done.cycle_limit == 199


def test_a_row_that_no_endpoint_shows_starts_before_the_limit_does():
    edges = [*COPY, ("0.done", "1.ctrl")]
    access = mem.view(mem.CONTIGUOUS, lanes=4)
    made = net("LS", edges, accesses=[access] * 2, bases=[0, 128], targets=[0, None], managers=[32])
    done = limit(made, 100, a0=0, c0=0, a1=0)
    # Of the 400 beats those of nine firings may be over: four stores in flight, one token in the
    # slot, and four loads in flight.
    assert done.row_cycles == (0, 3 + 2 * 95)
    assert done.cycle_limit == 1 + 4 * 91


def test_a_manager_takes_one_beat_a_cycle_from_all_ports():
    made = net("LL", targets=[0, 0], managers=[32])
    done = limit(made, 100, a0=0, c0=0, a1=0, c1=0)
    assert done.row_cycles == (100, 100)
    # Four firings of each row may be on their way before the first publication.
    assert done.cycle_limit == 1 + 2 * 96


def test_a_firing_at_a_manager_costs_its_beats():
    access = mem.view(mem.CONTIGUOUS, lanes=4)
    made = net("L", accesses=[access], targets=[0], managers=[32])
    assert limit(made, 100, a0=0, c0=0).cycle_limit == 1 + 4 * 96
    assert limit(made, 3, a0=0, c0=0).cycle_limit == 3


def test_an_empty_mask_costs_no_beat():
    access = mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC)
    made = net("L", accesses=[access], targets=[0], managers=[32])
    done = limit(made, 100, a0=0, m0=0, c0=0)
    assert (done.cycle_limit, done.beats) == (100, (Counter(),))


# Inputs


def test_every_mistake_of_the_inputs_has_its_code():
    made = net("L", targets=[0], managers=[64])
    address = made.at["0.addr"]
    streams = {(address, 3): [0]}
    with pytest.raises(Invalid) as caught:
        execute(made.named, made.configuration, streams, RAMP, {0: {2**64: 0, 1: 256}, 1: {}})
    assert [(d.code, d.where) for d in caught.value.diagnostics] == [
        ("stream-tag-width", f"streams[{address}].tag[3]"),
        ("manager-contents", "managers[0][0x10000000000000000]"),
        ("manager-contents", "managers[0][0x1]"),
        ("manager-contents", "managers[1]"),
    ]


def test_an_unused_row_reaches_nothing():
    made = net("LS", targets=[None, 0], managers=[64])
    alone = Active((made.configuration.operation_rows[0], None))
    done = execute(made.named, alone, made.streams(a0=[0], c0=[0]), RAMP, {0: {5: 5}})
    assert (done.firings, done.beats) == ((1, 0), (Counter(), Counter()))
    assert done.managers == {0: {5: 5}}


def test_ten_thousand_firings_take_about_a_second():
    access = mem.view(mem.CONTIGUOUS, lanes=4)
    made = net("LS", COPY, accesses=[access] * 2, targets=[0, 1], managers=[64, 64])
    count = 10_000
    indices = [4 * index for index in range(count)]
    start = time.process_time()
    done = run(made, a0=indices, c0=[0] * count, a1=indices, c1=[0] * count)
    assert done.firings == (count, count)
    assert time.process_time() - start < 10
