"""What the physical datapath must be able to do, derived from the records alone.

One derivation serves the hardware, the model's cycle limits and the realisation check.
"""

from dataclasses import dataclass

__all__ = ["AccessMode", "BankGeometry", "RequesterShape"]


@dataclass(frozen=True, slots=True, order=True)
class AccessMode:
    """One way in which a requester lays lanes over bytes.

    Parameters
    ----------
    indexed
        Each lane has its own address. Otherwise all lanes follow the first one without gaps
        (element accesses are the one-lane case).
    element_bytes
        Bytes of one lane; lane ``i`` occupies payload bytes ``[i * element_bytes, (i + 1) *
        element_bytes)``.
    lanes
        Largest lane count admitted in this mode.
    """

    indexed: bool
    element_bytes: int
    lanes: int


@dataclass(frozen=True, slots=True)
class RequesterShape:
    """Geometry of one requester of the Local Memory Service.

    Parameters
    ----------
    reads, writes
        Which actors any alternative admits.
    modes
        Every access mode, sorted; a request names one by its ordinal.
    region_sets
        Distinct sets of region ordinals named by the admitting capabilities, sorted; a request
        names one by its ordinal.
    aligned
        Every element lies at a multiple of its size.
    """

    reads: bool
    writes: bool
    modes: tuple[AccessMode, ...]
    region_sets: tuple[tuple[int, ...], ...]
    aligned: bool

    @property
    def lanes(self) -> int:
        """Width of the lane mask."""
        return max(mode.lanes for mode in self.modes)

    @property
    def segments(self) -> int:
        """Addresses of one request: one, or one per lane of the widest indexed mode."""
        return max((mode.lanes for mode in self.modes if mode.indexed), default=1)

    @property
    def data_bytes(self) -> int:
        """Bytes of the widest payload."""
        return max(mode.lanes * mode.element_bytes for mode in self.modes)


@dataclass(frozen=True, slots=True)
class BankGeometry:
    """Beat-interleaved banks: beat ``n`` lies in bank ``n % banks`` at row ``n // banks``.

    Parameters
    ----------
    capacity_bytes
        Bytes of the service; addresses at and above it are out of range.
    beat_bytes, banks
        Powers of two.
    """

    capacity_bytes: int
    beat_bytes: int
    banks: int

    @property
    def address_bits(self) -> int:
        """Bits of a byte address inside the capacity."""
        return max(1, (self.capacity_bytes - 1).bit_length())

    @property
    def rows(self) -> int:
        """Beats per bank."""
        return -(-self.capacity_bytes // (self.beat_bytes * self.banks))
