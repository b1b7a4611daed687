"""The active configuration and its shadow."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import pick

__all__ = ["ConfigurationBank"]

_WORD_BITS = 32
_WORD_BYTES = 4


class ConfigurationBank(wiring.Component):
    """Hold one active payload, and collect the next one byte by byte.

    Writes go to the shadow, reads come from the active payload, and ``swap`` makes the one the
    other at the end of the cycle. Each byte of the shadow remembers whether it was written since
    reset or the last swap, and whether it was last written with a 1 that no configuration has.
    Such bits are not stored: they cost no register and read as 0.

    Reset makes the active payload the inactive configuration, and forgets what was written.

    Parameters
    ----------
    payload_bits
        Bits of the payload.
    storable_mask
        Bits that are kept; all others are constant 0. There may be none.
    inactive
        Payload after reset.

    Members
    -------
    write : In(1), write_word : In(range(words)), write_data : In(32), write_strobe : In(4)
        Bytes to write. ``write_word`` is absent with one word.
    swap : In(1)
        Make the shadow the active payload.
    complete : Out(1)
        Every byte was written.
    legal : Out(1)
        With ``complete``: no byte holds a 1 that no configuration has.
    read_word : In(range(words)), read_data : Out(32)
        One word of the active payload, in the same cycle.
    configuration : Out(payload_bits), following : Out(payload_bits)
        The active payload, and the shadow.
    """

    write: Signal
    write_word: Signal
    write_data: Signal
    write_strobe: Signal
    swap: Signal
    complete: Signal
    legal: Signal
    read_word: Signal
    read_data: Signal
    configuration: Signal
    following: Signal

    def __init__(self, payload_bits: int, storable_mask: int, inactive: int = 0) -> None:
        if payload_bits < 1:
            raise ValueError(f"ConfigurationBank payload_bits must be positive, not {payload_bits}")
        if not 0 <= storable_mask < 1 << payload_bits:
            raise ValueError(
                f"ConfigurationBank storable_mask must lie in {payload_bits} bits, "
                f"not {storable_mask:#x}"
            )
        if inactive < 0 or inactive & ~storable_mask:
            raise ValueError(
                f"ConfigurationBank inactive must lie in the mask {storable_mask:#x}, "
                f"not {inactive:#x}"
            )
        self.payload_bits = payload_bits
        self.storable_mask = storable_mask
        self.inactive = inactive
        self.word_count = -(-payload_bits // _WORD_BITS)
        words = {}
        if self.word_count > 1:
            words = {name: In(range(self.word_count)) for name in ("write_word", "read_word")}
        super().__init__(
            {
                "write": In(1),
                "write_data": In(_WORD_BITS),
                "write_strobe": In(_WORD_BYTES),
                "swap": In(1),
                "complete": Out(1),
                "legal": Out(1),
                "read_data": Out(_WORD_BITS),
                "configuration": Out(payload_bits),
                "following": Out(payload_bits),
                **words,
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the registers of the storable bits and the marks of each byte."""
        m = Module()

        # Bits that are kept lie side by side, lowest first; the payload spreads them out.
        places = [bit for bit in range(self.payload_bits) if self.storable_mask >> bit & 1]
        first = sum((self.inactive >> bit & 1) << at for at, bit in enumerate(places))
        shadow = Signal(len(places), reset_less=True)
        active = Signal(len(places), init=first)
        kept = {bit: position for position, bit in enumerate(places)}

        # Only bytes that have bits of the other kind can be written with one of them.
        byte_count = -(-self.payload_bits // 8)
        checked = {bit // 8 for bit in range(self.payload_bits) if bit not in kept}
        written = Signal(byte_count)
        foreign = Signal(len(checked), reset_less=True)

        enables = Signal(byte_count)
        if places:
            with m.If(self.swap):
                m.d.sync += active.eq(shadow)
        m.d.sync += written.eq(Mux(self.swap, 0, written) | enables)
        hits: list[Value] = []
        kept_bytes: list[Value] = []
        foreign_bytes: list[Value] = []
        for byte in range(byte_count):
            word, lane = divmod(byte, _WORD_BYTES)
            hits.append(self.write & self.write_strobe[lane] & self._selects("write_word", word))
            data = self.write_data.word_select(lane, 8)
            bits = range(8 * byte, min(8 * byte + 8, self.payload_bits))
            if here := [bit for bit in bits if bit in kept]:
                low = kept[here[0]]
                old = shadow[low : low + len(here)]
                kept_bytes.append(Mux(enables[byte], Cat(data[bit % 8] for bit in here), old))
            if other := [bit for bit in bits if bit not in kept]:
                wrong = Cat(data[bit % 8] for bit in other).any()
                foreign_bytes.append(Mux(enables[byte], wrong, foreign[len(foreign_bytes)]))
        m.d.comb += enables.eq(Cat(hits))
        m.d.sync += [shadow.eq(Cat(kept_bytes)), foreign.eq(Cat(foreign_bytes))]

        m.d.comb += [
            self.complete.eq(written.all()),
            self.legal.eq(~foreign.any()),
            self.configuration.eq(self._spread(active, kept)),
            self.following.eq(self._spread(shadow, kept)),
            self.read_data.eq(self._read()),
        ]
        return m

    def _spread(self, stored: Signal, kept: dict[int, int]) -> Value:
        """All bits of a payload from those that are stored."""
        places = range(self.payload_bits)
        return Cat(stored[kept[bit]] if bit in kept else Const(0, 1) for bit in places)

    def _selects(self, member: str, word: int) -> Value:
        return getattr(self, member) == word if self.word_count > 1 else Const(1, 1)

    def _read(self) -> Value:
        starts = range(0, self.payload_bits, _WORD_BITS)
        words = [self.configuration[start : start + _WORD_BITS] for start in starts]
        return pick(words, self.read_word) if self.word_count > 1 else words[0]
