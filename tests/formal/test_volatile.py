"""Accesses of a volatile row reach its manager one by one."""

from dataclasses import replace

import pytest
from amaranth.hdl import Assert, Assume, Elaboratable, Module, ResetSignal, Signal

from fabricgen.config.codec import encode_configuration
from fabricgen.plan.rows import Active
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.rtl.spatial.engine import SpatialEngine
from fabricgen.rtl.temporal.engine import TemporalEngine
from tests.formal.environment import inputs_of, is_answered
from tests.formal.harness import check
from tests.formal.test_temporal_publication import BYTES, ENDS
from tests.support.memories import ELEMENT, LOAD, ROLE, actor, alternative, memory, port, row, view
from tests.support.progress_mutants import EmptyRing, PlainTable
from tests.support.temporal_engines import engine_row

pytestmark = pytest.mark.formal

ONE_BY_ONE = "a volatile row of a manager has one access between request and publication"

EXT = ManagerEndpointTarget(0)
BYTE = view(ELEMENT, element=8, index=2)


def volatile_engine(contexts=None):
    """An engine of one port of bytes at a manager, and its carrier; its row 0 is volatile.

    With ``contexts`` so many rows; the others are not, and each has its ordinal for a tag.
    """
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    load = alternative(LOAD, roles, BYTES, volatile=(False, True))
    limit = 2 if contexts is None else (2, 3)
    several = {} if contexts is None else {"contexts": contexts}
    limits = {"in_flight": limit, "result_holding": limit, "depth": 1, "inputs": 2}
    named = memory(
        ENDS,
        2,
        [port(load, **limits, **several)],
        None,
        managers={"ext0": 8},
        contexts=contexts,
        tag_width=1,
    )
    if contexts is None:
        rows = (replace(row(0, LOAD, BYTE, base=0, target=EXT), actor=actor(LOAD, True)),)
        return SpatialEngine(named), encode_configuration(named, Active(rows))
    rows = tuple(
        engine_row(
            context,
            0,
            LOAD,
            BYTE,
            dict.fromkeys(ROLE, context),
            base=0,
            target=EXT,
            volatile=not context,
        )
        for context in range(contexts)
    )
    return TemporalEngine(named), encode_configuration(named, Active(rows))


class VolatileSpec(Elaboratable):
    """An access of row 0 stands before the manager only where its last one was published.

    Everything around the engine is free.
    """

    def __init__(self, engine, carrier: int) -> None:
        self.dut = engine
        self.design = type(engine).__name__
        self.carrier = carrier
        self.inputs = [each for each in inputs_of(engine) if each is not engine.configuration]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        request, egress = dut.request_0_0, dut.egress_3
        is_answered(m, request)
        m.d.comb += [dut.configuration.eq(self.carrier), Assume(~ResetSignal())]
        stands, leaves = request.valid, egress.valid
        if hasattr(egress, "tag"):
            stands &= request.slot[dut.table.shapes[0].index_bits :] == 0
            leaves &= egress.tag == 0
        inside = Signal()
        m.d.sync += inside.eq(inside & ~leaves | stands & request.ready)
        m.d.comb += [Assert(~stands | ~inside), Assert(~stands | request.volatile)]
        return m


ENGINES = {"spatial": None, "temporal": 2}
#: Long enough for a second firing to stand where it must not, and for one to be published.
DEPTH = 14


@pytest.mark.proves(ONE_BY_ONE)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_volatile_row_has_one_access_under_way(engine, tmp_path):
    spec = VolatileSpec(*volatile_engine(ENGINES[engine]))
    check(spec, spec.inputs, tmp_path, depth=DEPTH)


@pytest.mark.rejects(ONE_BY_ONE)
@pytest.mark.parametrize(
    ("engine", "place", "mutant"),
    [
        ("spatial", "spatial.port.ResultRing", EmptyRing),
        ("temporal", "temporal.engine.RowTable", PlainTable),
    ],
)
def test_the_proof_rejects_a_row_with_several(engine, place, mutant, tmp_path, monkeypatch):
    monkeypatch.setattr(f"fabricgen.rtl.{place}", mutant)
    spec = VolatileSpec(*volatile_engine(ENGINES[engine]))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=DEPTH)
