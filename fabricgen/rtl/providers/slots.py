"""Slots that hold the operands of one firing."""

from collections.abc import Sequence

from amaranth.hdl import Const, Module, Signal, Value

from fabricgen.rtl.channel import Channel
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.providers.frame import payload

__all__ = ["OperandSlots"]


class OperandSlots:
    """One slot per operand; the firing is complete when all used ones are full.

    A slot takes a token where it is empty or its own leaves in the same cycle. Ready of an
    operand never tells whether other operands are offered.

    Parameters
    ----------
    m
        Module of the provider.
    operands
        Channels of which a firing takes one token each.
    leaves
        The complete firing leaves its slots in this cycle.
    used
        Per operand, whether the configured behaviour consumes it; an operand that it does not
        consume is never ready. All are, if absent.
    holds
        Per operand, what its slot keeps of an offered token; its payload, if absent.

    Attributes
    ----------
    full
        The firing is complete.
    empty
        No slot is full.
    operands
        What each slot keeps; no bits where the channel has none.
    """

    def __init__(
        self,
        m: Module,
        operands: Sequence[Channel],
        leaves: Value,
        *,
        used: Sequence[Value] | None = None,
        holds: Sequence[Value] | None = None,
    ) -> None:
        kept = list(map(payload, operands)) if holds is None else holds
        needs = [Const(1, 1)] * len(operands) if used is None else list(used)
        slots = [Signal(name=f"operand_full_{ordinal}") for ordinal in range(len(operands))]
        missing = any_bit(need & ~slot for need, slot in zip(needs, slots, strict=True))
        self.full: Value = ~missing & any_bit(needs)
        self.empty: Value = ~any_bit(slots)
        self.operands: list[Value] = []
        for ordinal, channel in enumerate(operands):
            ready = Signal(name=f"slot_ready_{ordinal}")
            full = slots[ordinal]
            m.d.comb += [ready.eq(needs[ordinal] & (~full | leaves)), channel.ready.eq(ready)]
            # What keeps its token is not ready: one enable serves the flag and the payload.
            with m.If(ready):
                m.d.sync += full.eq(channel.valid)
            self.operands.append(self._hold(m, f"operand_{ordinal}", ready, kept[ordinal]))

    @staticmethod
    def _hold(m: Module, name: str, ready: Signal, value: Value) -> Value:
        """Keep what is taken. An empty slot may take what is not offered: nobody looks at it."""
        if not len(value):
            return Const(0, 0)
        held = Signal(len(value), name=name, reset_less=True)
        with m.If(ready):
            m.d.sync += held.eq(value)
        return held
