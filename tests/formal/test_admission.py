import pytest
from amaranth.hdl import Assert, Assume, Elaboratable, Module, Signal

from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.service.admission import Admission
from tests.formal.harness import prove
from tests.support.service_mutants import OpenAdmission

pytestmark = pytest.mark.formal


class AdmissionSpec(Elaboratable):
    """Requests inside never exceed the queues nor ``Outstanding``, and nothing free is wasted."""

    def __init__(self, dut: Admission) -> None:
        self.dut = dut
        self.inputs = [dut.valid, dut.done]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        count = len(dut.valid)
        asking, answering = Signal(count), Signal(count)
        inside = dut.valid & dut.admit  # in the first stage, in this cycle
        m.d.sync += [asking.eq(inside & ~dut.done), answering.eq(dut.done)]

        # Environment: offers stay, and only what is inside can be done.
        m.d.comb += [Assume((asking & ~dut.valid) == 0), Assume((dut.done & ~inside) == 0)]

        m.d.comb += Assert((asking & ~dut.admit) == 0)
        units = sum(inside[i] + answering[i] for i in range(count))
        m.d.comb += Assert(units <= dut.outstanding)
        for i, queue in enumerate(dut.queues):
            m.d.comb += Assert(inside[i] + answering[i] <= queue)
            with m.If(dut.valid[i] & ~dut.admit[i]):
                m.d.comb += Assert((units == dut.outstanding) | (answering[i] & (queue == 1)))
        return m


def admission(kind, queues, outstanding):
    return kind(RoundRobin((1, 0, 2), 2), queues=queues, outstanding=outstanding)


@pytest.mark.proves("service admission keeps its capacities")
@pytest.mark.parametrize(
    ("queues", "outstanding"), [((2, 2, 2), 1), ((2, 2, 2), 3), ((1, 2, 1), 3), ((1, 1, 1), 9)]
)
def test_no_capacity_is_exceeded_and_none_is_wasted(queues, outstanding, tmp_path):
    spec = AdmissionSpec(admission(Admission, queues, outstanding))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("service admission keeps its capacities")
def test_the_proof_rejects_open_doors(tmp_path):
    spec = AdmissionSpec(admission(OpenAdmission, (2, 2, 2), 3))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
