import pytest
from amaranth.hdl import Array, Assert, Cat, Elaboratable, Module, Signal

from fabricgen.rtl.temporal.engine import TemporalEngine
from tests.formal.environment import inputs_of, is_answered, stays
from tests.formal.harness import prove
from tests.support.memories import (
    ELEMENT,
    LOAD,
    access_class,
    alternative,
    capability,
    memory,
    port,
    service,
)
from tests.support.temporal_mutants import EagerPublisher, OfferingPublisher, StalePublisher

pytestmark = pytest.mark.formal

BYTES = (access_class(ELEMENT, LOAD, elements=(8,), lanes=(1,), index=(2,)),)
ENDS = {"address": 2, "control": 0, "data": 8, "done": 0}


def small_engine(ports=1, in_flight=(1, 2)):
    """Two rows of one or more ports of bytes, whose data may be its next address."""
    load = alternative(LOAD, {"address": 0, "control": 1, "data": 2, "completion": 3}, BYTES)
    each = port(load, in_flight=in_flight, result_holding=in_flight, depth=1, inputs=2, contexts=2)
    patterns = tuple(range(ports))
    local = service(capability(LOAD, BYTES, patterns), requesters=ports, capacity=64)
    named = memory(
        ENDS,
        2,
        (each,) * ports,
        local,
        contexts=2,
        tag_width=1,
        connections=[("data", "address")],
    )
    return TemporalEngine(named)


class EnginePublicationSpec(Elaboratable):
    """All destinations of a firing transfer in one cycle, stated against the engine's egresses.

    The carrier says what it likes but stays, responses answer requests, and everything else
    around the engine is free. All ports are of one group. Where the candidate goes is read from
    the rows' controls; what transfers, from the boundary and from the connection's commit.
    """

    def __init__(self, dut):
        self.dut = dut
        self.inputs = list(inputs_of(dut))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        stays(m, dut.configuration)
        for ordinal in range(len(dut.ports)):
            is_answered(m, getattr(dut, f"request_{ordinal}_0"))
        (publisher,) = dut.publishers
        rows = dut.table.group_0
        selected = Signal(3)
        ends = [dut.egress_2, dut.egress_3]
        taken = Cat(*(end.valid & end.ready for end in ends), dut.ports[0].fire_0)
        m.d.comb += [
            selected.eq(Array([rows.selected_0, rows.selected_1])[publisher.row]),
            Assert((taken == 0) | (taken == selected)),
            Assert((taken == 0) | publisher.candidate),
            Assert(publisher.retire == (publisher.candidate & (taken == selected))),
            Assert(~publisher.candidate | (publisher.selected == selected)),
        ]
        m.d.comb += [Assert(end.ready | ~end.valid) for end in ends]
        for each in dut.ports:
            m.d.comb += [Assert(each.fire_0 == taken[-1]), Assert(each.free_0 | ~each.fire_0)]
        return m


@pytest.mark.proves("joint publication")
@pytest.mark.parametrize("ports", [1, 2])
def test_an_engine_publishes_a_packet_as_a_whole_or_not_at_all(ports, tmp_path):
    spec = EnginePublicationSpec(small_engine(ports))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("joint publication")
@pytest.mark.parametrize("mutant", [EagerPublisher, OfferingPublisher, StalePublisher])
def test_the_proof_rejects_a_wrong_publisher(mutant, tmp_path, monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.engine.Publisher", mutant)
    spec = EnginePublicationSpec(small_engine())
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
