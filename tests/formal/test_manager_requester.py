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

from fabricgen.plan.atomic_use import NO_ATOMICS, AtomicUse
from fabricgen.plan.geometry import AccessMode
from fabricgen.rtl.manager.requester import ManagerRequester
from fabricgen.rtl.manager.stream import BeatKind
from tests.formal.environment import inputs_of, is_bounded
from tests.formal.harness import check, check_bound
from tests.support.manager_model import requester
from tests.support.manager_mutants import (
    FencelessRequester,
    ForgetfulRequester,
    HastyFenceRequester,
    IdleRequester,
    RestlessRequester,
    TouchingFenceRequester,
    WaitingRequester,
)

pytestmark = pytest.mark.formal

SLOTS = 2

STAYS = "an offered beat of a manager stays until taken"
ENDS = "each access at a manager ends once, with its last answer"
COUNTED = "what a manager's requester has outstanding is counted"
FENCED = "a fence is one beat that touches nothing, and done with its answer"
PROGRESS = "bounded progress in a fair environment"

#: Cycles for which a manager refuses a beat, then leaves it unanswered.
PATIENCE = 1

#: The way of one access of two beats behind one that has as many.
BOUND, DEPTH = 9, 16


class RequesterSpec(Elaboratable):
    """Stated against the ports of :class:`ManagerRequester` only.

    The environment keeps its requests, names free slots, and answers beats that are unanswered.
    Then an offered beat stays; an access is done once, with the answer to its last beat or with
    none where it has no beat; and what is idle has nothing outstanding.
    """

    def __init__(self, dut: ManagerRequester) -> None:
        self.dut = dut
        channel = dut.channel
        kinds = [channel.fence] if hasattr(channel, "fence") else []
        self.request = [channel.address, channel.beyond, channel.lanes, channel.slot, *kinds]
        self.inputs = list(inputs_of(dut))

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
        m.d.comb += Assume(channel.lanes.any() ^ self._fence())

        # An offered beat stays.
        fields = Cat(getattr(stream, f"req_{name}") for name in stream_fields(dut))
        waits = Signal()
        last_fields = Signal.like(fields)
        m.d.sync += [waits.eq(stream.req_valid & ~stream.req_ready), last_fields.eq(fields)]
        with m.If(waits):
            m.d.comb += Assert(stream.req_valid & (fields == last_fields))
        with m.If(stream.req_valid):
            m.d.comb += Assert(stream.req_strobe.any() ^ self._is_fence_beat())

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

    def _fence(self) -> Value:
        """The access on the channel is a fence."""
        return getattr(self.dut.channel, "fence", Const(0, 1))

    def _is_fence_beat(self) -> Value:
        return self.dut.stream.req_kind == BeatKind.FENCE.value

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
        self._fences_once(m, slot, is_own, flying.any(), offered, got, done)

    def _fences_once(self, m: Module, slot: int, is_own, flying, offered, got, done) -> None:
        """A fence is one beat without an address, and done with its answer."""
        stream, name = self.dut.stream, f"slot_{slot}"
        fences, was_answered = Signal(name=f"{name}_fences"), Signal(name=f"{name}_was_answered")
        with m.If(is_own):
            m.d.sync += fences.eq(self._fence())
        m.d.sync += was_answered.eq(got)
        with m.If(offered):
            m.d.comb += Assert(self._is_fence_beat() == fences)
        with m.If(fences & offered):
            m.d.comb += [Assert(~flying), Assert(stream.req_address == 0)]
            m.d.comb += Assert(stream.req_more == 0)
        with m.If(fences & done):
            m.d.comb += Assert(was_answered)


def stream_fields(dut: ManagerRequester) -> list[str]:
    names = [name for name in dut.stream.signature.members if name.startswith("req_")]
    return [name.removeprefix("req_") for name in names if name not in ("req_valid", "req_ready")]


def small(kind=ManagerRequester, *, fence=False):
    """Two lanes of a byte over beats of one byte, two slots: every path, few bits."""
    atomics = AtomicUse(fence=True, ordered=True) if fence else NO_ATOMICS
    modes = (AccessMode(False, 1, 2),)
    return requester(modes, beat_bytes=1, slots=SLOTS, atomics=atomics, kind=kind)


@pytest.mark.proves(STAYS, ENDS, COUNTED)
def test_beats_stay_and_each_access_ends_once(tmp_path):
    spec = RequesterSpec(small())
    check(spec, spec.inputs, tmp_path, depth=9)


