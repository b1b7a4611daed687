"""The AXI4 adapter behind a manager's stream of beats."""

from dataclasses import replace

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS
from fabricgen.records.occurrence import Temporal
from fabricgen.rtl.axi4.bus import Axi4, Axi4Shape
from fabricgen.rtl.axi4.manager_reads import ManagerReads
from fabricgen.rtl.axi4.manager_writes import ManagerWrites
from fabricgen.rtl.axi4.origins import BeatOrigins
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.manager.stream import BeatKind, ManagerStream, ManagerStreamShape
from fabricgen.rtl.occurrence import MemoryOccurrence

__all__ = ["BURST_BEATS", "MOST_OUTSTANDING", "Axi4Manager", "manager_adapters", "manager_bus"]

#: Longest burst. A read burst waits for its last beat, so longer ones would cost latency.
BURST_BEATS = 8

#: Transfers of reads, or bursts of writes, that an adapter keeps: as many cycles of latency are
#: hidden at one beat a cycle.
MOST_OUTSTANDING = 128


def manager_bus(stream: ManagerStreamShape, origins: BeatOrigins) -> Axi4Shape:
    """Shape of the bus behind a stream."""
    return Axi4Shape(
        stream.beat_bytes, origins.id_bits, MANAGER_ADDRESS_BITS, stream.reads, stream.writes
    )


class Axi4Manager(wiring.Component):
    """Serve the beats of one manager over AXI4.

    Runs of beats become INCR bursts; see :class:`ManagerReads` and :class:`ManagerWrites`. A
    read touches exactly the bytes of its strobes. There is one identifier for each (port, row),
    whose transactions of one direction are answered in their order; others overtake. A write is
    answered when its response has come. Transfers of volatile rows are marked as those of a
    device, all others as normal memory without cache; no write is answered early.

    A beat is answered two cycles, for a write three, after the bus has answered it at the
    earliest; reads and writes take turns. Reset forgets everything that was asked for; no
    response may come to a transaction from before.

    Parameters
    ----------
    stream
        Widths of the stream, up to 128 bytes a beat.
    origins
        How its origins fall into ports and rows.
    outstanding
        Transfers of reads, and bursts of writes, that may be without an answer.

    Members
    -------
    stream : In(stream.signature())
    bus : Out(manager_bus(stream, origins).signature())
    """

    stream: ManagerStream
    bus: Axi4

    #: Parts of either direction.
    READS = ManagerReads
    WRITES = ManagerWrites

    def __init__(
        self, stream: ManagerStreamShape, origins: BeatOrigins, *, outstanding: int
    ) -> None:
        if stream.origin_bits != origins.origin_bits:
            raise ValueError(
                f"Axi4Manager origins must have the {stream.origin_bits} bits of the stream, not "
                f"{origins.origin_bits}"
            )
        self.shape, self.origins, self.outstanding = stream, origins, outstanding
        self.bus_shape = manager_bus(stream, origins)
        super().__init__(
            {
                "stream": In(stream.signature()),
                "bus": Out(self.bus_shape.signature()),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Tell reads from writes, and let their answers take turns."""
        m = Module()
        parts = self._parts()
        stream = self.stream
        for name, (part, kind) in parts.items():
            m.submodules[name] = part
            m.d.comb += part.stream.req_valid.eq(stream.req_valid & (stream.req_kind == kind.value))
            for field in part.shape.request_widths():
                m.d.comb += getattr(part.stream, f"req_{field}").eq(getattr(stream, f"req_{field}"))
            with m.If(stream.req_kind == kind.value):
                m.d.comb += stream.req_ready.eq(part.stream.req_ready)
            for member, described in part.bus.signature.members.items():
                inner, outer = getattr(part.bus, member), getattr(self.bus, member)
                m.d.comb += outer.eq(inner) if described.flow is Out else inner.eq(outer)
        self._answer(m, [part for part, _kind in parts.values()])
        return m

    def _parts(self) -> dict[str, tuple[ManagerReads | ManagerWrites, BeatKind]]:
        """One part for each direction that occurs."""
        shape, limits = self.shape, (self.origins, self.outstanding, BURST_BEATS)
        parts: dict[str, tuple[ManagerReads | ManagerWrites, BeatKind]] = {}
        if shape.reads:
            reads = self.READS(replace(shape, writes=False), *limits)
            parts["reads"] = (reads, BeatKind.READ)
        if shape.writes:
            writes = self.WRITES(replace(shape, reads=False), *limits)
            parts["writes"] = (writes, BeatKind.WRITE)
        return parts

    def _answer(self, m: Module, parts: list[ManagerReads | ManagerWrites]) -> None:
        """Hold one answer; whoever answered last lets the other one go first."""
        stream = self.stream
        held = Signal()
        room = Signal()
        m.d.comb += [room.eq(~held | stream.rsp_ready), stream.rsp_valid.eq(held)]
        # Of two, the second one (writes) goes before the first in every other cycle.
        second = Signal()
        if len(parts) == 2:
            turn = Signal()
            valid = [part.stream.rsp_valid for part in parts]
            m.d.comb += second.eq(valid[1] & (turn | ~valid[0]))
            with m.If(room & valid[0] & valid[1]):
                m.d.sync += turn.eq(~turn)
        fields = {
            name: Signal(width, name=f"answer_{name}", reset_less=True)
            for name, width in self.shape.response_widths().items()
        }
        with m.If(room):
            m.d.sync += held.eq(any_bit(part.stream.rsp_valid for part in parts))
        for place, part in enumerate(parts):
            goes = second == place
            m.d.comb += part.stream.rsp_ready.eq(room & goes)
            with m.If(room & goes):
                for name in part.shape.response_widths():
                    m.d.sync += fields[name].eq(getattr(part.stream, f"rsp_{name}"))
        for name, field in fields.items():
            m.d.comb += getattr(stream, f"rsp_{name}").eq(field)


def manager_adapters(occurrence: MemoryOccurrence) -> dict[int, Axi4Manager]:
    """An adapter for each manager of an occurrence that some port may reach, by its ordinal.

    As many transfers may be outstanding as the ports' slots have beats, up to ``MOST_OUTSTANDING``.
    """
    engine = occurrence.named.occurrence.engine
    rows = 1
    if engine is not None and isinstance(engine.contract, Temporal):
        rows = engine.contract.resident_context_count
    adapters: dict[int, Axi4Manager] = {}
    for ordinal, stream in occurrence.streams.items():
        users = [each for (_, at), each in occurrence.requesters.items() if at == ordinal]
        beats = sum(each.shape.slots * each.plan.most_beats for each in users)
        adapters[ordinal] = Axi4Manager(
            stream,
            BeatOrigins(tuple(each.shape.slots for each in users), rows),
            outstanding=min(beats, MOST_OUTSTANDING),
        )
    return adapters
