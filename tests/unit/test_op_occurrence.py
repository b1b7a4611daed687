"""Resources behind a hold that comes and goes: nothing is lost, taken back or taken in."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from fabricgen.rtl.op_occurrence import OpOccurrence
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.netlist import Netlist
from tests.support.provider_samples import EVERY, SAMPLES, observed, wrong
from tests.support.quiescence import held_takes

#: Whether operands are held, cycle by cycle; two cycles together are what a commit holds.
PATTERN = (0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0)


class Closing(OpOccurrence):
    """Takes back what it has offered."""

    def _stays_open(self, m):
        return Const(0, 1)


class Open(OpOccurrence):
    """Never closes."""

    def _stays_open(self, m):
        return self.in0.valid


class Held(wiring.Component):
    """An occurrence whose hold follows the pattern from the reset on."""

    def __init__(self, op, kind=OpOccurrence):
        self.op, self.inner = op, kind(op)
        members = dict(self.inner.signature.members.items())
        del members["hold"]
        super().__init__(members)

    @property
    def inputs(self):
        return [getattr(self, name) for name in self.inner.inputs]

    @property
    def outputs(self):
        return [getattr(self, name) for name in self.inner.outputs]

    def elaborate(self, platform):
        m = Module()
        m.submodules.inner = inner = self.inner
        cycle = Signal(range(len(PATTERN)))
        m.d.sync += cycle.eq(cycle + 1)
        m.d.comb += self.quiescent.eq(inner.quiescent)
        with m.Switch(cycle):
            for at, bit in enumerate(PATTERN):
                with m.Case(at):
                    m.d.comb += inner.hold.eq(bit)
        if hasattr(self, "configuration"):
            m.d.comb += inner.configuration.eq(self.configuration)
        for name in self.inner.inputs:
            connect(m, flipped(getattr(self, name)), getattr(inner, name))
        for name in self.inner.outputs:
            connect(m, getattr(inner, name), flipped(getattr(self, name)))
        return m


def run(name, kind=OpOccurrence):
    sample = EVERY[name]
    return sample, observed(sample, lambda op: Held(op, kind), slower=3)


def takes(sample, trace):
    return held_takes(trace, PATTERN, is_transparent=sample.op.timing.latency_cycles == 0)


@pytest.mark.parametrize("name", EVERY)
def test_a_hold_closes_the_operands_and_nothing_else(name):
    sample, traces = run(name)
    assert wrong(sample, traces) == []
    assert traces[1].quiescent[-1]
    for trace in traces:
        assert takes(sample, trace) == []


@pytest.mark.parametrize("name", ["loop_carry", "loop_invariant", "loop_gate"])
def test_one_that_takes_back_its_offer_is_noticed(name):
    with pytest.raises(AssertionError, match="must keep its offer"):
        run(name, Closing)


@pytest.mark.parametrize("name", ["scalar_integer_add_sub", "token_sync", "loop_carry"])
def test_one_that_does_not_close_is_noticed(name):
    sample, traces = run(name, Open)
    assert any(takes(sample, trace) for trace in traces)


def test_no_ready_of_a_registered_resource_depends_on_a_valid(tmp_path):
    netlist = Netlist(OpOccurrence(SAMPLES[F.SCALAR_INTEGER_ADD_SUB].op), tmp_path)
    assert netlist.undefined_bits == 0
    assert netlist.input_sources("in0__ready") == {"hold", "out0__ready"}
    assert netlist.input_sources("quiescent") == set()
