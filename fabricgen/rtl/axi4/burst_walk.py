"""The transfers of one burst, one after the other, and which requests are none."""

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.axi4.bus import BOUNDARY_LOG2_BYTES, Axi4Shape, Burst
from fabricgen.rtl.logic import any_bit, select

__all__ = ["BurstWalk", "is_no_request"]

#: Transfers of the longest FIXED burst.
_MOST_FIXED = 16


def is_no_request(bus: Axi4Shape, request: Mapping[str, Value]) -> Value:
    """Whether AXI4 forbids a request with these fields ``addr``, ``len``, ``size`` and ``burst``.

    A reserved burst type, a transfer wider than the bus, a FIXED burst of more than 16 transfers,
    a WRAP burst of a length that is none of 2, 4, 8, 16 or at no multiple of its transfers, an
    INCR burst that leaves its 4 KiB.
    """
    size, length = request["size"], request["len"]
    low = request["addr"][:BOUNDARY_LOG2_BYTES]
    # Bits of an address inside one transfer.
    below = Cat(size > each for each in range(bus.full_size))
    inside = low[: bus.full_size] & below
    start = low & ~Cat(below, Const(0, BOUNDARY_LOG2_BYTES - bus.full_size))
    sizes = [(size == each, length << each) for each in range(bus.full_size + 1)]
    last = start + select(sizes, len(length) + bus.full_size)
    wraps = any_bit(length == count - 1 for count in (2, 4, 8, 16))
    keeps = {
        Burst.FIXED: length < _MOST_FIXED,
        Burst.INCR: ~last[BOUNDARY_LOG2_BYTES:].any(),
        Burst.WRAP: wraps & ~inside.any(),
    }
    kept = any_bit((request["burst"] == kind.value) & is_kept for kind, is_kept in keeps.items())
    return ~kept | (size > bus.full_size)


class BurstWalk(wiring.Component):
    """Tell address and bytes of each transfer of FIXED, INCR and WRAP bursts.

    A transfer touches the bytes from its address to the end of the aligned 2**size bytes around
    it. ``line``, ``lanes`` and ``last`` follow the request and registers. Reset forgets how far a
    burst is.

    Parameters
    ----------
    data_bytes
        Bytes of the bus, a power of two.
    address_bits
        Width of an address.

    Members
    -------
    addr : In(address_bits), len : In(8), size : In(3), burst : In(2)
        A request; it stays until its last transfer has been passed. Of one that AXI4 forbids only
        the number of transfers means anything.
    step : In(1)
        The transfer that is shown is passed.
    line : Out(address_bits)
        Address of the transfer, rounded down to a multiple of ``data_bytes``.
    lanes : Out(data_bytes)
        Bytes of the bus that belong to the transfer.
    last : Out(1)
        It is the last one.
    """

    addr: Signal
    len: Signal
    size: Signal
    burst: Signal
    step: Signal
    line: Signal
    lanes: Signal
    last: Signal

    def __init__(self, data_bytes: int, address_bits: int) -> None:
        self.data_bytes, self.address_bits = data_bytes, address_bits
        self.offset_bits = data_bytes.bit_length() - 1
        super().__init__(
            {
                "addr": In(address_bits),
                "len": In(8),
                "size": In(3),
                "burst": In(2),
                "step": In(1),
                "line": Out(address_bits),
                "lanes": Out(data_bytes),
                "last": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count transfers; the place of the first one is in the request."""
        m = Module()
        passed = Signal(8)
        place = Signal(BOUNDARY_LOG2_BYTES, reset_less=True)
        here = Signal(BOUNDARY_LOG2_BYTES)
        first = Signal()
        m.d.comb += [
            first.eq(passed == 0),
            here.eq(Mux(first, self.addr[:BOUNDARY_LOG2_BYTES], place)),
            self.last.eq(passed == self.len),
            # No burst leaves its 4 KiB.
            self.line.eq(
                Cat(
                    Const(0, self.offset_bits),
                    here[self.offset_bits :],
                    self.addr[BOUNDARY_LOG2_BYTES:],
                )
            ),
            self.lanes.eq(self._lanes(m, here)),
        ]
        with m.If(self.step):
            m.d.sync += [
                passed.eq(Mux(self.last, 0, passed + 1)),
                place.eq(self._next(m, here)),
            ]
        return m

    def _next(self, m: Module, here: Signal) -> Value:
        """Place of the transfer behind one at ``here``, in its 4 KiB."""
        below = Signal(BOUNDARY_LOG2_BYTES)  # bits inside one transfer
        span = Signal(BOUNDARY_LOG2_BYTES)  # bits inside a whole WRAP burst
        after = Signal(BOUNDARY_LOG2_BYTES)
        m.d.comb += [
            below.eq((1 << self.size) - 1),
            span.eq((self.len << self.size) | below),
            after.eq((here | below) + 1),
        ]
        wrapped = (here & ~span) | (after & span)
        return Mux(
            self.burst == Burst.FIXED.value,
            here,
            Mux(self.burst == Burst.WRAP.value, wrapped, after),
        )

    def _lanes(self, m: Module, here: Value) -> Value:
        """From the byte of the transfer's address to the end of its aligned piece."""
        size_bytes = self.data_bytes
        start = Signal(size_bytes)
        m.d.comb += start.eq(1 << here[: self.offset_bits] if self.offset_bits else 1)
        onwards = (-start)[:size_bytes]
        within: list[Value] = []
        for size in range(self.offset_bits + 1):
            step = 1 << size
            pieces = Cat(
                start[at : at + step].any().replicate(step) for at in range(0, size_bytes, step)
            )
            within.append((self.size == size).replicate(size_bytes) & pieces)
        piece = Cat(any_bit(each[at] for each in within) for at in range(size_bytes))
        return onwards & piece
