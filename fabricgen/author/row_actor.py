"""The exact actor and access that one row of a mapping writes down."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.author.access_document import PointerFormatDocument
from fabricgen.author.expand_access import pointer_format
from fabricgen.author.expand_contract import granularity, ordering, sync_scope
from fabricgen.author.findings import Findings
from fabricgen.author.mapping_document import (
    CmpxchgRowDocument,
    FenceRowDocument,
    LoadRowDocument,
    RmwRowDocument,
    RowDocument,
    StoreRowDocument,
)
from fabricgen.author.row_document import (
    AddressedDocument,
    AtomicAccessDocument,
    CmpxchgDocument,
    FenceDocument,
    LoadStoreDocument,
    RmwDocument,
)
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.schema.contract import (
    AtomicContract,
    AtomicRmwContract,
    CompareExchangeContract,
    FenceContract,
    MemoryContract,
    PlainContract,
)
from fabricgen.vocab.dataflow import (
    AtomicRmwKind,
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
)

__all__ = [
    "RowOperation",
    "access_place",
    "exact_access",
    "exact_actors",
    "operation",
    "row_base",
]

_Body = LoadStoreDocument | RmwDocument | CmpxchgDocument | FenceDocument

#: Keys of the fields of a contract.
_CONTRACT_KEYS = {
    "kind": "kind",
    "ordering": "ordering",
    "orderings": "orderings",
    "scope": "sync_scope",
    "granularity": "granularity",
    "weak": "weak",
    "volatile": "volatile",
    "source_alignment_bytes": "alignment",
}
#: Keys of the fields of an access; the rest is about the access as a whole.
_ACCESS_KEYS = {
    "form": "form",
    "element_bits": "element_bits",
    "lane_count": "lanes",
    "mask_form": "mask",
    "address_lane_bits": "index_bits",
    "source_alignment_bytes": "alignment",
    "address_pointer_format": "pointer",
    "data_pointer_format": "data_pointer",
}
#: Keys of an atomic load or store that stand in a table of their own.
_ATOMIC_KEYS = ("ordering", "sync_scope", "granularity")
_ROW_KEYS = {"base_addr": "base", "service_target": "target", "port": "port"}


@dataclass(frozen=True, slots=True)
class RowOperation:
    """What a row writes about its actor: the key that it stands under, and the schema."""

    key: str
    schema: OperationSchemaId
    body: _Body


def operation(document: RowDocument) -> RowOperation:
    """Find the operation of a row."""
    match document:
        case LoadRowDocument():
            return RowOperation("load", OperationSchemaId.DATAFLOW_LOAD, document.load)
        case StoreRowDocument():
            return RowOperation("store", OperationSchemaId.DATAFLOW_STORE, document.store)
        case RmwRowDocument():
            return RowOperation("rmw", OperationSchemaId.DATAFLOW_ATOMIC_RMW, document.rmw)
        case CmpxchgRowDocument():
            return RowOperation("cmpxchg", OperationSchemaId.DATAFLOW_CMPXCHG, document.cmpxchg)
        case FenceRowDocument():  # exhaustive
            return RowOperation("fence", OperationSchemaId.DATAFLOW_FENCE, document.fence)


def exact_actors(
    document: RowDocument, where: str, findings: Findings
) -> tuple[CanonicalActorProjection, ...]:
    """Every actor that the row may be, one for each truth value that it leaves open.

    Empty where the row is no legal actor.
    """
    written = operation(document)
    body = written.body
    if isinstance(body, LoadStoreDocument) and body.atomic is not None and body.alignment is None:
        findings.add(
            "missing-key",
            f"{where}.{written.key}.alignment",
            "The key must be present in an atomic access, not absent",
        )
        return ()
    made = [
        findings.attempt(
            lambda field: access_place(where, document, f"actor.{field}"),
            lambda contract=contract: CanonicalActorProjection(written.schema, contract),
        )
        for contract in _contracts(body)
    ]
    return tuple(actor for actor in made if actor is not None)


def exact_access(
    document: RowDocument, where: str, findings: Findings
) -> CanonicalMemoryAccessView | None:
    """The access of an addressed row; ``None`` for a fence, and where there is no legal one."""
    operated = operation(document)
    body, place = operated.body, f"{where}.{operated.key}"
    if isinstance(body, FenceDocument):
        return None
    if body.index_bits is None and body.pointer is None:
        findings.add(
            "missing-key",
            f"{place}.index_bits",
            "The key must be present unless addresses are pointers, not absent",
        )
        return None
    if body.index_bits is not None and body.pointer is not None:
        findings.add(
            "row-address-form",
            place,
            "An address must be an index or a pointer, not both index_bits and pointer",
        )
        return None
    written = body.data_pointer if isinstance(body, LoadStoreDocument) else None
    address = _format(body.pointer, f"{place}.pointer", findings)
    data = _format(written, f"{place}.data_pointer", findings)
    if (address is None) != (body.pointer is None) or (data is None) != (written is None):
        return None
    return findings.attempt(
        lambda field: access_place(where, document, f"access.{field}"),
        lambda: _view(body, address, data),
    )


def row_base(document: RowDocument, where: str, findings: Findings) -> int:
    """What is written as base, 0 if absent; 0 in a fence, and where addresses are pointers."""
    body = operation(document).body
    if isinstance(body, FenceDocument) or isinstance(document, FenceRowDocument):
        return 0
    is_indexed = body.pointer is None and body.index_bits is not None
    if is_indexed and document.base is None and document.binding is None:
        findings.add(
            "missing-key",
            f"{where}.base",
            "The key must be present where addresses are indices, not absent",
        )
    if body.pointer is not None and body.index_bits is None and document.base is not None:
        findings.add(
            "row-base-unused",
            f"{where}.base",
            f"The base must be absent where addresses are complete pointers, not {document.base}",
        )
    return 0 if body.pointer is not None else document.base or 0


def access_place(where: str, document: RowDocument, field: str) -> str:
    """Place of a row's field, as ``plan`` names it, in the document's row at ``where``."""
    written = operation(document)
    body, place = written.body, f"{where}.{written.key}"
    part, _, name = field.removeprefix("actor.").partition(".")
    if field == "use_pattern":
        return f"{place}.pattern"
    if part == "contract":
        return _contract_place(place, body, _CONTRACT_KEYS.get(name))
    if part == "access" and name in _ACCESS_KEYS:
        is_pointer = isinstance(body, AddressedDocument) and body.pointer is not None
        key = _ACCESS_KEYS[name]
        return f"{place}.{'pointer' if is_pointer and key == 'index_bits' else key}"
    if part in _ROW_KEYS:
        return f"{where}.{_ROW_KEYS[part]}"
    whole = ("access", "actor", "alternative", "capability_alternative")
    return place if field.startswith(whole) else where


def _contract_place(place: str, body: _Body, key: str | None) -> str:
    atomic = isinstance(body, LoadStoreDocument) and body.atomic is not None
    if key is None:
        return f"{place}.atomic" if atomic else place
    return f"{place}.atomic.{key}" if atomic and key in _ATOMIC_KEYS else f"{place}.{key}"


def _contracts(body: _Body) -> Iterator[MemoryContract]:
    match body:
        case FenceDocument():
            yield FenceContract(ordering(body.ordering), sync_scope(body.sync_scope))
        case RmwDocument():
            for volatile in _values(body.volatile):
                yield AtomicRmwContract(
                    AtomicRmwKind[body.kind.upper()],
                    ordering(body.ordering),
                    sync_scope(body.sync_scope),
                    granularity(body.granularity),
                    volatile,
                    body.alignment,
                )
        case CmpxchgDocument():
            success, failure = map(ordering, body.orderings)
            for weak, volatile in product(_values(body.weak), _values(body.volatile)):
                yield CompareExchangeContract(
                    (success, failure),
                    sync_scope(body.sync_scope),
                    granularity(body.granularity),
                    weak,
                    volatile,
                    body.alignment,
                )
        case LoadStoreDocument():  # exhaustive
            made = _load_store(body.atomic, body.alignment or 1)
            yield from map(made, _values(body.volatile))


def _load_store(
    atomic: AtomicAccessDocument | None, alignment: int
) -> Callable[[bool], MemoryContract]:
    if atomic is None:
        return PlainContract
    return lambda volatile: AtomicContract(
        ordering(atomic.ordering),
        sync_scope(atomic.sync_scope),
        granularity(atomic.granularity),
        volatile,
        alignment,
    )


def _values(written: bool | None) -> tuple[bool, ...]:
    """A truth value, or both where it is left open."""
    return (False, True) if written is None else (written,)


def _format(
    written: PointerFormatDocument | None, place: str, findings: Findings
) -> PointerFormat | None:
    return None if written is None else pointer_format(written, place, findings)


def _view(
    body: LoadStoreDocument | RmwDocument | CmpxchgDocument,
    address: PointerFormat | None,
    data: PointerFormat | None,
) -> CanonicalMemoryAccessView:
    form = MemoryAddressForm.POINTER_ADDRESSED if address else MemoryAddressForm.ROOT_RELATIVE
    return CanonicalMemoryAccessView(
        form=MemoryAccessForm[body.form.upper()],
        address_form=form,
        element_bits=body.element_bits,
        lane_count=body.lanes,
        mask_form=MemoryMaskForm[body.mask.upper()],
        address_lane_bits=address.representation_bits if address else body.index_bits or 0,
        source_alignment_bytes=body.alignment or 1,
        address_pointer_format=address,
        data_pointer_format=data,
    )
