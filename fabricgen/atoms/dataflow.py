"""Canonical bytes of values that Dataflow owns.

An atom is the ASCII name of its domain, one NUL, the version 1.0 as two u32be, and a u32be tag.
Fabric embeds these bytes and assigns no second encoding
(spec: OperationSchema Ownership And Fail-Closed Boundary).
"""

import enum
from typing import TypeVar

from fabricgen.atoms.table import AtomTable
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
)
from fabricgen.vocab.operations import FloatPredicate, IntegerPredicate, RoundingMode

__all__ = [
    "ACCESS_FORMS",
    "ADDRESS_FORMS",
    "BOOLEANS",
    "FLOAT_PREDICATES",
    "INTEGER_PREDICATES",
    "MASK_FORMS",
    "ROLES",
    "ROUNDING_MODES",
    "SCHEMA_IDS",
]

_E = TypeVar("_E", bound=enum.Enum)


def _atom(domain: str, tag: int) -> bytes:
    version = (1).to_bytes(4, "big") + (0).to_bytes(4, "big")
    return f"loom.dataflow.{domain}\0".encode() + version + tag.to_bytes(4, "big")


def _table(domain: str, kind: type[_E]) -> AtomTable[_E]:
    return AtomTable(kind.__name__, {member: _atom(domain, member.value) for member in kind})


ACCESS_FORMS = _table("memory-access-form", MemoryAccessForm)
ADDRESS_FORMS = _table("memory-address-form", MemoryAddressForm)
MASK_FORMS = _table("memory-mask-form", MemoryMaskForm)
#: Schemas that a memory record can name: those of the five memory actors.
SCHEMA_IDS = AtomTable(
    "memory actor schema",
    {
        schema: _atom("operation-schema-id", schema.value)
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
