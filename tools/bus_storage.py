"""Storage behind a bus, as a design of its own: work D of the cost table."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fabricgen.author.fabric import parse_fabric
from fabricgen.rtl.axi4.bus import Axi4
from fabricgen.rtl.axi4.subordinate import Axi4Subordinate
from fabricgen.rtl.occurrence import MemoryOccurrence
from sim.bench_documents import BenchStorage

__all__ = ["BusStorage"]


class BusStorage(wiring.Component):
    """The storage of the performance suite with its adapter, and its configuration as an input.

    Members
    -------
    bus : In
        AXI4 with identifiers of 4 bits, of one subordinate that reaches all of it.
    configuration : In
        Carrier of the memory.
    hold : In(1), quiescent : Out(1)
        As at the occurrence and the adapter.
    """

    bus: Axi4
    configuration: Signal
    hold: Signal
    quiescent: Signal

    def __init__(self) -> None:
        (named,) = parse_fabric(BenchStorage("axi4").fabric_document("storage")).memories
        self.occurrence = MemoryOccurrence(named)
        (endpoint,) = self.occurrence.subordinates
        self.adapter = Axi4Subordinate(
            endpoint.stream_shape, id_bits=4, outstanding=endpoint.slots + 2
        )
        super().__init__(
            {
                "bus": In(self.adapter.bus_shape.signature()),
                "configuration": In(len(self.occurrence.configuration)),
                "hold": In(1),
                "quiescent": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Adapter, then occurrence."""
        m = Module()
        m.submodules.adapter = adapter = self.adapter
        m.submodules.occurrence = occurrence = self.occurrence
        connect(m, flipped(self.bus), adapter.bus)
        connect(m, adapter.stream, occurrence.subordinate_0)
        m.d.comb += [
            adapter.hold.eq(self.hold),
            occurrence.hold.eq(self.hold),
            occurrence.configuration.eq(self.configuration),
            self.quiescent.eq(adapter.idle & occurrence.quiescent),
        ]
        return m
