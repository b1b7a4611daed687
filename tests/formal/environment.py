"""What may stand around a design in a proof, said in one place.

Everything is free that nothing here binds: data, tags, when a token comes, when one is taken.
"""

from collections.abc import Iterator

from amaranth.hdl import Assume, Cat, Const, Module, Signal, Value, ValueLike
from amaranth.lib import wiring

__all__ = ["inputs_of", "is_answered", "is_bounded", "is_ready_again", "is_taken", "stays"]


def inputs_of(component: wiring.Component) -> Iterator[Value]:
    """Every input of a component, through its interfaces."""
    for _, member, value in component.signature.flatten(component):
        if member.flow is wiring.In:
            yield value


def stays(m: Module, value: Value) -> None:
    """A configuration is any that it likes, and stays."""
    word = Value.cast(value)
    was, is_set = Signal(len(word)), Signal()
    m.d.sync += [was.eq(word), is_set.eq(1)]
    m.d.comb += Assume(~is_set | (was == word))


def is_answered(
    m: Module,
    request: wiring.PureInterface,
    *,
    within: int | None = None,
    slots: Value | None = None,
) -> None:
    """A response answers an access that was taken before, and is the last one once.

    With ``within`` each access has its last response at most so many cycles after the first one in
    which it may have it; only those in ``slots`` where these are told, and the others at any time
    or never.
    """
    count = 1 << len(getattr(request, "slot", Cat()))
    slot, answers = _slot(request, "slot"), _slot(request, "rsp_slot")
    waiting = Signal(count)
    ends = request.rsp_valid & request.rsp_done
    m.d.comb += Assume(~request.rsp_valid | waiting.bit_select(answers, 1))
    for at in range(count):
        ended = ends & (answers == at)
        with m.If(request.valid & request.ready & (slot == at)):
            m.d.sync += waiting[at].eq(1)
        with m.Elif(ended):
            m.d.sync += waiting[at].eq(0)
        if within is not None:
            late = Signal(range(within + 2), name=f"late_{at}")
            due = waiting[at] if slots is None else waiting[at] & slots[at]
            is_bounded(m, late, due & ~ended, within)


def _slot(request: wiring.PureInterface, name: str) -> Value:
    """Slot of a channel; one that has only one has no number."""
    return getattr(request, name, Const(0, 1))


def is_taken(
    m: Module, channel: wiring.PureInterface, *, within: int, where: ValueLike = 1
) -> None:
    """What is offered on a channel is refused in at most so many cycles."""
    stood = Signal(range(within + 2))
    is_bounded(m, stood, channel.valid & ~channel.ready & where, within)


def is_ready_again(m: Module, ready: Value, taken: Value, *, within: int) -> None:
    """A consumer refuses for at most so many cycles, and what is ready stays so until it is served.

    A firing has all its destinations in one cycle, so it needs consumers that wait for others.
    """
    waits, refused = Signal(), Signal(range(within + 2))
    m.d.sync += waits.eq(ready & ~taken)
    m.d.comb += Assume(~waits | ready)
    is_bounded(m, refused, ~ready, within)


def is_bounded(m: Module, count: Signal, happens: Value, most: int) -> None:
    """Something happens in at most so many cycles in a row."""
    m.d.comb += Assume(~happens | (count < most))
    with m.If(happens):
        m.d.sync += count.eq(count + 1)
    with m.Else():
        m.d.sync += count.eq(0)
