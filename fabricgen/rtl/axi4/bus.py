"""The AXI4 bus: widths, signals, and the values of its fields."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BOUNDARY_LOG2_BYTES", "Axi4", "Axi4Shape", "Burst", "Cache", "Reply"]

#: No burst crosses a multiple of 2**12 bytes.
BOUNDARY_LOG2_BYTES = 12


class Burst(Enum):
    """Values of ``arburst`` and ``awburst``."""

    FIXED = 0
    INCR = 1
    WRAP = 2


class Cache(Enum):
    """Values of ``arcache`` and ``awcache`` that are used here.

    Neither lets a write be answered before it has reached its end.
    """

    #: Device: nothing on the way may change the transaction.
    DEVICE = 0b0000
    #: Normal memory that is not cached.
    NORMAL = 0b0010


class Reply(Enum):
    """Values of ``bresp`` and ``rresp``."""

    OKAY = 0
    EXOKAY = 1
    SLVERR = 2
    DECERR = 3


class Axi4(Protocol):
    """Interface object of the bus; channels of a direction that does not occur are absent."""

    signature: wiring.Signature
    awid: Signal
    awaddr: Signal
    awlen: Signal
    awsize: Signal
    awburst: Signal
    awlock: Signal
    awcache: Signal
    awprot: Signal
    awqos: Signal
    awuser: Signal
    awvalid: Signal
    awready: Signal
    wdata: Signal
    wstrb: Signal
    wlast: Signal
    wvalid: Signal
    wready: Signal
    bid: Signal
    bresp: Signal
    bvalid: Signal
    bready: Signal
    arid: Signal
    araddr: Signal
    arlen: Signal
    arsize: Signal
    arburst: Signal
    arlock: Signal
    arcache: Signal
    arprot: Signal
    arqos: Signal
    aruser: Signal
    arvalid: Signal
    arready: Signal
    rid: Signal
    rdata: Signal
    rresp: Signal
    rlast: Signal
    rvalid: Signal
    rready: Signal


@dataclass(frozen=True, slots=True)
class Axi4Shape:
    """Widths of one AXI4 bus.

    Parameters
    ----------
    data_bytes
        Bytes of one transfer, a power of two from 1 to 128.
    id_bits
        Width of all transaction identifiers; positive.
    address_bits
        Width of a byte address.
    reads, writes
        Directions that occur; at least one.
    user_bits
        Width of ``aruser`` and ``awuser``; 0 for none.
    """

    data_bytes: int
    id_bits: int
    address_bits: int
    reads: bool
    writes: bool
    user_bits: int = 0

    def __post_init__(self) -> None:
        size = self.data_bytes
        if not 1 <= size <= 128 or size & (size - 1):
            raise ValueError(f"Axi4Shape data_bytes must be a power of two up to 128, not {size}")
        if self.id_bits < 1 or self.address_bits < BOUNDARY_LOG2_BYTES:
            raise ValueError(
                "Axi4Shape must have identifiers and 12 or more bits of address, not "
                f"{self.id_bits} and {self.address_bits}"
            )
        if not (self.reads or self.writes):
            raise ValueError("Axi4Shape must have a direction, not none")

    @property
    def full_size(self) -> int:
        """Value of ``arsize`` and ``awsize`` for a transfer of all bytes."""
        return self.data_bytes.bit_length() - 1

    def request_widths(self) -> dict[str, int]:
        """Bits of the fields of one address channel, without its prefix and handshake."""
        widths = {
            "id": self.id_bits,
            "addr": self.address_bits,
            "len": 8,
            "size": 3,
            "burst": 2,
            "lock": 1,
            "cache": 4,
            "prot": 3,
            "qos": 4,
            "user": self.user_bits,
        }
        return {name: width for name, width in widths.items() if width}

    def signature(self) -> wiring.Signature:
        """Signature seen from the manager; members have their names and meaning in AXI4.

        On each channel ``valid`` stays set, with stable payload, until ``ready``. There are no
        regions.
        """
        request, bits = self.request_widths(), 8 * self.data_bytes
        members: dict[str, wiring.Member] = {}
        if self.writes:
            members |= {f"aw{name}": Out(width) for name, width in request.items()}
            members |= {"awvalid": Out(1), "awready": In(1)}
            members |= {"wdata": Out(bits), "wstrb": Out(self.data_bytes), "wlast": Out(1)}
            members |= {"wvalid": Out(1), "wready": In(1)}
            members |= {"bid": In(self.id_bits), "bresp": In(2)}
            members |= {"bvalid": In(1), "bready": Out(1)}
        if self.reads:
            members |= {f"ar{name}": Out(width) for name, width in request.items()}
            members |= {"arvalid": Out(1), "arready": In(1)}
            members |= {"rid": In(self.id_bits), "rdata": In(bits), "rresp": In(2)}
            members |= {"rlast": In(1), "rvalid": In(1), "rready": Out(1)}
        return wiring.Signature(members)
