"""The model of Temporal engines by hand: tags, shared ports, connections, limits."""

from dataclasses import replace

import pytest

from fabricgen.errors import Invalid
from fabricgen.model.execute import execute
from fabricgen.plan.demand import RowRole
from fabricgen.plan.rows import ResultDestination, RoleSource
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.vocab.dataflow import ServiceKind
from tests.support import memories as mem
from tests.support.temporal import (
    manager_memory,
    temporal_memory,
    temporal_row,
    temporal_table,
)

RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_MASK, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(10)
ROLE, LOAD, STORE = mem.ROLE, mem.LOAD, mem.STORE
RAMP = bytes(index & 0xFF for index in range(4096))
NAMED = temporal_memory()
WORD = mem.view(mem.ELEMENT)
MASKED = mem.view(mem.CONTIGUOUS, lanes=4, mask=mem.DYNAMIC)


def load(ordinal, access=WORD, **options):
    return temporal_row(ordinal, 0, LOAD, access, **{"base": 0} | options)


def store(ordinal, access=WORD, **options):
    return temporal_row(ordinal, 1, STORE, access, **{"base": 0} | options)


def loads(ordinal, addresses):
    """Streams of a row whose tags are its ordinal."""
    return {(RD_ADDR, ordinal): addresses, (RD_CTRL, ordinal): [0] * len(addresses)}


def stores(ordinal, addresses, data):
    return {
        (WR_ADDR, ordinal): addresses,
        (WR_DATA, ordinal): data,
        (WR_CTRL, ordinal): [0] * len(addresses),
    }


def run(*rows, named=NAMED, memory=RAMP, **streams):
    table = temporal_table(*rows)
    return execute(named, table, streams["streams"], memory, streams.get("managers"))


def test_the_vector_read_of_the_specification_matches_and_publishes_by_its_tags():
    tags = {"address": 1, "mask": 7, "control": 3, "data": 5, "completion": 6}
    streams = {(RD_ADDR, 1): [0, 4], (RD_MASK, 7): [0b1011, 0], (RD_CTRL, 3): [0, 0]}
    done = run(None, None, load(2, MASKED, tags=tags), streams=streams)
    assert done.outputs == {
        (RD_DATA, 5): (0x0F0E0D0C_00000000_07060504_03020100, 0),
        (RD_DONE, 6): (0, 0),
    }
    assert (done.firings, done.empty_masks) == ((0, 0, 2, 0), (0, 0, 1, 0))
    assert set(done.leftover.values()) == {0}
    assert done.unmatched == ()


def test_rows_of_one_port_take_their_own_tokens():
    streams = {**loads(0, [0, 1, 2]), **loads(3, [5])}
    done = run(load(0), None, None, load(3), streams=streams)
    assert done.outputs[RD_DATA, 0] == (0x03020100, 0x07060504, 0x0B0A0908)
    assert done.outputs[RD_DATA, 3] == (0x17161514,)
    assert done.firings == (3, 0, 0, 1)


def test_a_token_that_no_role_matches_is_left_and_told():
    streams = {**loads(0, [0]), (RD_ADDR, 9): [1, 2], (WR_DATA, 0): [7], (RD_MASK, 1): []}
    done = run(load(0), streams=streams)
    assert done.leftover[RD_ADDR, 9] == 2
    assert done.unmatched == ((RD_ADDR, 9), (WR_DATA, 0))


def test_what_a_row_exposes_is_listed_without_tokens_too():
    done = run(load(0), store(1), streams={})
    assert done.outputs == {(RD_DATA, 0): (), (RD_DONE, 0): (), (WR_DONE, 1): ()}
    assert done.leftover[RD_ADDR, 0] == 0


@pytest.mark.parametrize("tag", [None, 16, -1])
def test_a_stream_needs_a_tag_that_fits(tag):
    with pytest.raises(Invalid, match=r"a tag of 4 bits, not .*\[stream-tag-width\]$"):
        run(load(0), streams={(RD_ADDR, tag): [0]})


