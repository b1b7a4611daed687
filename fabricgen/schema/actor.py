"""The exact actor behind one configured row: its contract and its access view.

Nonpersistent: derived from a row or a Dataflow actor, never stored in a record.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.schema.contract import (
    CLAUSE_VARIANTS,
    AtomicContract,
    AtomicRmwContract,
    CompareExchangeContract,
    FenceContract,
    MemoryContract,
    PlainContract,
    ordering_findings,
    pair_findings,
    scope_findings,
)
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
    VectorAtomicGranularity,
)
from fabricgen.vocab.fabric import ContractClauseTag, MemoryPortTransactionProjection
from fabricgen.vocab.words import word, words

__all__ = [
    "CanonicalActorProjection",
    "CanonicalMemoryAccessView",
    "PlainContract",
    "access_findings",
    "granularity_forms",
    "granularity_projection",
    "is_atomic_width",
    "moves_pointers",
]


def moves_pointers(schema_id: OperationSchemaId, variant: ContractClauseTag) -> bool:
    """Tell whether an actor's data may be pointers: that of loads, and of plain stores."""
    is_plain = variant is ContractClauseTag.LOAD_STORE_PLAIN
    return schema_id is OperationSchemaId.DATAFLOW_LOAD or is_plain


@dataclass(frozen=True, slots=True)
class CanonicalActorProjection(StrictRecord):
    """Registered schema and exact contract of one memory actor."""

    schema_id: OperationSchemaId
    contract: MemoryContract

    def _findings(self) -> Iterator[Diagnostic]:
        contract = self.contract
        owned = CLAUSE_VARIANTS.get(self.schema_id, ())
        if contract.variant not in owned:
            yield Diagnostic(
                "actor-contract-kind",
                "contract",
                f"The contract of {word(self.schema_id)} must be "
                f"{words(owned, ' or ') if owned else 'absent'}, not {word(contract.variant)}",
            )
            return
        match contract:
            case PlainContract():
                return
            case CompareExchangeContract():
                yield from pair_findings([contract.orderings], "contract.orderings")
            case AtomicContract() | AtomicRmwContract() | FenceContract():  # exhaustive
                yield from ordering_findings(
                    self.schema_id, [contract.ordering], "contract.ordering"
                )
        yield from scope_findings([contract.scope], "contract.scope")
        if not isinstance(contract, FenceContract):
            yield from _alignment_findings(contract.source_alignment_bytes, "contract")


@dataclass(frozen=True, slots=True)
class CanonicalMemoryAccessView(StrictRecord):
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
        Width of one index (RootRelative), or of one pointer's representation.
    source_alignment_bytes
        Alignment the actor promises; 1 for a plain access.
    address_pointer_format
        Format of the address pointers; present exactly for PointerAddressed.
    data_pointer_format
        Format of pointer-typed elements; ``None`` for ordinary data.
    """

    form: MemoryAccessForm
    address_form: MemoryAddressForm
    element_bits: int
    lane_count: int
    mask_form: MemoryMaskForm
    address_lane_bits: int
    source_alignment_bytes: int = 1
    address_pointer_format: PointerFormat | None = None
    data_pointer_format: PointerFormat | None = None

    def _findings(self) -> Iterator[Diagnostic]:
        for name in ("element_bits", "lane_count", "address_lane_bits"):
            value = getattr(self, name)
            if not 1 <= value <= U64_MAX:
                yield Diagnostic(
                    "access-view-range",
                    name,
                    f"The value must be from 1 to 2**64 - 1, not {value}",
                )
        for name in ("data_bits", "address_bits"):
            if getattr(self, name) > U64_MAX:
                yield Diagnostic(
                    "access-view-overflow",
                    name,
                    f"A token must have less than 2**64 bits, not {getattr(self, name)}",
                )
        yield from _alignment_findings(self.source_alignment_bytes, "")
        yield from self._pointer_findings()
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
                    f"An element access has no mask, not a {word(self.mask_form)} one",
                )

    def _pointer_findings(self) -> Iterator[Diagnostic]:
        is_pointer = self.address_form is MemoryAddressForm.POINTER_ADDRESSED
        if is_pointer != (self.address_pointer_format is not None):
            yield Diagnostic(
                "access-view-pointer",
                "address_pointer_format",
                f"A format must be {'present' if is_pointer else 'absent'} for addresses "
                f"{word(self.address_form)}, not {'absent' if is_pointer else 'present'}",
            )
        for where, form, bits in (
            ("address_lane_bits", self.address_pointer_format, self.address_lane_bits),
            ("element_bits", self.data_pointer_format, self.element_bits),
        ):
            if form is not None and bits != form.representation_bits:
                yield Diagnostic(
                    "access-view-pointer",
                    where,
                    f"The width must be the {form.representation_bits} bits of the pointer's "
                    f"representation, not {bits}",
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

    @property
    def success_bits(self) -> int:
        """Width of a compare-exchange's success token: one bit for each lane."""
        return self.lane_count


