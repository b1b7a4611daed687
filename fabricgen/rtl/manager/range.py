"""Which lanes of an access have addresses at a manager."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS, AccessMode, RequesterShape
from fabricgen.rtl.logic import any_bit, at_least, one_hot

__all__ = ["AddressRange"]


class AddressRange(wiring.Component):
    """Find the lanes with a byte at or above 2**64.

    Only an address whose high bits are all ones comes near the end, so its low bits decide.
    Combinational.

    Parameters
    ----------
    requester
        Modes and lanes.

    Members
    -------
    mode : In, absent with one mode
    address : In(segments * 64)
    beyond : In(segments)
        The exact address of that segment is 2**64 or more.
    outside : Out(lanes)
        Also for lanes that are not active.
    """

    mode: Signal
    address: Signal
    beyond: Signal
    outside: Signal

    def __init__(self, requester: RequesterShape) -> None:
        self.requester = requester
        members: dict[str, wiring.Member] = {
            "address": In(requester.segments * MANAGER_ADDRESS_BITS),
            "beyond": In(requester.segments),
            "outside": Out(requester.lanes),
        }
        if len(requester.modes) > 1:
            members["mode"] = In(range(len(requester.modes)))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """One comparison per lane and mode, on the low bits only."""
        m = Module()
        req = self.requester
        modes = list(
            zip(one_hot(getattr(self, "mode", None), len(req.modes)), req.modes, strict=True)
        )
        self.near = [self._near(m, segment) for segment in range(req.segments)]
        for lane in range(req.lanes):
            terms = [
                chosen & self._crosses(mode, lane) for chosen, mode in modes if lane < mode.lanes
            ]
            m.d.comb += self.outside[lane].eq(any_bit(terms))
        return m

    @property
    def _low_bits(self) -> int:
        """Bits in which the payload of any access can be counted."""
        return self.requester.data_bytes.bit_length()

    def _near(self, m: Module, segment: int) -> Signal:
        """The end is less than ``2**low_bits`` bytes away."""
        near = Signal(name=f"near_{segment}")
        word = self.address.word_select(segment, MANAGER_ADDRESS_BITS)
        m.d.comb += near.eq(word[self._low_bits :].all())
        return near

    def _crosses(self, mode: AccessMode, lane: int) -> Value:
        segment, lanes = (lane, 1) if mode.indexed else (0, lane + 1)
        word = self.address.word_select(segment, MANAGER_ADDRESS_BITS)
        bound = (1 << self._low_bits) - lanes * mode.element_bytes + 1
        return self.beyond[segment] | self.near[segment] & at_least(word[: self._low_bits], bound)
