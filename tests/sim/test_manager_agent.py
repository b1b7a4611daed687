"""The manager's agent serves what is right, in any order, and reports what is wrong."""

import pytest

from sim.findings import Findings
from sim.manager_agent import ManagerAgent, SparseMemory, manager_findings
from sim.stalls import stalls
from tests.sim.fake_port import (
    ACCESSES,
    ATOMICS,
    ATOMICS_AFTER,
    BEFORE,
    FakePort,
    job,
    manager_pins,
    read,
)


def run(wrong="", pattern="geometric", seed=1, cycles=4000, accesses=ACCESSES, **changes):
    findings, pins = Findings(), manager_pins()
    stall = stalls(pattern, [], seed, ["req", "rsp"])
    agent = ManagerAgent(
        job(accesses, **changes),
        pins,
        stall["req"],
        stall["rsp"],
        seed,
        findings,
        is_fast=pattern == "always",
    )
    port = FakePort(pins, wrong, accesses)
    agent.drive(0, False)
    cycle = 0
    while cycle < cycles and not agent.is_done:
        port.settle()
        agent.sample(cycle)
        port.edge()
        cycle += 1
        agent.drive(cycle, False)
    agent.close(cycle)
    for finding in manager_findings(cycle, agent.job, agent.memory):
        findings.add(finding)
    return agent, port, findings.kept


@pytest.mark.parametrize("pattern", ["always", "alternate", "bursty", "geometric"])
@pytest.mark.parametrize("seed", range(4))
def test_a_right_port_is_served(pattern, seed):
    agent, port, findings = run(pattern=pattern, seed=seed)
    assert findings == []
    assert agent.beats == sum(map(len, ACCESSES))
    memory = SparseMemory(BEFORE)
    for origin, access in enumerate(ACCESSES):
        for number, beat in enumerate(access):
            mask = sum(0xFF << 8 * at for at in range(4) if beat.strobe >> at & 1)
            wanted = sum(memory.read(beat.address + at) << 8 * at for at in range(4))
            if beat.kind == 0:
                assert port.answers[origin, number] & mask == wanted & mask


def test_answers_overtake_one_another_and_inactive_bytes_are_noise():
    orders, noise = set(), set()
    for seed in range(6):
        _, port, findings = run(seed=seed)
        assert findings == []
        orders.add(tuple(port.answers))
        noise.add(port.answers[0, 2] >> 16)
    assert len(orders) > 3
    assert len(noise) > 3


def test_without_stalls_beats_are_answered_in_order_one_a_cycle():
    agent, port, _ = run(pattern="always")
    sent = [(origin, at) for origin, access in enumerate(ACCESSES) for at in range(len(access))]
    assert list(port.answers) == sent
    assert agent.last_cycle - agent.first_cycle == len(sent) - 1


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ("unstable", "manager", "An offered request changes before it is taken"),
        ("withdrawn", "manager", "An offered request is gone before it was taken"),
        ("unknown", "unknown", "A valid request of ext0 has unknown bits"),
        ("absent", "manager", "A request never came (1 times)"),
        ("twice", "manager", "A request that the model does not make"),
        ("twice", "manager", "A beat has the origin and the place of one without answer"),
        ("reuse", "manager", "A beat has the origin and the place of one without answer"),
        ("order", "manager", "A beat is not the one that `more` announced"),
        ("foreign", "manager", "A beat is not the one that `more` announced"),
        ("strobe", "manager", "A request that the model does not make"),
        ("empty", "manager", "A request touches no byte"),
        ("unaligned", "manager", "A request is not aligned to its beat of 4 bytes"),
        ("write", "manager", "A request that the model does not make"),
        ("fence", "manager", "A fence touches bytes"),
        ("kind", "manager", "The kind of a request is 5, which no row makes"),
        ("byte", "memory", "Memory behind ext0 differs from the model at 0x205"),
        ("more", "manager", "A beat is not the one that `more` announced"),
        ("endless", "manager", "Beat 1 of origin 4 was announced and never came"),
        ("deaf", "manager", "accepted beats were never answered"),
    ],
)
def test_a_wrong_port_is_reported(wrong, kind, message):
    for seed in range(4):
        _, _, findings = run(wrong, seed=seed)
        if any(f.kind == kind and message in f.message for f in findings):
            return
    pytest.fail(f"{wrong} was never reported as {message}")


def test_a_request_names_its_bytes():
    _, _, findings = run("strobe")
    assert "read at 0x108, strobe 0x7" in {finding.got for finding in findings}


def test_a_job_whose_contents_end_otherwise_is_reported():
    _, _, findings = run(after=(*BEFORE, (0x205, b"\xcc")), beats=(*job().beats, read(0x100)))
    assert {f.expected for f in findings if f.kind == "memory"} >= {"00"}


@pytest.mark.parametrize("pattern", ["always", "geometric"])
def test_atomic_beats_take_effect_in_one_step_and_are_answered_with_what_was_there(pattern):
    _, port, findings = run(pattern=pattern, accesses=ATOMICS, after=ATOMICS_AFTER)
    assert findings == []
    # 0x0403 + 0x00ff, and 0x08070605 + 1.
    assert port.answers[0, 0] >> 16 == 0x0403
    assert port.answers[1, 0] == 0x0807_0605
    assert [port.answers[2, 0] >> 8 & 0xFF, port.answers[2, 1] & 0xFF] == [0x0A, 0x0D]
    assert [port.successes[2, at] for at in (0, 1)] == [1, 0]


@pytest.mark.parametrize(
    "wrong", ["ordering", "failure", "sum", "expected", "strong", "scope", "calm"]
)
def test_what_an_atomic_beat_says_is_held_against_the_model(wrong):
    _, _, findings = run(wrong, accesses=ATOMICS, after=ATOMICS_AFTER)
    assert any("A request that the model does not make" in each.message for each in findings)
