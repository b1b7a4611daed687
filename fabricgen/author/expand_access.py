"""Access classes out of a document (spec: Persistent Capability Schema)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.author.access_document import (
    AccessDocument,
    AddressDocument,
    DataFormatDocument,
    LoadAccessDocument,
    PointerChoice,
    PointerFormatDocument,
    StoreAccessDocument,
)
from fabricgen.author.fields import Interval
from fabricgen.author.findings import Findings, Place, renamed
from fabricgen.records.access import (
    AddressDomain,
    DataFormat,
    MaskInactivePair,
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
    PointerAddressed,
    PointerFormat,
    RootRelative,
)
from fabricgen.records.overlap import accesses_meet
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryAddressForm, MemoryMaskForm
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

__all__ = [
    "PlacedAccess",
    "access_domains",
    "classes_place",
    "pointer_format",
    "union",
    "written_place",
]

#: What one written access class admits, and where it was written.
PlacedAccess = tuple[str, ParameterizedMemoryAccessDomain]

#: Document key of each field of an access class.
_KEYS = {
    "access_form": "form",
    "address_form": "address",
    "data_pointer_formats": "data",
    "element_width_bits": "element_bits",
    "flattened_lane_count": "lanes",
    "mask_inactive_pairs": "mask",
    "source_alignment": "alignment",
    "read_subword": "read_subword",
    "write_subword": "write_subword",
}
_ROOT_RELATIVE = _KEYS | {"address_domain": "address.root_relative"}
_POINTER = _KEYS | {"address_domain": "address.pointer"}


def access_domains(
    documents: Sequence[AccessDocument], where: str, findings: Findings
) -> tuple[ParameterizedMemoryAccessDomain, ...] | None:
    """Build what each class of one alternative, capability or region admits."""
    attempts = [
        _access_class(document, f"{where}[{i}]", findings) for i, document in enumerate(documents)
    ]
    classes = tuple(each for each in attempts if each is not None)
    if len(classes) < len(attempts):
        return None
    return tuple(map(ParameterizedMemoryAccessDomain.of, classes))


def union(domains: Sequence[ParameterizedMemoryAccessDomain]) -> ParameterizedMemoryAccessDomain:
    """Normalise what any of the domains admits."""
    classes = [access for domain in domains for access in domain.access_classes]
    return ParameterizedMemoryAccessDomain.of(*classes)


def written_place(
    admitted: MemoryAccessClass, field: str, written: Sequence[PlacedAccess], otherwise: str
) -> str:
    """Where a class of a normal form was written: its one source, or ``otherwise``."""
    domain = ParameterizedMemoryAccessDomain.of(admitted)
    found = [where for where, each in written if accesses_meet(each, domain)]
    if len(found) != 1:
        return otherwise
    keys = _keys(admitted.address_form)
    return f"{found[0]}.{keys[field]}" if field in keys else found[0]


def classes_place(
    domains: Sequence[ParameterizedMemoryAccessDomain], field: str, where: str, otherwise: Place
) -> Place:
    """Place what a record reports about the union of ``domains``, its ``field``."""
    written = [(f"{where}[{index}]", each) for index, each in enumerate(domains)]

    def place(record_path: str) -> str:
        found = re.fullmatch(rf"{field}\.access_classes\[(\d+)\]\.?(\w*).*", record_path)
        if found is None:
            return otherwise(record_path)
        admitted = union(domains).access_classes[int(found[1])]
        return written_place(admitted, found[2], written, where)

    return place


def _keys(form: MemoryAddressForm) -> dict[str, str]:
    return _POINTER if form is MemoryAddressForm.POINTER_ADDRESSED else _ROOT_RELATIVE


def _access_class(
    document: AccessDocument, where: str, findings: Findings
) -> MemoryAccessClass | None:
    address = _address(document.address, f"{where}.address", findings)
    formats = _data_formats(document.data, f"{where}.data", findings)
    element_bits = _domain(document.element_bits, f"{where}.element_bits", findings)
    lanes = _domain(document.lanes, f"{where}.lanes", findings)
    alignment = _alignment(document, f"{where}.alignment", findings)
    if (
        address is None
        or formats is None
        or element_bits is None
        or lanes is None
        or alignment is None
    ):
        return None
    is_pointer = isinstance(document.address, PointerChoice)
    return findings.attempt(
        renamed(where, _POINTER if is_pointer else _ROOT_RELATIVE),
        lambda: MemoryAccessClass.of(
            MemoryAccessForm[document.form.upper()],
            address,
            data_pointer_formats=formats,
            element_width_bits=element_bits,
            flattened_lane_count=lanes,
            mask_inactive_pairs=_mask_pairs(document),
            source_alignment=alignment,
            read_subword=_read_subword(document),
            write_subword=_write_subword(document),
        ),
    )


def _address(document: AddressDocument, where: str, findings: Findings) -> AddressDomain | None:
    if isinstance(document, PointerChoice):
        attempts = [
            pointer_format(each, f"{where}.pointer[{index}]", findings)
            for index, each in enumerate(document.pointer)
        ]
        formats = [each for each in attempts if each is not None]
        return PointerAddressed.of(*formats) if len(formats) == len(attempts) else None
    widths = _domain(document.root_relative, f"{where}.root_relative", findings)
    return None if widths is None else RootRelative(widths)


def _data_formats(
    documents: Sequence[DataFormatDocument], where: str, findings: Findings
) -> list[DataFormat] | None:
    attempts = [
        pointer_format(each, f"{where}[{index}]", findings)
        if isinstance(each, PointerFormatDocument)
        else OrdinaryData()
        for index, each in enumerate(documents)
    ]
    formats = [each for each in attempts if each is not None]
    return formats if len(formats) == len(attempts) else None


def pointer_format(
    document: PointerFormatDocument, where: str, findings: Findings
) -> PointerFormat | None:
    """Build one format at ``where``, or note what it refuses."""
    fields = dict(document)
    return findings.attempt(
        renamed(where, {name: name for name in fields}), partial(PointerFormat, **fields)
    )


def _domain(
    items: Iterable[int | Interval], where: str, findings: Findings
) -> UnsignedDomain | None:
    parts = [(i.lower, i.upper) if isinstance(i, Interval) else i for i in items]
    return findings.attempt(where, lambda: UnsignedDomain.of(*parts))


def _alignment(document: AccessDocument, where: str, findings: Findings) -> AlignmentDomain | None:
    if document.alignment == "any":
        return AlignmentDomain(UnsignedDomain.of((0, 63)))
    exponents: list[int] = []
    for index, value in enumerate(document.alignment):
        exponents.append(value.bit_length() - 1)
        if value != 1 << exponents[-1]:
            findings.add(
                "alignment-not-power-of-two",
                f"{where}[{index}]",
                f"The alignment must be a power of two of bytes, not {value}",
            )
            return None
    return AlignmentDomain(UnsignedDomain.of(*exponents))


def _mask_pairs(document: AccessDocument) -> Iterator[MaskInactivePair]:
    """Pair each mask form with the one guarantee that the actor's direction allows."""
    if "absent" in document.mask:
        yield MemoryMaskForm.ABSENT, InactiveLaneSemantics.NOT_APPLICABLE
    if "dynamic" in document.mask:
        yield (
            MemoryMaskForm.DYNAMIC,
            InactiveLaneSemantics.SUPPRESS
            if isinstance(document, StoreAccessDocument)
            else InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL,
        )


def _read_subword(document: AccessDocument) -> tuple[ReadSubwordSemantics, ...]:
    if isinstance(document, StoreAccessDocument):
        return (ReadSubwordSemantics.NOT_APPLICABLE,)
    return tuple(s for s in ReadSubwordSemantics if s.name.lower() in document.read_subword)


def _write_subword(document: AccessDocument) -> tuple[WriteSubwordSemantics, ...]:
    if isinstance(document, LoadAccessDocument):
        return (WriteSubwordSemantics.NOT_APPLICABLE,)
    return tuple(s for s in WriteSubwordSemantics if s.name.lower() in document.write_subword)
