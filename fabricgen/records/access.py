"""The parameterized access relation (spec: Persistent Capability Schema)."""

from dataclasses import dataclass

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryAddressForm, MemoryMaskForm
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

__all__ = [
    "MaskInactivePair",
    "MemoryAccessClass",
    "OrdinaryData",
    "ParameterizedMemoryAccessDomain",
    "RootRelative",
]

MaskInactivePair = tuple[MemoryMaskForm, InactiveLaneSemantics]


@dataclass(frozen=True, slots=True)
class RootRelative:
    """Address lanes are element indices of an admitted width."""

    accepted_index_width_bits: UnsignedDomain


@dataclass(frozen=True, slots=True)
class OrdinaryData:
    """The point of ``data_pointer_formats`` that is no pointer at all."""


@dataclass(frozen=True, slots=True)
class MemoryAccessClass:
    """One root-to-leaf product of the access relation, in its fixed field order."""

    access_form: MemoryAccessForm
    address_form: MemoryAddressForm
    address_domain: RootRelative
    data_pointer_formats: tuple[OrdinaryData, ...]
    element_width_bits: UnsignedDomain
    flattened_lane_count: UnsignedDomain
    mask_inactive_pairs: tuple[MaskInactivePair, ...]
    source_alignment: AlignmentDomain
    read_subword: tuple[ReadSubwordSemantics, ...]
    write_subword: tuple[WriteSubwordSemantics, ...]


@dataclass(frozen=True, slots=True)
class ParameterizedMemoryAccessDomain:
    """Non-empty canonical access classes, in canonical byte order."""

    access_classes: tuple[MemoryAccessClass, ...]
