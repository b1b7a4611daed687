"""What a compare-exchange publishes is of one answer, and leaves together."""

import pytest
from amaranth.hdl import Assert, Assume, Cat, Elaboratable, Module, Mux, ResetSignal, Signal

from fabricgen.config.codec import encode_configuration
from fabricgen.plan.rows import Active, OperationRow, ResultDestination, RoleSource
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.rtl.spatial.engine import SpatialEngine
from fabricgen.rtl.temporal.engine import TemporalEngine
from tests.formal.environment import inputs_of, is_answered, stays
from tests.formal.harness import check
from tests.support.actors import CAS, LANE, actors, atomic_access, exact
from tests.support.memories import CONTIGUOUS, DYNAMIC, ROLE, memory, port, view
from tests.support.mutants import EagerPort, OvertakingRing
from tests.support.progress_mutants import FirstLaneStore, OneSuccessStore
from tests.support.temporal_front_mutants import OvertakingClaims
from tests.support.temporal_mutants import EagerPublisher

pytestmark = pytest.mark.formal

ONE_ANSWER = "old value, success and done of a compare-exchange are of one answer and leave jointly"

LANES = 2
ENDS = {"addr": 2, "expected": 16, "desired": 16, "mask": LANES, "ctrl": 0}
ENDS |= {"old": 16, "success": LANES, "done": 0}
MASK, OLD, SUCCESS, DONE = 3, 5, 6, 7
ROLES = (ROLE.ADDRESS, ROLE.EXPECTED, ROLE.DESIRED, ROLE.MASK, ROLE.CONTROL)
ROLES += (ROLE.OLD, ROLE.SUCCESS, ROLE.COMPLETION)


def exchanging(contexts=None):
    """An engine of one port that compares and exchanges two bytes under a mask, and its carrier.

    With ``contexts`` so many rows, which have their ordinals for tags.
    """
    access = atomic_access(CAS, CONTIGUOUS, element=(8,), lanes=(LANES,), index=(2,), mask=True)
    exchange = MemoryCapabilityAlternative(
        actors(CAS, granularity=[LANE]),
        tuple(zip(ROLES, range(len(ROLES)), strict=True)),
        ParameterizedMemoryAccessDomain.of(access),
        (0,),
    )
    several = {} if contexts is None else {"contexts": contexts}
    limit = 2 if contexts is None else (2, 3)
    only = port(
        exchange,
        in_flight=limit,
        result_holding=limit,
        depth=1,
        inputs=5,
        transactions=(LANES,),
        **several,
    )
    named = memory(ENDS, 5, [only], None, managers={"ext0": 8}, tag_width=1, contexts=contexts)
    rows = tuple(exchanges(row, None if contexts is None else row) for row in range(contexts or 1))
    engine = SpatialEngine if contexts is None else TemporalEngine
    return engine(named), encode_configuration(named, Active(rows))


def exchanges(context, tag):
    """The row of one context: all that it takes and gives is at the endpoints."""
    return OperationRow(
        port=0,
        capability_alternative=0,
        use_pattern=context,
        actor=exact(CAS, granularity=LANE, alignment=1),
        access=view(CONTIGUOUS, element=8, lanes=LANES, mask=DYNAMIC, index=2),
        base_addr=0,
        sources=tuple((role, RoleSource(tag=tag)) for role in ROLES[:5]),
        destinations=tuple((role, ResultDestination(True, (), tag)) for role in ROLES[5:]),
        service_target=ManagerEndpointTarget(0),
    )