def access_findings(
    actor: CanonicalActorProjection, access: CanonicalMemoryAccessView | None
) -> Iterator[Diagnostic]:
    """Say why ``access`` is no view of ``actor`` (reference: contracts and legality).

    A fence has none. Others have the actor's alignment; an atomic one has a granularity that fits
    its form and elements that can be one atomic object.
    """
    contract = actor.contract
    if isinstance(contract, FenceContract):
        if access is not None:
            yield Diagnostic("fence-access", "access", "A fence has no access view, not one")
        return
    if access is None:
        yield Diagnostic(
            "access-missing", "access", f"{word(actor.schema_id)} needs an access view, not none"
        )
        return
    if access.source_alignment_bytes != contract.source_alignment_bytes:
        is_plain = isinstance(contract, PlainContract)
        yield Diagnostic(
            "plain-alignment" if is_plain else "atomic-alignment",
            "access.source_alignment_bytes",
            f"{'A plain' if is_plain else 'This atomic'} access has alignment "
            f"{contract.source_alignment_bytes}, not {access.source_alignment_bytes}",
        )
    if access.data_pointer_format is not None and not moves_pointers(
        actor.schema_id, contract.variant
    ):
        yield Diagnostic(
            "atomic-pointer-data",
            "access.data_pointer_format",
            f"The data of an atomic {word(actor.schema_id)} must be ordinary, not a pointer",
        )
    if isinstance(contract, PlainContract):
        return
    if access.form not in granularity_forms(contract.granularity):
        yield Diagnostic(
            "atomic-granularity-form",
            "access.form",
            f"The form of {_granularity(contract.granularity)} must be "
            f"{words(granularity_forms(contract.granularity), ' or ')}, not {word(access.form)}",
        )
    if not is_atomic_width(access.element_bits):
        yield Diagnostic(
            "atomic-element-width",
            "access.element_bits",
            f"An atomic object must have a power of two of bits, at least 8, "
            f"not {access.element_bits}",
        )


def granularity_forms(
    granularity: VectorAtomicGranularity | None,
) -> tuple[MemoryAccessForm, ...]:
    """Access forms of an atomic actor with this granularity.

    Absent is a scalar element, WholePayload an element of a vector type, PerLane the lanes of a
    vector access.
    """
    if granularity is VectorAtomicGranularity.PER_LANE:
        return (MemoryAccessForm.CONTIGUOUS, MemoryAccessForm.INDEXED)
    return (MemoryAccessForm.ELEMENT,)


def granularity_projection(
    granularity: VectorAtomicGranularity | None,
) -> MemoryPortTransactionProjection:
    """The one projection that keeps an atomic actor's granularity."""
    if granularity is VectorAtomicGranularity.PER_LANE:
        return MemoryPortTransactionProjection.ACTIVE_LANES_ROW_MAJOR
    return MemoryPortTransactionProjection.DIRECT


def is_atomic_width(element_bits: int) -> bool:
    """Tell whether an element can be one atomic object: a power of two of at least 8 bits."""
    return element_bits >= 8 and not element_bits & (element_bits - 1)


def _alignment_findings(alignment: int, owner: str) -> Iterator[Diagnostic]:
    if alignment < 1 or alignment & (alignment - 1) or alignment > U64_MAX:
        yield Diagnostic(
            "access-view-alignment",
            f"{owner}.source_alignment_bytes".removeprefix("."),
            f"The alignment must be a power of two below 2**64, not {alignment}",
        )


def _granularity(granularity: VectorAtomicGranularity | None) -> str:
    return "a scalar atomic" if granularity is None else word(granularity)
