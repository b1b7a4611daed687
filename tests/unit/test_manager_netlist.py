"""What follows what within one cycle, in front of a manager."""

import pytest

from fabricgen.plan.geometry import AccessMode
from fabricgen.rtl.manager.arbiter import BeatArbiter
from fabricgen.rtl.manager.requester import user_stream
from tests.support.manager_model import requester
from tests.support.manager_mutants import HastyRequester
from tests.support.netlist import Netlist

MODES = (AccessMode(False, 4, 4), AccessMode(True, 4, 4))


def small(**options):
    return requester(MODES, beat_bytes=8, slots=4, writes=True, walks=True, **options)


def sources(netlist, members, side, prefix):
    names = [name for name in members if name.startswith(prefix)]
    return set().union(*(netlist.input_sources(f"{side}__{name}") for name in names))


def outputs(dut):
    """Names of the outputs on both sides."""
    stream = [n for n in dut.stream.signature.members if n.startswith("req_") and n != "req_ready"]
    channel = [n for n in dut.channel.signature.members if n.startswith("rsp_")]
    return stream, channel


def test_beats_and_answers_come_from_registers(tmp_path):
    dut = small()
    netlist = Netlist(dut, tmp_path)
    stream, channel = outputs(dut)
    assert not sources(netlist, stream, "stream", "req_")
    assert not sources(netlist, channel, "channel", "rsp_")
    assert not netlist.input_sources("idle")


def test_a_request_is_taken_by_itself_and_the_manager_alone(tmp_path):
    dut = small()
    found = Netlist(dut, tmp_path).input_sources("channel__ready")
    assert "stream__req_ready" in found
    assert not {name for name in found if "rsp" in name or name == "channel__data"}


def test_the_netlist_shows_an_answer_that_lets_a_beat_through(tmp_path):
    dut = small(kind=HastyRequester)
    netlist = Netlist(dut, tmp_path)
    assert sources(netlist, outputs(dut)[0], "stream", "req_") == {"stream__rsp_valid"}


@pytest.mark.parametrize("count", [1, 3])
def test_an_arbiter_passes_requests_and_answers_but_mixes_them_not(count, tmp_path):
    user = user_stream(small().shape, 8, small().use)
    netlist = Netlist(BeatArbiter((user,) * count), tmp_path)
    for name in user.request_widths():
        found = netlist.input_sources(f"manager__req_{name}")
        assert all("__req_" in source and "ready" not in source for source in found)
    for number in range(count):
        found = netlist.input_sources(f"user_{number}__rsp_valid")
        assert found <= {"manager__rsp_valid", "manager__rsp_origin"}
        found = netlist.input_sources(f"user_{number}__req_ready")
        assert not {source for source in found if "rsp" in source}
