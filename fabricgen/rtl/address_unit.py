"""Exact byte addresses of one address token (spec: Canonical Engine Definition)."""

from functools import reduce
from operator import add, or_

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import AddressLane

__all__ = ["AddressUnit"]


class AddressUnit(wiring.Component):
    """Turn element indices into byte addresses: ``base + index * element_bytes``, exactly.

    Segment ``i`` takes bits ``[i * stride, i * stride + bits)`` of the token, zero-extended, as the
    configured address lane says; bits that the token does not have count as zero. Where they are a
    pointer they are the address already.

    Purely combinational.

    Parameters
    ----------
    token_width
        Bits of the address token.
    index_widths
        Admitted index widths in bits, ascending; an index is as wide as its lane. They may be
        absent where there are pointers.
    pointers
        Address lanes of admitted pointers, ascending.
    element_bytes
        Admitted element sizes, ascending.
    segments
        Addresses of one token.
    address_bits
        Bits of one byte address.

    Members
    -------
    token : In(token_width)
    base : In(address_bits), absent without an index width
        Byte address of element 0; 0 where addresses are pointers.
    reach : In(len(lanes) - 1), absent with one address lane
        Bit ``k`` is set when the configured lane is ``lanes[k + 1]`` or one behind it; ``lanes``
        are those of indices and pointers together, ascending.
    scale : In(range(len(element_bytes))), absent with one element size or no index width
        Position of the configured size in ``element_bytes``.
    pointer : In(1), absent unless there are both index widths and pointers
        The configured lane is a pointer's.
    address : Out(segments * address_bits)
        Segment 0 lowest.
    beyond : Out(segments)
        The exact address of that segment does not fit ``address_bits``.
    """

    token: Signal
    base: Signal
    reach: Signal
    scale: Signal
    pointer: Signal
    address: Signal
    beyond: Signal

    def __init__(
        self,
        token_width: int,
        *,
        index_widths: tuple[int, ...],
        element_bytes: tuple[int, ...],
        segments: int,
        address_bits: int,
        pointers: tuple[AddressLane, ...] = (),
    ) -> None:
        for name, values in (("index_widths", index_widths), ("element_bytes", element_bytes)):
            if name == "index_widths" and not values and pointers:
                continue
            if not values or min(values) < 1 or list(values) != sorted(set(values)):
                raise TypeError(
                    f"AddressUnit {name} must be ascending positive integers, not {values!r}"
                )
        self.token_width = token_width
        self.index_widths = index_widths
        self.element_bytes = element_bytes
        self.segments = segments
        self.address_bits = address_bits
        self.pointers = pointers
        indices = {AddressLane(width, width) for width in index_widths}
        self.lanes = tuple(sorted(indices.union(pointers)))
        members: dict[str, wiring.Member] = {"token": In(token_width)}
        if index_widths:
            members["base"] = In(address_bits)
        members |= {"address": Out(segments * address_bits), "beyond": Out(segments)}
        if len(self.lanes) > 1:
            members["reach"] = In(len(self.lanes) - 1)
        if len(element_bytes) > 1 and index_widths:
            members["scale"] = In(range(len(element_bytes)))
        if index_widths and pointers:
            members["pointer"] = In(1)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build one shifter and one adder per segment, or wires for pointers alone."""
        m = Module()
        for segment in range(self.segments):
            scaled = self._scaled(self._lane(segment))
            above = Cat(scaled[self.address_bits :], Const(0, 1))
            if not self.index_widths:
                here = self.address.word_select(segment, self.address_bits)
                m.d.comb += [here.eq(scaled), self.beyond[segment].eq(above.any())]
                continue

            # Only the low part needs the adder: any bit above it is already out of range.
            total = Signal(self.address_bits + 1, name=f"total_{segment}")
            here = self.address.word_select(segment, self.address_bits)
            m.d.comb += [
                total.eq(self.base + scaled[: self.address_bits]),
                here.eq(total),
                self.beyond[segment].eq(total[-1] | above.any()),
            ]
        return m

    def _lane(self, segment: int) -> Value:
        """Zero-extended index or pointer of one segment."""
        if segment == 0:
            # Every lane starts at bit 0: those with more bits only let more through.
            low = self.lanes[0].bits
            parts = [self.token[:low]]
            for ordinal, lane in enumerate(self.lanes[1:]):
                if lane.bits > low:
                    bits = self.token[low : lane.bits]
                    parts.append(bits & self.reach[ordinal].replicate(len(bits)))
                    low = lane.bits
            return Cat(parts)

        options: list[Value] = []
        for ordinal, lane in enumerate(self.lanes):
            bits = self.token[segment * lane.stride : segment * lane.stride + lane.bits]
            options.append(bits & self._is_lane(ordinal).replicate(len(bits)))
        return reduce(or_, options)

    def _is_lane(self, ordinal: int) -> Value:
        """Tell whether the configured address lane is the one with this ordinal."""
        reached: Value = self.reach[ordinal - 1] if ordinal else Value.cast(1)
        last = ordinal + 1 == len(self.lanes)
        passed: Value = Value.cast(0) if last else self.reach[ordinal]
        return reached & ~passed

    def _scaled(self, lane: Value) -> Value:
        """Exact product of an index and the configured element size, or the pointer itself."""
        if not self.index_widths:
            return lane
        index = lane[: self.index_widths[-1]] if self.pointers else lane
        width = len(index) + self.element_bytes[-1].bit_length()
        products = [_times(index, size, width) for size in self.element_bytes]
        product = products[0] if len(products) == 1 else Value.cast(Array(products)[self.scale])
        return Mux(self.pointer, lane, product) if self.pointers else product


def _times(value: Value, constant: int, width: int) -> Value:
    """Product with a constant, as shifts and adders: no multiplier block is spent on it."""
    bits = [bit for bit in range(constant.bit_length()) if constant >> bit & 1]
    terms: list[Value] = [Cat(Const(0, bit), value) for bit in bits]
    return reduce(add, terms)[:width]
