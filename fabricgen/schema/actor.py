"""The exact actor behind one configured row: its contract and its access view.

Nonpersistent: derived from a row or a Dataflow actor, never stored in a record.
"""

from dataclasses import dataclass

from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
)

__all__ = ["CanonicalActorProjection", "CanonicalMemoryAccessView", "PlainContract"]


@dataclass(frozen=True, slots=True)
class PlainContract:
    """Contract of a plain load or store."""

    volatile: bool = False


@dataclass(frozen=True, slots=True)
class CanonicalActorProjection:
    """Registered schema and exact contract of one actor."""

    schema_id: OperationSchemaId
    contract: PlainContract


@dataclass(frozen=True, slots=True)
class CanonicalMemoryAccessView:
    """Exact software requirement of one addressed actor.

    Parameters
    ----------
    form, address_form, mask_form
        Geometry of the access.
    element_bits
        Width of one memory element.
    lane_count
        Flattened lanes; 1 for an element access.
    address_lane_bits
        Width of one index (RootRelative).
    source_alignment_bytes
        Alignment the actor promises; 1 for a plain access.
    """

    form: MemoryAccessForm
    address_form: MemoryAddressForm
    element_bits: int
    lane_count: int
    mask_form: MemoryMaskForm
    address_lane_bits: int
    source_alignment_bytes: int = 1

    @property
    def address_count(self) -> int:
        """Address lanes: one per lane when indexed, else one."""
        return self.lane_count if self.form is MemoryAccessForm.INDEXED else 1

    @property
    def data_bits(self) -> int:
        """Width of the complete logical payload."""
        return self.element_bits * self.lane_count

    @property
    def address_bits(self) -> int:
        """Width of the complete address token."""
        return self.address_lane_bits * self.address_count

    @property
    def mask_bits(self) -> int:
        """Width of the mask token; 0 without a dynamic mask."""
        return self.lane_count if self.mask_form is MemoryMaskForm.DYNAMIC else 0
