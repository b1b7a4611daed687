"""Wrong parts in front of a manager, one for each check that must see the fault."""

from amaranth.hdl import Cat, Const, Module, Signal

from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.arbiter import Arbiter
from fabricgen.rtl.manager.answers import BeatAnswers
from fabricgen.rtl.manager.arbiter import BeatArbiter
from fabricgen.rtl.manager.requester import ManagerRequester
from fabricgen.rtl.manager.stream import BeatKind


class RestlessArbiter(BeatArbiter):
    """Chooses anew in every cycle."""

    def _chosen(self, m):
        ordinals = tuple(range(len(self.users)))
        m.submodules.turn = turn = Arbiter(RoundRobin(ordinals, 0), ordinals)
        m.d.comb += turn.request.eq(Cat(user.req_valid for user in self.users))
        return list(turn.grant)


class BreakingArbiter(BeatArbiter):
    """Keeps a waiting beat, but not a run."""

    def _chosen(self, m):
        ordinals = tuple(range(len(self.users)))
        m.submodules.turn = turn = Arbiter(RoundRobin(ordinals, 0), ordinals)
        is_held = Signal()
        holder, chosen = Signal(len(ordinals)), Signal(len(ordinals))
        with m.If(is_held):
            m.d.comb += chosen.eq(holder)
        with m.Else():
            m.d.comb += turn.request.eq(Cat(user.req_valid for user in self.users))
            m.d.comb += chosen.eq(turn.grant)
        m.d.sync += [is_held.eq(self.manager.req_valid & ~self.manager.req_ready)]
        m.d.sync += holder.eq(chosen)
        return list(chosen)


class FirstUserArbiter(BeatArbiter):
    """User 0 before everybody else, for ever."""

    def _chosen(self, m):
        first = self.users[0].req_valid
        is_held, last = Signal(), Signal()
        chosen = Signal()
        m.d.comb += chosen.eq(is_held & last | ~is_held & ~first)
        taken = self.manager.req_valid & self.manager.req_ready
        goes_on = self.manager.req_more.any() if self.shape.more_bits else Const(0, 1)
        m.d.sync += [
            is_held.eq((is_held | self.manager.req_valid) & ~(taken & ~goes_on)),
            last.eq(chosen),
        ]
        return [~chosen, chosen]


class LoudArbiter(BeatArbiter):
    """Every answer goes to everybody."""

    def _answer(self, m: Module) -> None:
        super()._answer(m)
        m.d.comb += [user.rsp_valid.eq(self.manager.rsp_valid) for user in self.users]


class RestlessRequester(ManagerRequester):
    """A waiting beat gives way to the next one."""

    def _may_pick(self, offered):
        return Const(1, 1)


class GreedyRequester(ManagerRequester):
    """Reads bytes below the access too."""

    def _strobe(self, bit, floor, place):
        return bit


class _ForgetfulAnswers(BeatAnswers):
    """The first answer ends an access."""

    def _count(self, m):
        return self.rsp_valid


class ForgetfulRequester(ManagerRequester):
    """An access is done with its first answer."""

    def _parts(self):
        picker, _ = super()._parts()
        return picker, _ForgetfulAnswers(self.plan, self.shape.slots)


class _SilentAnswers(BeatAnswers):
    """Errors are not seen."""

    def _fail(self, m, slot, is_done):
        super()._fail(m, slot, is_done)
        m.d.sync += self.error.eq(0)


class SilentRequester(ManagerRequester):
    """An error response counts as a good one."""

    def _parts(self):
        picker, _ = super()._parts()
        return picker, _SilentAnswers(self.plan, self.shape.slots)


class IdleRequester(ManagerRequester):
    """Rests as soon as nothing is offered."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += self.idle.eq(~self.stream.req_valid)
        return m


class HastyRequester(ManagerRequester):
    """A beat looks at the answer that arrives beside it."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += self.stream.req_kind.eq(self.stream.rsp_valid)
        return m


class UnkindRequester(ManagerRequester):
    """Takes compare-exchanges for loads."""

    def _kind(self, name):
        return Const(0, 1) if name == "exchange" else super()._kind(name)


class FirstLaneAnswers(BeatAnswers):
    """Takes every comparison for that of lane 0."""

    def _test(self, m):
        m.d.sync += self.success.eq(self.rsp_success)
        m.d.comb += self.tested.eq(self.valid & ~self.is_closed)


class FirstLaneRequester(ManagerRequester):
    """Tells all successes of the first lane."""

    def _parts(self):
        picker, _ = super()._parts()
        return picker, FirstLaneAnswers(self.plan, self.shape.slots)


class HastyFenceRequester(ManagerRequester):
    """Answers a fence as it is sent."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        channel, stream = self.channel, self.stream
        with m.If(stream.req_valid & stream.req_ready & (stream.req_kind == BeatKind.FENCE.value)):
            m.d.comb += [
                channel.rsp_valid.eq(1),
                channel.rsp_done.eq(1),
                channel.rsp_slot.eq(stream.req_origin),
            ]
        return m


class TouchingFenceRequester(ManagerRequester):
    """A fence has the strobes of an access."""

    def _strobe(self, bit, floor, place):
        return super()._strobe(bit, floor, place) | (self.stream.req_kind == BeatKind.FENCE.value)


class FencelessRequester(ManagerRequester):
    """Looks for the lanes of a fence."""

    def _kind(self, name):
        return Const(0, 1) if name == "fence" else super()._kind(name)


class WaitingRequester(ManagerRequester):
    """Offers nothing to a manager that waits for an offer before it is ready."""

    def _may_pick(self, offered):
        return super()._may_pick(offered) & (self.stream.req_ready | self.stream.rsp_valid)
