"""A firing that has its operands is published in bounded time where its surroundings are fair."""

from dataclasses import replace

import pytest
from amaranth.hdl import (
    Assert,
    Assume,
    Cat,
    Const,
    Elaboratable,
    Module,
    Mux,
    ResetSignal,
    Signal,
    Value,
)

from fabricgen.rtl.port_shape import RolePath
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.vocab.dataflow import ServiceValueRole
from tests.formal.environment import inputs_of, is_answered, is_ready_again, is_taken, stays
from tests.formal.harness import check, check_bound
from tests.formal.test_publication import SHAPE
from tests.formal.test_temporal_publication import small_engine
from tests.support.progress_mutants import (
    LingeringRing,
    LosingRing,
    LosingTemporalPort,
    SelfishTemporalPort,
)
from tests.support.temporal_mutants import StubbornPublisher

pytestmark = pytest.mark.formal

PROGRESS = "bounded progress in a fair environment"
UNBLOCKED = "no row is blocked by another row's destination"

#: Cycles for which a target refuses a firing, then leaves it unanswered, and a consumer refuses:
#: those around a Spatial port, and those around an engine.
PORT_PATIENCE = 2
ROW_PATIENCE = 1

#: Both at the target, the cycle of the answer and that of the publication.
PORT_BOUND = 2 * PORT_PATIENCE + 2

#: The way through an engine; a firing of the other row may stand before it at the target, and one
#: hold of the other row at its consumers.
ROW_BOUND = 3 * ROW_PATIENCE + 7

#: As long as it takes to fill every place, and then for more than the way of one firing.
PORT_DEPTH, DEPTH = 16, 20

#: The same port with a mask: a firing without active lanes asks its target for nothing.
MASKED = replace(
    SHAPE,
    inputs=(SHAPE.inputs[0], RolePath(ServiceValueRole.MASK, (6,), (1,)), SHAPE.inputs[1]),
    operand_depths=(1, 1, 2),
)
PORTS = {"unmasked": SHAPE, "masked": MASKED}


def publishes_within(m: Module, waits: Value, leaves: Value, cycles: int) -> None:
    """A whole firing is there in cycle n, or stays behind the last one: one leaves by n + cycles.

    So a firing with k others of its row before it is published within k + 1 times that.
    """
    age = Signal(range(cycles + 2))
    m.d.sync += age.eq(Mux(waits & ~leaves, age + 1, 0))
    m.d.comb += Assert(~waits | leaves | (age < cycles))


class PortProgressSpec(Elaboratable):
    """While a Spatial port has all operands of a firing, it publishes one in ``bound`` cycles.

    Counted at its channels: what went in, what the target took, what came out. ``hold`` and
    ``drain`` are free: they close the way in, and nobody's way out.
    """

    def __init__(self, dut: SpatialPort, bound: int) -> None:
        self.dut = dut
        self.bound = bound
        self.inputs = list(inputs_of(dut))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        controls, request = dut.controls, dut.request_0
        stays(m, Cat(getattr(controls, name) for name in controls.signature.members))
        is_taken(m, request, within=PORT_PATIENCE)
        is_answered(m, request, within=PORT_PATIENCE)
        sinks, taken = [], []
        for path in dut.shape.results:
            for sink, name in zip(
                getattr(controls, f"sink_{path.name}"), path.channels(), strict=True
            ):
                channel = getattr(dut, name)
                is_ready_again(m, channel.ready, channel.valid, within=PORT_PATIENCE)
                sinks.append(sink)
                taken.append(channel.valid)
        m.d.comb += Assume(Cat(sinks).any())
        leaves = Cat(taken).any()

        whole = []
        for path in dut.shape.inputs:
            (name,) = path.channels()
            channel = getattr(dut, name)
            inside = Signal(4, name=f"inside_{path.name}")
            is_mask = path.role is ServiceValueRole.MASK
            needed = controls.masked if is_mask else Const(1, 1)
            m.d.comb += Assume(getattr(controls, f"source_{path.name}") == needed)
            m.d.sync += inside.eq(inside + (channel.valid & channel.ready) - (leaves & needed))
            whole.append(inside.any() | ~needed)
        publishes_within(m, Cat(whole).all(), leaves, self.bound)
        return m


