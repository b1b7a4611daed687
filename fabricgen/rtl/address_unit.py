"""Exact byte addresses of one address token."""

from functools import reduce
from operator import add, or_

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["AddressUnit"]


class AddressUnit(wiring.Component):
    """Turn element indices into byte addresses: ``base + index * element_bytes``, exactly.

    Segment ``i`` takes bits ``[i * w, (i + 1) * w)`` of the token, where ``w`` is the configured
    index width, zero-extended; bits that the token does not have count as zero.

    Purely combinational.

    Parameters
    ----------
    token_width
        Bits of the address token.
    index_widths
        Admitted index widths in bits, ascending.
    element_bytes
        Admitted element sizes, ascending.
    segments
        Addresses of one token.
    address_bits
        Bits of one byte address.

    Members
    -------
    token : In(token_width)
    base : In(address_bits)
        Byte address of element 0.
    reach : In(len(index_widths) - 1), absent with one index width
        Bit ``k`` is set when the configured width is at least ``index_widths[k + 1]``.
    scale : In(range(len(element_bytes))), absent with one element size
        Position of the configured size in ``element_bytes``.
    address : Out(segments * address_bits)
        Segment 0 lowest.
    beyond : Out(segments)
        The exact address of that segment does not fit ``address_bits``.
    """

    token: Signal
    base: Signal
    reach: Signal
    scale: Signal
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
    ) -> None:
        for name, values in (("index_widths", index_widths), ("element_bytes", element_bytes)):
            if not values or min(values) < 1 or list(values) != sorted(set(values)):
                raise TypeError(
                    f"AddressUnit {name} must be ascending positive integers, not {values!r}"
                )
        self.token_width = token_width
        self.index_widths = index_widths
        self.element_bytes = element_bytes
        self.segments = segments
        self.address_bits = address_bits
        members: dict[str, wiring.Member] = {
            "token": In(token_width),
            "base": In(address_bits),
            "address": Out(segments * address_bits),
            "beyond": Out(segments),
        }
        if len(index_widths) > 1:
            members["reach"] = In(len(index_widths) - 1)
        if len(element_bytes) > 1:
            members["scale"] = In(range(len(element_bytes)))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build one shifter and one adder per segment."""
        m = Module()
        for segment in range(self.segments):
            scaled = self._scaled(self._index(segment))
            above = Cat(scaled[self.address_bits :], Const(0, 1))

            # Only the low part needs the adder: any bit above it is already out of range.
            total = Signal(self.address_bits + 1, name=f"total_{segment}")
            here = self.address.word_select(segment, self.address_bits)
            m.d.comb += [
                total.eq(self.base + scaled[: self.address_bits]),
                here.eq(total),
                self.beyond[segment].eq(total[-1] | above.any()),
            ]
        return m

    def _index(self, segment: int) -> Value:
        """Zero-extended index of one segment."""
        if segment == 0:
            # Every width starts at bit 0: wider ones only let more bits through.
            parts, low = [self.token[: self.index_widths[0]]], self.index_widths[0]
            for ordinal, width in enumerate(self.index_widths[1:]):
                bits = self.token[low:width]
                parts.append(bits & self.reach[ordinal].replicate(len(bits)))
                low = width
            return Cat(parts)

        options: list[Value] = []
        for ordinal, width in enumerate(self.index_widths):
            bits = self.token[segment * width : (segment + 1) * width]
            options.append(bits & self._is_width(ordinal).replicate(len(bits)))
        return reduce(or_, options)

    def _is_width(self, ordinal: int) -> Value:
        """Tell whether the configured index width is the one with this ordinal."""
        reached: Value = self.reach[ordinal - 1] if ordinal else Value.cast(1)
        last = ordinal + 1 == len(self.index_widths)
        passed: Value = Value.cast(0) if last else self.reach[ordinal]
        return reached & ~passed

    def _scaled(self, index: Value) -> Value:
        """Exact product of an index and the configured element size."""
        width = len(index) + self.element_bytes[-1].bit_length()
        products = [_times(index, size, width) for size in self.element_bytes]
        return products[0] if len(products) == 1 else Value.cast(Array(products)[self.scale])


def _times(value: Value, constant: int, width: int) -> Value:
    """Product with a constant, as shifts and adders: no multiplier block is spent on it."""
    bits = [bit for bit in range(constant.bit_length()) if constant >> bit & 1]
    terms: list[Value] = [Cat(Const(0, bit), value) for bit in bits]
    return reduce(add, terms)[:width]
