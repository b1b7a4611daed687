"""A fence stands between what is ordered before it and what is ordered behind it.

Tokens order accesses: a fence waits for nothing but its control token, which a completion brings.
"""

from dataclasses import dataclass

import pytest
from amaranth.hdl import Assert, Assume, Elaboratable, Module, ResetSignal, Signal, Value

from fabricgen.config.codec import encode_configuration
from fabricgen.plan.rows import Active, OperationRow, ResultDestination, RoleSource
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.rtl.spatial.engine import SpatialEngine
from fabricgen.rtl.temporal.engine import TemporalEngine
from tests.formal.environment import inputs_of, is_answered, is_ready_again, is_taken
from tests.formal.harness import check, check_bound
from tests.formal.test_progress_end_to_end import publishes_within
from tests.support.actors import FENCE, actors, exact
from tests.support.memories import (
    ELEMENT,
    LOAD,
    ROLE,
    access_class,
    actor,
    alternative,
    memory,
    port,
    view,
)
from tests.support.progress_mutants import (
    HastyRing,
    HastyTemporalPort,
    HeedlessPort,
    HeedlessTemporalPort,
    LosingRing,
    LosingTemporalPort,
)

pytestmark = pytest.mark.formal

ORDERED = "an access behind a fence begins after it, and it after those before it"
COMPLETES = "a fence completes with its answer, in bounded time in a fair environment"

BYTES = (access_class(ELEMENT, LOAD, elements=(8,), lanes=(1,), index=(2,)),)
EXT = ManagerEndpointTarget(0)

#: Firings that a port may have in flight: enough for one to overtake another.
IN_FLIGHT = 2

#: Cycles for which a manager refuses a fence, then leaves it unanswered, and a consumer refuses it.
PATIENCE = 1


def load_port(address, control, data, completion, **limits):
    roles = {"address": address, "control": control, "data": data, "completion": completion}
    return port(alternative(LOAD, roles, BYTES), inputs=2, **limits)


def fence_port(control, completion, **limits):
    roles = ((ROLE.CONTROL, control), (ROLE.COMPLETION, completion))
    fence = MemoryCapabilityAlternative(actors(FENCE), roles, None, (0,))
    return port(fence, inputs=1, **limits)


def loads(port_ordinal, context, control, forward=(), tag=None):
    """A load with an address from its endpoint, whose results are exposed."""
    return OperationRow(
        port=port_ordinal,
        capability_alternative=0,
        use_pattern=context,
        actor=actor(LOAD),
        access=view(ELEMENT, element=8, index=2),
        base_addr=0,
        sources=((ROLE.ADDRESS, RoleSource(tag=tag)), (ROLE.CONTROL, control)),
        destinations=(
            (ROLE.DATA, ResultDestination(True, (), tag)),
            (ROLE.COMPLETION, ResultDestination(True, forward, tag)),
        ),
        service_target=EXT,
    )


def fences(port_ordinal, context, control, forward=(), tag=None):
    """A fence whose completion is exposed."""
    return OperationRow(
        port=port_ordinal,
        capability_alternative=0,
        use_pattern=context,
        actor=exact(FENCE),
        access=None,
        base_addr=0,
        sources=((ROLE.CONTROL, control),),
        destinations=((ROLE.COMPLETION, ResultDestination(True, forward, tag)),),
        service_target=EXT,
    )


#: Connections of both chains: from the load before the fence, and to the one behind it.
IN, OUT = 0, 1


@dataclass(frozen=True)
class Chain:
    """A load whose completion a fence takes for its control, and maybe a load behind it likewise.

    ``requests`` and ``completions`` are by part: the channel, and the endpoint of its completion.
    In a Temporal engine part and row have one ordinal, which is its tag at every endpoint.
    """

    engine: SpatialEngine | TemporalEngine
    configuration: int
    requests: tuple[int, ...]
    completions: tuple[int, ...]

    def request(self, part):
        """Channel of a part, with a bit that says whether its row has this slot."""
        channel = getattr(self.engine, f"request_{self.requests[part]}_0")
        if isinstance(self.engine, SpatialEngine):
            return channel, lambda slot: Value.cast(1)
        bits = self.engine.table.shapes[0].index_bits
        return channel, lambda slot: slot[bits:] == part

    def publishes(self, part):
        """The part's firing leaves now."""
        egress = getattr(self.engine, f"egress_{self.completions[part]}")
        return egress.valid & (egress.tag == part if hasattr(egress, "tag") else 1)


