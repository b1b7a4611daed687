"""The AXI4 adapter in front of a subordinate's stream of beats."""

from dataclasses import replace

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS
from fabricgen.rtl.axi4.bus import Axi4, Axi4Shape
from fabricgen.rtl.axi4.subordinate_reads import SubordinateReads
from fabricgen.rtl.axi4.subordinate_writes import SubordinateWrites
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.manager.stream import BeatKind
from fabricgen.rtl.occurrence import MemoryOccurrence
from fabricgen.rtl.subordinate.stream import (
    NAME_BITS,
    SubordinateStream,
    SubordinateStreamShape,
)

__all__ = ["Axi4Subordinate", "subordinate_adapters", "subordinate_bus"]

#: Bits of the identifiers at the boundary: what AXI4 recommends of a subordinate, four for the
#: manager and four for the place where its interconnect joins it.
_ID_BITS = 8

#: Beats that an adapter has in flight at most, and how many more than its endpoint: a beat waits a
#: cycle in front of the endpoint, and its answer one behind it.
_MOST_OUTSTANDING, _AHEAD = 128, 2


def subordinate_bus(stream: SubordinateStreamShape, id_bits: int) -> Axi4Shape:
    """Shape of the bus in front of a stream.

    ``aruser`` and ``awuser`` are the address space, and the context above it, where the decode
    may match them.
    """
    widths = stream.request_widths()
    user_bits = widths.get("address_space", 0) + widths.get("context", 0)
    return Axi4Shape(
        stream.beat_bytes, id_bits, MANAGER_ADDRESS_BITS, stream.reads, stream.writes, user_bits
    )


class Axi4Subordinate(wiring.Component):
    """Serve AXI4 through the beats of one subordinate.

    FIXED, INCR and WRAP bursts, narrow and unaligned transfers and strobes become beats, one for
    each transfer; see :class:`SubordinateReads` and :class:`SubordinateWrites`. Reads and writes
    take turns and never wait for one another's responses. All transactions of one direction are
    answered in order. An exclusive access is an ordinary one and is answered with OKAY, which
    says so. Hints (cache, protection, quality of service) are ignored.

    A transfer is offered to the subordinate two cycles after it was taken from the bus. ``hold``
    closes the channels of requests and data, and what was taken goes on. Reset forgets everything;
    no answer may come to a beat from before.

    Parameters
    ----------
    stream
        Fields of the stream, up to 128 bytes a beat; answers come in the order of the requests.
    id_bits
        Width of identifiers, 1 to 16.
    outstanding
        Beats of each direction, and bursts of writes, that may be without an answer that the bus
        has taken.

    Members
    -------
    bus : In(subordinate_bus(stream, id_bits).signature())
    stream : Out(stream.signature())
    hold : In(1)
        Take nothing from the bus in this cycle.
    idle : Out(1)
        Nothing that was taken from the bus lacks its answer (registered).
    """

    bus: Axi4
    stream: SubordinateStream
    hold: Signal
    idle: Signal

    #: Parts of either direction.
    READS = SubordinateReads
    WRITES = SubordinateWrites

    def __init__(
        self, stream: SubordinateStreamShape, *, id_bits: int, outstanding: int = 16
    ) -> None:
        if not 1 <= id_bits <= NAME_BITS:
            raise ValueError(f"Axi4Subordinate id_bits must be 1 to {NAME_BITS}, not {id_bits}")
        if outstanding < 1:
            raise ValueError(f"Axi4Subordinate outstanding must be positive, not {outstanding}")
        self.shape, self.outstanding = stream, outstanding
        self.bus_shape = subordinate_bus(stream, id_bits)
        super().__init__(
            {
                "bus": In(self.bus_shape.signature()),
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

    def _parts(self) -> dict[str, tuple[SubordinateReads | SubordinateWrites, BeatKind]]:
        """One part for each direction that occurs."""
        shape, bus = self.shape, self.bus_shape
        parts: dict[str, tuple[SubordinateReads | SubordinateWrites, BeatKind]] = {}
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

    def _offer(
        self, m: Module, parts: list[tuple[SubordinateReads | SubordinateWrites, BeatKind]]
    ) -> None:
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

    def _answer(
        self, m: Module, parts: list[tuple[SubordinateReads | SubordinateWrites, BeatKind]]
    ) -> None:
        """An answer goes to the direction that its place names; it never waits."""
        stream = self.stream
        m.d.comb += stream.rsp_ready.eq(1)
        for part, kind in parts:
            here = stream.rsp_beat[-1] == (kind is BeatKind.WRITE)
            m.d.comb += part.stream.rsp_valid.eq(stream.rsp_valid & here)
            for name in part.shape.response_widths():
                m.d.comb += getattr(part.stream, f"rsp_{name}").eq(getattr(stream, f"rsp_{name}"))


def subordinate_adapters(occurrence: MemoryOccurrence) -> dict[int, Axi4Subordinate]:
    """An adapter for each subordinate of an occurrence, by its ordinal.

    As many beats of each direction may be in flight as keep the endpoint's slots full.
    """
    return {
        ordinal: Axi4Subordinate(
            each.stream_shape,
            id_bits=_ID_BITS,
            outstanding=min(each.slots + _AHEAD, _MOST_OUTSTANDING),
        )
        for ordinal, each in enumerate(occurrence.subordinates)
    }
