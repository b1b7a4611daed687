"""Operand slots and elastic registers around a stateless datapath."""

from collections.abc import Sequence

from amaranth.hdl import Const, Module, Signal, Value

from fabricgen.rtl.channel import Channel
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.providers.slots import OperandSlots

__all__ = ["Stages"]


class Stages:
    """``latency`` stages: a slot per operand, then registers of the whole firing.

    A slot or stage takes a token where it is empty or hands its own on in the same cycle, so that
    a stall closes bubbles and costs no cycle afterwards. Ready of an operand tells its own slot,
    never whether other operands are offered: a source that publishes on several inputs at once
    may wait for all of them to be ready. A firing is in the first stage when all used slots are
    full.

    Parameters
    ----------
    m
        Module of the provider.
    operands
        Channels of which a firing takes one token each.
    result
        Channel on which the last stage is offered.
    latency
        Stages; at least 1.
    used
        Per operand, whether the configured behaviour consumes it; an operand that it does not
        consume is never ready. All are, if absent.
    holds
        Per operand, what its slot keeps of an offered token; its payload, if absent.

    Attributes
    ----------
    operands
        What each slot keeps; no bits where the channel has none.
    empty
        No slot and no stage is full.
    """

    def __init__(
        self,
        m: Module,
        operands: Sequence[Channel],
        result: Channel,
        *,
        latency: int,
        used: Sequence[Value] | None = None,
        holds: Sequence[Value] | None = None,
    ) -> None:
        if latency < 1:
            raise ValueError(f"Stages must number at least 1, not {latency}")
        self._m = m
        self.latency = latency
        full = [Signal(name=f"full_{stage}") for stage in range(latency)]
        leaves = [Signal(name=f"leave_{stage}") for stage in range(latency)]
        slots = OperandSlots(m, operands, leaves[0], used=used, holds=holds)
        m.d.comb += [full[0].eq(slots.full), result.valid.eq(full[-1])]
        #: Per stage behind the first: it takes a firing in this cycle.
        self._loads: list[Value] = [Const(0, 1)]
        room: Value = result.ready
        for stage in reversed(range(latency)):
            m.d.comb += leaves[stage].eq(full[stage] & room)
            room = ~full[stage] | room
            if stage:
                with m.If(room):
                    m.d.sync += full[stage].eq(full[stage - 1])
        self._loads += leaves[:-1]
        self.operands = slots.operands
        self.empty: Value = slots.empty & ~any_bit(full[1:])

    def register(self, stage: int, value: Value, name: str) -> Signal:
        """Hold ``value`` of the firing that enters ``stage``, which is 1 or later."""
        if not 1 <= stage < self.latency:
            raise ValueError(f"Stage must be from 1 to {self.latency - 1}, not {stage}")
        held = Signal(len(value), name=name, reset_less=True)
        with self._m.If(self._loads[stage]):
            self._m.d.sync += held.eq(value)
        return held
