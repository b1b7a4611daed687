import pytest
from amaranth.hdl import Assert, Cat, Elaboratable, Module

from fabricgen.plan.geometry import AccessMode, RequesterShape
from fabricgen.rtl.port_shape import PortShape, RolePath
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.vocab.dataflow import ServiceValueRole
from tests.formal.harness import prove
from tests.support.mutants import EagerPort

pytestmark = pytest.mark.formal

ROLE = ServiceValueRole

#: A read port of one byte, whose alternatives bind both results to two endpoints each.
SHAPE = PortShape(
    requester=RequesterShape(True, False, (AccessMode(False, 1, 1),), ((0,),), False),
    address_bits=2,
    slots=2,
    inputs=(RolePath(ROLE.ADDRESS, (0,), (2,)), RolePath(ROLE.CONTROL, (1,), (0,))),
    results=(RolePath(ROLE.DATA, (2, 3), (8, 16)), RolePath(ROLE.COMPLETION, (4, 5), (0, 0))),
    operand_depths=(1, 2),
    index_widths=(2,),
)


class PublicationSpec(Elaboratable):
    """All results of a firing transfer in one cycle, stated against the port's result channels.

    Everything around the port is free, the configured endpoints too: the property must not lean
    on what a row may legally say.
    """

    def __init__(self, dut: SpatialPort) -> None:
        self.dut = dut
        channels = [getattr(dut, name) for path in SHAPE.results for name in path.channels()]
        self.channels = channels
        self.inputs = [
            dut.hold,
            *(getattr(dut.controls, name) for name in dut.controls.signature.members),
            dut.address_0.valid,
            dut.address_0.data,
            dut.control_1.valid,
            dut.request_0.ready,
            dut.request_0.rsp_valid,
            dut.request_0.rsp_done,
            dut.request_0.rsp_slot,
            *(channel.ready for channel in channels),
        ]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        selected = Cat(dut.controls.sink_data, dut.controls.sink_completion)
        valid = Cat(channel.valid for channel in self.channels)
        ready = Cat(channel.ready for channel in self.channels)
        m.d.comb += [
            Assert((valid & ~ready) == 0),
            Assert((valid == 0) | (valid == selected)),
            Assert((valid == 0) | ((selected & ~ready) == 0)),
        ]
        return m


@pytest.mark.proves("joint publication")
def test_a_packet_transfers_as_a_whole_or_not_at_all(tmp_path):
    spec = PublicationSpec(SpatialPort(SHAPE))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("joint publication")
def test_the_proof_rejects_a_port_that_publishes_each_role_when_it_can(tmp_path):
    spec = PublicationSpec(EagerPort(SHAPE))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
