"""A small memory with one writer, for facts that are kept by slot."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["SlotTable"]


class SlotTable(wiring.Component):
    """Keep one word for each number; read what was written in an earlier cycle.

    Nothing is reset, and nobody reads a word in the cycle in which it is written.

    Parameters
    ----------
    depth
        Words; one word needs no memory, since it has no number.
    width
        Bits of a word; positive.
    registered
        The word read in cycle *n* shows in *n + 1*; otherwise at once.

    Members
    -------
    write : In(1), at : In, data : In(width)
    place : In, word : Out(width)

    Numbers have at least one bit.
    """

    write: Signal
    at: Signal
    data: Signal
    place: Signal
    word: Signal

    def __init__(self, depth: int, width: int, *, registered: bool = False) -> None:
        if depth < 1 or width < 1:
            raise TypeError(f"SlotTable depth and width must be positive, not {depth} and {width}")
        self.depth = depth
        self.width = width
        self.registered = registered
        number = range(max(2, depth))
        super().__init__(
            {
                "write": In(1),
                "at": In(number),
                "data": In(width),
                "place": In(number),
                "word": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build a memory, or a register where there is one word."""
        m = Module()
        if self.depth == 1:
            kept = Signal(self.width, reset_less=True)
            with m.If(self.write):
                m.d.sync += kept.eq(self.data)
            if self.registered:
                shown = Signal(self.width, reset_less=True)
                m.d.sync += shown.eq(kept)
                m.d.comb += self.word.eq(shown)
            else:
                m.d.comb += self.word.eq(kept)
            return m
        m.submodules.kept = kept = Memory(shape=self.width, depth=self.depth, init=[])
        writer = kept.write_port()
        reader = kept.read_port(domain="sync" if self.registered else "comb")
        m.d.comb += [
            writer.en.eq(self.write),
            writer.addr.eq(self.at),
            writer.data.eq(self.data),
            reader.addr.eq(self.place),
            self.word.eq(reader.data),
        ]
        if self.registered:
            m.d.comb += reader.en.eq(1)
        return m