class ComparisonSpec(Elaboratable):
    """What leaves is, lane by lane, what the answers to the firing's own access have said.

    Firings of a row leave in the order in which their accesses began.

    One firing, free to choose, is watched from its request on. A lane that is inactive or out of
    range is zero in both results. A firing has an active lane: what it says without one, nobody has
    answered.
    """

    def __init__(self, engine, carrier: int) -> None:
        self.dut = engine
        self.design = type(engine).__name__
        self.carrier = carrier
        self.row, self.watch = Signal(), Signal()
        free = [each for each in inputs_of(engine) if each is not engine.configuration]
        self.inputs = [*free, self.row, self.watch]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        request, mask = dut.request_0_0, getattr(dut, f"ingress_{MASK}")
        stays(m, self.row)
        is_answered(m, request)
        m.d.comb += [
            dut.configuration.eq(self.carrier),
            Assume(~ResetSignal()),
            Assume(mask.data.any()),
        ]
        egresses = [getattr(dut, f"egress_{end}") for end in (OLD, SUCCESS, DONE)]
        taken, valid = request.valid & request.ready, Cat(each.valid for each in egresses)
        leaves = valid.any()
        # All or none, and only to those that are ready.
        m.d.comb += [
            Assert(~leaves | valid.all()),
            Assert((valid & ~Cat(e.ready for e in egresses)) == 0),
        ]
        if hasattr(mask, "tag"):
            bits = dut.table.shapes[0].index_bits
            taken &= request.slot[bits:] == self.row
            m.d.comb += Assert(
                ~leaves | (Cat(e.tag for e in egresses) == egresses[0].tag.replicate(3))
            )
            leaves &= egresses[0].tag == self.row

        inside, ahead = Signal(3), Signal(3)
        watching, answered = Signal(), Signal()
        slot, lanes = Signal.like(request.slot), Signal(LANES)
        m.d.sync += inside.eq(inside + taken - leaves)
        with m.If(~watching & self.watch & taken):
            m.d.sync += [
                watching.eq(1),
                slot.eq(request.slot),
                lanes.eq(request.lanes),
                ahead.eq(inside - leaves),
                answered.eq(0),
            ]
        with m.Elif(watching & leaves):
            m.d.sync += [ahead.eq(ahead - 1), watching.eq(ahead != 0)]

        arrives = watching & ~answered & request.rsp_valid & (request.rsp_slot == slot)
        ends = arrives & request.rsp_done
        inside_range = Signal(LANES)
        with m.If(ends):
            m.d.sync += [answered.eq(1), inside_range.eq(request.rsp_in_range)]
        shown = lanes & inside_range
        published = watching & leaves & (ahead == 0)
        m.d.comb += Assert(~published | answered)
        old, success, _ = egresses
        for lane in range(LANES):
            byte, won = self._said(m, lane, arrives, ends, lanes[lane])
            with m.If(published):
                m.d.comb += [
                    Assert(old.data.word_select(lane, 8) == Mux(shown[lane], byte, 0)),
                    Assert(success.data[lane] == (shown[lane] & won)),
                ]
        return m

    def _said(self, m: Module, lane: int, arrives, ends, active) -> tuple[Signal, Signal]:
        """What the answers say of one lane: its byte and its comparison, in one of them."""
        request = self.dut.request_0_0
        byte, won = Signal(8, name=f"byte_{lane}"), Signal(name=f"won_{lane}")
        has = Signal(name=f"has_{lane}")
        here = arrives & request.rsp_tested[lane]
        m.d.comb += [
            Assume(~arrives | (request.rsp_tested[lane] == request.rsp_strobe[lane])),
            Assume(~here | (active & ~has)),
            Assume(~ends | ~active | has | here),
        ]
        with m.If(here):
            m.d.sync += [
                has.eq(~ends),
                byte.eq(request.rsp_data.word_select(lane, 8)),
                won.eq(request.rsp_success[lane]),
            ]
        with m.Elif(ends):
            m.d.sync += has.eq(0)
        return byte, won


ENGINES = {"spatial": None, "temporal": 2}
#: The way of one firing, and of the one before it.
DEPTH = {"spatial": 9, "temporal": 12}


@pytest.mark.proves(ONE_ANSWER, "per-row order")
@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_comparison_publishes_is_of_its_own_answer(engine, tmp_path):
    spec = ComparisonSpec(*exchanging(ENGINES[engine]))
    check(spec, spec.inputs, tmp_path, depth=DEPTH[engine])


@pytest.mark.rejects(ONE_ANSWER)
@pytest.mark.parametrize(
    ("engine", "place", "mutant"),
    [
        ("spatial", "spatial.engine.SpatialPort", EagerPort),
        ("spatial", "spatial.port.ResultRing", OvertakingRing),
        ("spatial", "spatial.port.ResultStore", OneSuccessStore),
        ("spatial", "spatial.port.ResultStore", FirstLaneStore),
        ("temporal", "temporal.engine.Publisher", EagerPublisher),
        ("temporal", "temporal.port.RowClaims", OvertakingClaims),
        ("temporal", "temporal.port.ResultStore", OneSuccessStore),
        ("temporal", "temporal.port.ResultStore", FirstLaneStore),
    ],
)
def test_the_proof_rejects_results_that_are_not_of_one_answer(
    engine, place, mutant, tmp_path, monkeypatch
):
    monkeypatch.setattr(f"fabricgen.rtl.{place}", mutant)
    spec = ComparisonSpec(*exchanging(ENGINES[engine]))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=DEPTH[engine])
