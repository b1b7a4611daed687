"""Atoms of values that Fabric owns: the u32be tag, alone or behind a Dataflow-owned atom."""

import enum
from typing import TypeVar

from fabricgen.errors import Diagnostic, Invalid

__all__ = ["fabric_atom", "read_fabric_atom"]

_E = TypeVar("_E", bound=enum.Enum)


def fabric_atom(value: enum.Enum) -> bytes:
    """Encode a member of a Fabric-owned enumeration."""
    tag: int = value.value
    return tag.to_bytes(4, "big")


def read_fabric_atom(kind: type[_E], data: bytes, where: str) -> _E:
    """Decode an atom of ``kind``; any other bytes are ``Invalid``."""
    if len(data) == 4:
        for member in kind:
            if fabric_atom(member) == data:
                return member
    raise Invalid(
        Diagnostic(
            "atom-unknown",
            where,
            f"A u32be tag of {kind.__name__} is required, not {data[:64].hex() or 'none'}",
        )
    )
