"""The parameterized access relation (spec: Persistent Capability Schema)."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.data_format import DATA_FORMATS, POINTER_FORMATS, DataFormat, OrdinaryData
from fabricgen.atoms.dataflow import ACCESS_FORMS, ADDRESS_FORMS
from fabricgen.atoms.fabric import MASK_INACTIVE_PAIRS, READ_SUBWORDS, WRITE_SUBWORDS
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.pointer import PointerFormat
from fabricgen.atoms.table import AtomCodec
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.listing import listed_names
from fabricgen.errors.strict import StrictRecord
from fabricgen.relation.normal import canonical_findings, normalise
from fabricgen.relation.row import Domain, Row
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryAddressForm, MemoryMaskForm
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)
from fabricgen.vocab.words import word, words

__all__ = [
    "ACCESS_STRUCTURAL",
    "AddressDomain",
    "DataFormat",
    "MaskInactivePair",
    "MemoryAccessClass",
    "OrdinaryData",
    "ParameterizedMemoryAccessDomain",
    "PointerAddressed",
    "PointerFormat",
    "RootRelative",
]

_T = TypeVar("_T", bound=Hashable)

MaskInactivePair = tuple[MemoryMaskForm, InactiveLaneSemantics]

#: Of the ten fields of the access relation, the two forms partition it value by value.
ACCESS_STRUCTURAL = (True, True, *(False,) * 8)


@dataclass(frozen=True, slots=True)
class RootRelative:
    """Address lanes are element indices of an admitted width."""

    accepted_index_width_bits: UnsignedDomain


@dataclass(frozen=True, slots=True)
class PointerAddressed:
    """Address lanes are complete pointers of an admitted format, sorted by atom and unique."""

    address_pointer_formats: tuple[PointerFormat, ...]

    @classmethod
    def of(cls, *formats: PointerFormat) -> "PointerAddressed":
        """Build the domain from formats in any order."""
        return cls(POINTER_FORMATS.sorted(formats))


AddressDomain = RootRelative | PointerAddressed

_ONE = UnsignedDomain.of(1)
_SUPPRESSING = (InactiveLaneSemantics.SUPPRESS, InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL)


@dataclass(frozen=True, slots=True)
class MemoryAccessClass(StrictRecord):
    """One root-to-leaf product of the access relation, in its fixed field order.

    Finite sets are sorted by their atoms' bytes, unique and non-empty; :meth:`of` sorts them.
    """

    access_form: MemoryAccessForm
    address_form: MemoryAddressForm
    address_domain: AddressDomain
    data_pointer_formats: tuple[DataFormat, ...]
    element_width_bits: UnsignedDomain
    flattened_lane_count: UnsignedDomain
    mask_inactive_pairs: tuple[MaskInactivePair, ...]
    source_alignment: AlignmentDomain
    read_subword: tuple[ReadSubwordSemantics, ...]
    write_subword: tuple[WriteSubwordSemantics, ...]

    @classmethod
    def of(
        cls,
        access_form: MemoryAccessForm,
        address_domain: AddressDomain,
        *,
        element_width_bits: UnsignedDomain,
        flattened_lane_count: UnsignedDomain,
        mask_inactive_pairs: Iterable[MaskInactivePair],
        source_alignment: AlignmentDomain,
        read_subword: Iterable[ReadSubwordSemantics],
        write_subword: Iterable[WriteSubwordSemantics],
        data_pointer_formats: Iterable[DataFormat] = (OrdinaryData(),),
    ) -> "MemoryAccessClass":
        """Build a class from sets in any order; the address form follows from its domain."""
        return cls(
            access_form,
            _form_of(address_domain),
            address_domain,
            DATA_FORMATS.sorted(data_pointer_formats),
            element_width_bits,
            flattened_lane_count,
            MASK_INACTIVE_PAIRS.sorted(mask_inactive_pairs),
            source_alignment,
            READ_SUBWORDS.sorted(read_subword),
            WRITE_SUBWORDS.sorted(write_subword),
        )

    @classmethod
    def of_row(cls, row: Row) -> "MemoryAccessClass":
        """Read one row of the access relation; unknown atoms are ``Invalid``."""
        form, address, lane, data, element, lanes, pairs, alignment, read, write = row
        (access_form,) = _read(ACCESS_FORMS, form, "access_form")
        (address_form,) = _read(ADDRESS_FORMS, address, "address_form")
        address_domain = (
            PointerAddressed(_read(POINTER_FORMATS, lane, "address_domain"))
            if address_form is MemoryAddressForm.POINTER_ADDRESSED
            else RootRelative(_unsigned(lane, "address_domain"))
        )
        return cls(
            access_form,
            address_form,
            address_domain,
            _read(DATA_FORMATS, data, "data_pointer_formats"),
            _unsigned(element, "element_width_bits"),
            _unsigned(lanes, "flattened_lane_count"),
            _read(MASK_INACTIVE_PAIRS, pairs, "mask_inactive_pairs"),
            AlignmentDomain(_unsigned(alignment, "source_alignment")),
            _read(READ_SUBWORDS, read, "read_subword"),
            _read(WRITE_SUBWORDS, write, "write_subword"),
        )

    @property
    def row(self) -> Row:
        """The class as a row of the access relation: ten domains in field order."""
        return (
            ACCESS_FORMS.domain([self.access_form]),
            ADDRESS_FORMS.domain([self.address_form]),
            self.address_domain.accepted_index_width_bits
            if isinstance(self.address_domain, RootRelative)
            else POINTER_FORMATS.domain(self.address_domain.address_pointer_formats),
            DATA_FORMATS.domain(self.data_pointer_formats),
            self.element_width_bits,
            self.flattened_lane_count,
            MASK_INACTIVE_PAIRS.domain(self.mask_inactive_pairs),
            self.source_alignment.accepted_log2_byte_alignments,
            READ_SUBWORDS.domain(self.read_subword),
            WRITE_SUBWORDS.domain(self.write_subword),
        )

    @property
    def mask_forms(self) -> tuple[MemoryMaskForm, ...]:
        """Mask forms of the admitted pairs, in pair order, each once."""
        return tuple(dict.fromkeys(form for form, _ in self.mask_inactive_pairs))

    @property
    def root_relative_index_widths(self) -> UnsignedDomain | None:
        """Admitted index widths; ``None`` for pointer addresses."""
        domain = self.address_domain
        return domain.accepted_index_width_bits if isinstance(domain, RootRelative) else None

    @property
    def address_pointer_formats(self) -> tuple[PointerFormat, ...]:
        """Admitted formats of address pointers; none for root-relative addresses."""
        domain = self.address_domain
        return () if isinstance(domain, RootRelative) else domain.address_pointer_formats

    @property
    def element_widths(self) -> UnsignedDomain:
        """Admitted element widths in bits."""
        return self.element_width_bits

    @property
    def flattened_lane_counts(self) -> UnsignedDomain:
        """Admitted lane counts."""
        return self.flattened_lane_count

    @property
    def source_alignments(self) -> AlignmentDomain:
        """Admitted alignments of the actor."""
        return self.source_alignment

    @property
    def read_subword_semantics(self) -> tuple[ReadSubwordSemantics, ...]:
        """Guarantees for narrow results, in canonical order."""
        return self.read_subword

    @property
    def write_subword_semantics(self) -> tuple[WriteSubwordSemantics, ...]:
        """Guarantees for narrow payloads, in canonical order."""
        return self.write_subword

    @property
    def address_lane_widths(self) -> UnsignedDomain:
        """Widths in bits of one address lane: of an index, or of a pointer's representation."""
        widths = self.root_relative_index_widths
        formats = self.address_pointer_formats
        return widths or UnsignedDomain.of(*(each.representation_bits for each in formats))

    def admits(self, access: CanonicalMemoryAccessView) -> bool:
        """Tell whether the class admits an exact access, apart from its endpoints' widths."""
        return (
            access.form is self.access_form
            and access.address_form is self.address_form
            and self._admits_pointers(access)
            and access.address_lane_bits in self.address_lane_widths
            and access.element_bits in self.element_width_bits
            and access.lane_count in self.flattened_lane_count
            and access.mask_form in self.mask_forms
            and self.source_alignment.contains_bytes(access.source_alignment_bytes)
        )

    def _admits_pointers(self, access: CanonicalMemoryAccessView) -> bool:
        address, data = access.address_pointer_format, access.data_pointer_format
        return (address is None or address in self.address_pointer_formats) and (
            OrdinaryData() if data is None else data
        ) in self.data_pointer_formats

    def _findings(self) -> Iterator[Diagnostic]:
        yield from self._set_findings()
        if self.address_form is not _form_of(self.address_domain):
            belongs = word(_form_of(self.address_domain))
            yield Diagnostic(
                "access-address-domain",
                "address_domain",
                f"The address form selects its domain, and this one belongs to {belongs}, "
                f"not {word(self.address_form)}",
            )
        widths = self.root_relative_index_widths
        for where, domain in (
            ("address_domain", widths or _ONE),
            ("element_width_bits", self.element_width_bits),
            ("flattened_lane_count", self.flattened_lane_count),
        ):
            if domain.intervals[0].lower == 0:
                yield Diagnostic("access-not-positive", where, "Values must be positive, not 0")
        yield from self._mask_findings()
        yield from self._pointer_findings()
        if self.access_form is MemoryAccessForm.ELEMENT and self.flattened_lane_count != _ONE:
            found = _intervals(self.flattened_lane_count)
            yield Diagnostic(
                "access-element-lanes",
                "flattened_lane_count",
                f"An element access must have the lane count 1, not {found}",
            )

    def _set_findings(self) -> Iterator[Diagnostic]:
        if isinstance(self.address_domain, PointerAddressed):
            formats = self.address_domain.address_pointer_formats
            yield from POINTER_FORMATS.findings("address_domain", formats)
        yield from DATA_FORMATS.findings("data_pointer_formats", self.data_pointer_formats)
        yield from MASK_INACTIVE_PAIRS.findings("mask_inactive_pairs", self.mask_inactive_pairs)
        yield from READ_SUBWORDS.findings("read_subword", self.read_subword)
        yield from WRITE_SUBWORDS.findings("write_subword", self.write_subword)

    def _pointer_findings(self) -> Iterator[Diagnostic]:
        """An element that is a pointer is exactly its complete representation."""
        for each in self.data_pointer_formats:
            if isinstance(each, PointerFormat) and self.element_width_bits != UnsignedDomain.of(
                each.representation_bits
            ):
                yield Diagnostic(
                    "access-pointer-width",
                    "element_width_bits",
                    f"Elements must have exactly the {each.representation_bits} bits of an "
                    f"admitted data pointer, not {_intervals(self.element_width_bits)}",
                )

    def _mask_findings(self) -> Iterator[Diagnostic]:
        for form, inactive in self.mask_inactive_pairs:
            if (form is MemoryMaskForm.DYNAMIC) != (inactive in _SUPPRESSING):
                yield Diagnostic(
                    "access-mask-pair",
                    "mask_inactive_pairs",
                    "absent must pair with not_applicable and dynamic with a suppressing value, "
                    f"not ({words((form, inactive))})",
                )
        if (
            self.access_form is MemoryAccessForm.ELEMENT
            and MemoryMaskForm.DYNAMIC in self.mask_forms
        ):
            yield Diagnostic(
                "access-element-mask",
                "mask_inactive_pairs",
                "An element access must have no mask, not a dynamic one",
            )


