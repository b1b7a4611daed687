import re

import pytest
from amaranth.back import rtlil
from amaranth.hdl._nir import CombinationalCycle

from fabricgen.rtl.temporal import port as temporal_port
from fabricgen.rtl.temporal.engine import TemporalEngine
from tests.support import formal_report
from tests.support.netlist import Netlist
from tests.support.temporal_engines import CONNECTIONS, engine_memory
from tests.support.temporal_mutants import LoopingPublisher, RefillingFrontEnd

#: Flip-flops that a ready may look at: the slots' occupancy and what the rows select.
ALLOWED = re.compile(r"port_\d+\.front\.(\w+\.)?full_\d+|table\.port_\d+__selects_\w+")


def memory():
    return engine_memory(3, read_ports=2, connections=CONNECTIONS)


def ports(netlist, pattern):
    found = [name for name in netlist.ports if re.fullmatch(pattern, name)]
    assert found
    return found


def foreign(netlist):
    """What some ingress ready looks at that it must not."""
    found = []
    for ready in ports(netlist, r"ingress_\d+__ready"):
        own = ready.replace("__ready", "__tag")
        # Holds, drains and the carrier are flip-flops of the configuration loader.
        found += netlist.input_sources(ready) - {own, "hold", "drain", "configuration"}
        found += [
            names
            for names in netlist.register_sources(ready)
            if not any(ALLOWED.fullmatch(name) for name in names)
        ]
    return found


@pytest.mark.formal
@pytest.mark.proves("ingress ready follows from registered state and its own tag")
def test_an_ingress_ready_looks_at_its_own_tag_at_occupancy_and_at_the_rows(tmp_path):
    formal_report.note("Temporal engine, 3 rows, 3 ports, connections", "netlist", 1)
    netlist = Netlist(TemporalEngine(memory()), tmp_path)
    assert foreign(netlist) == []
    for ready in ports(netlist, r"ingress_\d+__ready"):
        assert ready.replace("__ready", "__tag") in netlist.input_sources(ready)


@pytest.mark.formal
@pytest.mark.rejects("ingress ready follows from registered state and its own tag")
def test_the_check_sees_a_slot_that_is_refilled_while_it_empties(tmp_path, monkeypatch):
    monkeypatch.setattr(temporal_port, "RowFrontEnd", RefillingFrontEnd)
    assert foreign(Netlist(TemporalEngine(memory()), tmp_path))


def test_tags_are_shown_without_any_ready_and_results_follow_those_of_their_group(tmp_path):
    netlist = Netlist(TemporalEngine(memory()), tmp_path)
    for name in ports(netlist, r"egress_\d+__tag"):
        assert netlist.input_sources(name) <= {"configuration"}
    for name in ports(netlist, r"egress_\d+__data"):
        assert not [at for at in netlist.input_sources(name) if at.endswith("ready")]
    sources = {name: netlist.input_sources(name) for name in ports(netlist, r"egress_\d+__valid")}
    reading = {"egress_6__ready", "egress_7__ready"}
    assert sources == {
        "egress_6__valid": reading,
        "egress_7__valid": reading,
        "egress_8__valid": {"egress_8__ready"},
    }
    for name in ("empty", "unmatched", "unpublished", "unpublished_row"):
        assert netlist.input_sources(name) == set()


def test_requests_leave_from_registers(tmp_path):
    netlist = Netlist(TemporalEngine(memory()), tmp_path)
    for name in ports(netlist, r"request_\d+_\d+__(valid|address|lanes|data|slot|mode)"):
        assert netlist.input_sources(name) == set()


def test_elaboration_refuses_a_combinational_loop_and_finds_none(monkeypatch):
    rtlil.convert(TemporalEngine(memory()))
    monkeypatch.setattr("fabricgen.rtl.temporal.engine.Publisher", LoopingPublisher)
    with pytest.raises(CombinationalCycle, match="refusing"):
        rtlil.convert(TemporalEngine(memory()))
