"""A sticky flag with the details of what set it first."""

from collections.abc import Mapping

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FaultRecord"]


class FaultRecord(wiring.Component):
    """Remember the first fault since reset or the last ``clear``.

    A fault in the cycle of a ``clear`` counts as the first one after it. Reset clears the flag;
    the details show as zero while it is clear.

    Parameters
    ----------
    details
        Width of ``row`` and of ``address``, where they have bits.

    Members
    -------
    report : In(1), report_row : In(details["row"]), report_address : In(details["address"])
    clear : In(1)
    flag : Out(1), row : Out(details["row"]), address : Out(details["address"])
    """

    report: Signal
    report_row: Signal
    report_address: Signal
    clear: Signal
    flag: Signal
    row: Signal
    address: Signal

    def __init__(self, details: Mapping[str, int]) -> None:
        self.details = dict(details)
        super().__init__(
            {
                "report": In(1),
                "clear": In(1),
                "flag": Out(1),
                **{f"report_{name}": In(width) for name, width in self.details.items()},
                **{name: Out(width) for name, width in self.details.items()},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the flag and the registers of the details."""
        m = Module()

        first = Signal()
        m.d.comb += first.eq(self.report & (~self.flag | self.clear))
        with m.If(first):
            m.d.sync += self.flag.eq(1)
        with m.Elif(self.clear):
            m.d.sync += self.flag.eq(0)

        for name in self.details:
            kept = Signal.like(getattr(self, name), name=f"first_{name}", reset_less=True)
            with m.If(first):
                m.d.sync += kept.eq(getattr(self, f"report_{name}"))
            m.d.comb += getattr(self, name).eq(Mux(self.flag, kept, 0))

        return m
