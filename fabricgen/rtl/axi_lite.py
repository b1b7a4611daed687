"""AXI4-Lite: the bus, and a target that turns it into plain register accesses."""

from enum import IntEnum
from typing import Protocol

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = [
    "ADDRESS_BITS",
    "DATA_BITS",
    "AxiLite",
    "AxiLiteTarget",
    "Response",
    "axi_lite_signature",
]

ADDRESS_BITS = 32
DATA_BITS = 32
STROBE_BITS = DATA_BITS // 8


class Response(IntEnum):
    """Values of ``bresp`` and ``rresp``."""

    OKAY = 0
    SLVERR = 2
    DECERR = 3


class AxiLite(Protocol):
    """Interface object of the bus, for type checkers."""

    signature: wiring.Signature
    awaddr: Signal
    awvalid: Signal
    awready: Signal
    wdata: Signal
    wstrb: Signal
    wvalid: Signal
    wready: Signal
    bresp: Signal
    bvalid: Signal
    bready: Signal
    araddr: Signal
    arvalid: Signal
    arready: Signal
    rdata: Signal
    rresp: Signal
    rvalid: Signal
    rready: Signal


def axi_lite_signature() -> wiring.Signature:
    """Signature seen from the manager: 32-bit addresses and data, no protection signals.

    The members have their names and meaning in the AXI4-Lite specification. On each channel
    ``valid`` stays set, with stable payload, until ``ready``.
    """
    return wiring.Signature(
        {
            "awaddr": Out(ADDRESS_BITS),
            "awvalid": Out(1),
            "awready": In(1),
            "wdata": Out(DATA_BITS),
            "wstrb": Out(STROBE_BITS),
            "wvalid": Out(1),
            "wready": In(1),
            "bresp": In(2),
            "bvalid": In(1),
            "bready": Out(1),
            "araddr": Out(ADDRESS_BITS),
            "arvalid": Out(1),
            "arready": In(1),
            "rdata": In(DATA_BITS),
            "rresp": In(2),
            "rvalid": In(1),
            "rready": Out(1),
        }
    )


class AxiLiteTarget(wiring.Component):
    """Present one write and one read at a time to a register file.

    Address and data of a write come in either order. A write is presented from the cycle in
    which its second beat is on the bus until the register file is done with it; the response is
    there in the next cycle. Every ``ready`` is a function of registers.

    Latency is 1 cycle from the last beat of a request to its response; a manager that takes each
    response at once gets one write and one read in 2 cycles. Reset drops captured beats and
    responses.

    Members
    -------
    bus : In(axi_lite_signature())
    write : Out(1)
        ``write_address``, ``write_data`` and ``write_strobe`` hold a write.
    write_address : Out(32), write_data : Out(32), write_strobe : Out(4)
    write_done : In(1), write_response : In(2)
        The write takes effect at the end of this cycle; its response. Free unless ``write``.
    read : Out(1), read_address : Out(32)
        A read is taken in this cycle.
    read_data : In(32), read_response : In(2)
        Its answer, in the same cycle.
    """

    bus: AxiLite
    write: Signal
    write_address: Signal
    write_data: Signal
    write_strobe: Signal
    write_done: Signal
    write_response: Signal
    read: Signal
    read_address: Signal
    read_data: Signal
    read_response: Signal

    def __init__(self) -> None:
        super().__init__(
            {
                "bus": In(axi_lite_signature()),
                "write": Out(1),
                "write_address": Out(ADDRESS_BITS),
                "write_data": Out(DATA_BITS),
                "write_strobe": Out(STROBE_BITS),
                "write_done": In(1),
                "write_response": In(2),
                "read": Out(1),
                "read_address": Out(ADDRESS_BITS),
                "read_data": In(DATA_BITS),
                "read_response": In(2),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build both directions, which share nothing."""
        m = Module()
        self._writes(m)
        self._reads(m)
        return m

    def _writes(self, m: Module) -> None:
        bus = self.bus

        address_held = Signal()
        data_held = Signal()
        held_address = Signal(ADDRESS_BITS, reset_less=True)
        held_data = Signal(DATA_BITS, reset_less=True)
        held_strobe = Signal(STROBE_BITS, reset_less=True)
        response = Signal(2, name="write_result", reset_less=True)

        # Control: beats wait for each other, and for the response before them.
        finish = Signal()
        m.d.comb += [
            bus.awready.eq(~address_held & ~bus.bvalid),
            bus.wready.eq(~data_held & ~bus.bvalid),
            self.write.eq(
                (address_held | (bus.awvalid & bus.awready))
                & (data_held | (bus.wvalid & bus.wready))
            ),
            finish.eq(self.write & self.write_done),
        ]
        with m.If(finish):
            m.d.sync += [address_held.eq(0), data_held.eq(0), bus.bvalid.eq(1)]
        with m.Else():
            with m.If(bus.awvalid & bus.awready):
                m.d.sync += address_held.eq(1)
            with m.If(bus.wvalid & bus.wready):
                m.d.sync += data_held.eq(1)
            with m.If(bus.bready):
                m.d.sync += bus.bvalid.eq(0)

        # Data: a beat is used off the bus in the cycle in which it completes the write.
        with m.If(~address_held):
            m.d.sync += held_address.eq(bus.awaddr)
        with m.If(~data_held):
            m.d.sync += [held_data.eq(bus.wdata), held_strobe.eq(bus.wstrb)]
        with m.If(finish):
            m.d.sync += response.eq(self.write_response)
        m.d.comb += [
            bus.bresp.eq(response),
            self.write_address.eq(Mux(address_held, held_address, bus.awaddr)),
            self.write_data.eq(Mux(data_held, held_data, bus.wdata)),
            self.write_strobe.eq(Mux(data_held, held_strobe, bus.wstrb)),
        ]

    def _reads(self, m: Module) -> None:
        bus = self.bus

        data = Signal(DATA_BITS, name="read_word", reset_less=True)
        response = Signal(2, name="read_result", reset_less=True)

        m.d.comb += [
            bus.rdata.eq(data),
            bus.rresp.eq(response),
            bus.arready.eq(~bus.rvalid),
            self.read.eq(bus.arvalid & bus.arready),
            self.read_address.eq(bus.araddr),
        ]
        with m.If(self.read):
            m.d.sync += [
                bus.rvalid.eq(1),
                data.eq(self.read_data),
                response.eq(self.read_response),
            ]
        with m.Elif(bus.rready):
            m.d.sync += bus.rvalid.eq(0)
