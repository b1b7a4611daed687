"""Words kept for the beats of a subordinate, one for each of its slots."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["SlotMemory"]


class SlotMemory(wiring.Component):
    """One word per slot, which is read asynchronously; what is written can be read a cycle later.

    Nothing is reset.

    Parameters
    ----------
    width
        Bits of a word.
    slots
        Words; at least 1.
    granularity
        Bits that one write enable covers; by default all.

    Members
    -------
    write_slot : In, enable : In(width // granularity), data : In(width)
    read_slot : In
    word : Out(width)
    """

    write_slot: Signal
    enable: Signal
    data: Signal
    read_slot: Signal
    word: Signal

    def __init__(self, width: int, slots: int, *, granularity: int | None = None) -> None:
        self.width = width
        self.slots = slots
        self.granularity = granularity or width
        number = range(max(2, slots))
        super().__init__(
            {
                "write_slot": In(number),
                "enable": In(width // self.granularity),
                "data": In(width),
                "read_slot": In(number),
                "word": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """A memory, or a register for the one slot: a memory of one word has no address."""
        m = Module()
        if self.slots == 1:
            held = Signal(self.width, reset_less=True)
            for part, enable in enumerate(self.enable):
                was = held.word_select(part, self.granularity)
                new = self.data.word_select(part, self.granularity)
                m.d.sync += was.eq(Mux(enable, new, was))
            m.d.comb += self.word.eq(held)
            return m
        m.submodules.words = words = Memory(shape=self.width, depth=self.slots, init=[])
        write = words.write_port(granularity=self.granularity)
        read = words.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(self.write_slot),
            write.data.eq(self.data),
            write.en.eq(self.enable),
            read.addr.eq(self.read_slot),
            self.word.eq(read.data),
        ]
        return m