@pytest.mark.proves(STAYS, ENDS, COUNTED, FENCED)
def test_and_a_fence_is_one_beat_that_touches_nothing(tmp_path):
    spec = RequesterSpec(small(fence=True))
    check(spec, spec.inputs, tmp_path, depth=9)


@pytest.mark.rejects(STAYS)
def test_the_proof_rejects_a_beat_that_gives_way(tmp_path):
    refuted(RequesterSpec(small(RestlessRequester)), tmp_path)


@pytest.mark.rejects(ENDS)
def test_the_proof_rejects_an_end_with_the_first_answer(tmp_path):
    refuted(RequesterSpec(small(ForgetfulRequester)), tmp_path)


@pytest.mark.rejects(COUNTED)
def test_the_proof_rejects_rest_with_beats_outstanding(tmp_path):
    refuted(RequesterSpec(small(IdleRequester)), tmp_path)


@pytest.mark.rejects(FENCED)
@pytest.mark.parametrize("mutant", [HastyFenceRequester, TouchingFenceRequester])
def test_the_proof_rejects_a_wrong_fence(mutant, tmp_path):
    refuted(RequesterSpec(small(mutant, fence=True)), tmp_path)


def refuted(spec, tmp_path, depth=9):
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=depth)


class AccessProgressSpec(Elaboratable):
    """An access that stands on the channel ends within ``bound`` cycles.

    The manager refuses a beat, and leaves one unanswered, for at most ``PATIENCE`` cycles. Ports
    keep what they ask for, and name a free slot.
    """

    def __init__(self, dut: ManagerRequester, bound: int) -> None:
        self.dut = dut
        self.bound = bound
        self.inputs = list(inputs_of(dut))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        channel, stream = dut.channel, dut.stream
        request = Cat(channel.address, channel.beyond, channel.lanes, channel.slot, channel.fence)
        stuck, was = Signal(), Signal(len(request))
        m.d.sync += [stuck.eq(channel.valid & ~channel.ready), was.eq(request)]
        m.d.comb += [
            Assume(~ResetSignal()),
            Assume(~stuck | (channel.valid & (request == was))),
            Assume(channel.lanes.any() ^ channel.fence),
        ]
        refused = Signal(range(PATIENCE + 2))
        is_bounded(m, refused, stream.req_valid & ~stream.req_ready, PATIENCE)

        # A beat that is sent may be answered from the next cycle on.
        places = 1 << len(stream.req_beat)
        sent = stream.req_valid & stream.req_ready
        answered = Cat(stream.rsp_beat, stream.rsp_origin)
        asked = Cat(stream.req_beat, stream.req_origin)
        flying = Signal(SLOTS * places)
        m.d.comb += Assume(~stream.rsp_valid | flying.bit_select(answered, 1))
        for beat in range(len(flying)):
            ends = stream.rsp_valid & (answered == beat)
            with m.If(sent & (asked == beat)):
                m.d.sync += flying[beat].eq(1)
            with m.Elif(ends):
                m.d.sync += flying[beat].eq(0)
            late = Signal(range(PATIENCE + 2), name=f"late_{beat}")
            is_bounded(m, late, flying[beat] & ~ends, PATIENCE)

        for slot in range(SLOTS):
            stands = channel.valid & (channel.slot == slot)
            inside, age = Signal(name=f"inside_{slot}"), Signal(8, name=f"age_{slot}")
            done = channel.rsp_valid & channel.rsp_done & (channel.rsp_slot == slot)
            m.d.sync += [
                inside.eq(inside & ~done | stands & channel.ready),
                age.eq(Mux((inside | stands) & ~done, age + 1, 0)),
            ]
            m.d.comb += [
                Assume(~(stands & inside)),
                Assert(~(inside | stands) | done | (age < self.bound)),
            ]
        return m


@pytest.mark.proves(PROGRESS)
def test_an_access_ends_in_bounded_time(tmp_path):
    def spec(bound):
        return AccessProgressSpec(small(fence=True), bound)

    check_bound(spec, BOUND, tmp_path, depth=DEPTH)


@pytest.mark.rejects(PROGRESS)
@pytest.mark.parametrize("mutant", [FencelessRequester, WaitingRequester])
def test_the_proof_rejects_a_requester_that_hangs(mutant, tmp_path):
    refuted(AccessProgressSpec(small(mutant, fence=True), BOUND), tmp_path, DEPTH)
