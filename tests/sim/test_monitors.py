"""Each monitor rejects a trace that breaks its one rule, and accepts its neighbour."""

from types import SimpleNamespace

import pytest

from sim.findings import Finding, Findings
from sim.monitors import (
    EndpointCount,
    FiringWindow,
    JointPublication,
    KnownPins,
    OfferStays,
    TokenOrder,
    Watchdog,
    memory_findings,
    sticky_findings,
)


def order(findings, *expected):
    return TokenOrder(findings, 2, "DATA", 12, expected)


def test_tokens_in_order_are_accepted():
    monitor = order(found := Findings(), 1, 2)
    monitor.take(0, 1)
    monitor.take(1, 2)
    monitor.close(2)
    assert found.kept == []
    assert monitor.is_complete


@pytest.mark.parametrize(
    ("tokens", "kind", "token", "expected", "got"),
    [
        ((2, 1), "token", 0, "0x001", "0x002"),
        ((1, None), "unknown", 1, "0x002", "x"),
        ((1, 2, 2), "spurious", 2, None, "0x002"),
        ((1,), "count", 1, "2", "1"),
    ],
)
def test_a_wrong_sequence_is_rejected(tokens, kind, token, expected, got):
    monitor = order(found := Findings(), 1, 2)
    for cycle, value in enumerate(tokens):
        monitor.take(cycle, value)
    monitor.close(9)
    first = found.kept[0]
    assert (first.kind, first.row, first.token) == (kind, 2, token)
    assert (first.expected, first.got) == (expected, got)


def test_only_the_first_findings_are_kept_and_all_are_counted():
    monitor = order(found := Findings(limit=2), 0, 0, 0)
    for cycle in range(3):
        monitor.take(cycle, 1)
    assert (len(found.kept), found.count) == (2, 3)


@pytest.mark.parametrize("kind", ["hang", "blocked"])
def test_what_stands_at_the_end_is_kept_whole(kind):
    found = Findings(limit=2)
    for row in range(5):
        found.add(Finding(kind, 9, f"Row {row} waits", row))
    assert [finding.row for finding in found.kept] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("valid", "ready", "roles"),
    [
        ((True, True), (True, True), []),
        ((True, False), (True, True), ["COMPLETION"]),
        ((False, True), (True, True), ["DATA"]),
        ((True, True), (True, False), ["COMPLETION"]),
        ((True, False), (False, True), ["DATA", "COMPLETION"]),
    ],
)
def test_results_are_published_together_into_ready_destinations(valid, ready, roles):
    monitor = JointPublication(found := Findings(), 0, ["DATA", "COMPLETION"])
    monitor.observe(3, valid, ready)
    assert [finding.role for finding in found.kept] == roles
    assert all(finding.kind == "joint" for finding in found.kept)


def window(findings):
    return FiringWindow(findings, 0, {"ADDRESS": 2, "CONTROL": 1}, 3)


def test_a_firing_follows_its_operands():
    monitor = window(found := Findings())
    monitor.accept(0, "ADDRESS")
    monitor.accept(4, "CONTROL")
    monitor.publish(7)
    monitor.accept(8, "ADDRESS")
    monitor.accept(8, "CONTROL")
    monitor.publish(13)
    assert found.kept == []
    assert (monitor.first_cycle, monitor.last_cycle) == (7, 13)
    assert (monitor.latency_min, monitor.latency_max) == (3, 5)


@pytest.mark.parametrize("publication", [3, 4])
def test_a_firing_before_its_operands_are_inside_is_rejected(publication):
    monitor = window(found := Findings())
    monitor.accept(0, "ADDRESS")
    if publication == 4:
        monitor.accept(4, "CONTROL")
    monitor.publish(publication)
    assert [(finding.kind, finding.role) for finding in found.kept] == [("early", "CONTROL")]


