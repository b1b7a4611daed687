"""The traffic of one run, against a row in Python that is right or wrong in one way."""

import pytest

from sim.findings import Findings
from sim.job import EgressJob
from sim.stalls import PATTERNS
from sim.traffic import Traffic
from tests.sim.fake_row import FakeRow, job, pins


def run(job, wrong="", watch=None):
    findings = Findings()
    wires = pins(("addr", "ctrl", "data", "done", "other"))
    row = FakeRow(wires, wrong)
    traffic = Traffic(job, job.runs[0], wires, findings)
    while not traffic.is_over:
        assert traffic.cycle < 20_000
        row.settle()
        if watch:
            watch(wires["addr"])
        traffic.sample()
        row.edge()
        traffic.drive()
    return traffic, traffic.close(), findings.kept


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", range(4))
def test_a_right_row_passes_every_pattern(pattern, seed):
    _, (row,), findings = run(job(pattern=pattern, seed=seed))
    assert findings == []
    assert row.firings == 40


@pytest.mark.parametrize("pattern", PATTERNS)
def test_an_offer_stays_until_it_is_taken(pattern):
    refused = []

    def watch(pins):
        now = (pins.valid.value, pins.data.value)
        if refused:
            assert now == refused.pop()
        if pins.valid.value and not pins.ready.value:
            refused.append(now)

    run(job(pattern=pattern, seed=3), watch=watch)


def test_an_idle_channel_shows_anything_but_its_tokens():
    shown = set()

    def watch(pins):
        if not pins.valid.value:
            shown.add(pins.data.value)

    run(job(pattern="geometric"), watch=watch)
    assert len(shown - set(range(40))) >= 3


def test_what_comes_out_of_an_unused_endpoint_is_spurious():
    idle = job(egresses=(*job().egresses, EgressJob("other", 0, ())))
    findings = Findings()
    wires = pins(("addr", "ctrl", "data", "done", "other"))
    traffic = Traffic(idle, idle.runs[0], wires, findings)
    for _ in range(5):
        wires["other"].valid.value = wires["other"].ready.value
        traffic.sample()
        traffic.drive()
    assert {(finding.kind, finding.role) for finding in findings.kept} == {("spurious", "other")}


def test_latency_and_rate_are_measured_without_stalls():
    _, (row,), _ = run(job())
    assert (row.latency_min, row.latency_max) == (3, 3)
    assert (row.last_cycle - row.first_cycle, row.firings) == (39, 40)


def test_tokens_beyond_the_firings_stay_in_queue_and_stream():
    _, (row,), findings = run(job(extra=5))
    assert findings == []
    assert row.firings == 40


@pytest.mark.parametrize(
    ("wrong", "pattern", "kind", "message"),
    [
        ("bit", "always", "token", "A token differs from the model"),
        ("unknown", "always", "unknown", "A valid token has unknown bits"),
        ("twice", "always", "token", "A token differs from the model"),
        ("ghost", "always", "spurious", "A token follows the last of 40"),
        ("unready", "geometric", "joint", "A result is valid while its destination is not ready"),
        ("late-done", "always", "joint", "A result is absent while another of its row"),
        ("hang", "always", "hang", "has every operand and every destination"),
        ("flood", "always", "spurious", "A token follows the last of 40"),
        ("crowd", "starved", "capacity", "More operands are inside than queue"),
    ],
)
def test_a_wrong_row_is_reported(wrong, pattern, kind, message):
    for seed in range(8):
        # A bound that reaches past the ghost's cycle.
        _, _, findings = run(job(pattern=pattern, seed=seed, bound=400), wrong)
        if any(f.kind == kind and message in f.message for f in findings):
            return
    pytest.fail(f"{wrong} was never reported as {kind}")


def test_a_row_that_takes_more_than_it_can_hold_is_reported():
    _, _, findings = run(job(extra=8), "deep")
    assert {finding.kind for finding in findings} == {"capacity", "count"}
    assert any("addr takes more tokens than its row can hold" in f.message for f in findings)


def test_a_mismatch_names_row_role_token_expected_and_got():
    _, _, findings = run(job(), "bit")
    first = findings[0]
    assert (first.row, first.role, first.token) == (0, "DATA", 7)
    assert (first.expected, first.got) == ("0x34", "0x35")


def test_a_hang_names_the_operand_that_is_missing():
    starved = job()
    ctrl = starved.ingresses[1]
    short = type(ctrl)(ctrl.endpoint, ctrl.width, ctrl.tokens[:9], 9, 0, "CONTROL")
    _, _, findings = run(job(ingresses=(starved.ingresses[0], short)))
    hang = next(finding for finding in findings if finding.kind == "hang")
    assert hang.message == ("Row 0 (read0) waits for operands: CONTROL (ctrl has no token left)")
    assert hang.token == 9
    missing = [(f.role, f.expected, f.got) for f in findings if f.kind == "count"]
    assert missing == [("DATA", "40", "9"), ("COMPLETION", "40", "9")]


def test_every_run_of_one_seed_is_the_same():
    one, two = (run(job(pattern="bursty", seed=5))[0].cycle for _ in range(2))
    assert one == two
