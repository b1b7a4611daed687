"""Enumerations that Fabric owns. Values are wire tags (spec: Persistent Capability Schema)."""

import enum

__all__ = [
    "ContractClauseTag",
    "EndpointDirection",
    "InactiveLaneSemantics",
    "MemoryPortTransactionProjection",
    "ReadSubwordSemantics",
    "ReleaseVisibilityPoint",
    "WriteSubwordSemantics",
]


class ReadSubwordSemantics(enum.Enum):
    """Physical guarantee for a result narrower than its endpoint."""

    NOT_APPLICABLE = 0
    EXACT = 1
    ZERO_EXTEND = 2


class WriteSubwordSemantics(enum.Enum):
    """Physical guarantee for a write payload narrower than its endpoint."""

    NOT_APPLICABLE = 0
    EXACT = 1
    BYTE_ENABLE = 2


class InactiveLaneSemantics(enum.Enum):
    """Physical guarantee for a lane whose mask bit is clear."""

    NOT_APPLICABLE = 0
    SUPPRESS = 1
    SUPPRESS_AND_ZERO_FILL = 2


class MemoryPortTransactionProjection(enum.Enum):
    """How one parent request becomes port-local child transactions."""

    DIRECT = 0
    ACTIVE_LANES_ROW_MAJOR = 1


class ContractClauseTag(enum.Enum):
    """Variant of one actor-contract clause."""

    LOAD_STORE_PLAIN = 0
    LOAD_STORE_ATOMIC = 1
    ATOMIC_RMW = 2
    COMPARE_EXCHANGE = 3
    FENCE = 4


class ReleaseVisibilityPoint(enum.Enum):
    """When the effects before a release are visible to other participants."""

    AT_LINEARIZATION = 0
    BY_RETIREMENT = 1


class EndpointDirection(enum.Enum):
    """Direction of one transport endpoint, seen from the occurrence."""

    IN = 0
    OUT = 1
