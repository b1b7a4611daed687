import pytest
from amaranth.hdl import Assert, Assume, Elaboratable, Module, Signal

from fabricgen.plan.geometry import AccessMode, RequesterShape
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.port_shape import PortShape, RolePath
from fabricgen.rtl.spatial.engine import SpatialEngine
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.vocab.dataflow import ServiceValueRole
from tests.formal.environment import inputs_of
from tests.formal.harness import prove
from tests.support.mutants import DroppingEngine, LeakyPort, RefillingPort
from tests.support.networks import net

pytestmark = pytest.mark.formal

ROLE = ServiceValueRole

#: A write port of one byte whose data comes from a connection; its queue holds two tokens.
SHAPE = PortShape(
    requester=RequesterShape(False, True, (AccessMode(False, 1, 1),), ((0,),), False),
    address_bits=2,
    slots=2,
    inputs=(
        RolePath(ROLE.ADDRESS, (0,), (2,)),
        RolePath(ROLE.DATA, (1,), (2,), (0,), (2,)),
        RolePath(ROLE.CONTROL, (2,), (0,)),
    ),
    results=(RolePath(ROLE.COMPLETION, (3,), (0,)),),
    operand_depths=(1, 2, 1),
    index_widths=(2,),
)


def watched(port):
    """The port with what its data queue says of its second slot, which must stay empty."""

    class Watched(port):
        def __init__(self, shape: PortShape) -> None:
            super().__init__(shape)
            self.room = Signal()

        def _operand(self, m: Module, path: RolePath, closed: Signal) -> OperandQueue:
            queue = super()._operand(m, path, closed)
            if path.role is ROLE.DATA:
                m.d.comb += self.room.eq(queue.i.ready)
            return queue

    return Watched(SHAPE)


class ConsumerSpec(Elaboratable):
    """A consumer takes a token exactly while it holds none, and its next firing uses that one.

    The row takes its data from the connection; whoever publishes there offers a token only while
    the connection is ready. Everything else is free.
    """

    def __init__(self, dut: SpatialPort) -> None:
        self.dut = dut
        self.inputs = list(inputs_of(dut))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        link, request = dut.data_link_0, dut.request_0
        m.d.comb += [
            Assume(dut.controls.link_data == 1),
            Assume(dut.controls.source_data == 0),
            Assume(~link.valid | link.ready),
        ]
        holds, token = Signal(), Signal(2)
        fired = request.valid & request.ready
        with m.If(link.valid):
            m.d.sync += [holds.eq(1), token.eq(link.data)]
        with m.Elif(fired):
            m.d.sync += holds.eq(0)
        m.d.comb += [
            Assert(dut.room),
            Assert(link.ready == ~holds),
            Assert(holds | ~request.valid),
        ]
        with m.If(holds):
            m.d.comb += Assert(request.data[:2] == token)
        return m


@pytest.mark.proves("no loss or duplication of a token")
def test_a_consumer_holds_one_token_of_its_connection_and_uses_it_once(tmp_path):
    spec = ConsumerSpec(watched(SpatialPort))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("no loss or duplication of a token")
@pytest.mark.parametrize("mutant", [RefillingPort, LeakyPort])
def test_the_proof_rejects_a_wrong_consumer(mutant, tmp_path):
    spec = ConsumerSpec(watched(mutant))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)


#: A load that feeds two stores.
FANOUT = net("LSS", [("0.data", "1.data"), ("0.data", "2.data")], lanes=1).named


class FanoutSpec(Elaboratable):
    """What one row publishes into a connection reaches every consumer in that cycle, or none.

    The whole engine under any configuration bits, legal or not.
    """

    def __init__(self, dut: SpatialEngine) -> None:
        self.dut = dut
        self.inputs = list(inputs_of(dut))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        load, *stores = dut.ports
        for connection, consumer in enumerate(stores):
            source = getattr(load, f"data_feed_{connection}")
            sink = getattr(consumer, f"data_link_{connection}")
            m.d.comb += [
                Assert(source.valid == sink.valid),
                Assert(~sink.valid | sink.ready),
            ]
        first, second = (getattr(load, f"data_feed_{at}").valid for at in range(2))
        forwards = dut.controls[0].controls.forward_data
        # Both are destinations of one firing where the row selects both.
        m.d.comb += Assert(~forwards.all() | (first == second))
        return m


@pytest.mark.proves("joint publication")
def test_every_consumer_of_a_firing_takes_its_token_in_one_cycle(tmp_path):
    spec = FanoutSpec(SpatialEngine(FANOUT))
    prove(spec, spec.inputs, tmp_path, depth=3)


@pytest.mark.rejects("joint publication")
def test_the_proof_rejects_an_engine_that_does_not_wait_for_a_consumer(tmp_path):
    spec = FanoutSpec(DroppingEngine(FANOUT))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path, depth=3)
