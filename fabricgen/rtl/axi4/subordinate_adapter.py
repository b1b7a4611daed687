"""What the adapters in front of a subordinate's stream of beats have in common."""

from dataclasses import replace
from typing import Any, ClassVar

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.manager.stream import BeatKind
from fabricgen.rtl.subordinate.stream import SubordinateStream, SubordinateStreamShape

__all__ = ["SubordinateAdapter"]


class SubordinateAdapter(wiring.Component):
    """Join both directions of a bus in front of one stream of beats.

    Reads and writes take turns and never wait for one another's responses. A beat is offered to
    the subordinate a cycle after its part has offered it. ``hold`` closes the channels of requests
    and data, and what was taken goes on. Reset forgets everything; no answer may come to a beat
    from before.

    Parameters
    ----------
    stream
        Fields of the stream; answers come in the order of the requests.
    bus
        Widths of the bus.
    outstanding
        Beats of each direction, and bursts of writes, that may be without an answer that the bus
        has taken.

    Members
    -------
    bus : In(bus.signature())
    stream : Out(stream.signature())
    hold : In(1)
        Take nothing from the bus in this cycle.
    idle : Out(1)
        Nothing that was taken from the bus lacks its answer (registered).
    """

    bus: Any
    stream: SubordinateStream
    hold: Signal
    idle: Signal

    #: Parts of either direction, made of the shapes of stream and bus and of ``outstanding``. Each
    #: has ``bus``, ``stream``, ``hold`` and ``idle``.
    READS: ClassVar[Any]
    WRITES: ClassVar[Any]

    def __init__(self, stream: SubordinateStreamShape, bus: Any, outstanding: int) -> None:
        if outstanding < 1:
            name = type(self).__name__
            raise ValueError(f"{name} outstanding must be positive, not {outstanding}")
        self.shape, self.bus_shape, self.outstanding = stream, bus, outstanding
        super().__init__(
            {
                "bus": In(bus.signature()),
                "stream": Out(stream.signature()),
                "hold": In(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Both directions, one register in front of the stream, and the way back."""
        m = Module()
        parts = self._parts()
        for name, (part, _kind) in parts.items():
            m.submodules[name] = part
            m.d.comb += part.hold.eq(self.hold)
            for member, described in part.bus_shape.signature().members.items():
                inner, outer = getattr(part.bus, member), getattr(self.bus, member)
                # Flows are those that the manager sees.
                m.d.comb += inner.eq(outer) if described.flow is Out else outer.eq(inner)
        m.d.comb += self.idle.eq(Cat(part.idle for part, _kind in parts.values()).all())
        self._offer(m, list(parts.values()))
        self._answer(m, list(parts.values()))
        return m

    def _parts(self) -> dict[str, tuple[Any, BeatKind]]:
        """One part for each direction that occurs."""
        shape, bus = self.shape, self.bus_shape
        parts: dict[str, tuple[Any, BeatKind]] = {}
        if shape.reads:
            reads = self.READS(
                replace(shape, writes=False), replace(bus, writes=False), self.outstanding
            )
            parts["reads"] = (reads, BeatKind.READ)
        if shape.writes:
            writes = self.WRITES(
                replace(shape, reads=False), replace(bus, reads=False), self.outstanding
            )
            parts["writes"] = (writes, BeatKind.WRITE)
        return parts

    def _offer(self, m: Module, parts: list[tuple[Any, BeatKind]]) -> None:
        """Hold one beat; of two that wait, the direction goes first that did not go last."""
        stream = self.stream
        held = Signal()
        room = Signal()
        second = Signal()
        valid = [part.stream.req_valid for part, _kind in parts]
        m.d.comb += [room.eq(~held | stream.req_ready), stream.req_valid.eq(held)]
        if len(parts) == 2:
            turn = Signal()
            m.d.comb += second.eq(valid[1] & (turn | ~valid[0]))
            with m.If(room & valid[0] & valid[1]):
                m.d.sync += turn.eq(~turn)
        with m.If(room):
            m.d.sync += held.eq(any_bit(valid))
        fields = {
            name: Signal(width, name=f"held_{name}", reset_less=True)
            for name, width in self.shape.request_widths().items()
        }
        for place, (part, kind) in enumerate(parts):
            goes = room & (second == place)
            m.d.comb += part.stream.req_ready.eq(goes)
            given = {
                "kind": kind.value,
                "beat": Cat(part.stream.req_beat[:-1], Const(int(kind is BeatKind.WRITE), 1)),
            }
            with m.If(goes):
                for name, field in fields.items():
                    # Read beats show no data.
                    value = given.get(name, getattr(part.stream, f"req_{name}", Const(0, 1)))
                    m.d.sync += field.eq(value)
        for name, field in fields.items():
            m.d.comb += getattr(stream, f"req_{name}").eq(field)

    def _answer(self, m: Module, parts: list[tuple[Any, BeatKind]]) -> None:
        """An answer goes to the direction that its place names; it never waits."""
        stream = self.stream
        m.d.comb += stream.rsp_ready.eq(1)
        for part, kind in parts:
            here = stream.rsp_beat[-1] == (kind is BeatKind.WRITE)
            m.d.comb += part.stream.rsp_valid.eq(stream.rsp_valid & here)
            for name in part.shape.response_widths():
                m.d.comb += getattr(part.stream, f"rsp_{name}").eq(getattr(stream, f"rsp_{name}"))
