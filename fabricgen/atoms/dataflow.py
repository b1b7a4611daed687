"""Canonical bytes of values that Dataflow owns.

An atom is the ASCII name of its domain, one NUL, the version 1.0 as two u32be, and a u32be tag.
Fabric embeds these bytes and assigns no second encoding
(spec: OperationSchema Ownership And Fail-Closed Boundary).
"""

import enum
from itertools import product
from typing import TypeVar

from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.table import AtomCodec, AtomTable
from fabricgen.errors import Invalid
from fabricgen.vocab.dataflow import (
    AtomicOrdering,
    AtomicRmwKind,
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
    SyncScopeKind,
    VectorAtomicGranularity,
)
from fabricgen.vocab.operations import FloatPredicate, IntegerPredicate, RoundingMode

__all__ = [
    "ACCESS_FORMS",
    "ADDRESS_FORMS",
    "BOOLEANS",
    "FLOAT_PREDICATES",
    "GRANULARITIES",
    "INTEGER_PREDICATES",
    "MASK_FORMS",
    "OPERATION_SCHEMA_IDS",
    "ORDERINGS",
    "ORDERING_PAIRS",
    "RMW_KINDS",
    "ROLES",
    "ROUNDING_MODES",
    "SCHEMA_IDS",
    "SYNC_SCOPES",
]

_E = TypeVar("_E", bound=enum.Enum)


def _atom(domain: str, *words: int) -> bytes:
    """Atom whose payload is u32be words: the tag, and what a tag is followed by."""
    return f"loom.dataflow.{domain}\0".encode() + _words(1, 0, *words)


def _words(*words: int) -> bytes:
    return b"".join(word.to_bytes(4, "big") for word in words)


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "big") + data


def _table(domain: str, kind: type[_E]) -> AtomTable[_E]:
    return AtomTable(kind.__name__, {member: _atom(domain, member.value) for member in kind})


ACCESS_FORMS = _table("memory-access-form", MemoryAccessForm)
ADDRESS_FORMS = _table("memory-address-form", MemoryAddressForm)
MASK_FORMS = _table("memory-mask-form", MemoryMaskForm)
#: Every registered operation.
OPERATION_SCHEMA_IDS = _table("operation-schema-id", OperationSchemaId)
#: Schemas that a memory record can name: those of the five memory actors.
SCHEMA_IDS = AtomTable(
    "memory actor schema",
    {
        schema: OPERATION_SCHEMA_IDS.atom(schema)
        for schema in (
            OperationSchemaId.DATAFLOW_LOAD,
            OperationSchemaId.DATAFLOW_STORE,
            OperationSchemaId.DATAFLOW_ATOMIC_RMW,
            OperationSchemaId.DATAFLOW_CMPXCHG,
            OperationSchemaId.DATAFLOW_FENCE,
        )
    },
)
INTEGER_PREDICATES = _table("integer-compare-predicate", IntegerPredicate)
FLOAT_PREDICATES = _table("float-compare-predicate", FloatPredicate)
ROUNDING_MODES = _table("rounding-mode", RoundingMode)
ROLES = _table("service-value-role", ServiceValueRole)
BOOLEANS = AtomTable(
    "canonical boolean", {value: _atom("canonical-boolean", value) for value in (False, True)}
)
ORDERINGS = _table("atomic-ordering", AtomicOrdering)
RMW_KINDS = _table("atomic-rmw-kind", AtomicRmwKind)
#: Of a vector atomic, or ``None`` of a scalar one.
GRANULARITIES: AtomTable[VectorAtomicGranularity | None] = AtomTable(
    "optional vector atomic granularity",
    {
        None: _atom("optional-vector-atomic-granularity", 0),
        **{
            each: _atom("optional-vector-atomic-granularity", 1, each.value)
            for each in VectorAtomicGranularity
        },
    },
)
#: Success and failure ordering of a compare-exchange: one atom, never a product of two sets.
ORDERING_PAIRS = AtomTable(
    "(success, failure) ordering pair",
    {
        pair: b"".join(_framed(ORDERINGS.atom(ordering)) for ordering in pair)
        for pair in product(AtomicOrdering, AtomicOrdering)
    },
)


class _SyncScopes(AtomCodec[SyncScope]):
    """Scopes by their kind; a Target is followed by its framed namespace and key."""

    _DOMAIN = "sync-scope-ref"

    def atom(self, value: SyncScope) -> bytes:
        """Encode a scope."""
        names = (value.namespace, value.key) if value.kind is SyncScopeKind.TARGET else ()
        parts = (_framed(name.encode()) for name in names)
        return _atom(self._DOMAIN, value.kind.value) + b"".join(parts)

    def read(self, atom: bytes, where: str) -> SyncScope:
        """Decode an atom; any other bytes are ``Invalid``."""
        for kind in (SyncScopeKind.SYSTEM, SyncScopeKind.SINGLE_THREAD):
            if atom == _atom(self._DOMAIN, kind.value):
                return SyncScope(kind)
        head = _atom(self._DOMAIN, SyncScopeKind.TARGET.value)
        namespace, rest = _cut(atom.removeprefix(head))
        key, _ = _cut(rest)
        try:
            scope = SyncScope(SyncScopeKind.TARGET, namespace.decode(), key.decode())
        except (Invalid, UnicodeDecodeError):
            raise self.unknown(atom, where) from None
        if self.atom(scope) != atom:
            raise self.unknown(atom, where)
        return scope


def _cut(data: bytes) -> tuple[bytes, bytes]:
    """Split off one frame; what the frame claims beyond the end is not there."""
    size = int.from_bytes(data[:8], "big")
    return data[8 : 8 + size], data[8 + size :]


SYNC_SCOPES: AtomCodec[SyncScope] = _SyncScopes("synchronisation scope")
