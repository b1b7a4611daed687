"""The AXI4-Lite bus before a subordinate: widths and signals."""

from dataclasses import dataclass
from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Lite", "LiteShape"]


class Lite(Protocol):
    """Interface object of the bus; channels of a direction that does not occur are absent."""

    signature: wiring.Signature
    awaddr: Signal
    awprot: Signal
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
    arprot: Signal
    arvalid: Signal
    arready: Signal
    rdata: Signal
    rresp: Signal
    rvalid: Signal
    rready: Signal


@dataclass(frozen=True, slots=True)
class LiteShape:
    """Widths of one AXI4-Lite bus.

    Parameters
    ----------
    data_bytes
        Bytes of one transfer: 4 or 8, since AXI4-Lite has no others.
    address_bits
        Width of a byte address.
    reads, writes
        Directions that occur; at least one.
    """

    data_bytes: int
    address_bits: int
    reads: bool
    writes: bool

    def __post_init__(self) -> None:
        if self.data_bytes not in (4, 8):
            raise ValueError(f"LiteShape data_bytes must be 4 or 8, not {self.data_bytes}")
        if not (self.reads or self.writes):
            raise ValueError("LiteShape must have a direction, not none")

    def signature(self) -> wiring.Signature:
        """Signature seen from the manager; members have their names and meaning in AXI4-Lite.

        On each channel ``valid`` stays set, with stable payload, until ``ready``.
        """
        bits, address = 8 * self.data_bytes, self.address_bits
        members: dict[str, wiring.Member] = {}
        if self.writes:
            members |= {"awaddr": Out(address), "awprot": Out(3)}
            members |= {"awvalid": Out(1), "awready": In(1)}
            members |= {"wdata": Out(bits), "wstrb": Out(self.data_bytes)}
            members |= {"wvalid": Out(1), "wready": In(1)}
            members |= {"bresp": In(2), "bvalid": In(1), "bready": Out(1)}
        if self.reads:
            members |= {"araddr": Out(address), "arprot": Out(3)}
            members |= {"arvalid": Out(1), "arready": In(1)}
            members |= {"rdata": In(bits), "rresp": In(2), "rvalid": In(1), "rready": Out(1)}
        return wiring.Signature(members)
