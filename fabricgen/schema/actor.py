"""The exact actor behind one configured row: its contract and its access view.

Nonpersistent: derived from a row or a Dataflow actor, never stored in a record.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic, Invalid
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

    def __post_init__(self) -> None:
        if found := tuple(self._findings()):
            raise Invalid(*found)

    def _findings(self) -> Iterator[Diagnostic]:
        for name in ("element_bits", "lane_count", "address_lane_bits"):
            value = getattr(self, name)
            if not 1 <= value <= U64_MAX:
                yield Diagnostic(
                    "access-view-range",
                    name,
                    f"The value must be from 1 to 2**64 - 1, not {value}",
                )
        alignment = self.source_alignment_bytes
        if alignment < 1 or alignment & (alignment - 1) or alignment > U64_MAX:
            yield Diagnostic(
                "access-view-alignment",
                "source_alignment_bytes",
                f"The alignment must be a power of two below 2**64, not {alignment}",
            )
        if self.form is MemoryAccessForm.ELEMENT:
            if self.lane_count != 1:
                yield Diagnostic(
                    "access-view-lanes",
                    "lane_count",
                    f"An element access has exactly 1 lane, not {self.lane_count}",
                )
            if self.mask_form is not MemoryMaskForm.ABSENT:
                yield Diagnostic(
                    "access-view-mask",
                    "mask_form",
                    f"An element access has no mask, not a {self.mask_form.name} one",
                )

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
