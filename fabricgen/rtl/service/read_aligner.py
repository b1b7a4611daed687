"""From the beats that the banks return to payload bytes."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import AccessMode, BankGeometry, RequesterShape
from fabricgen.rtl.logic import any_bit, at_least, one_hot
from fabricgen.rtl.service.address import AddressSplit
from fabricgen.rtl.service.items import Item, RequestItems
from fabricgen.rtl.service.rotate import rotate_down

__all__ = ["ReadAligner"]


class ReadAligner(wiring.Component):
    """Turn each segment's bytes down to its first one and place them in the payload.

    All banks together are a ring of bytes, in which an address names a place by its low bits
    alone, so the choice of banks and the offset in a beat are one rotation. Where every request
    is one beat, the beat comes chosen and is a ring by itself. Combinational.

    Parameters
    ----------
    geometry
        Banks and beats.
    requester
        Modes and lanes.

    Members
    -------
    mode : In, absent with one mode
    low : In(segments * low_bits), absent when an address has no bits below the row
        Low bits of the segments' addresses.
    lanes : In(lanes)
    served : In(items)
        Items whose beats stand in ``beats`` now.
    beats : In(banks * 8 * beat_bytes), or In(8 * beat_bytes) where every request is one beat
    data : Out(8 * data_bytes), strobe : Out(data_bytes)
        Bytes of active lanes that lie in those items; other data bytes carry no meaning.
    """

    mode: Signal
    low: Signal
    lanes: Signal
    served: Signal
    beats: Signal
    data: Signal
    strobe: Signal

    def __init__(self, geometry: BankGeometry, *, requester: RequesterShape) -> None:
        self.split = AddressSplit(geometry)
        self.requester = requester
        self.plan = RequestItems(geometry, requester)
        members = {
            "lanes": In(requester.lanes),
            "served": In(len(self.plan.items)),
            "beats": In(8 * self.plan.read_ring_bytes),
            "data": Out(8 * requester.data_bytes),
            "strobe": Out(requester.data_bytes),
        }
        if self.split.low_bits:
            members["low"] = In(requester.segments * self.split.low_bits)
        if len(requester.modes) > 1:
            members["mode"] = In(range(len(requester.modes)))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """One rotation per segment, then one choice of places per payload byte."""
        m = Module()
        req = self.requester
        windows = [self._window(m, segment) for segment in range(req.segments)]
        modes = one_hot(getattr(self, "mode", None), len(req.modes))
        for byte in range(req.data_bytes):
            sources: dict[tuple[int, int], list[Value]] = {}
            strobes: list[Value] = []
            for chosen, mode in zip(modes, req.modes, strict=True):
                lane, rest = divmod(byte, mode.element_bytes)
                if lane < mode.lanes:
                    segment, place = (lane, rest) if mode.indexed else (0, byte)
                    sources.setdefault((segment, place), []).append(chosen)
                    strobes.append(
                        chosen & self._active(lane) & self._arrives(mode, segment, place)
                    )
            m.d.comb += self.strobe[byte].eq(any_bit(strobes))
            (first, place), *others = sources
            value: Value = windows[first][place]
            for at in others:
                value = Mux(any_bit(sources[at]), windows[at[0]][at[1]], value)
            m.d.comb += self.data.word_select(byte, 8).eq(value)
        return m

    def _window(self, m: Module, segment: int) -> list[Value]:
        """Bytes behind a segment's address."""
        step_bits = self.plan.least_step.bit_length() - 1
        ring_bits = self.plan.read_ring_bytes.bit_length() - 1
        amount: list[Value | None] = list(self._low(segment)[:ring_bits])
        amount[:step_bits] = [None] * min(step_bits, len(amount))
        ring = [self.beats.word_select(place, 8) for place in range(self.plan.read_ring_bytes)]
        count = self.plan.window_bytes(segment)
        return rotate_down(m, ring, amount, count, name=f"turn_{segment}")

    def _arrives(self, mode: AccessMode, segment: int, place: int) -> Value:
        """The item that holds byte ``place`` of a segment is served."""
        if self.plan.is_single:
            return self.served[0]
        beat, rest = divmod(place, self.plan.beat_bytes)
        bound = self.plan.beat_bytes - rest
        here = self._served(Item(segment, beat))
        if bound > self.plan.beat_bytes - self.plan.step(mode):
            return here
        past = at_least(Cat(*self._low(segment)[: self.split.offset_bits]), bound)
        return Mux(past, self._served(Item(segment, beat + 1)), here)

    def _served(self, item: Item) -> Value:
        return self.served[self.plan.items.index(item)]

    def _active(self, lane: int) -> Value:
        return self.lanes[lane] if self.requester.lanes > 1 else Const(1, 1)

    def _low(self, segment: int) -> list[Value]:
        """Low address bits of a segment, lowest first."""
        bits = self.split.low_bits
        return [self.low[segment * bits + bit] for bit in range(bits)]