@dataclass(frozen=True, slots=True)
class ParameterizedMemoryAccessDomain:
    """Non-empty canonical access classes, in canonical byte order.

    The constructor is the strict door: it refuses every other decomposition of the relation.
    :meth:`of` normalises any classes.
    """

    access_classes: tuple[MemoryAccessClass, ...]

    def __post_init__(self) -> None:
        found = tuple(canonical_findings(self.rows, ACCESS_STRUCTURAL, "access_classes"))
        if found:
            raise Invalid(*found)

    @classmethod
    def of(cls, *classes: MemoryAccessClass) -> "ParameterizedMemoryAccessDomain":
        """Build the canonical domain that admits what any of ``classes`` admits."""
        if not classes:
            return cls(())
        rows = normalise([each.row for each in classes], ACCESS_STRUCTURAL)
        return cls(tuple(MemoryAccessClass.of_row(row) for row in rows))

    @property
    def rows(self) -> tuple[Row, ...]:
        """The classes as rows of the access relation."""
        return tuple(each.row for each in self.access_classes)

    def matching_class(self, access: CanonicalMemoryAccessView) -> MemoryAccessClass | None:
        """Return the class that admits an exact access, if any."""
        return next((each for each in self.access_classes if each.admits(access)), None)

    def contains(self, access: CanonicalMemoryAccessView) -> bool:
        """Tell whether some class admits an exact access."""
        return self.matching_class(access) is not None


def _intervals(domain: UnsignedDomain) -> str:
    return listed_names(f"{i.lower}..{i.upper}" for i in domain.intervals)


def _form_of(domain: AddressDomain) -> MemoryAddressForm:
    if isinstance(domain, RootRelative):
        return MemoryAddressForm.ROOT_RELATIVE
    return MemoryAddressForm.POINTER_ADDRESSED


def _read(table: AtomCodec[_T], domain: Domain, where: str) -> tuple[_T, ...]:
    return table.read_domain(_finite(domain, where), where)


def _finite(domain: Domain, where: str) -> FiniteDomain:
    if isinstance(domain, FiniteDomain):
        return domain
    raise _wrong_kind(where, "finite", "unsigned")


def _unsigned(domain: Domain, where: str) -> UnsignedDomain:
    if isinstance(domain, UnsignedDomain):
        return domain
    raise _wrong_kind(where, "unsigned", "finite")


def _wrong_kind(where: str, required: str, found: str) -> Invalid:
    message = f"The field must have a domain that is {required}, not {found}"
    return Invalid(Diagnostic("relation-domain-kind", where, message))
