"""Canonical bytes of values that Dataflow owns.

An atom is the ASCII name of its domain, one NUL, the version 1.0 as two u32be, and a u32be tag.
Fabric embeds these bytes and assigns no second encoding
(spec: OperationSchema Ownership And Fail-Closed Boundary).
"""

import enum
from typing import TypeVar

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceKind,
    ServiceValueRole,
)

__all__ = ["boolean_atom", "dataflow_atom", "read_boolean_atom", "read_dataflow_atom"]

_E = TypeVar("_E", bound=enum.Enum)


def _header(name: str) -> bytes:
    return b"loom.dataflow." + name.encode() + b"\0" + (1).to_bytes(4, "big") + bytes(4)


_BOOLEAN = _header("canonical-boolean")
_HEADERS: dict[type[enum.Enum], bytes] = {
    OperationSchemaId: _header("operation-schema-id"),
    ServiceValueRole: _header("service-value-role"),
    ServiceKind: _header("service-kind"),
    MemoryAccessForm: _header("memory-access-form"),
    MemoryAddressForm: _header("memory-address-form"),
    MemoryMaskForm: _header("memory-mask-form"),
}


def dataflow_atom(value: enum.Enum) -> bytes:
    """Encode a member of one of the Dataflow-owned enumerations."""
    tag: int = value.value
    return _HEADERS[type(value)] + tag.to_bytes(4, "big")


def read_dataflow_atom(kind: type[_E], data: bytes, where: str) -> _E:
    """Decode an atom of ``kind``; any other bytes are ``Invalid``."""
    tag = _tag(_HEADERS[kind], data, kind.__name__, where)
    try:
        return kind(tag)
    except ValueError:
        raise _unknown(kind.__name__, data, where) from None


def boolean_atom(value: bool) -> bytes:
    """Encode a canonical boolean."""
    return _BOOLEAN + int(value).to_bytes(4, "big")


def read_boolean_atom(data: bytes, where: str) -> bool:
    """Decode a canonical boolean; any other bytes are ``Invalid``."""
    tag = _tag(_BOOLEAN, data, "boolean", where)
    if tag > 1:
        raise _unknown("boolean", data, where)
    return tag == 1


def _tag(header: bytes, data: bytes, kind: str, where: str) -> int:
    if len(data) != len(header) + 4 or not data.startswith(header):
        raise _unknown(kind, data, where)
    return int.from_bytes(data[len(header) :], "big")


def _unknown(kind: str, data: bytes, where: str) -> Invalid:
    return Invalid(
        Diagnostic(
            "atom-unknown",
            where,
            f"The canonical bytes of a {kind} are required, not {data[:64].hex() or 'none'}",
        )
    )