class EngineProgressSpec(Elaboratable):
    """While a row has all operands of a firing, it publishes one in ``bound`` cycles.

    One row, free to choose, is watched. The targets take accesses of both rows, but of the other
    row nothing else is fair: its accesses are answered when they like, or never, and its consumers
    refuse as long as they like. Each row has its ordinal for a tag at every endpoint; what else the
    carrier says is free but stays. A reset would only begin again.
    """

    def __init__(self, dut, bound: int) -> None:
        self.dut = dut
        self.bound = bound
        self.watched = Signal()
        self.will = {end: Signal(name=f"will_{end}") for end in (2, 3)}
        self.inputs = [*inputs_of(dut), self.watched, *self.will.values()]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += Assume(~ResetSignal())
        m.submodules.dut = dut = self.dut
        stays(m, Cat(dut.configuration, self.watched))
        layout = dut.table.layout

        def fields(name):
            places = [layout.rows[row][name] for row in range(2)]
            return [dut.configuration[at.offset : at.offset + at.width] for at in places]

        def of_row(name):
            return Mux(self.watched, *reversed(fields(name)))

        def own(name):
            m.d.comb += [Assume(field == row) for row, field in enumerate(fields(name))]
            return self.watched

        rows = Cat(~self.watched, self.watched)
        bits = dut.table.shapes[0].index_bits
        mine = Cat(row.replicate(1 << bits) for row in rows)
        for port in range(len(dut.ports)):
            request = getattr(dut, f"request_{port}_0")
            here = of_row("port") == port if len(dut.ports) > 1 else Const(1, 1)
            is_taken(m, request, within=ROW_PATIENCE, where=here)
            is_answered(m, request, within=ROW_PATIENCE, slots=mine)
        m.d.comb += [
            Assume(of_row("source_address") == 0),
            Assume(of_row("forward_data_0") == 0),
            Assume(of_row("expose_completion")),
        ]
        taken = []
        for end, role in ((2, "data"), (3, "completion")):
            egress = getattr(dut, f"egress_{end}")
            here = egress.tag == own(f"expose_tag_{role}")
            m.d.comb += Assume(~here | (egress.ready == self.will[end]))
            is_ready_again(m, self.will[end], egress.valid & here, within=ROW_PATIENCE)
            taken.append(egress.valid & here)
        leaves = taken[1]
        inside = []
        for end, role in ((0, "address"), (1, "control")):
            ingress = getattr(dut, f"ingress_{end}")
            count = Signal(4, name=f"inside_{role}")
            enters = ingress.valid & ingress.ready & (ingress.tag == own(f"source_tag_{role}"))
            m.d.sync += count.eq(count + enters - leaves)
            inside.append(count.any())
        waits = Cat(inside).all()
        publishes_within(m, waits, leaves, self.bound)
        return m


@pytest.mark.proves(PROGRESS)
@pytest.mark.parametrize("shape", PORTS)
def test_a_spatial_port_publishes_what_it_has_in_bounded_time(shape, tmp_path):
    def spec(bound):
        return PortProgressSpec(SpatialPort(PORTS[shape]), bound)

    check_bound(spec, PORT_BOUND, tmp_path, depth=PORT_DEPTH)


@pytest.mark.rejects(PROGRESS)
@pytest.mark.parametrize("mutant", [LosingRing, LingeringRing])
def test_the_proof_rejects_a_port_that_hangs(mutant, tmp_path, monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.spatial.port.ResultRing", mutant)
    spec = PortProgressSpec(SpatialPort(SHAPE), PORT_BOUND)
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=PORT_DEPTH)


#: Ports, and firings in flight of a row and of all.
ENGINES = {"two ports": (2, (1, 2)), "several in flight": (1, (2, 3))}


@pytest.mark.proves(PROGRESS, UNBLOCKED)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_row_publishes_what_it_has_whatever_the_other_row_waits_for(engine, tmp_path):
    def spec(bound):
        return EngineProgressSpec(small_engine(*ENGINES[engine]), bound)

    check_bound(spec, ROW_BOUND, tmp_path, depth=DEPTH)


#: Wrong parts of an engine, by their place.
STARVING = {
    "a publisher that stays": ("Publisher", StubbornPublisher),
    "a port that waits for its publications": ("TemporalPort", SelfishTemporalPort),
    "a port that loses completions": ("TemporalPort", LosingTemporalPort),
}


@pytest.mark.rejects(PROGRESS, UNBLOCKED)
@pytest.mark.parametrize("wrong", STARVING)
def test_the_proof_rejects_an_engine_that_starves_a_row(wrong, tmp_path, monkeypatch):
    place, mutant = STARVING[wrong]
    monkeypatch.setattr(f"fabricgen.rtl.temporal.engine.{place}", mutant)
    spec = EngineProgressSpec(small_engine(), ROW_BOUND)
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=DEPTH)
