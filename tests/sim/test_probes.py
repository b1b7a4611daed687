"""States are read bit by bit out of the ports, or not at all."""

import pytest

from sim.job import RowJob
from sim.probes import read_states
from sim.wait_for import RowState

ROWS = (
    RowJob(0, "read0", {"ADDRESS": 1, "CONTROL": 1}, 1, 0, instance="engine.port_0", bit=0),
    RowJob(2, "read0", {"ADDRESS": 1}, 1, 0, instance="engine.port_0", bit=2),
)
BITS = {
    "engine.port_0.present_address": 0b101,
    "engine.port_0.present_control": 0b110,
    "engine.port_0.claim": 0b100,
    "engine.port_0.issued": 0b001,
    "engine.port_0.held": 0b010,
    "engine.port_0.done": 0b101,
}


def read(bits):
    return read_states(ROWS, lambda row, name: bits.get(f"{row.instance}.{name}"))


def test_each_row_has_its_bit():
    assert read(BITS) == {
        0: RowState({"ADDRESS": True, "CONTROL": False}, False, True, False, True),
        2: RowState({"ADDRESS": True}, True, False, False, True),
    }


@pytest.mark.parametrize("missing", list(BITS))
def test_a_state_that_cannot_be_read_whole_is_none(missing):
    assert read({name: bits for name, bits in BITS.items() if name != missing}) is None
