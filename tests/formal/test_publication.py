from dataclasses import replace

import pytest
from amaranth.hdl import Assert, Cat, Elaboratable, Module

from fabricgen.plan.geometry import AccessMode, RequesterShape
from fabricgen.rtl.port_shape import PortShape, RolePath
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.vocab.dataflow import ServiceValueRole
from tests.formal.environment import inputs_of
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


#: The same port with connections that start at both results, and one that ends at its control.
LINKED = replace(
    SHAPE,
    inputs=(SHAPE.inputs[0], RolePath(ROLE.CONTROL, (1,), (0,), (2,), (0,))),
    results=(
        RolePath(ROLE.DATA, (2,), (8,), (0, 1), (8, 4)),
        RolePath(ROLE.COMPLETION, (4, 5), (0, 0), (2,), (0,)),
    ),
)
SHAPES = {"endpoints": SHAPE, "connections": LINKED}


class PublicationSpec(Elaboratable):
    """All results of a firing transfer in one cycle, stated against the port's result channels.

    Everything around the port is free, the configured endpoints and connections too: the property
    must not lean on what a row may legally say.
    """

    def __init__(self, dut: SpatialPort) -> None:
        self.dut = dut
        self.paths = dut.shape.results
        self.channels = [
            getattr(dut, name) for path in self.paths for name in path.channels() | path.links()
        ]
        self.inputs = list(inputs_of(dut))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        selected = Cat(
            getattr(dut.controls, f"{prefix}_{path.name}", Cat())
            for path in self.paths
            for prefix in ("sink", "forward")
        )
        valid = Cat(channel.valid for channel in self.channels)
        ready = Cat(channel.ready for channel in self.channels)
        m.d.comb += [
            Assert((valid & ~ready) == 0),
            Assert((valid == 0) | (valid == selected)),
            Assert((valid == 0) | ((selected & ~ready) == 0)),
        ]
        return m


@pytest.mark.proves("joint publication")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_packet_transfers_as_a_whole_or_not_at_all(shape, tmp_path):
    spec = PublicationSpec(SpatialPort(SHAPES[shape]))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("joint publication")
@pytest.mark.parametrize("shape", SHAPES)
def test_the_proof_rejects_a_port_that_publishes_each_role_when_it_can(shape, tmp_path):
    spec = PublicationSpec(EagerPort(SHAPES[shape]))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
