import pytest
from amaranth.hdl import Assert, Assume, Cat, Elaboratable, Module, Mux, Signal

from fabricgen.plan.geometry import AccessMode
from fabricgen.rtl.manager.requester import ManagerRequester
from tests.formal.harness import check
from tests.support.manager_model import requester
from tests.support.manager_mutants import ForgetfulRequester, IdleRequester, RestlessRequester

pytestmark = pytest.mark.formal

SLOTS = 2


class RequesterSpec(Elaboratable):
    """Stated against the ports of :class:`ManagerRequester` only.

    The environment keeps its requests, names free slots, and answers beats that are unanswered.
    Then an offered beat stays; an access is done once, with the answer to its last beat or with
    none where it has no beat; and what is idle has nothing outstanding.
    """

    def __init__(self, dut: ManagerRequester) -> None:
        self.dut = dut
        channel, stream = dut.channel, dut.stream
        self.request = [channel.address, channel.beyond, channel.lanes, channel.slot]
        self.inputs = [channel.valid, *self.request, stream.req_ready, stream.rsp_valid]
        self.inputs += [stream.rsp_origin, stream.rsp_beat, stream.rsp_data, stream.rsp_error]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        channel, stream = dut.channel, dut.stream

        # Environment.
        stuck = Signal()
        request = Cat(*self.request)
        last_request = Signal.like(request)
        m.d.sync += [stuck.eq(channel.valid & ~channel.ready), last_request.eq(request)]
        with m.If(stuck):
            m.d.comb += Assume(channel.valid & (request == last_request))
        m.d.comb += Assume(channel.lanes.any())

        # An offered beat stays.
        fields = Cat(getattr(stream, f"req_{name}") for name in stream_fields(dut))
        waits = Signal()
        last_fields = Signal.like(fields)
        m.d.sync += [waits.eq(stream.req_valid & ~stream.req_ready), last_fields.eq(fields)]
        with m.If(waits):
            m.d.comb += Assert(stream.req_valid & (fields == last_fields))
        with m.If(stream.req_valid):
            m.d.comb += Assert(stream.req_strobe.any())

        places = 1 << len(stream.req_beat)
        flying = Signal(SLOTS * places)
        sent = stream.req_valid & stream.req_ready
        asked = Cat(stream.req_beat, stream.req_origin)
        answered = Cat(stream.rsp_beat, stream.rsp_origin)
        here = Signal.like(flying)
        there = Signal.like(flying)
        m.d.comb += [
            here.eq(Mux(sent, 1 << asked, 0)),
            there.eq(Mux(stream.rsp_valid, 1 << answered, 0)),
            Assume((there & ~flying) == 0),
            Assert((here & flying) == 0),
            Assert(~dut.idle | ~(flying.any() | stream.req_valid)),
        ]
        m.d.sync += flying.eq(flying & ~there | here)

        for slot in range(SLOTS):
            self._ends_once(m, slot, flying.word_select(slot, places), there)
        return m

    def _ends_once(self, m: Module, slot: int, flying, there) -> None:
        channel, stream = self.dut.channel, self.dut.stream
        name = f"slot_{slot}"
        inside = Signal(name=f"{name}_inside")  # taken, and not done
        is_own = channel.valid & (channel.slot == slot)
        takes = is_own & channel.ready
        done = channel.rsp_valid & channel.rsp_done & (channel.rsp_slot == slot)
        m.d.comb += [Assume(~(is_own & inside)), Assert(inside | ~done)]
        m.d.sync += inside.eq(inside & ~done | takes)

        # The last answer of a taken access, or the taking of one without beats, ends it.
        offered = stream.req_valid & (stream.req_origin == slot)
        left = flying & ~there.word_select(slot, len(flying))
        fault_free = Signal(name=f"{name}_fault_free")
        ends = Signal(name=f"{name}_ends")
        got = stream.rsp_valid & (stream.rsp_origin == slot)
        m.d.comb += fault_free.eq(~takes)
        m.d.sync += ends.eq(inside & got & ~left.any() & ~offered & fault_free)
        with m.If(ends):
            m.d.comb += Assert(done)
        # Nothing is left of an access that is done.
        with m.If(done):
            m.d.comb += Assert(~flying.any() & ~offered)


def stream_fields(dut: ManagerRequester) -> list[str]:
    names = [name for name in dut.stream.signature.members if name.startswith("req_")]
    return [name.removeprefix("req_") for name in names if name not in ("req_valid", "req_ready")]


def small(kind=ManagerRequester):
    """Two lanes of a byte over beats of one byte, two slots: every path, few bits."""
    return requester((AccessMode(False, 1, 2),), beat_bytes=1, slots=SLOTS, kind=kind)


@pytest.mark.proves("an offered beat of a manager stays until taken")
@pytest.mark.proves("each access at a manager ends once, with its last answer")
@pytest.mark.proves("what a manager's requester has outstanding is counted")
def test_beats_stay_and_each_access_ends_once(tmp_path):
    spec = RequesterSpec(small())
    check(spec, spec.inputs, tmp_path, depth=9)


@pytest.mark.rejects("an offered beat of a manager stays until taken")
def test_the_proof_rejects_a_beat_that_gives_way(tmp_path):
    refuted(RestlessRequester, tmp_path)


@pytest.mark.rejects("each access at a manager ends once, with its last answer")
def test_the_proof_rejects_an_end_with_the_first_answer(tmp_path):
    refuted(ForgetfulRequester, tmp_path)


@pytest.mark.rejects("what a manager's requester has outstanding is counted")
def test_the_proof_rejects_rest_with_beats_outstanding(tmp_path):
    refuted(IdleRequester, tmp_path)


def refuted(mutant, tmp_path):
    spec = RequesterSpec(small(mutant))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=9)
