"""Enumerations that Dataflow owns; a Fabric record embeds them only as canonical atom bytes.

Values are the owner's wire tags, never C++ ordinals and never carrier indices.
"""

import enum

__all__ = [
    "MemoryAccessForm",
    "MemoryAddressForm",
    "MemoryMaskForm",
    "OperationSchemaId",
    "ServiceKind",
    "ServiceValueRole",
]


class OperationSchemaId(enum.Enum):
    """Registered memory actors; the tag is ``0x4c530201`` plus the dense registry id."""

    DATAFLOW_LOAD = 0x4C530201 + 88
    DATAFLOW_STORE = 0x4C530201 + 89
    DATAFLOW_ATOMIC_RMW = 0x4C530201 + 90
    DATAFLOW_CMPXCHG = 0x4C530201 + 91
    DATAFLOW_FENCE = 0x4C530201 + 92


class ServiceValueRole(enum.Enum):
    """Role of one value in a Canonical Service bundle; enumeration order is role order."""

    PAYLOAD = 1
    ADDRESS = 2
    DATA = 3
    UPDATE = 4
    EXPECTED = 5
    DESIRED = 6
    MASK = 7
    CONTROL = 8
    OLD = 9
    SUCCESS = 10
    COMPLETION = 11


class ServiceKind(enum.Enum):
    """Kind of one Canonical Service."""

    MESSAGE_TRANSFER = 1
    MEMORY_READ = 2
    MEMORY_WRITE = 3
    MEMORY_ATOMIC_RMW = 4
    MEMORY_COMPARE_EXCHANGE = 5
    MEMORY_FENCE = 6


class MemoryAccessForm(enum.Enum):
    """How the lanes of one access find their addresses."""

    ELEMENT = 1
    CONTIGUOUS = 2
    INDEXED = 3


class MemoryAddressForm(enum.Enum):
    """What one address lane carries: an element index, or a complete pointer."""

    ROOT_RELATIVE = 1
    POINTER_ADDRESSED = 2


class MemoryMaskForm(enum.Enum):
    """Whether the access carries a dynamic lane mask."""

    ABSENT = 1
    DYNAMIC = 2
