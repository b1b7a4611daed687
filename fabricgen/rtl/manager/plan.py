"""Which beats one access may have at a manager. Plain integers; no hardware."""

from math import gcd

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS, AccessMode, RequesterShape

__all__ = ["BeatPlan"]


class BeatPlan:
    """How the accesses of one requester fall into beats of one width.

    A *child* is a run of bytes at consecutive addresses: the whole access where it is contiguous
    and not walked, else one active lane. Beat ``n`` of a child is the ``n``-th aligned piece of
    memory that it touches.

    Parameters
    ----------
    requester
        Modes, lanes and directions.
    beat_bytes
        Bytes of one beat, a power of two.
    """

    def __init__(self, requester: RequesterShape, beat_bytes: int) -> None:
        self.requester = requester
        self.beat_bytes = beat_bytes
        #: Bits of an address inside a beat, and bits of the number of a beat in memory.
        self.offset_bits = beat_bytes.bit_length() - 1
        self.line_bits = MANAGER_ADDRESS_BITS - self.offset_bits
        #: Bits of a byte's place in the payload.
        self.place_bits = (requester.data_bytes - 1).bit_length()
        #: Beats that the payload would fill if it began with one.
        self.words = -(-requester.data_bytes // beat_bytes)
        #: Some access has one child per lane.
        self.has_lane_children = requester.walks or any(mode.indexed for mode in requester.modes)
        #: Beats of the longest contiguous child, 0 for none, and of the longest lane.
        self.whole_beats = max(
            (self._beats(mode, mode.lanes) for mode in requester.modes if not mode.indexed),
            default=0,
        )
        self.lane_beats = max(
            (self._beats(mode, 1) for mode in requester.modes if mode.indexed or requester.walks),
            default=0,
        )

    @property
    def lane_beat_bits(self) -> int:
        """Bits of the number of a beat inside a lane; the lane stands above them."""
        return max(0, self.lane_beats - 1).bit_length()

    @property
    def beat_bits(self) -> int:
        """Bits of a beat's place in its access."""
        whole = max(0, self.whole_beats - 1).bit_length()
        if not self.has_lane_children:
            return whole
        return max(whole, self.lane_beat_bits + (self.requester.lanes - 1).bit_length())

    @property
    def more_bits(self) -> int:
        """Bits of the number of beats that follow in a child."""
        return max(0, max(self.whole_beats, self.lane_beats) - 1).bit_length()

    @property
    def most_beats(self) -> int:
        """Beats of the access that has most."""
        return max(self.whole_beats, self.requester.lanes * self.lane_beats)

    def step(self, mode: AccessMode) -> int:
        """Every child of the mode begins at a multiple of so many bytes in its first beat."""
        return gcd(self.requester.step(mode), self.beat_bytes)

    @property
    def least_step(self) -> int:
        """The same of all modes."""
        return min(map(self.step, self.requester.modes))

    def _beats(self, mode: AccessMode, lanes: int) -> int:
        size = lanes * mode.element_bytes
        return -(-(self.beat_bytes - self.step(mode) + size) // self.beat_bytes)
