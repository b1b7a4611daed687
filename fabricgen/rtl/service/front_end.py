"""Request side of one requester: from a whole access to rows asked of banks."""

from itertools import combinations

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import BankGeometry, RequesterShape
from fabricgen.rtl.logic import any_bit, at_least, one_hot, select
from fabricgen.rtl.service.address import AddressSplit
from fabricgen.rtl.service.items import Item, RequestItems

__all__ = ["FrontEnd"]


class FrontEnd(wiring.Component):
    """Ask each bank for one row of the request, until every needed item is served.

    In each bank the lowest item not served yet leads; every other item in the leader's beat is
    served by the same grant, so lanes that fall into one beat share it. Which items are equal
    is worked out from the request beside the arbitration, not after it. ``done`` is shown in
    the cycle of the last grant, and the next request may stand there in the following one.

    Where lanes are released in windows, only items of released lanes lead, and a request is not
    done before all its lanes are. Lanes that share the beat of a leader come along even if they
    are not released yet, so every beat is asked for once.

    Combinational from the request and the grants to ``done``; the items already served are the
    only state, absent when every request is one item. Reset forgets them.

    Parameters
    ----------
    geometry
        Banks and beats.
    requester
        Modes and lanes.
    address_bits
        Width of one byte address.
    windows
        Lanes are released in windows.
    separates
        Items of some requests are served one at a time in each bank, even those of one beat.

    Members
    -------
    valid : In(1)
        The request is offered and admitted; its fields are stable until ``done``.
    mode : In, absent with one mode
    address : In(segments * address_bits)
    lanes : In(lanes)
    released : In(lanes), absent unless ``windows``
        Lanes that may be served; once set they stay so until ``done``.
    alone : In(1), absent unless ``separates``
        They are those of this request.
    want : Out(banks)
        Banks that hold an item not served yet.
    rows : Out(banks * row_bits)
        Row of the leader in each bank.
    grant : In(banks)
        Only where ``want``.
    served : Out(items)
        Items served in this cycle.
    done : Out(1)
        The last items are served in this cycle.
    partial : Out(1)
        A request has been served in part (registered).
    """

    valid: Signal
    mode: Signal
    address: Signal
    lanes: Signal
    released: Signal
    alone: Signal
    want: Signal
    rows: Signal
    grant: Signal
    served: Signal
    done: Signal
    partial: Signal

    def __init__(
        self,
        geometry: BankGeometry,
        *,
        requester: RequesterShape,
        address_bits: int,
        windows: bool = False,
        separates: bool = False,
    ) -> None:
        self.separates = separates
        self.split = AddressSplit(geometry)
        self.banks = geometry.banks
        self.requester = requester
        self.address_bits = address_bits
        self.windows = windows
        self.plan = RequestItems(geometry, requester)
        members = {
            "valid": In(1),
            "address": In(requester.segments * address_bits),
            "lanes": In(requester.lanes),
            "want": Out(geometry.banks),
            "rows": Out(geometry.banks * self.split.row_bits),
            "grant": In(geometry.banks),
            "served": Out(len(self.plan.items)),
            "done": Out(1),
            "partial": Out(1),
        }
        if len(requester.modes) > 1:
            members["mode"] = In(range(len(requester.modes)))
        if windows:
            members["released"] = In(requester.lanes)
        if separates:
            members["alone"] = In(1)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Items not served yet, their leaders per bank, and what a grant serves."""
        m = Module()
        items = self.plan.items
        bank = {item: self._bank(m, item) for item in items}
        row = {item: self._row(m, item) for item in items}
        pending, taken = self._pending(m)
        ripe = self._ripe(m, pending)

        at = {item: one_hot(bank[item], self.banks) for item in items}
        leads, follows = self._leaders(m, pending, ripe, bank, row)
        for b in range(self.banks):
            here = [ripe[item] & at[item][b] for item in items]
            m.d.comb += self.want[b].eq(any_bit(here))
            m.d.comb += self.rows.word_select(b, self.split.row_bits).eq(
                self._bank_row(b, row)
                if self.plan.has_one_item_per_bank
                else select(
                    [(leads[item] & at[item][b], row[item]) for item in items],
                    self.split.row_bits,
                )
            )

        # A second beat in a bank always means another cycle, whatever is granted in this one.
        crowded = any_bit(pending[item] & ~follows[item] for item in items)
        if self.windows:
            crowded |= (self.lanes & ~self.released).any()
        refused = (self.want & ~self.grant).any()
        m.d.comb += self.done.eq(self.valid & ~crowded & ~refused)
        for ordinal, item in enumerate(items):
            granted = any_bit(at[item][b] & self.grant[b] for b in range(self.banks))
            m.d.comb += self.served[ordinal].eq(follows[item] & granted)

        if not self.plan.is_single:
            m.d.sync += taken.eq(Mux(self.done, 0, taken | self.served))
            m.d.comb += self.partial.eq(taken.any())
        return m

    def _pending(self, m: Module) -> tuple[dict[Item, Value], Signal]:
        """Items that hold a byte of an active lane and are not served yet."""
        taken = Signal(len(self.plan.items))
        if self.plan.is_single:
            return dict.fromkeys(self.plan.items, self.valid), taken
        pending: dict[Item, Value] = {}
        for ordinal, item in enumerate(self.plan.items):
            pending[item] = Signal(name=f"pending_{item.segment}_{item.beat}")
            needed = self._needed(item, self.lanes)
            m.d.comb += pending[item].eq(self.valid & needed & ~taken[ordinal])
        return pending, taken

    def _ripe(self, m: Module, pending: dict[Item, Value]) -> dict[Item, Value]:
        """Those of them that hold a byte of a released lane."""
        if not self.windows:
            return pending
        ripe: dict[Item, Value] = {}
        lanes = self.lanes & self.released
        for item in self.plan.items:
            ripe[item] = Signal(name=f"ripe_{item.segment}_{item.beat}")
            m.d.comb += ripe[item].eq(pending[item] & self._needed(item, lanes))
        return ripe

    def _needed(self, item: Item, lanes: Value) -> Value:
        """Some of these lanes has a byte in the item."""
        modes = one_hot(getattr(self, "mode", None), len(self.requester.modes))
        offset = self.split.offset(self._segment(item.segment))
        terms: list[Value] = []
        for chosen, mode in zip(modes, self.requester.modes, strict=True):
            for lane in range(mode.lanes):
                touching = self.plan.touching_offsets(mode, lane, item)
                if touching:
                    above = touching[-1] + self.plan.step(mode)
                    within = at_least(offset, touching[0])
                    if above < self.plan.beat_bytes:
                        within &= ~at_least(offset, above)
                    # A request has an active lane, so the only one need not be looked at.
                    active = lanes[lane] if self.requester.lanes > 1 else Const(1, 1)
                    terms.append(chosen & active & within)
        return any_bit(terms)

    def _leaders(
        self,
        m: Module,
        pending: dict[Item, Value],
        ripe: dict[Item, Value],
        bank: dict[Item, Value],
        row: dict[Item, Value],
    ) -> tuple[dict[Item, Value], dict[Item, Value]]:
        """Per item: it is the lowest ripe one of its bank; it lies in that one's beat.

        Lanes are released from the lowest on, so an item that is not ripe follows all that are.
        """
        if self.plan.has_one_item_per_bank:
            return ripe, ripe
        leads: dict[Item, Value] = {}
        follows: dict[Item, Value] = {}
        same_bank: dict[tuple[Item, Item], Value] = {}
        same_beat: dict[tuple[Item, Item], Value] = {}
        for first, second in combinations(self.plan.items, 2):
            if self.banks == 1:
                same_bank[first, second] = Const(1, 1)
            elif first.segment == second.segment:
                apart = (second.beat - first.beat) % self.banks
                same_bank[first, second] = Const(apart == 0, 1)
            else:
                same_bank[first, second] = bank[first] == bank[second]
            if self.plan.may_share(first, second) and first.segment != second.segment:
                same_beat[first, second] = same_bank[first, second] & (row[first] == row[second])
        for item in self.plan.items:
            before = [other for other in self.plan.items if other < item]
            lead = Signal(name=f"lead_{item.segment}_{item.beat}")
            follow = Signal(name=f"follow_{item.segment}_{item.beat}")
            m.d.comb += lead.eq(
                ripe[item] & ~any_bit(ripe[other] & same_bank[other, item] for other in before)
            )
            shared = any_bit(
                leads[other] & same_beat[other, item]
                for other in before
                if (other, item) in same_beat
            )
            comes = pending[item] & shared
            m.d.comb += follow.eq(lead | (comes & ~self.alone if self.separates else comes))
            leads[item], follows[item] = lead, follow
        return leads, follows

    def _segment(self, segment: int) -> Value:
        """Byte address of a segment."""
        return self.address.word_select(segment, self.address_bits)

    def _bank(self, m: Module, item: Item) -> Value:
        """Bank of an item: that of its segment's first byte, and on from there."""
        first = self.split.bank(self._segment(item.segment))
        if item.beat % self.banks == 0:
            return first
        bank = Signal(self.split.bank_bits, name=f"bank_{item.segment}_{item.beat}")
        m.d.comb += bank.eq(first + item.beat)
        return bank

    def _row(self, m: Module, item: Item) -> Value:
        """Row of an item; a walk past the last bank goes to the next row."""
        segment = self._segment(item.segment)
        whole, rest = divmod(item.beat, self.banks)
        here = self._row_after(segment, whole)
        if not rest:
            return here
        row = Signal(self.split.row_bits, name=f"row_{item.segment}_{item.beat}")
        wraps = at_least(self.split.bank(segment), self.banks - rest)
        m.d.comb += row.eq(Mux(wraps, self._row_after(segment, whole + 1), here))
        return row

    def _bank_row(self, bank: int, row: dict[Item, Value]) -> Value:
        """Row asked of a bank that can hold one item only; which one does not matter."""
        segment = self._segment(0)
        if len(row) == 1:
            return self.split.row(segment)
        wraps = at_least(self.split.bank(segment), bank + 1)
        return Mux(wraps, self._row_after(segment, 1), self._row_after(segment, 0))

    def _row_after(self, segment: Value, rows: int) -> Value:
        """Row that lies ``rows`` after a segment's first."""
        first = self.split.row(segment)
        return (first + rows)[: self.split.row_bits] if rows else first
