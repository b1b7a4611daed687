"""A component that uses every construct which emission has to get right."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.channel import ChannelShape

CHANNEL = ChannelShape(8, 4)


class Slot(wiring.Component):
    """One token between two channels."""

    def __init__(self, channel):
        self.channel = channel
        super().__init__(
            {"i": In(channel.signature()), "o": Out(channel.signature()), "empty": Out(1)}
        )

    def elaborate(self, platform):
        m = Module()
        full = Signal()
        accept = self.i.valid & ~full
        retire = self.o.ready & full
        with m.If(accept | retire):
            m.d.sync += full.eq(accept)
        m.d.comb += [self.empty.eq(~full), self.i.ready.eq(~full), self.o.valid.eq(full)]
        for name in self.channel.payload_names:
            held = Signal.like(getattr(self.i, name), name=f"held_{name}", reset_less=True)
            with m.If(accept):
                m.d.sync += held.eq(getattr(self.i, name))
            m.d.comb += getattr(self.o, name).eq(held)
        return m


class Chain(wiring.Component):
    """Two slots in a row."""

    def __init__(self):
        super().__init__({"i": In(CHANNEL.signature()), "o": Out(CHANNEL.signature())})

    def elaborate(self, platform):
        m = Module()
        m.submodules.first = first = Slot(CHANNEL)
        m.submodules.second = second = Slot(CHANNEL)
        wiring.connect(m, wiring.flipped(self.i), first.i)
        wiring.connect(m, first.o, second.i)
        wiring.connect(m, second.o, wiring.flipped(self.o))
        return m


class Specimen(wiring.Component):
    """Operators, choices, registers, memories, states and submodules."""

    def __init__(self):
        super().__init__(
            {
                "i": In(CHANNEL.signature()),
                "o": Out(CHANNEL.signature()),
                "select": In(3),
                "strobe": In(4),
                "sum": Out(12),
                "word": Out(32),
                "flags": Out(6),
                "picked": Out(8),
                "product": Out(16),
                "balance": Out(signed(14)),
                "chosen": Out(8),
                "bits": Out(8),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.chain = chain = Chain()
        wiring.connect(m, wiring.flipped(self.i), chain.i)
        wiring.connect(m, chain.o, wiring.flipped(self.o))

        total = Signal(12)
        countdown = Signal(4, init=5)
        held = Signal(8, reset_less=True)
        fire = Signal()
        spare = Signal(8)
        m.d.comb += [fire.eq(self.i.valid & self.i.ready), spare.eq(self.i.data ^ 0x55)]
        with m.If(fire):
            m.d.sync += [total.eq(total + self.i.data), held.eq(self.i.data)]
            with m.If(self.i.tag == 3):
                m.d.sync += countdown.eq(countdown - 1)
        with m.Switch(self.select):
            with m.Case(0):
                m.d.comb += self.sum.eq(total)
            with m.Case(1, 2):
                m.d.comb += self.sum.eq(total >> 2)
            with m.Case("1-1"):
                m.d.comb += self.sum.eq(countdown << self.select[:2])
            with m.Default():
                m.d.comb += self.sum.eq(self.i.data.as_signed() >> self.select[:2])

        pair = Signal(data.StructLayout({"low": 4, "high": 4}))
        m.d.comb += [
            pair.low.eq(self.i.tag),
            pair.high.eq(~countdown),
            self.flags.eq(
                Cat(
                    held.any(),
                    held.all(),
                    held.xor(),
                    held.as_signed() < self.i.data.as_signed(),
                    pair.high >= pair.low,
                    ~(fire & self.strobe.any()),
                )
            ),
            self.product.eq(held * self.i.data - pair.as_value()),
        ]

        small, large = self.i.tag.as_signed(), self.i.data.as_signed()
        m.d.comb += [
            self.balance.eq(small * large - (-small) + self.i.data.bit_select(self.select, 4)),
            self.chosen.eq(
                Mux(
                    fire, 0, Mux(small < -3, large >> 1, Mux(self.select == 0, 0xFF, large + small))
                )
            ),
            self.bits.eq(
                Cat(
                    Mux(fire, 1, self.strobe[0]),
                    Mux(fire, self.strobe[0], 0),
                    Mux(fire, 0, self.strobe[1]),
                    Mux(self.strobe[2], 0, 1),
                    self.i.tag != 0,
                    ~self.i.tag.xor(),
                    (large >= small) & Const(1, 1),
                    (self.i.data & 0) == 0,
                )
            ),
        ]

        m.submodules.ram = ram = memory.Memory(shape=32, depth=8, init=[])
        write, read = ram.write_port(granularity=8), ram.read_port()
        m.d.comb += [
            write.addr.eq(total[:3]),
            write.data.eq(Cat(total, total, total)),
            write.en.eq(self.strobe),
            read.addr.eq(self.i.tag[:3]),
            read.en.eq(fire),
            self.word.eq(read.data),
        ]
        m.submodules.queue = queue = memory.Memory(shape=8, depth=4, init=[])
        push, head = queue.write_port(), queue.read_port(domain="comb")
        m.d.comb += [push.addr.eq(self.select), push.data.eq(held), push.en.eq(fire)]
        m.d.comb += head.addr.eq(total[:2])

        entries = Array(Signal(8, name=f"entry{position}") for position in range(3))
        with m.If(self.strobe[0]):
            m.d.sync += entries[self.select[:2]].eq(head.data)
        m.d.comb += self.picked.eq(
            entries[self.select[1:]] ^ self.i.data.word_select(self.select[0], 4)
        )
        with m.FSM():
            with m.State("IDLE"), m.If(fire):
                m.next = "BUSY"
            with m.State("BUSY"), m.If(spare == 0):
                m.next = "LAST"
            with m.State("LAST"):
                m.next = "IDLE"
        return m
