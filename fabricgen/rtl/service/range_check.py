"""Which lanes of a request lie inside an admitted region."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import AccessMode, RequesterShape
from fabricgen.rtl.logic import any_bit, at_least, one_hot

__all__ = ["RangeCheck"]


class RangeCheck(wiring.Component):
    """Compare every lane's bytes with the regions of one region set.

    A lane is in range if all of its bytes lie inside one region. Lanes that follow one address
    are compared as that address against shifted bounds, so there is no adder, and with no
    carry into bits that the address does not have. Combinational, no state.

    Parameters
    ----------
    requester
        Modes, lanes and region sets.
    regions
        (base, size) in bytes of each region of the service.
    address_bits
        Width of one byte address.

    Members
    -------
    mode, regions : In, absent with one mode or one region set
    address : In(segments * address_bits)
    beyond : In(segments)
        The exact address has higher bits: nothing there is in range.
    in_range : Out(lanes)
        Lanes that the mode does not have are not in range.
    """

    mode: Signal
    regions: Signal
    address: Signal
    beyond: Signal
    in_range: Signal

    def __init__(
        self,
        requester: RequesterShape,
        *,
        regions: tuple[tuple[int, int], ...],
        address_bits: int,
    ) -> None:
        self.requester = requester
        self.region_bounds = regions
        self.address_bits = address_bits
        members = {
            "address": In(requester.segments * address_bits),
            "beyond": In(requester.segments),
            "in_range": Out(requester.lanes),
        }
        if len(requester.modes) > 1:
            members["mode"] = In(range(len(requester.modes)))
        if len(requester.region_sets) > 1:
            members["regions"] = In(range(len(requester.region_sets)))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Or over modes and region sets of constant comparisons."""
        m = Module()
        req = self.requester
        modes = one_hot(getattr(self, "mode", None), len(req.modes))
        sets = one_hot(getattr(self, "regions", None), len(req.region_sets))
        for lane in range(req.lanes):
            inside = any_bit(
                chosen
                & any_bit(
                    named & self._inside(mode, lane, base, size)
                    for named, ordinals in zip(sets, req.region_sets, strict=True)
                    for base, size in (self.region_bounds[ordinal] for ordinal in ordinals)
                )
                for chosen, mode in zip(modes, req.modes, strict=True)
                if lane < mode.lanes
            )
            m.d.comb += self.in_range[lane].eq(inside)
        return m

    def _inside(self, mode: AccessMode, lane: int, base: int, size: int) -> Value:
        """Lane ``lane`` of ``mode`` inside ``[base, base + size)``, from its segment's address."""
        segment, start = (lane, 0) if mode.indexed else (0, lane * mode.element_bytes)
        address = self.address.word_select(segment, self.address_bits)
        grid = self.requester.step(mode)
        lowest = base - start
        past = base + size - start - mode.element_bytes + 1
        # An aligned address is a multiple of `grid`: round both bounds up to one, which leaves
        # constants with trailing zeros and mostly only the high bits to look at.
        lowest, past = (-(-bound // grid) * grid for bound in (lowest, past))
        return ~self.beyond[segment] & at_least(address, lowest) & ~at_least(address, past)
