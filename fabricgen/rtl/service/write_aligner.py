"""From payload bytes to beats and byte enables of every bank."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import BankGeometry, RequesterShape
from fabricgen.rtl.logic import any_bit, one_hot
from fabricgen.rtl.service.address import AddressSplit
from fabricgen.rtl.service.items import Item, RequestItems
from fabricgen.rtl.service.rotate import Places, rotate_up, shift_up

__all__ = ["WriteAligner"]


class WriteAligner(wiring.Component):
    """Move each segment's bytes to their places in the ring of all banks' bytes, and merge.

    Where lanes of one request overlap, the higher one wins. A bank that was not granted to the
    request may be shown any data and enables. Combinational.

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
    live : In(lanes)
        Active lanes in range.
    served : In(items)
        Items granted to be written.
    data : In(8 * data_bytes)
    beats : Out(banks * 8 * beat_bytes), enable : Out(banks * beat_bytes)
    """

    mode: Signal
    low: Signal
    live: Signal
    served: Signal
    data: Signal
    beats: Signal
    enable: Signal

    def __init__(self, geometry: BankGeometry, *, requester: RequesterShape) -> None:
        self.split = AddressSplit(geometry)
        self.banks = geometry.banks
        self.requester = requester
        self.plan = RequestItems(geometry, requester)
        members = {
            "live": In(requester.lanes),
            "served": In(len(self.plan.items)),
            "data": In(8 * requester.data_bytes),
            "beats": Out(8 * geometry.banks * geometry.beat_bytes),
            "enable": Out(geometry.banks * geometry.beat_bytes),
        }
        if self.split.low_bits:
            members["low"] = In(requester.segments * self.split.low_bits)
        if len(requester.modes) > 1:
            members["mode"] = In(range(len(requester.modes)))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """One shift and one rotation per segment, then the merge in lane order."""
        m = Module()
        rings = [self._ring(m, segment) for segment in range(self.requester.segments)]
        for place in range(self.banks * self.plan.beat_bytes):
            data: Value = Const(0, 8)
            enables: list[Value] = []
            for segment, (ring, enable) in enumerate(rings):
                value, strobe = ring[place], enable[place]
                if value is not None and strobe is not None:
                    data = Mux(strobe, value, data) if segment else value
                    enables.append(strobe)
            m.d.comb += [
                self.beats.word_select(place, 8).eq(data),
                self.enable[place].eq(any_bit(enables)),
            ]
        return m

    def _ring(self, m: Module, segment: int) -> tuple[Places, Places]:
        """Data and enables of one segment, at their places in the ring."""
        low = self._low(segment)
        offset, bank = low[: self.split.offset_bits], low[self.split.offset_bits :]
        step_bits = self.plan.least_step.bit_length() - 1
        shift: list[Value | None] = list(offset)
        shift[:step_bits] = [None] * min(step_bits, len(shift))
        turn: list[Value | None] = [*[None] * len(offset), *bank]

        data, enable = self._window(segment)
        data = shift_up(m, data, shift, fill=None, name=f"shift_{segment}")
        enable = shift_up(m, enable, shift, fill=Const(0, 1), name=f"shift_enable_{segment}")
        data, enable = self._folded(segment, data, enable)
        return (
            rotate_up(m, data, turn, name=f"turn_{segment}"),
            rotate_up(m, enable, turn, name=f"turn_enable_{segment}"),
        )

    def _window(self, segment: int) -> tuple[Places, Places]:
        """Payload bytes that belong behind a segment's address, and whether they are live."""
        req = self.requester
        modes = one_hot(getattr(self, "mode", None), len(req.modes))
        data: Places = []
        enable: Places = []
        for place in range(self.plan.window_bytes(segment)):
            sources: dict[int, list[Value]] = {}
            live: list[Value] = []
            for chosen, mode in zip(modes, req.modes, strict=True):
                first = segment * mode.element_bytes if mode.indexed else 0
                in_use = mode in self.plan.segment_modes(segment)
                if in_use and place < self.plan.segment_bytes(mode):
                    sources.setdefault(first + place, []).append(chosen)
                    live.append(chosen & self.live[(first + place) // mode.element_bytes])
            byte, *others = sources
            value: Value = self.data.word_select(byte, 8)
            for other in others:
                value = Mux(any_bit(sources[other]), self.data.word_select(other, 8), value)
            data.append(value)
            enable.append(any_bit(live))
        return data, enable

    def _folded(self, segment: int, data: Places, enable: Places) -> tuple[Places, Places]:
        """Beats of a segment, by the bank they fall into counted from the first one.

        At most one of the beats that fall into one bank is served at a time. With one item per
        bank the grant says it all; otherwise ``served`` closes what this grant is not for.
        """
        size, banks = self.plan.beat_bytes, self.banks
        beats = self.plan.segment_beats(segment)
        data = (data + [None] * (beats * size))[: beats * size]
        enable = (enable + [Const(0, 1)] * (beats * size))[: beats * size]
        if self.plan.has_one_item_per_bank:
            rest: Places = [None] * ((banks - beats) * size)
            return data + rest, enable + rest
        ring: Places = []
        ring_enable: Places = []
        for bank in range(banks):
            turns = range(bank, beats, banks)
            served = [self.served[self.plan.items.index(Item(segment, beat))] for beat in turns]
            for byte in range(size):
                value: Value | None = None
                terms: list[Value] = []
                for beat, now in zip(turns, served, strict=True):
                    other, strobe = data[beat * size + byte], enable[beat * size + byte]
                    if other is not None and strobe is not None:
                        value = other if value is None else Mux(now, other, value)
                        terms.append(now & strobe)
                ring.append(value)
                ring_enable.append(any_bit(terms))
        return ring, ring_enable

    def _low(self, segment: int) -> list[Value]:
        """Low address bits of a segment, lowest first."""
        bits = self.split.low_bits
        return [self.low[segment * bits + bit] for bit in range(bits)]