def test_completions_of_two_rows_may_share_a_tag_and_data_may_not():
    shared = {"completion": 9}
    rows = (load(0, tags=dict.fromkeys(("address", "control", "data"), 0) | shared),)
    rows += (load(1, tags=dict.fromkeys(("address", "control", "data"), 1) | shared),)
    streams = {**loads(0, [0, 1]), **loads(1, [2])}
    assert run(*rows, streams=streams).outputs[RD_DONE, 9] == (0, 0, 0)
    first, second = (
        load(row, tags={"address": row, "control": row, "data": 9, "completion": row})
        for row in (0, 1)
    )
    with pytest.raises(Invalid, match=r"those of rows 0, 1 on endpoint 7 with tag 9 differ"):
        run(first, second, streams=streams)
    alike = {**loads(0, [4, 4]), **loads(1, [4])}
    assert run(first, second, streams=alike).outputs[RD_DATA, 9] == (0x13121110,) * 3
    single = {**loads(0, [0, 1]), **loads(1, [])}
    assert run(first, second, streams=single).outputs[RD_DATA, 9] == (0x03020100, 0x07060504)


def at(row, role, source):
    """The row with another source or destination of one role."""
    entries = "sources" if isinstance(source, RoleSource) else "destinations"
    pairs = ((r, source if r is role else old) for r, old in getattr(row, entries))
    return replace(row, **{entries: tuple(pairs)})


COPY = temporal_memory(connections=[("rd_data", "wr_data"), ("rd_done", "wr_ctrl")])


def copying(producer, *consumers, base=2048):
    """One load whose data feeds the stores of other rows."""
    rows = [None] * 4
    rows[producer] = at(load(producer), ROLE.DATA, ResultDestination(False, (0,)))
    for position, consumer in enumerate(consumers):
        row = store(consumer, base=base + 256 * position)
        rows[consumer] = at(row, ROLE.DATA, RoleSource(0))
    return rows


def test_one_row_feeds_two_rows_of_one_port():
    streams = loads(3, [1, 0])
    for row in (0, 2):
        streams |= {(WR_ADDR, row): [0, 1], (WR_CTRL, row): [0, 0]}
    done = run(*copying(3, 0, 2), named=COPY, streams=streams)
    copied = RAMP[4:8] + RAMP[0:4]
    assert done.memory[2048:2056] == done.memory[2304:2312] == copied
    assert done.firings == (2, 0, 2, 2)
    assert done.held == {RowRole(0, ROLE.DATA): 0, RowRole(2, ROLE.DATA): 0}
    assert (RD_DATA, 3) not in done.outputs


def test_a_consumer_without_control_leaves_one_token_and_refuses_the_third():
    streams = {**loads(1, [1, 0]), (WR_ADDR, 0): [0, 1], (WR_CTRL, 0): [0]}
    done = run(*copying(1, 0), named=COPY, streams=streams)
    assert (done.firings, done.held) == ((1, 2, 0, 0), {RowRole(0, ROLE.DATA): 1})
    with pytest.raises(Invalid, match=r"\[workload-unconsumed\]$"):
        run(*copying(1, 0), named=COPY, streams={**streams, **loads(1, [1, 0, 2])})


def test_two_rows_of_one_port_race_as_any_two_do():
    streams = {**stores(0, [0], [1]), **stores(2, [0], [2])}
    with pytest.raises(Invalid, match="rows 0 and 2 both touch byte 0x0 "):
        run(store(0), None, store(2), streams=streams)
    streams = {**stores(0, [0], [1]), **stores(2, [1], [2])}
    assert run(store(0), None, store(2), streams=streams).memory[4] == 2


def test_rows_of_one_port_reach_different_targets():
    named = temporal_memory(managers={"ext0": 64})
    outside = replace(load(1), service_target=ManagerEndpointTarget(0))
    streams = {**loads(0, [0]), **loads(1, [0])}
    done = run(load(0), outside, named=named, streams=streams, managers={0: {0: 0xEE}})
    assert (done.outputs[RD_DATA, 0], done.outputs[RD_DATA, 1]) == ((0x03020100,), (0xEE,))
    assert (done.beats[0].total(), done.beats[1].total()) == (0, 1)


# Lanes at a manager


@pytest.mark.parametrize(
    ("pattern", "strobes"),
    [
        # Lanes 0, 1 and 3 of 32 bits in beats of 64: together, or each by itself.
        (0, [(0, 0xFF), (8, 0xF0)]),
        (1, [(0, 0x0F), (0, 0xF0), (8, 0xF0)]),
    ],
)
def test_lanes_have_beats_of_their_own_where_they_are_children(pattern, strobes):
    named = manager_memory(lanes=True)
    row = load(0, MASKED, alternative_ordinal=1, pattern=pattern)
    row = replace(row, service_target=ManagerEndpointTarget(0))
    contents = dict(enumerate(range(16)))
    streams = {**loads(0, [0, 0]), (RD_MASK, 0): [0b1011, 0b0000]}
    done = run(row, named=named, memory=b"", streams=streams, managers={0: contents})
    assert done.outputs[RD_DATA, 0] == (0x0F0E0D0C_00000000_07060504_03020100, 0)
    assert sorted((beat.address, beat.strobe) for beat in done.beats[0].elements()) == strobes
    assert {beat.kind for beat in done.beats[0]} == {ServiceKind.MEMORY_READ}


