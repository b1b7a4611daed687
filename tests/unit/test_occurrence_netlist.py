import re

import pytest
from amaranth.back import rtlil
from amaranth.hdl._nir import CombinationalCycle

from fabricgen.rtl.occurrence import MemoryOccurrence
from fabricgen.rtl.spatial import engine as spatial_engine
from fabricgen.rtl.spatial import port as spatial_port
from fabricgen.rtl.spatial.engine import SpatialEngine
from tests.support import formal_report
from tests.support.memories import hybrid_memory
from tests.support.mutants import BypassQueue, WaitingPort
from tests.support.netlist import Netlist
from tests.support.networks import net
from tests.support.rich_memory import RICH

#: A load feeds a store whose completion is the load's control.
RING = net("LS", [("0.data", "1.data"), ("1.done", "0.ctrl")], lanes=1).named
MEMORIES = {"hybrid": hybrid_memory(), "rich": RICH, "ring": RING}

#: Flip-flops that a ready may look at: a queue's occupancy and the configured source.
ALLOWED = re.compile(
    r"engine\.(port_\d+\.\w+_queue\.(full(_\d+)?|level)|control_\d+\.controls__source_\w+)"
)


def ingress_readies(netlist):
    found = [name for name in netlist.ports if re.fullmatch(r"ingress_\d+__ready", name)]
    assert found
    return found


def foreign_registers(netlist):
    """Flip-flops behind some ingress ready that are none of the allowed ones."""
    return [
        names
        for ready in ingress_readies(netlist)
        for names in netlist.register_sources(ready)
        if not any(ALLOWED.fullmatch(name) for name in names)
    ]


@pytest.mark.formal
@pytest.mark.proves("ingress ready follows from registered state and its own tag")
@pytest.mark.parametrize("name", MEMORIES)
def test_every_ingress_ready_depends_on_hold_occupancy_and_configuration_only(name, tmp_path):
    formal_report.note(f"Spatial occurrence, {name}", "netlist", 1)
    netlist = Netlist(MemoryOccurrence(MEMORIES[name]), tmp_path)
    # `hold` and `drain` are flip-flops of the configuration loader.
    assert {ready: netlist.input_sources(ready) for ready in ingress_readies(netlist)} == (
        {ready: {"hold", "drain"} for ready in ingress_readies(netlist)}
    )
    assert foreign_registers(netlist) == []


@pytest.mark.formal
@pytest.mark.rejects("ingress ready follows from registered state and its own tag")
def test_the_check_sees_a_bypass_through_the_whole_occurrence(tmp_path, monkeypatch):
    monkeypatch.setattr(spatial_port, "OperandQueue", BypassQueue)
    assert foreign_registers(Netlist(MemoryOccurrence(MEMORIES["hybrid"]), tmp_path))


def test_a_publication_follows_its_destinations_and_no_operand(tmp_path):
    netlist = Netlist(MemoryOccurrence(MEMORIES["hybrid"]), tmp_path)
    valids = {
        name: netlist.input_sources(name)
        for name in netlist.ports
        if re.fullmatch(r"egress_\d+__valid", name)
    }
    assert valids == {
        "egress_7__valid": {"egress_7__ready", "egress_8__ready"},
        "egress_8__valid": {"egress_7__ready", "egress_8__ready"},
        "egress_9__valid": {"egress_9__ready"},
    }
    assert netlist.input_sources("quiescent") == netlist.input_sources("out_of_range") == set()


def test_a_ring_of_connections_has_no_combinational_loop():
    # The elaborator refuses loops, bit by bit and over the whole hierarchy.
    assert "module" in rtlil.convert(SpatialEngine(RING))


def test_the_elaborator_sees_a_connection_that_waits_for_its_token(monkeypatch):
    monkeypatch.setattr(spatial_engine, "SpatialPort", WaitingPort)
    with pytest.raises(CombinationalCycle):
        rtlil.convert(SpatialEngine(RING))


def test_no_ready_of_a_target_or_an_egress_reaches_an_ingress_or_a_request(tmp_path):
    netlist = Netlist(SpatialEngine(RING), tmp_path)
    for ready in ingress_readies(netlist):
        assert netlist.input_sources(ready) == {"hold", "drain"}
    for port in range(2):
        assert netlist.input_sources(f"request_{port}_0__valid") == set()
