"""The one beat of a requester that never needs two, out of all banks."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import BankGeometry
from fabricgen.rtl.logic import one_hot, select
from fabricgen.rtl.service.address import AddressSplit

__all__ = ["BeatReader"]


class BeatReader(wiring.Component):
    """Choose among the banks, and forward the write that the read meets.

    Storages answer late in their cycle, so their data pass two levels only: a gated pair of
    banks, then an or with the newer bytes. All else is worked out a cycle ahead from the
    request, whose row does not depend on who is granted, and kept in registers: which storages
    count, and per pair of banks the bytes that are being written. Latency is that of the
    storage. Reset is not needed: a beat that was not granted is not looked at.

    Parameters
    ----------
    geometry
        Banks and beats.
    forwards
        Somebody writes at all.

    Members
    -------
    bank : In(bank_bits), absent with one bank; row : In(row_bits)
        Of the request, in the cycle of the grant.
    writing_rows, writing_beats, writing_enable : In, of all banks, absent unless ``forwards``
        What is written at the end of that cycle.
    stored : In(banks * 8 * beat_bytes)
        What the storages return in the next cycle.
    beat : Out(8 * beat_bytes)
        In the next cycle.
    """

    bank: Signal
    row: Signal
    writing_rows: Signal
    writing_beats: Signal
    writing_enable: Signal
    stored: Signal
    beat: Signal

    def __init__(self, geometry: BankGeometry, *, forwards: bool) -> None:
        self.split = AddressSplit(geometry)
        self.banks = geometry.banks
        self.beat_bytes = geometry.beat_bytes
        self.forwards = forwards
        banks, beat_bytes = geometry.banks, geometry.beat_bytes
        members = {
            "row": In(self.split.row_bits),
            "stored": In(banks * 8 * beat_bytes),
            "beat": Out(8 * beat_bytes),
        }
        if banks > 1:
            members["bank"] = In(self.split.bank_bits)
        if forwards:
            members |= {
                "writing_rows": In(banks * self.split.row_bits),
                "writing_beats": In(banks * 8 * beat_bytes),
                "writing_enable": In(banks * beat_bytes),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Per byte: storages that count, bytes that are newer, and their or."""
        m = Module()
        chosen = one_hot(getattr(self, "bank", None), self.banks)
        for byte in range(self.beat_bytes):
            newer = self._newer(byte, chosen)
            counts = Signal(self.banks, name=f"counts_{byte}", reset_less=True)
            m.d.sync += counts.eq(Mux(newer, 0, Cat(*chosen)))
            terms: list[Value] = [
                select(
                    [(counts[b], self._byte(self.stored, b, byte)) for b in range(self.banks)], 8
                )
            ]
            if self.forwards:
                terms += self._newer_bytes(m, byte, chosen, newer)
            m.d.comb += self.beat.word_select(byte, 8).eq(reduce(or_, terms))
        return m

    def _newer(self, byte: int, chosen: list[Value]) -> Value:
        """The byte is being written where it is read."""
        if not self.forwards:
            return Const(0, 1)
        bits = self.split.row_bits
        met = [
            here
            & (self.row == self.writing_rows.word_select(b, bits))
            & self.writing_enable[b * self.beat_bytes + byte]
            for b, here in enumerate(chosen)
        ]
        return Cat(*met).any()

    def _newer_bytes(self, m: Module, byte: int, chosen: list[Value], newer: Value) -> list[Value]:
        """The byte being written, or zero; one register per pair of banks, so no or is left."""
        registers: list[Value] = []
        half = (self.banks + 1) // 2
        for first in range(half):
            pair = range(first, self.banks, half)
            register = Signal(8, name=f"newer_{byte}_{first}", reset_less=True)
            written = [(chosen[b], self._byte(self.writing_beats, b, byte)) for b in pair]
            m.d.sync += register.eq(Mux(newer, select(written, 8), 0))
            registers.append(register)
        return registers

    def _byte(self, beats: Signal, bank: int, byte: int) -> Value:
        return beats.word_select(bank * self.beat_bytes + byte, 8)