def spatial_chain(*, behind):
    """Three ports, one for each."""
    ends = {"a_addr": 2, "a_ctrl": 0, "f_ctrl": 0, "b_addr": 2, "b_ctrl": 0}
    ends |= {"a_data": 8, "a_done": 0, "f_done": 0, "b_data": 8, "b_done": 0}
    limits = {"in_flight": IN_FLIGHT, "result_holding": IN_FLIGHT, "depth": 1}
    ports = [
        load_port(0, 1, 5, 6, **limits),
        fence_port(2, 7, **limits),
        load_port(3, 4, 8, 9, **limits),
    ]
    links = [("a_done", "f_ctrl"), ("f_done", "b_ctrl")]
    named = memory(ends, 5, ports, None, managers={"ext0": 8}, connections=links)
    rows = (
        loads(0, 0, RoleSource(), (IN,)),
        fences(1, 0, RoleSource(IN), (OUT,) if behind else ()),
        loads(2, 0, RoleSource(OUT)) if behind else None,
    )
    carrier = encode_configuration(named, Active(rows))
    return Chain(SpatialEngine(named), carrier, (0, 1, 2), (6, 7, 9))


def temporal_chain(*, behind):
    """Two ports: the loads are two rows of one, the fence is the row of the other between them."""
    ends = {"addr": 2, "ctrl": 0, "f_ctrl": 0, "data": 8, "done": 0, "f_done": 0}
    limits = {"in_flight": (IN_FLIGHT, 4), "result_holding": (IN_FLIGHT, 4)}
    limits |= {"depth": 1, "contexts": 3}
    ports = [load_port(0, 1, 3, 4, **limits), fence_port(2, 5, **limits)]
    links = [("done", "f_ctrl"), ("f_done", "ctrl")]
    named = memory(
        ends,
        3,
        ports,
        None,
        managers={"ext0": 8},
        connections=links,
        contexts=3,
        tag_width=2,
    )
    rows = (
        loads(0, 0, RoleSource(tag=0), (IN,), tag=0),
        fences(1, 1, RoleSource(IN), (OUT,) if behind else (), tag=1),
        loads(0, 2, RoleSource(OUT), tag=2) if behind else None,
    )
    carrier = encode_configuration(named, Active(rows))
    return Chain(TemporalEngine(named), carrier, (0, 1, 0), (4, 5, 4))


CHAINS = {"spatial": spatial_chain, "temporal": temporal_chain}
BEFORE, FENCED, BEHIND = range(3)


class OrderSpec(Elaboratable):
    """Fence n stands before its manager only after the n-th load before it was answered; what is
    behind stands there only after its fence was answered, and so does the fence's completion.

    Everything around the engine is free.
    """

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.design = type(chain.engine).__name__
        self.inputs = environment(chain)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.chain.engine
        m.d.comb += [dut.configuration.eq(self.chain.configuration), Assume(~ResetSignal())]
        for ordinal in set(self.chain.requests):
            is_answered(m, getattr(dut, f"request_{ordinal}_0"))

        def count(name, happens):
            number = Signal(4, name=name)
            m.d.sync += number.eq(number + happens)
            return number

        stands, taken, answered = [], [], []
        for part in range(3):
            channel, has = self.chain.request(part)
            stands.append(channel.valid & has(channel.slot))
            taken.append(count(f"taken_{part}", stands[part] & channel.ready))
            ends = channel.rsp_valid & channel.rsp_done & has(channel.rsp_slot)
            answered.append(count(f"answered_{part}", ends))
        complete = count("complete", self.chain.publishes(FENCED))
        fence, _ = self.chain.request(FENCED)
        m.d.comb += [
            Assert(~stands[FENCED] | (taken[FENCED] < answered[BEFORE])),
            Assert(~stands[BEHIND] | (taken[BEHIND] < answered[FENCED])),
            Assert(~self.chain.publishes(FENCED) | (complete < answered[FENCED])),
            # It touches nothing.
            Assert(~fence.valid | (fence.lanes == 0)),
        ]
        return m


