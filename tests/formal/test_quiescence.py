"""What says that nothing is inside, against what went in and came out."""

import pytest
from amaranth.hdl import Assert, Assume, Cat, Elaboratable, Module, Signal

from fabricgen.rtl.spatial.port import SpatialPort
from tests.formal.environment import inputs_of, is_answered, stays
from tests.formal.harness import check
from tests.formal.test_publication import SHAPE
from tests.formal.test_temporal_publication import small_engine
from tests.support.reconfiguration_mutants import DeafPort, EmptyRingPort, IdlePort, TokenlessPort

pytestmark = pytest.mark.formal

EMPTY = "quiescence implies empty"
DRAINS = "a row that drains begins no firing and ends those that it has begun"


class EngineQuiescenceSpec(Elaboratable):
    """A row is busy exactly while it has tokens or firings that have not been published.

    One row, free to choose, is watched; the carrier says what it likes but stays, and a row takes
    both its operands from the endpoints. What leaves is read from the publisher's commit.
    """

    def __init__(self, dut) -> None:
        self.dut = dut
        self.watched = Signal()
        self.inputs = [*inputs_of(dut), self.watched]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        layout = dut.table.layout
        stays(m, Cat(dut.configuration, self.watched))
        for ordinal in range(len(dut.ports)):
            is_answered(m, getattr(dut, f"request_{ordinal}_0"))

        def field(at, name):
            place = layout.rows[at][name]
            return dut.configuration[place.offset : place.offset + place.width]

        for name in ("source_address", "forward_data_0"):
            m.d.comb += [Assume(field(at, name) == 0) for at in range(2)]
        (publisher,) = dut.publishers
        leaves = publisher.retire & (publisher.row == self.watched)
        inside = []
        for role, end in (("address", 0), ("control", 1)):
            channel = getattr(dut, f"ingress_{end}")
            tags = [field(at, f"source_tag_{role}") for at in range(2)]
            m.d.comb += Assume(tags[0] != tags[1])
            mine = Signal(name=f"mine_{role}")
            with m.If(self.watched):
                m.d.comb += mine.eq(channel.tag == tags[1])
            with m.Else():
                m.d.comb += mine.eq(channel.tag == tags[0])
            count = Signal(3, name=f"inside_{role}")
            m.d.sync += count.eq(count + (mine & channel.valid & channel.ready) - leaves)
            inside.append(count)
        busy = dut.busy.bit_select(self.watched, 1)
        m.d.comb += [
            Assert(busy == Cat(inside).any()),
            Assert(~dut.empty | ~busy),
            Assert(~dut.settled | ~dut.hold.bit_select(self.watched, 1) | ~Cat(inside).any()),
        ]
        return m


@pytest.mark.proves(EMPTY)
@pytest.mark.parametrize("ports", [1, 2])
def test_a_temporal_row_is_quiescent_exactly_where_it_is_empty(ports, tmp_path):
    spec = EngineQuiescenceSpec(small_engine(ports))
    check(spec, spec.inputs, tmp_path, depth=9)


@pytest.mark.rejects(EMPTY)
@pytest.mark.parametrize("mutant", [IdlePort, TokenlessPort])
def test_the_proof_rejects_a_row_that_forgets_what_it_has(mutant, tmp_path, monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.engine.TemporalPort", mutant)
    spec = EngineQuiescenceSpec(small_engine())
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=6)


class PortQuiescenceSpec(Elaboratable):
    """A Spatial port is empty where all that it took has been published, and drains as it says.

    Its row takes an address and a control from one endpoint each, and publishes at one at least.
    """

    def __init__(self, dut: SpatialPort) -> None:
        self.dut = dut
        self.results = [
            getattr(dut, name) for path in dut.shape.results for name in path.channels()
        ]
        self.inputs = list(inputs_of(dut))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        controls, request = dut.controls, dut.request_0
        stays(m, Cat(getattr(controls, name) for name in controls.signature.members))
        is_answered(m, request)
        m.d.comb += [
            Assume(Cat(controls.sink_data, controls.sink_completion).any()),
            Assume(controls.source_address[0] & controls.source_control[0]),
        ]
        issues = request.valid & request.ready
        leaves = Cat(channel.valid for channel in self.results).any()
        queued = {}
        for name, channel in (("address", dut.address_0), ("control", dut.control_1)):
            queued[name] = Signal(3, name=f"queued_{name}")
            enters = channel.valid & channel.ready
            m.d.sync += queued[name].eq(queued[name] + enters - issues)
        flying = Signal(3)
        m.d.sync += flying.eq(flying + issues - leaves)
        m.d.comb += Assert(dut.empty == ~Cat(*queued.values(), flying).any())
        for name, other, channel, depth in (
            ("address", "control", dut.address_0, 1),
            ("control", "address", dut.control_1, 2),
        ):
            begun = ~dut.drain | (queued[other] > queued[name])
            room = queued[name] < depth
            m.d.comb += Assert(channel.ready == (room & begun & ~dut.hold))
        return m


@pytest.mark.proves(EMPTY, DRAINS)
def test_a_spatial_port_is_empty_where_it_says_so_and_drains(tmp_path):
    spec = PortQuiescenceSpec(SpatialPort(SHAPE))
    check(spec, spec.inputs, tmp_path, depth=9)


@pytest.mark.rejects(EMPTY)
def test_the_proof_rejects_a_port_that_forgets_what_is_in_flight(tmp_path):
    spec = PortQuiescenceSpec(EmptyRingPort(SHAPE))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=5)


@pytest.mark.rejects(DRAINS)
def test_the_proof_rejects_a_port_that_does_not_drain(tmp_path):
    spec = PortQuiescenceSpec(DeafPort(SHAPE))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=5)