def test_more_operands_than_queue_and_flight_hold_are_rejected():
    monitor = window(found := Findings())
    for cycle in range(5):
        monitor.accept(cycle, "ADDRESS")
    assert found.kept == []
    monitor.accept(5, "ADDRESS")
    assert [(finding.kind, finding.got) for finding in found.kept] == [("capacity", "6")]


@pytest.mark.parametrize(("accepted", "count"), [(1, 0), (2, 0), (3, 1)])
def test_an_ingress_takes_no_more_than_its_row_can_hold(accepted, count):
    monitor = EndpointCount(found := Findings(), "addr", 0, 2)
    for cycle in range(accepted):
        monitor.accept(cycle)
    assert len(found.kept) == count


def test_the_watchdog_lets_the_environment_cooperate_before_it_speaks_of_a_hang():
    dog = Watchdog(3)
    states = []
    for _ in range(7):
        dog.tick(False)
        states.append((dog.is_cooperating, dog.is_hanging))
    assert states == [(False, False)] * 3 + [(True, False)] * 3 + [(True, True)]
    dog.tick(True)
    assert not dog.is_cooperating


def test_differing_bytes_are_reported_run_by_run():
    assert list(memory_findings(0, b"abcdef", b"abcdef")) == []
    first, second = memory_findings(5, b"abcdef", b"aXXdeX")
    assert "2 bytes from 0x1" in first.message
    assert (first.expected, first.got) == (b"bc".hex(), b"XX".hex())
    assert "1 bytes from 0x5" in second.message


def test_a_memory_that_is_too_short_differs():
    (finding,) = memory_findings(0, b"abc", b"ab")
    assert "1 bytes from 0x2" in finding.message


@pytest.mark.parametrize(
    ("flag", "row", "address", "admitted", "count"),
    [
        (False, 0, 0, [], 0),
        (True, 1, 64, [(0, 32), (1, 64)], 0),
        (True, 0, 0, [], 1),
        (False, 0, 0, [(0, 32)], 1),
        (True, 0, 64, [(0, 32), (1, 64)], 1),
    ],
)
def test_the_sticky_report_names_the_first_fault_of_a_row(flag, row, address, admitted, count):
    assert len(list(sticky_findings(0, flag, row, address, admitted))) == count


def test_tokens_behind_an_open_end_are_not_looked_at():
    monitor = TokenOrder(found := Findings(), 0, "out0", 8, [1], is_open=True)
    monitor.take(0, 1)
    monitor.take(1, 7)
    assert found.kept == []


@pytest.mark.parametrize(
    ("cycles", "messages"),
    [
        ([("0", False), ("0", True), ("1", True), (None, True), ("1", False), ("1", True)], []),
        ([("0", False), ("1", True)], ["A waiting token changes"]),
        ([("0", False), (None, True)], ["An offer is taken back"]),
        ([("", False), (None, False), ("", True)], ["An offer is taken back"]),
    ],
)
def test_an_offer_stays_until_it_is_taken(cycles, messages):
    monitor = OfferStays(found := Findings(), "out0")
    for cycle, (offer, ready) in enumerate(cycles):
        monitor.observe(cycle, offer, ready)
    assert [each.message for each in found.kept] == messages


@pytest.mark.parametrize(
    ("valid", "ready", "data", "unknown"),
    [
        ("1", "0", "0110", []),
        ("1", "1", None, []),
        ("0", "1", "0XX0", []),
        ("1", "0", "01Z0", ["data"]),
        ("X", "0", "0110", ["valid"]),
        ("0", "X", "0110", ["ready"]),
        ("U", "W", "XXXX", ["valid", "ready"]),
    ],
)
def test_pins_are_known(valid, ready, data, unknown):
    def pin(value):
        return None if value is None else SimpleNamespace(value=value)

    monitor = KnownPins(found := Findings(), "in0")
    pins = SimpleNamespace(valid=pin(valid), ready=pin(ready), data=pin(data))
    assert monitor.observe(3, pins) == (not unknown)
    assert [each.message for each in found.kept[: len(unknown)]] == [
        f"The {name} has unknown bits" for name in unknown
    ]
