"""Access classes and contract clauses out of a document (spec: Persistent Capability Schema)."""

from collections.abc import Iterable, Sequence

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.author.access_document import (
    ContractDocument,
    LoadAccessDocument,
    StoreAccessDocument,
)
from fabricgen.author.fields import Interval
from fabricgen.author.findings import Findings, renamed
from fabricgen.records.access import (
    MaskInactivePair,
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
    RootRelative,
)
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
)
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

__all__ = ["CLASS_KEYS", "AccessDocument", "access_domains", "actor_domain", "union"]

AccessDocument = LoadAccessDocument | StoreAccessDocument

#: Document key of each field of an access class.
CLASS_KEYS = {
    "access_form": "form",
    "address_form": "address",
    "address_domain": "address.root_relative",
    "element_width_bits": "element_bits",
    "flattened_lane_count": "lanes",
    "mask_inactive_pairs": "mask",
    "source_alignment": "alignment",
    "read_subword": "read_subword",
    "write_subword": "write_subword",
}


def actor_domain(
    schema: OperationSchemaId, clauses: Sequence[ContractDocument], where: str, findings: Findings
) -> MemoryActorContractDomain | None:
    """Build the normalised contract domain of one alternative or capability."""
    plain = [LoadStorePlain(tuple(sorted(set(clause.plain.volatile)))) for clause in clauses]
    return findings.attempt(where, lambda: MemoryActorContractDomain.of(schema, *plain))


def access_domains(
    documents: Sequence[AccessDocument], where: str, findings: Findings
) -> tuple[ParameterizedMemoryAccessDomain, ...] | None:
    """Build what each class of one alternative or capability admits."""
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


def _access_class(
    document: AccessDocument, where: str, findings: Findings
) -> MemoryAccessClass | None:
    index_bits = _domain(document.address.root_relative, f"{where}.address.root_relative", findings)
    element_bits = _domain(document.element_bits, f"{where}.element_bits", findings)
    lanes = _domain(document.lanes, f"{where}.lanes", findings)
    alignment = _alignment(document, f"{where}.alignment", findings)
    if index_bits is None or element_bits is None or lanes is None or alignment is None:
        return None
    return findings.attempt(
        renamed(where, CLASS_KEYS),
        lambda: MemoryAccessClass(
            access_form=MemoryAccessForm[document.form.upper()],
            address_form=MemoryAddressForm.ROOT_RELATIVE,
            address_domain=RootRelative(index_bits),
            data_pointer_formats=(OrdinaryData(),),
            element_width_bits=element_bits,
            flattened_lane_count=lanes,
            mask_inactive_pairs=tuple(_mask_pairs(document)),
            source_alignment=alignment,
            read_subword=_read_subword(document),
            write_subword=_write_subword(document),
        ),
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


def _mask_pairs(document: AccessDocument) -> Iterable[MaskInactivePair]:
    """Pair each mask form with the one guarantee that the actor's direction allows."""
    if "absent" in document.mask:
        yield MemoryMaskForm.ABSENT, InactiveLaneSemantics.NOT_APPLICABLE
    if "dynamic" in document.mask:
        loads = isinstance(document, LoadAccessDocument)
        yield (
            MemoryMaskForm.DYNAMIC,
            InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL
            if loads
            else InactiveLaneSemantics.SUPPRESS,
        )


def _read_subword(document: AccessDocument) -> tuple[ReadSubwordSemantics, ...]:
    if isinstance(document, StoreAccessDocument):
        return (ReadSubwordSemantics.NOT_APPLICABLE,)
    return tuple(s for s in ReadSubwordSemantics if s.name.lower() in document.read_subword)


def _write_subword(document: AccessDocument) -> tuple[WriteSubwordSemantics, ...]:
    if isinstance(document, LoadAccessDocument):
        return (WriteSubwordSemantics.NOT_APPLICABLE,)
    return tuple(s for s in WriteSubwordSemantics if s.name.lower() in document.write_subword)
