"""Rows drain and change under traffic on the emitted Verilog, in each cycle as in Python."""

import pytest

from tests.support.reconfiguration_mutants import DeafFrontEnd
from tests.support.reconfigured_rows import drained_turns, memory, wrong_beside, wrong_turns
from tests.support.replay import Recording, replayed
from tests.support.temporal_engines import AT


@pytest.fixture(scope="module")
def turned():
    """Row 0 becomes two other things while all four rows have tokens; and what was seen of it."""
    recordings = []

    def watch(top):
        recordings.append(Recording(top.dut))
        return (recordings[0].watch,)

    top, tokens = drained_turns(0, count=10, turns=3, watch=watch)
    return top, tokens, recordings[0]


def test_a_busy_row_is_drained_and_changed_on_the_emitted_design(turned, tmp_path):
    top, tokens, recording = turned
    assert wrong_turns(top) == []
    assert wrong_beside(top, tokens) == []
    assert 0 < top.after_drains < len(top.given[AT["rd_data"], 1]) == 30
    alike = [f"{len(recording.cycles)} cycles alike"]
    assert replayed(recording, top.fabric, memory(), tmp_path) == alike


def test_a_design_that_does_not_drain_is_seen(turned, tmp_path, monkeypatch):
    top, _, recording = turned
    monkeypatch.setattr("fabricgen.rtl.temporal.port.RowFrontEnd", DeafFrontEnd)
    (said,) = replayed(recording, top.fabric, memory(), tmp_path)
    assert said.startswith("cycle ")
