"""What a bench notes of rows that race."""

import pytest

from fabricgen.vocab.dataflow import AtomicRmwKind
from sim.history import Kind
from sim.race_documents import RaceRow
from sim.race_traffic import Addresses, FixedAccess, Lockstep, RowTraffic

ADDRESSES = Addresses(64)


def traffic(row, fixed=None, count=2):
    return RowTraffic(row, 5, count, ADDRESSES, 1, {}, fixed)


def fired(row, edges):
    """All operands of one firing are offered, and taken at these edges."""
    for end, edge in edges.items():
        row.token(end)
        row.sent[end] += 1
        row.taken[end].append(edge)


def test_a_plain_element_is_an_operation_for_each_beat():
    row = traffic(RaceRow(0, "store", None, 4, base=6), FixedAccess(4, 0x44332211))
    fired(row, {"addr": 3, "data": 9, "ctrl": 4})
    first, second = row.publish(20, 0, 0)
    assert (first.address, first.size_bytes, first.value) == (6, 2, 0x2211)
    assert (second.address, second.size_bytes, second.value) == (8, 2, 0x4433)
    assert {(each.number, each.invoked, each.responded) for each in (first, second)} == {(0, 9, 20)}
    assert first.kind is Kind.STORE
    assert first.source == "row5"


def test_an_atomic_object_is_one_operation_and_its_lanes_are_several():
    row = RaceRow(0, "rmw", "acq_rel", 2, 2, 4, AtomicRmwKind.ADD)
    one = traffic(row, FixedAccess(1, 0x0002_0001))
    fired(one, {"addr": 1, "data": 1, "ctrl": 1})
    low, high = one.publish(7, 0xBBBB_AAAA, 0)
    assert (low.address, low.value, low.observed) == (4, 1, 0xAAAA)
    assert (high.address, high.value, high.observed) == (6, 2, 0xBBBB)
    assert low.number == high.number


def test_accesses_lie_in_the_memory_and_expect_what_was_seen():
    row = RowTraffic(RaceRow(0, "cmpxchg", ("monotonic", "monotonic"), 8), 0, 50, ADDRESSES, 2, {})
    for edge in range(0, 150, 3):
        fired(row, dict.fromkeys(row.row.inputs, edge))
        (each,) = row.publish(edge + 2, 7, 1)
        assert each.address % 8 == 0
        assert 0 <= each.address <= 56
        assert each.success
    assert row.is_done


def test_a_publication_that_nobody_asked_for_is_refused():
    row = traffic(RaceRow(0, "fence", "seq_cst"))
    with pytest.raises(ValueError, match=r"^row5 must publish what it was asked for, and nothing"):
        list(row.publish(3, 0, 0))


def test_a_fence_behind_another_row_is_invoked_by_its_completion():
    first = traffic(RaceRow(0, "store", "monotonic"), FixedAccess(1, 1))
    second = RowTraffic(RaceRow(1, "fence", "seq_cst", control=5), 6, 2, ADDRESSES, 1, {})
    first.followers.append(second)
    fired(first, {"addr": 1, "data": 1, "ctrl": 1})
    list(first.publish(8, 0, 0))
    (fence,) = second.publish(12, 0, 0)
    assert (fence.kind, fence.invoked, fence.responded) == (Kind.FENCE, 8, 12)


def test_threads_in_lockstep_wait_for_one_another():
    rows = [traffic(RaceRow(port, "fence", "seq_cst")) for port in range(2)]
    steps = Lockstep([rows[:1], rows[1:]], 1)
    for edge in range(40):
        steps.drive(edge)
    assert [row.released for row in rows] == [1, 1]
    for row in rows:
        fired(row, {"ctrl": 40})
    list(rows[0].publish(44, 0, 0))
    for edge in range(40, 80):
        steps.drive(edge)
    assert [row.released for row in rows] == [1, 1]
    list(rows[1].publish(81, 0, 0))
    for edge in range(81, 120):
        steps.drive(edge)
    assert [row.released for row in rows] == [2, 2]