class CompletionSpec(Elaboratable):
    """A fence that a load's completion has let through completes within ``bound`` cycles.

    Its manager and the consumers of its completion are fair to it; the load's need not be.
    """

    def __init__(self, chain: Chain, bound: int) -> None:
        self.chain = chain
        self.bound = bound
        self.design = type(chain.engine).__name__
        self.inputs = environment(chain)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.chain.engine
        m.d.comb += [dut.configuration.eq(self.chain.configuration), Assume(~ResetSignal())]
        for ordinal in set(self.chain.requests):
            channel = getattr(dut, f"request_{ordinal}_0")
            is_fair = ordinal == self.chain.requests[FENCED]
            if is_fair:
                is_taken(m, channel, within=PATIENCE)
            is_answered(m, channel, within=PATIENCE if is_fair else None)
        begins, ends = self.chain.publishes(BEFORE), self.chain.publishes(FENCED)
        consumer = getattr(dut, f"egress_{self.chain.completions[FENCED]}")
        is_ready_again(m, consumer.ready, ends, within=PATIENCE)
        inside = Signal(4)
        m.d.sync += inside.eq(inside + begins - ends)
        publishes_within(m, inside.any(), ends, self.bound)
        return m


def environment(chain: Chain) -> list[Value]:
    """Every input but the configuration."""
    return [each for each in inputs_of(chain.engine) if each is not chain.engine.configuration]


#: Cycles in which two fences and what is around them have passed.
ORDER_DEPTH = {"spatial": 14, "temporal": 22}


@pytest.mark.proves(ORDERED)
@pytest.mark.parametrize("chain", CHAINS)
def test_a_fence_is_not_passed_by_what_it_orders(chain, tmp_path):
    spec = OrderSpec(CHAINS[chain](behind=True))
    check(spec, spec.inputs, tmp_path, depth=ORDER_DEPTH[chain])


@pytest.mark.rejects(ORDERED)
@pytest.mark.parametrize(
    ("chain", "place", "mutant"),
    [
        ("spatial", "spatial.port.ResultRing", HastyRing),
        ("spatial", "spatial.engine.SpatialPort", HeedlessPort),
        ("temporal", "temporal.engine.TemporalPort", HastyTemporalPort),
        ("temporal", "temporal.engine.TemporalPort", HeedlessTemporalPort),
    ],
)
def test_the_proof_rejects_an_engine_whose_fence_does_not_order(
    chain, place, mutant, tmp_path, monkeypatch
):
    monkeypatch.setattr(f"fabricgen.rtl.{place}", mutant)
    spec = OrderSpec(CHAINS[chain](behind=True))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=ORDER_DEPTH[chain])


#: From the cycle in which its control token is there: the way of a fence, and P at either end.
BOUNDS = {"spatial": 2 * PATIENCE + 2, "temporal": 2 * PATIENCE + 5}
COMPLETION_DEPTH = {"spatial": 14, "temporal": 18}


@pytest.mark.proves(COMPLETES)
@pytest.mark.parametrize("chain", CHAINS)
def test_a_fence_completes_in_bounded_time(chain, tmp_path):
    def spec(bound):
        return CompletionSpec(CHAINS[chain](behind=False), bound)

    check_bound(spec, BOUNDS[chain], tmp_path, depth=COMPLETION_DEPTH[chain])


@pytest.mark.rejects(COMPLETES)
@pytest.mark.parametrize(
    ("chain", "place", "mutant"),
    [
        ("spatial", "spatial.port.ResultRing", LosingRing),
        ("temporal", "temporal.engine.TemporalPort", LosingTemporalPort),
    ],
)
def test_the_proof_rejects_an_engine_that_loses_a_fence(
    chain, place, mutant, tmp_path, monkeypatch
):
    monkeypatch.setattr(f"fabricgen.rtl.{place}", mutant)
    spec = CompletionSpec(CHAINS[chain](behind=False), BOUNDS[chain])
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=COMPLETION_DEPTH[chain])
