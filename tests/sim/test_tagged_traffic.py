"""Tagged channels: rows of a table in Python that is right or wrong in one way."""

from dataclasses import replace

import pytest

from sim.findings import Findings
from sim.job import EgressJob, InternalOperand
from sim.stalls import PATTERNS
from sim.traffic import Traffic
from sim.wait_for import RowState
from tests.sim.fake_table import FakeTable, job, pins


def run(job, wrong="", watch=None, states=None):
    findings, wires = Findings(), pins()
    table = FakeTable(wires, wrong)
    traffic = Traffic(job, job.runs[0], wires, findings, states=states)
    while not traffic.is_over:
        assert traffic.cycle < 20_000
        table.settle()
        traffic.respond()
        table.settle()
        if watch:
            watch(wires)
        traffic.sample()
        table.edge()
        traffic.drive()
    return traffic, traffic.close(), findings.kept


def first_hangs(findings):
    hangs = {}
    for finding in findings:
        if finding.kind == "hang":
            hangs.setdefault(finding.row, finding.message)
    return hangs


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", range(6))
def test_a_right_table_passes_every_pattern(pattern, seed):
    _, rows, findings = run(job(pattern=pattern, seed=seed))
    assert findings == []
    assert [row.firings for row in rows] == [30, 30, 30]


def test_rows_of_one_endpoint_take_turns_without_stalls():
    _, rows, _ = run(job())
    # Ninety tokens come over one ingress; some are refused while another row is issued.
    assert 90 <= max(row.last_cycle for row in rows) < 130
    assert min(row.latency_min for row in rows) == 3


def test_an_internal_operand_arrives_when_its_producer_publishes():
    _, (first, _, last), _ = run(job(firings=1))
    assert last.first_cycle - first.first_cycle == last.latency_min == last.latency_max


def test_leftover_tokens_fill_their_slot_and_do_not_block_the_others():
    _, rows, findings = run(job(extra=4))
    assert findings == []
    assert [row.firings for row in rows] == [30, 30, 30]


def test_a_tag_that_matches_nothing_is_offered_and_never_taken():
    stray = job(stray=True)
    offered = set()

    def watch(wires):
        if wires["in1"].valid.value:
            offered.add(wires["in1"].tag.value)

    _, _, findings = run(stray, watch=watch)
    assert findings == []
    assert offered == {1, 5, 7}
    assert stray.is_unmatched
    assert not job().is_unmatched


def test_an_idle_tagged_channel_shows_anything():
    shown = set()

    def watch(wires):
        if not wires["in1"].valid.value:
            shown.add((wires["in1"].data.value, wires["in1"].tag.value))

    run(job(pattern="geometric"), watch=watch)
    assert len(shown) > 10


def test_readiness_belongs_to_the_tag_that_is_shown():
    states = {}

    def watch(wires):
        states.setdefault(wires["data"].tag.value, set()).add(wires["data"].ready.value)

    run(job(pattern="shut", seed=3), watch=watch)
    run(job(pattern="geometric"), watch=watch)
    assert {tag for tag, ready in states.items() if ready == {0, 1}} >= {5, 6, 7}


@pytest.mark.parametrize(
    ("wrong", "pattern", "kind", "message"),
    [
        ("cross", "always", "token", "A token differs from the model"),
        ("tag", "always", "spurious", "A token follows the last of 30"),
        ("tag", "always", "joint", "A result is absent while another of its row"),
        ("nameless", "always", "unknown", "A valid token of data has an unknown tag"),
        ("apart", "always", "joint", "A result is absent while another of its row"),
        ("unready", "geometric", "joint", "A result is valid while its destination is not ready"),
        ("loud", "always", "spurious", "A token of quiet has tag 2, under which no row publishes"),
        ("greedy", "always", "count", "in1 tag 7 takes more tokens than its row can hold"),
        ("overrun", "adversarial", "token", "A token differs from the model"),
        ("crowd", "starved", "capacity", "More operands are inside than queue"),
        ("blocking", "shut", "blocked", "makes no progress while nothing but"),
        ("narrow", "shut", "blocked", "makes no progress while nothing but in1 tag 1 is shut"),
        ("hang", "always", "hang", "Row 1 (read0) has every operand and every destination"),
    ],
)
def test_a_wrong_table_is_reported(wrong, pattern, kind, message):
    for seed in range(48):
        # A stray tag, and a bound that is longer than any honest wait.
        _, _, findings = run(job(pattern=pattern, seed=seed, stray=True, bound=60), wrong)
        if any(f.kind == kind and message in f.message for f in findings):
            return
    pytest.fail(f"{wrong} was never reported as {message}")


def test_what_two_rows_publish_under_one_tag_is_counted_together():
    """Both completions have tag 6 now; which row speaks is told by the data."""
    base = job()
    shared = EgressJob("done", 0, (0,) * 60, tag=6, tag_width=4)
    kept = [e for e in base.egresses if e.endpoint != "done" or e.row == 2]
    merged = replace(base, egresses=(*kept, shared))
    findings, wires = Findings(), pins()
    table = FakeTable(wires)
    traffic = Traffic(merged, merged.runs[0], wires, findings)
    while not traffic.is_over:
        for _ in range(2):
            table.settle()
            if wires["done"].tag.value == 5:
                wires["done"].tag.value = 6
            traffic.respond()
        traffic.sample()
        table.edge()
        traffic.drive()
    assert findings.kept == []


def test_a_row_that_publishes_at_connections_only_is_not_watched_but_its_consumer_is():
    base = job()
    hidden = [e for e in base.egresses if e.row != 0]
    shown = [replace(e, row=None, role=None) for e in base.egresses if e.row == 0]
    _, (first, _, last), findings = run(replace(base, egresses=(*hidden, *shown)))
    assert findings == []
    assert (first.firings, last.firings) == (0, 30)


def test_a_hang_names_the_connection_and_its_producer():
    base = job()
    short = tuple(
        replace(item, tokens=item.tokens[:9], taken=9)
        if (item.row, item.role) == (0, "CONTROL")
        else item
        for item in base.ingresses
    )
    _, _, findings = run(replace(base, ingresses=short))
    hangs = first_hangs(findings)
    assert hangs[0] == "Row 0 (read0) waits for operands: CONTROL (in1 tag 1 has no token left)"
    assert hangs[2] == "Row 2 (read0) waits for operands: ADDRESS (connection 4 from row 0)"


def test_rows_that_feed_each_other_and_never_start_are_named_as_a_circle():
    base = job()
    first, *others = base.rows
    turned = replace(first, internal=(InternalOperand("CONTROL", 1, 2),))
    cut = tuple(i for i in base.ingresses if (i.row, i.role) != (0, "CONTROL"))
    _, _, findings = run(replace(base, rows=(turned, *others), ingresses=cut))
    assert "Rows wait for one another: row 0 -> row 2 -> row 0" in {f.message for f in findings}


def test_states_read_out_of_the_design_decide_what_a_row_waits_for():
    idle = RowState({"ADDRESS": False, "CONTROL": False}, True, False, False, False)
    full = {"ADDRESS": True, "CONTROL": True}
    states = {0: idle, 1: RowState(full, True, True, False, False), 2: idle}
    _, _, findings = run(job(), "hang", states=lambda: states)
    hangs = first_hangs(findings)
    assert hangs[1] == "Row 1 (read0) waits for the response of local"
