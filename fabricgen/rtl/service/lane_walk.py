"""The holding register of a requester whose firings go lane by lane, with its lane cursor."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.service.channel import ServiceChannel, ServiceChannelShape

__all__ = ["LaneWalk", "walks_in_windows"]


def walks_in_windows(channel: ServiceChannelShape, issue_lanes: int) -> bool:
    """Some firing needs more than one cycle to let its lanes in."""
    return channel.requester.walks and channel.requester.lanes > issue_lanes


class LaneWalk(wiring.Component):
    """Hold one request while its lanes are let in, a few per cycle and row-major.

    A request flows through while nothing is held, and is held from the next cycle on if it is
    not done. It keeps its lanes: ``released`` says which of them may be served. In each cycle at
    most ``issue_lanes`` lanes are let in: the lowest active ones of the held request that are not
    yet, and once it has none left, those of the request that stands behind it. So a request
    whose later lanes take long does not delay the lanes of the next one. Where ``walk`` is clear
    all lanes are let in at once.

    No latency; ``i.ready`` follows ``o.ready`` while a request is held, and is set otherwise.
    Reset forgets what is held.

    Parameters
    ----------
    channel
        Shape of the requester's channel; one that walks, with more than ``issue_lanes`` lanes.
    issue_lanes
        Lanes let in per cycle.

    Members
    -------
    i : In, o : Out
        Request side of ``channel.signature()``: its members but the responses.
    released : Out(lanes)
        Lanes of the request at ``o`` that are let in by the end of this cycle.
    holds : Out(1)
        A request is held (registered).
    """

    i: ServiceChannel
    o: ServiceChannel
    released: Signal
    holds: Signal

    def __init__(self, channel: ServiceChannelShape, issue_lanes: int) -> None:
        if not walks_in_windows(channel, issue_lanes):
            raise ValueError(
                f"LaneWalk issue_lanes must be below the {channel.requester.lanes} lanes of a "
                f"requester that walks, not {issue_lanes!r}"
            )
        self.issue_lanes = issue_lanes
        self.lanes = channel.requester.lanes
        request = {
            name: member
            for name, member in channel.signature().members.items()
            if not name.startswith("rsp_")
        }
        self.fields = tuple(name for name in request if name not in ("valid", "ready"))
        super().__init__(
            {
                "i": In(wiring.Signature(request)),
                "o": Out(wiring.Signature(request)),
                "released": Out(self.lanes),
                "holds": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The register, then the lanes that are let in: its own first, then those behind it."""
        m = Module()
        moves = Signal()
        m.d.comb += [
            moves.eq(~self.holds | self.o.ready),
            self.i.ready.eq(moves),
            self.o.valid.eq(self.holds | self.i.valid),
        ]
        # What is done in its first cycle is never held.
        with m.If(self.holds):
            m.d.sync += self.holds.eq(~self.o.ready | self.i.valid)
        with m.Else():
            m.d.sync += self.holds.eq(self.i.valid & ~self.o.ready)
        held: dict[str, Signal] = {}
        for name in self.fields:
            here = getattr(self.i, name)
            held[name] = Signal.like(here, name=f"held_{name}", reset_less=True)
            with m.If(moves):
                m.d.sync += held[name].eq(here)
            m.d.comb += getattr(self.o, name).eq(Mux(self.holds, held[name], here))

        self._let_in(m, moves, held["lanes"], held["walk"])
        return m

    def _let_in(self, m: Module, moves: Signal, lanes: Signal, walk: Signal) -> None:
        """Lanes of the held request that are in already, and of the one behind it."""
        inside = Signal(self.lanes, reset_less=True)
        ahead = Signal(self.lanes)
        waiting = Signal(self.lanes)
        is_own = Signal()
        window = Signal(self.lanes)
        m.d.comb += [
            waiting.eq(lanes & ~inside),
            is_own.eq(~self.holds | walk & waiting.any()),
            window.eq(
                _lowest(Mux(self.holds & is_own, waiting, self.i.lanes & ~ahead), self.issue_lanes)
            ),
        ]
        inside_next = Signal.like(inside)
        ahead_next = Signal.like(ahead)
        m.d.comb += [
            inside_next.eq(Mux(self.holds, inside, 0) | Mux(is_own, window, 0)),
            ahead_next.eq(ahead | Mux(self.i.valid & ~is_own, window, 0)),
            self.released.eq(inside_next | (~self.o.walk).replicate(self.lanes)),
        ]
        with m.If(moves):
            # Nothing is ahead of its turn while nothing is held.
            m.d.sync += [inside.eq(Mux(self.holds, ahead_next, inside_next)), ahead.eq(0)]
        with m.Else():
            m.d.sync += [inside.eq(inside_next), ahead.eq(ahead_next)]


#: Thermometer code of a count: entry j says that it is more than j.
_Count = tuple[Value, ...]


def _lowest(bits: Value, count: int) -> Value:
    """The ``count`` lowest of the bits that are set."""
    before, _ = _counts(list(bits), count)
    return Cat(
        bit & ~below[-1] if len(below) == count else bit
        for bit, below in zip(bits, before, strict=True)
    )


def _counts(bits: list[Value], limit: int) -> tuple[list[_Count], _Count]:
    """Ones before each bit, and all ones, both up to ``limit``; as a tree."""
    if len(bits) == 1:
        return [()], (bits[0],)
    half = len(bits) // 2
    low, low_sum = _counts(bits[:half], limit)
    high, high_sum = _counts(bits[half:], limit)
    return low + [_sum(low_sum, each, limit) for each in high], _sum(low_sum, high_sum, limit)


def _sum(left: _Count, right: _Count, limit: int) -> _Count:
    """More than j in both together: i of them on one side and the rest on the other."""
    found: list[Value] = []
    for more in range(min(limit, len(left) + len(right))):
        terms = [side[more] for side in (left, right) if more < len(side)]
        terms += [
            left[i] & right[more - 1 - i]
            for i in range(more)
            if i < len(left) and more - 1 - i < len(right)
        ]
        found.append(any_bit(terms))
    return tuple(found)
