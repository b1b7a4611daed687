"""Aligned pieces of a beat that cover its active bytes and no others."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import any_bit, count_ones, encode, lowest

__all__ = ["ReadPieces"]


class ReadPieces(wiring.Component):
    """Choose the next transfer of a read that must touch active bytes only.

    A transfer of AXI4 reaches from its own first byte to the end of the aligned 2**size bytes
    around it. The lowest byte that is left starts the piece, and the largest size that stays
    within active bytes ends it: whatever reaches the end of the beat is one piece, a run of n
    bytes that does not is at most as many as n has ones and zeros. Combinational.

    Parameters
    ----------
    size_bytes
        Bytes of a beat, a power of two.

    Members
    -------
    strobe : In(size_bytes)
        Active bytes; at least one of them not done.
    done : In(size_bytes)
        Bytes of earlier pieces.
    covers : Out(size_bytes)
        Bytes of this piece.
    first : Out, absent with one byte
        The lowest of them.
    size : Out, absent with one byte
        log2 of the bytes of the transfer.
    reaches : Out(1)
        The piece ends with the beat, so its size is that of a beat.
    last : Out(1)
        Nothing is left behind the piece.
    """

    strobe: Signal
    done: Signal
    covers: Signal
    first: Signal
    size: Signal
    reaches: Signal
    last: Signal

    def __init__(self, size_bytes: int) -> None:
        if size_bytes < 1 or size_bytes & (size_bytes - 1):
            raise TypeError(f"ReadPieces size_bytes must be a power of two, not {size_bytes}")
        self.size_bytes = size_bytes
        self.sizes = size_bytes.bit_length()
        members: dict[str, wiring.Member] = {
            "strobe": In(size_bytes),
            "done": In(size_bytes),
            "covers": Out(size_bytes),
            "reaches": Out(1),
            "last": Out(1),
        }
        if size_bytes > 1:
            members |= {"first": Out(range(size_bytes)), "size": Out(range(self.sizes))}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Find the first byte, and the sizes whose bytes from there on are all active."""
        m = Module()
        left = Signal(self.size_bytes)
        start = Signal(self.size_bytes)
        onwards = Signal(self.size_bytes)
        bad = Signal(self.size_bytes)
        m.d.comb += [
            left.eq(self.strobe & ~self.done),
            start.eq(lowest(left)),
            onwards.eq((left | -left)[: self.size_bytes]),
            bad.eq(onwards & ~left),
        ]
        # Bytes of the aligned piece of each size around the first byte, from there on.
        fits = Signal(self.sizes)
        reach = [Signal(self.size_bytes, name=f"reach_{size}") for size in range(self.sizes)]
        for size in range(self.sizes):
            step = 1 << size
            around = [
                start[place : place + step].any() for place in range(0, self.size_bytes, step)
            ]
            m.d.comb += [
                reach[size].eq(Cat(here.replicate(step) for here in around) & onwards),
                fits[size].eq(
                    ~any_bit(
                        here & bad[place * step : (place + 1) * step].any()
                        for place, here in enumerate(around)
                    )
                ),
            ]
        # What fits in a size fits in every smaller one.
        m.d.comb += self.covers.eq(reach[0])
        for size in range(1, self.sizes):
            with m.If(fits[size]):
                m.d.comb += self.covers.eq(reach[size])
        m.d.comb += [self.reaches.eq(fits[-1]), self.last.eq(~(left & ~self.covers).any())]
        if self.size_bytes > 1:
            m.d.comb += [self.first.eq(encode(start)), self.size.eq(count_ones(list(fits[1:])))]
        return m
