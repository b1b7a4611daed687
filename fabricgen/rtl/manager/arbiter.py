"""The ports of a memory in front of one manager."""

from functools import reduce

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.atomic_use import AtomicUse
from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.arbiter import Arbiter
from fabricgen.rtl.logic import any_bit, select
from fabricgen.rtl.manager.stream import ManagerStream, ManagerStreamShape

__all__ = ["BeatArbiter", "joint_stream"]


def joint_stream(users: tuple[ManagerStreamShape, ...]) -> ManagerStreamShape:
    """Shape of the stream that carries the beats of all users, with who sent each.

    The origin is the slot, and above it the user's ordinal where there are several.
    """
    slot_bits = max(user.origin_bits for user in users)
    return ManagerStreamShape(
        beat_bytes=users[0].beat_bytes,
        reads=any(user.reads for user in users),
        writes=any(user.writes for user in users),
        volatile=any(user.volatile for user in users),
        origin_bits=slot_bits + (len(users) - 1).bit_length(),
        beat_bits=max(user.beat_bits for user in users),
        more_bits=max(user.more_bits for user in users),
        atomics=reduce(AtomicUse.union, (user.atomics for user in users)),
    )


class BeatArbiter(wiring.Component):
    """Pass the beats of several users on, one at a time, and take each answer to its user.

    Round robin from user 0. Who is chosen keeps the stream while his beat waits and until a beat
    with no ``more`` is taken, so an offered beat stays, and the beats of a run follow one
    another. An answer reaches its user in the cycle in which it arrives, and is always taken.

    No latency. ``manager.req_*`` follow ``user_<i>.req_*`` and registers only, ``req_ready`` of a
    user those and ``manager.req_ready``. Reset forgets who was chosen.

    Parameters
    ----------
    users
        Streams of the users, all with one width of beats; their origins are slots.

    Members
    -------
    user_<i> : In(users[i].signature())
    manager : Out(joint_stream(users).signature())
    """

    manager: ManagerStream

    def __init__(self, users: tuple[ManagerStreamShape, ...]) -> None:
        if not users or len({user.beat_bytes for user in users}) != 1:
            raise TypeError(f"BeatArbiter users must share one width of beats, not {users!r}")
        self.shapes = users
        self.slot_bits = max(user.origin_bits for user in users)
        self.shape = joint_stream(users)
        super().__init__(
            {
                **{f"user_{i}": In(user.signature()) for i, user in enumerate(users)},
                "manager": Out(self.shape.signature()),
            }
        )

    @property
    def users(self) -> list[ManagerStream]:
        """Streams of the users, in order."""
        return [getattr(self, f"user_{i}") for i in range(len(self.shapes))]

    def elaborate(self, platform: object) -> Module:
        """Choose, pass on, and route the answers."""
        m = Module()
        chosen = self._chosen(m)
        users, manager = self.users, self.manager
        m.d.comb += manager.req_valid.eq(
            any_bit(here & user.req_valid for here, user in zip(chosen, users, strict=True))
        )
        m.d.comb += [
            user.req_ready.eq(here & manager.req_ready)
            for here, user in zip(chosen, users, strict=True)
        ]
        for name, width in self.shape.request_widths().items():
            words = [
                (here, self._field(ordinal, name))
                for ordinal, here in enumerate(chosen)
                if name == "origin" or hasattr(users[ordinal], f"req_{name}")
            ]
            padded = [(here, Cat(word, Const(0, width - len(word)))) for here, word in words]
            m.d.comb += getattr(manager, f"req_{name}").eq(select(padded, width))
        self._answer(m)
        return m

    def _chosen(self, m: Module) -> list[Value]:
        """One-hot: whose beat the stream shows."""
        users = self.users
        if len(users) == 1:
            return [Const(1, 1)]
        ordinals = tuple(range(len(users)))
        m.submodules.turn = turn = Arbiter(RoundRobin(ordinals, 0), ordinals)
        is_held = Signal()
        holder = Signal(len(users), reset_less=True)
        chosen = Signal(len(users))
        taken = self.manager.req_valid & self.manager.req_ready
        with m.If(is_held):
            m.d.comb += chosen.eq(holder)
        with m.Else():
            m.d.comb += [
                turn.request.eq(Cat(user.req_valid for user in users)),
                chosen.eq(turn.grant),
            ]
        goes_on = self.manager.req_more.any() if self.shape.more_bits else Const(0, 1)
        m.d.sync += [
            is_held.eq((is_held | self.manager.req_valid) & ~(taken & ~goes_on)),
            holder.eq(chosen),
        ]
        return list(chosen)

    def _field(self, ordinal: int, name: str) -> Value:
        """A request field of one user; what he lacks is zero."""
        if name != "origin":
            return getattr(self.users[ordinal], f"req_{name}")
        user = self.users[ordinal]
        slot = user.req_origin if self.shapes[ordinal].origin_bits else Const(0, 0)
        padded = Cat(slot, Const(0, self.slot_bits - len(slot)))
        return Cat(padded, Const(ordinal, self.shape.origin_bits - self.slot_bits))

    def _answer(self, m: Module) -> None:
        """Fields go to everybody, ``rsp_valid`` to the user that the origin names."""
        manager = self.manager
        m.d.comb += manager.rsp_ready.eq(1)
        for ordinal, (user, shape) in enumerate(zip(self.users, self.shapes, strict=True)):
            here = (
                manager.rsp_origin[self.slot_bits :] == ordinal
                if len(self.shapes) > 1
                else Const(1, 1)
            )
            m.d.comb += user.rsp_valid.eq(manager.rsp_valid & here)
            for name, width in shape.response_widths().items():
                m.d.comb += getattr(user, f"rsp_{name}").eq(getattr(manager, f"rsp_{name}")[:width])