# Cycle limits


def limits(*rows, named=NAMED, streams):
    done = run(*rows, named=named, memory=bytes(4096), streams=streams)
    return done.row_cycles, done.cycle_limit


def test_one_row_fires_every_second_cycle():
    assert limits(load(0), streams=loads(0, [0] * 100)) == ((199, 0, 0, 0), 199)


def test_two_rows_of_one_port_fire_every_cycle():
    streams = {**loads(0, [0] * 100), **loads(1, [1] * 100)}
    rows, total = limits(load(0), load(1), streams=streams)
    # Two firings of a row may be in flight before its first publication.
    assert rows == (3 + 2 * 97, 3 + 2 * 97, 0, 0)
    assert total == 200


def test_rows_of_two_ports_do_not_share_the_cycle():
    streams = {**loads(0, [0] * 100), **stores(1, [500] * 100, [0] * 100)}
    _, total = limits(load(0), store(1), streams=streams)
    assert total == 3 + 2 * 97


def test_a_port_has_one_access_at_a_time_in_the_service():
    # Sixteen bytes at an odd word are three beats of eight, in three banks; a whole turn of the
    # banks further they are in the same ones.
    rows = (load(0, MASKED, base=0), load(1, MASKED, base=0))
    streams = {**loads(0, [0] * 10), **loads(1, [1] * 10)}
    streams |= {(RD_MASK, 0): [15] * 10, (RD_MASK, 1): [15] * 10}
    assert limits(*rows, streams=streams)[1] == 20
    one_bank = temporal_memory(banks=1)
    # Two and three beats per firing, without the two firings of each row in flight at first.
    assert limits(*rows, named=one_bank, streams=streams)[1] == 1 + 8 * 2 + 8 * 3


def shared_ingress(contexts=4):
    """One vector-load port; address, mask and control come through one ingress."""
    vectors = (
        mem.access_class(
            mem.CONTIGUOUS, LOAD, elements=(32,), lanes=(4,), masks=(mem.ABSENT, mem.DYNAMIC)
        ),
    )
    roles = {"address": 0, "mask": 0, "control": 0, "data": 1, "completion": 2}
    port = mem.port(
        mem.alternative(LOAD, roles, vectors),
        contexts=contexts,
        depth=1,
        in_flight=(2, 4),
        result_holding=(2, 4),
    )
    local = mem.service(mem.capability(LOAD, vectors, (0,)), requesters=1)
    return mem.memory({"in": 32, "data": 128, "done": 0}, 1, (port,), local, contexts=contexts)


def interpreted(ordinal):
    tags = {"address": 3 * ordinal, "mask": 3 * ordinal + 1, "control": 3 * ordinal + 2}
    row = load(ordinal, MASKED, tags=tags | {"data": ordinal, "completion": ordinal})
    streams = {
        (0, tag): [value] * 100 for tag, value in zip(tags.values(), (0, 15, 0), strict=True)
    }
    return row, streams


def test_tokens_of_one_ingress_come_one_by_one():
    named = shared_ingress()
    row, streams = interpreted(0)
    # Three tokens and the turn of the slots.
    assert limits(row, named=named, streams=streams)[1] == 1 + 4 * 99
    other, more = interpreted(1)
    # Two firings of each row in flight and one in its slots may come before.
    total = limits(row, other, named=named, streams=streams | more)[1]
    assert total == 1 + 2 * 3 * (100 - 2 - 1)


def test_the_reserve_of_other_rows_bounds_what_is_in_flight():
    named = temporal_memory(in_flight=(4, 4), result_holding=(4, 4))
    streams = {}
    for row in range(3):
        streams |= loads(row, [row] * 100)
    rows, total = limits(*(load(row) for row in range(3)), named=named, streams=streams)
    # Four of the port, of which the other two rows keep one each.
    assert rows == (3 + 2 * 97,) * 3 + (0,)
    assert total == 300
