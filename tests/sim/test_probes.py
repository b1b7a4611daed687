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
    "engine.port_0.complete": 0b101,
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


def test_a_spatial_port_has_queues_and_a_ring():
    bits = {
        "port_1.address_queue_o_valid": 1,
        "port_1.control_queue_o_valid": 0,
        "port_1.ring_available": 1,
        "port_1.ring_empty": 0,
        "port_1.request_0_valid": 0,
        "port_1.ring_candidate": 1,
    }
    row = RowJob(1, "write0", {"ADDRESS": 2, "CONTROL": 2}, 4, 0, instance="port_1")
    found = read_states([row], lambda row, name: bits.get(f"{row.instance}.{name}"))
    expected = RowState({"ADDRESS": True, "CONTROL": False}, True, True, False, True)
    assert found == {1: expected}
    del bits["port_1.ring_empty"]
    assert read_states([row], lambda row, name: bits.get(f"{row.instance}.{name}")) is None
