"""Operand queue of one input role behind a registered ingress boundary."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.channel import Channel, ChannelShape

__all__ = ["OperandQueue"]


class OperandQueue(wiring.Component):
    """Hold the tokens of one input role in their order.

    ``i.ready`` tells registered occupancy alone: a token that leaves in cycle *n* makes room in
    cycle *n + 1*, so no path leads from ``o.ready`` to ``i.ready``.

    Latency is 1 cycle from ``i`` to ``o``. One slot passes a token every 2 cycles, two or more
    slots one in every cycle. Reset empties the queue; held payloads are not reset.

    Parameters
    ----------
    width
        Payload bits; 0 counts tokens only.
    depth
        Tokens that the queue holds; at least 1.
    shows_behind
        Show the token behind the oldest one; only with two slots.
    shows_level
        Show how many tokens are there.

    Members
    -------
    i : In(ChannelShape(width).signature())
        Token from the ingress.
    o : Out(ChannelShape(width).signature())
        Oldest token; stays offered until it is taken.
    empty : Out(1)
        Registered occupancy is zero.
    behind_valid : Out(1), behind_data : Out(width), absent unless ``shows_behind``
        The token behind the oldest one (registered); no data with a width of 0.
    level : Out(depth), absent unless ``shows_level``
        Bit *n*: more than *n* tokens are there (registered).
    """

    i: Channel
    o: Channel
    empty: Signal
    behind_valid: Signal
    behind_data: Signal
    level: Signal

    def __init__(
        self, width: int, depth: int, *, shows_behind: bool = False, shows_level: bool = False
    ) -> None:
        if not isinstance(depth, int) or depth < 1:
            raise TypeError(f"OperandQueue depth must be a positive integer, not {depth!r}")
        if shows_behind and depth != 2:
            raise ValueError(f"OperandQueue depth must be 2 to show what is behind, not {depth}")
        self.channel = ChannelShape(width)
        self.depth = depth
        self.shows_behind = shows_behind
        self.shows_level = shows_level
        members: dict[str, wiring.Member] = {
            "i": In(self.channel.signature()),
            "o": Out(self.channel.signature()),
            "empty": Out(1),
        }
        if shows_level:
            members["level"] = Out(depth)
        if shows_behind:
            members["behind_valid"] = Out(1)
            if width:
                members["behind_data"] = Out(width)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build registers that shift for one or two slots, and a ring in memory for more."""
        m = Module()

        accept = Signal()

        retire = Signal()
        m.d.comb += [
            accept.eq(self.i.valid & self.i.ready),
            retire.eq(self.o.valid & self.o.ready),
            self.empty.eq(~self.o.valid),
        ]
        build = self._shift if self.depth <= 2 else self._ring
        build(m, accept, retire)
        return m

    def _shift(self, m: Module, accept: Signal, retire: Signal) -> None:
        """Oldest token always in slot 0, so that it leaves straight from its flip-flops."""
        full = [Signal(name=f"full_{slot}") for slot in range(self.depth)]
        m.d.comb += [self.o.valid.eq(full[0]), self.i.ready.eq(~full[-1])]

        # Control: full slots are the lowest ones, so each looks at its neighbours only.
        for slot, here in enumerate(full):
            below: Value = full[slot - 1] if slot else Value.cast(1)
            above: Value = full[slot + 1] if slot + 1 < self.depth else Value.cast(0)
            with m.If(accept != retire):
                m.d.sync += here.eq(Mux(accept, here | below, above))
        if self.shows_behind:
            m.d.comb += self.behind_valid.eq(full[1])
        if self.shows_level:
            m.d.comb += self.level.eq(Cat(full))

        # Data: a slot that is empty, or about to be, takes what comes next.
        if self.channel.data_width:
            held = [
                Signal(self.channel.data_width, name=f"held_{slot}", reset_less=True)
                for slot in range(self.depth)
            ]
            for slot, here in enumerate(held):
                if slot + 1 == self.depth:
                    with m.If(~full[slot]):
                        m.d.sync += here.eq(self.i.data)
                else:
                    with m.If(~full[slot] | retire):
                        m.d.sync += here.eq(Mux(full[slot + 1], held[slot + 1], self.i.data))
            m.d.comb += self.o.data.eq(held[0])
            if self.shows_behind:
                m.d.comb += self.behind_data.eq(held[1])

    def _ring(self, m: Module, accept: Signal, retire: Signal) -> None:
        """Two pointers, and the flags that tell full from empty, over an asynchronous read."""
        write_at = Signal(range(self.depth))
        read_at = Signal(range(self.depth))
        full = Signal()
        occupied = Signal()
        m.d.comb += [self.o.valid.eq(occupied), self.i.ready.eq(~full)]

        # Control: the flags change only where a token enters or leaves alone.
        write_next, read_next = self._after(write_at), self._after(read_at)
        with m.If(accept):
            m.d.sync += write_at.eq(write_next)
        with m.If(retire):
            m.d.sync += read_at.eq(read_next)
        with m.If(accept & ~retire):
            m.d.sync += [full.eq(write_next == read_at), occupied.eq(1)]
        with m.If(retire & ~accept):
            m.d.sync += [full.eq(0), occupied.eq(read_next != write_at)]
        if self.shows_level:
            with m.If(accept & ~retire):
                m.d.sync += self.level.eq(Cat(1, self.level))
            with m.If(retire & ~accept):
                m.d.sync += self.level.eq(self.level[1:])

        # Data.
        if self.channel.data_width:
            m.submodules.held = held = Memory(
                shape=self.channel.data_width, depth=self.depth, init=[]
            )
            write, read = held.write_port(), held.read_port(domain="comb")
            m.d.comb += [
                write.addr.eq(write_at),
                write.data.eq(self.i.data),
                write.en.eq(accept),
                read.addr.eq(read_at),
                self.o.data.eq(read.data),
            ]

    def _after(self, pointer: Signal) -> Value:
        """Slot that follows in the ring."""
        return Mux(pointer == self.depth - 1, 0, pointer + 1)[: len(pointer)]
