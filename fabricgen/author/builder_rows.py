"""Types of the tables of a mapping document that hold no reference, for Python.

As in :mod:`fabricgen.author.builder_tables`, a table is a plain dictionary with the document's
keys; what they mean stands at the document class that the builder's method writes.
"""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

from fabricgen.author.builder_tables import PointerFormat, SyncScope
from fabricgen.author.contract_document import Granularity, Ordering, RmwKind

__all__ = [
    "AtomicAccess",
    "CmpxchgAccess",
    "ExposureMatch",
    "FenceOrder",
    "LoadStoreAccess",
    "OperandRole",
    "Prefix",
    "Range",
    "ResultRole",
    "RmwAccess",
]

OperandRole = Literal["address", "data", "update", "expected", "desired", "mask", "control"]
ResultRole = Literal["data", "old", "success", "completion"]


class AtomicAccess(TypedDict):
    """Contract of an atomic load or store."""

    ordering: Ordering
    sync_scope: SyncScope
    granularity: Granularity


class _Addressed(TypedDict):
    form: Literal["element", "contiguous", "indexed"]
    element_bits: int
    lanes: int
    mask: Literal["absent", "dynamic"]
    index_bits: NotRequired[int]
    pointer: NotRequired[PointerFormat]
    volatile: NotRequired[bool]


class LoadStoreAccess(_Addressed):
    """The exact access of one load or store."""

    data_pointer: NotRequired[PointerFormat]
    atomic: NotRequired[AtomicAccess]
    alignment: NotRequired[int]


class RmwAccess(_Addressed):
    """The exact access of one atomic read-modify-write."""

    kind: RmwKind
    ordering: Ordering
    sync_scope: SyncScope
    granularity: Granularity
    alignment: int


class CmpxchgAccess(_Addressed):
    """The exact access of one compare-exchange."""

    orderings: Sequence[Ordering]
    sync_scope: SyncScope
    granularity: Granularity
    alignment: int
    weak: NotRequired[bool]


class FenceOrder(TypedDict):
    """One fence."""

    ordering: Ordering
    sync_scope: SyncScope


class Range(TypedDict):
    """Consecutive addresses."""

    base: int
    size: int


class Prefix(TypedDict):
    """Addresses that begin alike."""

    value: int
    length: int


class ExposureMatch(TypedDict, total=False):
    """What requests for one exposed memory have in common."""

    range: Range
    prefix: Prefix
    address_space: int
    context: int
