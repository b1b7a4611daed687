"""Payloads of one input role that came from one ingress."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import encode

__all__ = ["OperandMemory"]


class OperandMemory(wiring.Component):
    """Keep one payload per row, written by match and read by row number.

    A payload accepted in cycle *n* can be read from cycle *n + 2*: match and payload are
    registered before they are stored, so the encoder of the row is off the path of the tag. The
    row cannot be selected earlier than in cycle *n + 1*, nor its operands read before *n + 2*; a
    payload accepted in the very cycle in which the row is read does not disturb it. Reading is
    asynchronous. Nothing is reset but the write enable.

    Parameters
    ----------
    rows
        Payloads held.
    width
        Payload bits; at least 1.

    Members
    -------
    accept : In(1), match : In(rows), i_data : In(width)
        The payload is taken for the matching row.
    row : In(range(max(2, rows)))
        The row to read.
    o_data : Out(width)
    """

    accept: Signal
    match: Signal
    i_data: Signal
    row: Signal
    o_data: Signal

    def __init__(self, rows: int, width: int) -> None:
        self.rows = rows
        self.width = width
        super().__init__(
            {
                "accept": In(1),
                "match": In(rows),
                "i_data": In(width),
                "row": In(range(max(2, rows))),
                "o_data": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Register what comes in, then store it."""
        m = Module()
        stored = Signal()
        written = Signal(self.width, reset_less=True)
        m.d.sync += [stored.eq(self.accept), written.eq(self.i_data)]

        if self.rows == 1:
            # A memory of one word has no address.
            word = Signal(self.width, reset_less=True)
            with m.If(stored):
                m.d.sync += word.eq(written)
            m.d.comb += self.o_data.eq(word)
            return m

        matched = Signal(self.rows, reset_less=True)
        m.d.sync += matched.eq(self.match)
        m.submodules.held = held = Memory(shape=self.width, depth=self.rows, init=[])
        write, read = held.write_port(), held.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(encode(matched)),
            write.data.eq(written),
            write.en.eq(stored),
            read.addr.eq(self.row),
            self.o_data.eq(read.data),
        ]
        return m
